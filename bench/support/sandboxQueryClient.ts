import axios from 'axios';
import { until } from './until';
import type { Sandbox } from '../../sandbox';

export type Query = Record<string, unknown> & { _id: string; status: string };

/** Makes queries at a running sandbox, as another program of the same client would. */
export async function sandboxQueryClient({ taxQuery, page }: Pick<Sandbox, 'taxQuery' | 'page'>) {
	const { baseUrl, clientId, clientSecret } = taxQuery;
	const { data } = await axios.post<{ access_token: string }>(`${baseUrl}/oauth/token`, {
		client_id: clientId,
		client_secret: clientSecret,
	});
	const service = axios.create({
		baseURL: baseUrl,
		headers: { Authorization: `Bearer ${data.access_token}` },
	});
	return {
		service,
		/** Asks for one CRF (or another query about an RFC) and returns its id. */
		async ask(path = '/query/crf', body: object = { rfc: 'GODE561231GR8' }): Promise<string> {
			return (await service.post<{ queryId: string }>(path, body)).data.queryId;
		},
		async query(id: string): Promise<Query> {
			return (await service.get<Query>(`/query/${id}`)).data;
		},
		/** The record of a query once it has its result. */
		async finished(id: string): Promise<Query> {
			return await until(
				`the result of query ${id}`,
				async () => {
					const query = await this.query(id);
					return query.status !== 'PENDING' && query;
				},
				{ pauseMs: 1 },
			);
		},
		/** An RFC reserved for a behaviour: pending, failed, slow … */
		async reservedRfc(behaviour: string): Promise<string> {
			type State = { reserved: Array<{ behaviour: string; rfc: string }> };
			const { data } = await axios.get<State>(`${page}sandbox/state`);
			return data.reserved.find((each) => each.behaviour === behaviour)?.rfc as string;
		},
		/** The id of a query that never gets a result. */
		async pending(): Promise<string> {
			return await this.ask('/query/crf', { rfc: await this.reservedRfc('pending') });
		},
		/** A finished query. */
		async result(path?: string, body?: object): Promise<Query> {
			return await this.finished(await this.ask(path, body));
		},
	};
}
