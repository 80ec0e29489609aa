import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json as readJson } from 'node:stream/consumers';
import type { INodeParameters } from 'n8n-workflow';
import { runNodeInEngine, type NodeRunOptions } from '../../support/runNodeInEngine';
import { credentialOfClient, respondJson, serve } from '../../support/testServer';

/** A query as the service keeps it. */
export interface StoredQuery {
	_id: string;
	service: string;
	status: string;
	query: Record<string, unknown>;
	response: Record<string, unknown>;
	createdAt: string;
}

/** A finished query of now. */
export const aRecord = (fields: Partial<StoredQuery> = {}): StoredQuery => ({
	_id: randomUUID(),
	service: 'CRF',
	status: 'SUCCESS',
	query: {},
	response: {},
	createdAt: new Date().toISOString(),
	...fields,
});

/** Responds to a query; `accept` bills it. */
export type PostHandler = (
	accept: () => StoredQuery,
	response: ServerResponse,
) => void | Promise<void>;

/** A gateway responds in place of the service, which may have accepted the query. */
export const respondBadGateway = (response: ServerResponse) => void response.writeHead(502).end();

/** Accepts the query; its response is lost. */
export const acceptThenRespondBadGateway: PostHandler = (accept, response) => {
	accept();
	respondBadGateway(response);
};

/** Responds to the first query so, and to all others as documented. */
export const respondToFirstPost = (handler: PostHandler): PostHandler => {
	let count = 0;
	return async (accept, response) =>
		await (count++ === 0 ? handler : handlers.post)(accept, response);
};

/** The defaults are the documented responses. */
const handlers = {
	token: (response: ServerResponse) => respondJson(response, { access_token: 'fake-token-1234' }),
	post: ((accept, response) => respondJson(response, { queryId: accept()._id })) as PostHandler,
	list: (stored: StoredQuery[], response: ServerResponse) => respondJson(response, stored),
	get: (one: StoredQuery | undefined, response: ServerResponse) =>
		respondJson(response, one ?? { message: 'Nothing here' }, one ? 200 : 404),
};

const services: Record<string, string> = {
	'/query/crf': 'CRF',
	'/query/rfc-calculator': 'RFC_CALCULATOR',
	'/query/tax/invoice': 'INVOICE',
};

let run = 0;

/** A query service that bills what it accepts, and answers as a test wants it, where the sandbox never does. */
export async function fakeService(answers: Partial<typeof handlers> = {}) {
	const { token, post, list, get } = { ...handlers, ...answers };
	const billed: StoredQuery[] = [];
	/** Method and path of each request but the token's. */
	const requests: string[] = [];
	async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { method = '', url = '' } = request;
		const path = new URL(url, 'http://localhost').pathname;
		if (path === '/oauth/token') return token(response);
		requests.push(`${method} ${path}`);
		if (method === 'POST') {
			const query = (await readJson(request)) as StoredQuery['query'];
			const accept = () => {
				const stored = aRecord({
					service: services[path] ?? path,
					query,
					response: { legalName: `Of ${JSON.stringify(query)}` },
				});
				billed.push(stored);
				return stored;
			};
			await post(accept, response);
		} else if (path === '/query') list([...billed].reverse(), response);
		else
			get(
				billed.find(({ _id }) => path.endsWith(_id)),
				response,
			);
	}
	const { url: baseUrl, close } = await serve((request, response) => {
		void handle(request, response);
	});
	const credential = credentialOfClient(baseUrl, 'fake');
	return {
		...{ baseUrl, close },
		billed,
		requests,
		sent: () => requests.filter((one) => one.startsWith('POST')).length,
		/** A run's credentials with this API Mapping. */
		mapped: (apiMapping: object) => ({
			credentials: { taxQueryApi: { ...credential, apiMapping: JSON.stringify(apiMapping) } },
		}),
		/** A run's credentials with these fields. */
		credential: (fields: object) => ({
			credentials: { taxQueryApi: { ...credential, ...fields } },
		}),
		run: async (parameters: INodeParameters, more: Partial<NodeRunOptions> = {}) =>
			await runNodeInEngine({
				type: 'taxQuery',
				parameters,
				executionId: `fake-${++run}`,
				credentials: { taxQueryApi: { ...credential } },
				...more,
			}),
	};
}
