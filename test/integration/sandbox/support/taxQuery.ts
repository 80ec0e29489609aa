import axios, { type AxiosInstance } from 'axios';
import { until } from '../../../support/until';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../../sandbox';
import type { QueryRecord } from '../../../../contract/taxQuery';

export interface TaxQueryBench {
	sandbox: Sandbox;
	/** Speaks to the query service with a valid token; every status resolves. */
	service: AxiosInstance;
	/** Speaks to the control plane. */
	control: AxiosInstance;
	/** The record once it is no longer pending. */
	finished(queryId: string): Promise<QueryRecord>;
}

export async function startTaxQueryBench(
	options: Partial<SandboxOptions> = {},
): Promise<TaxQueryBench> {
	const sandbox = await startSandbox({ resultDelay: 20, documents: 10, ...options });
	const { baseUrl, clientId, clientSecret } = sandbox.taxQuery;
	const service = axios.create({ baseURL: baseUrl, validateStatus: () => true });
	const { data } = await service.post<{ access_token: string }>('/oauth/token', {
		grant_type: 'client_credentials',
		client_id: clientId,
		client_secret: clientSecret,
	});
	service.defaults.headers.common.Authorization = `Bearer ${data.access_token}`;
	return {
		sandbox,
		service,
		control: axios.create({ baseURL: `${sandbox.page}sandbox`, validateStatus: () => true }),
		async finished(queryId) {
			return await until(`the result of query ${queryId}`, async () => {
				const { data: record } = await service.get<QueryRecord>(`/query/${queryId}`);
				return record.status !== 'PENDING' && record;
			});
		},
	};
}

/** The same for every test of this file or block; closed at its end. */
export function taxQueryBenchForTests(options: Partial<SandboxOptions> = {}): TaxQueryBench {
	const bench = {} as TaxQueryBench;
	beforeAll(async () => Object.assign(bench, await startTaxQueryBench(options)));
	afterAll(() => bench.sandbox.close());
	return bench;
}
