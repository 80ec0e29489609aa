import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { INodeParameters } from 'n8n-workflow';
import { runNodeInEngine, type NodeRunOptions } from '../../support/runNodeInEngine';
import { respondJson, serve } from '../../support/testServer';
import type { StoredQuery } from './fakeService';

/** One paid POST that has arrived. */
export interface BilledPostAwaitingResponse {
	tenant: string;
	path: string;
	query: Record<string, unknown>;
	/** So many paid POSTs of all tenants arrived before. */
	before: number;
	/** Bills the query; `fields` replace those of its record. */
	accept(fields?: Partial<StoredQuery>): StoredQuery;
	response: ServerResponse;
}

const services: Record<string, string> = {
	'/query/crf': 'CRF',
	'/query/curp-data': 'CURP',
	'/query/tax/profile': 'TAX_PROFILE',
	'/query/rfc-calculator': 'RFC_CALCULATOR',
};

const TOKEN = 'token-of-';
/** The pasted access token of a tenant. */
const accessTokenFor = (tenant: string) => `${TOKEN}${tenant}`;

const acknowledge = ({ accept, response }: BilledPostAwaitingResponse): void =>
	respondJson(response, { message: 'Accepted', queryId: accept()._id });

let started = 0;

/** A query service with any number of tenants: client IDs or access tokens, each with queries of its own. */
export async function tenantService({
	post = acknowledge,
	list = (stored: StoredQuery[]) => stored,
}: {
	post?: (arrived: BilledPostAwaitingResponse) => void | Promise<void>;
	list?: (stored: StoredQuery[], tenant: string) => StoredQuery[];
} = {}) {
	const billed = new Map<string, StoredQuery[]>();
	const posts: Array<Pick<BilledPostAwaitingResponse, 'tenant' | 'path' | 'query'>> = [];
	const reads: string[] = [];
	const logins: string[] = [];
	const of = (tenant: string) => billed.get(tenant) ?? [];
	const add = (tenant: string, stored: StoredQuery) => billed.set(tenant, [...of(tenant), stored]);

	async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { method = '', url = '', headers } = request;
		const path = new URL(url, 'http://localhost').pathname;
		const body = await text(request);
		if (path === '/oauth/token') {
			const { client_id: client } = JSON.parse(body) as { client_id: string };
			logins.push(client);
			return respondJson(response, { access_token: accessTokenFor(client), expires_in: 3600 });
		}
		const tenant = /^Bearer token-of-(.+)$/.exec(headers.authorization ?? '')?.[1];
		if (tenant === undefined) return respondJson(response, { message: 'Who are you?' }, 401);
		if (method === 'POST') {
			const query = JSON.parse(body) as Record<string, unknown>;
			const before = posts.push({ tenant, path, query }) - 1;
			const accept = (fields: Partial<StoredQuery> = {}) => {
				const stored = {
					_id: randomUUID().slice(0, 13),
					service: services[path] ?? path,
					status: 'SUCCESS',
					query,
					response: { tenant },
					createdAt: new Date().toISOString(),
					...fields,
				};
				add(tenant, stored);
				return stored;
			};
			return await post({ tenant, path, query, before, accept, response });
		}
		reads.push(`${tenant} ${path}`);
		if (path === '/query') return respondJson(response, list([...of(tenant)].reverse(), tenant));
		const one = of(tenant).find(({ _id }) => path.endsWith(_id));
		return respondJson(response, one ?? { message: 'Nothing here' }, one ? 200 : 404);
	}
	const { url: baseUrl, close } = await serve((request, response) => {
		void handle(request, response);
	});
	/** Each tenant logs in with a client ID of its own. */
	const byClient = {
		baseUrl,
		grant: 'clientCredentials',
		clientId: '={{ $json.tenant }}',
		clientSecret: '={{ "secret of " + $json.tenant }}',
		pointsPerSecond: 0,
		accessToken: '',
	};
	/** Each tenant has an access token of its own. */
	const byToken = {
		baseUrl,
		grant: 'accessToken',
		pastedToken: `={{ "${TOKEN}" + $json.tenant }}`,
		pointsPerSecond: 0,
		accessToken: '',
	};
	const service = ++started;
	let run = 0;
	return {
		baseUrl,
		close,
		reset: async () => await Promise.resolve(billed.clear()),
		add,
		posts,
		reads,
		logins,
		byClient,
		byToken,
		billedOf: of,
		run: async (parameters: INodeParameters, more: Partial<NodeRunOptions> = {}) =>
			await runNodeInEngine({
				type: 'taxQuery',
				parameters,
				executionId: `tenants-${service}-${++run}`,
				credentials: { taxQueryApi: { ...byClient } },
				...more,
			}),
	};
}

export type MultiTenantService = Awaited<ReturnType<typeof tenantService>>;
