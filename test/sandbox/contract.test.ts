import type { TSchema } from '@sinclair/typebox';
import { firstViolation } from '../../contract/check';
import type { CollectionsPage } from '../../contract/creditProfile';
import { QueryRecord } from '../../contract/taxQuery';
import { endpoints } from './creditProfile/endpointCases';
import {
	sharedSandboxWithClients,
	PERSON_RFC,
	withSandboxClients,
	type SandboxWithClients,
} from './support/clients';
import { compareFields } from './support/compareFields';
import type { EndpointTestCase } from './support/endpointTypes';
import { postQueryEndpoints } from './taxQuery/endpointCases';

interface Sent {
	id?: number | string;
	params?: object;
	body?: unknown;
}
interface Received {
	message?: string;
	field?: string;
	queryId?: string;
	results?: unknown[];
}

const bench = sharedSandboxWithClients();
beforeAll(async () => {
	await bench.taxQuery.post('/query/tax/profile', { rfc: PERSON_RFC, ciec: 'abcd1234' });
});

const pathOf = ({ path }: EndpointTestCase, id: number | string = 2) =>
	path.replace(/\{\w+\}/, String(id));

async function send(
	endpoint: EndpointTestCase,
	{ id, params, body }: Sent,
	own: SandboxWithClients = bench,
) {
	const client = endpoint.service ? own.taxQuery : own.creditProfile;
	return await client.request<Received>({
		...{ method: endpoint.method, url: pathOf(endpoint, id), params },
		data: body === undefined ? undefined : JSON.stringify(body),
		headers: { 'Content-Type': 'application/json' },
	});
}

/** Each valid body and parameter by itself, then everything that can be included, of each collection. */
function validRequests({ path, valid, query = {} }: EndpointTestCase, ids: number[]): Sent[] {
	if (valid) return valid.map((body) => ({ body }));
	const names = Object.keys(query).filter((name) => name.startsWith('include'));
	const included = Object.fromEntries(names.map((name) => [name, true]));
	const params = { ...(query.limit && { limit: 100 }), ...included };
	return [
		...Object.entries(query).flatMap(([name, { valid: texts }]) =>
			texts.map((text) => ({ params: { [name]: text } })),
		),
		...(path.includes('{') ? ids : [0]).map((id) => ({ id, params })),
	];
}

type Invalid = [field: string | undefined, request: Sent];
function invalidRequests({ method, path, invalid = [], ...others }: EndpointTestCase): Invalid[] {
	const { query = {}, invalidIds = [] } = others;
	const [, parameter] = /\{(\w+)\}/.exec(path) ?? [];
	return [
		...invalid.map(([field, body]): Invalid => [field, { body }]),
		...Object.entries(query).flatMap(([name, { invalid: texts }]) =>
			texts.map((text): Invalid => [name, { params: { [name]: text } }]),
		),
		...invalidIds.map((id): Invalid => [parameter, { id }]),
		...(method === 'GET' ? [['limitt', { params: { limitt: '5' } }] as Invalid] : []),
	];
}

/** The response to each valid request; each is checked by the contract. */
async function responsesOf(
	endpoint: EndpointTestCase,
	ids: number[],
	own: SandboxWithClients,
): Promise<Received[]> {
	const responses = [];
	for (const request of validRequests(endpoint, ids)) {
		const { status, data } = await send(endpoint, request, own);
		const violation = firstViolation(endpoint.response, data);
		expect({ request, status, violation }).toEqual({ request, status: 200 });
		responses.push(data);
	}
	return responses;
}

function expectFields(schema: TSchema, values: unknown[], unsent: string[] = []): void {
	expect(values.map((value) => firstViolation(schema, value)).filter(Boolean)).toEqual([]);
	expect(compareFields(schema, values)).toEqual({ unsent, undocumented: [] });
}

const SEEDS = [1, 2];

it.each(SEEDS)('all Credit Profile responses follow the contract (seed %i)', async (seed) => {
	await withSandboxClients({ seed }, async (own) => {
		const params = { limit: 100 };
		const { data } = await own.creditProfile.get<CollectionsPage>('/data/collection', { params });
		const ids = data.data.map(({ id }) => id);
		const responses = new Map<TSchema, unknown[]>();
		for (const endpoint of endpoints) {
			const others = responses.get(endpoint.response) ?? [];
			responses.set(endpoint.response, [...others, ...(await responsesOf(endpoint, ids, own))]);
		}
		for (const { response, unsent } of endpoints) {
			expectFields(response, responses.get(response) ?? [], unsent);
		}
	});
});

const billed = async ({ control } = bench) =>
	(await control.get<Array<{ service: string }>>('/ledger')).data.map(({ service }) => service);

it.each(SEEDS)(
	'all Tax Query responses follow the contract and are billed (seed %i)',
	async (seed) => {
		await withSandboxClients({ seed }, async (own) => {
			for (const endpoint of postQueryEndpoints) {
				const { service, response, record, unsent } = endpoint;
				await own.control.delete('/ledger');
				const responses = await responsesOf(endpoint, [], own);
				expectFields(response, responses);
				const accepted = responses.flatMap(({ results }) => results ?? [1]);
				expect(await billed(own)).toEqual(accepted.map(() => service));
				if (!record) continue;
				const records = responses.map(async ({ queryId = '' }) => await own.finished(queryId));
				expectFields(record, await Promise.all(records), unsent);
			}
			const { data: list } = await own.taxQuery.get<QueryRecord[]>('/query');
			expect(list.length).toBeGreaterThan(postQueryEndpoints.length);
			expectFields(QueryRecord, list);
			for (const listed of list) {
				const { data } = await own.taxQuery.get<QueryRecord>(`/query/${listed._id}`);
				expect(data._id).toBe(listed._id);
				expectFields(QueryRecord, [data]);
			}
		});
	},
);

it.each([...endpoints, ...postQueryEndpoints])(
	'$method $path refuses invalid values with 400 and their name, and bills nothing',
	async (endpoint) => {
		await bench.control.delete('/ledger');
		for (const [field, request] of invalidRequests(endpoint)) {
			const { status, data } = await send(endpoint, request);
			const refused = { request, status, field: data.field?.split('.')[0] };
			expect(refused).toEqual({ request, status: 400, field });
		}
		expect(await billed()).toEqual([]);
	},
);

it('a missing, wrong or differently written API token is a 401 at every endpoint', async () => {
	const { token } = bench.sandbox.creditProfile;
	const message = expect.stringContaining('Token <API_TOKEN>') as string;
	for (const endpoint of endpoints) {
		for (const Authorization of [undefined, 'Token wrong', 'Token', token, `Bearer ${token}`]) {
			const { status, data } = await bench.anyone.request<object>({
				...{ method: endpoint.method, url: `/api/v1${pathOf(endpoint)}` },
				headers: { Authorization },
			});
			const expected = { Authorization, status: 401, data: { statusCode: 401, message } };
			expect({ Authorization, status, data }).toEqual(expected);
		}
	}
});

it.each(endpoints)('$path answers 405 to DELETE and names $method', async (endpoint) => {
	const path = pathOf(endpoint);
	const { status, headers, data } = await bench.creditProfile.delete<object>(path);
	const body = { statusCode: 405, message: `/api/v1${path} does not take DELETE` };
	expect([status, headers.allow, data]).toEqual([405, endpoint.method, body]);
});

it('an unknown path and an unknown collection are a 404 in JSON', async () => {
	for (const endpoint of endpoints) {
		const path = endpoint.path.includes('{') ? pathOf(endpoint, 987_654) : `/no${endpoint.path}`;
		const { status, data } = await bench.creditProfile.get<object>(path);
		const body = { statusCode: 404, message: expect.any(String) as string };
		expect({ path, status, data }).toEqual({ path, status: 404, data: body });
	}
});

it.each([
	['post', '/nothing', 404],
	['get', '/query/crf/more', 404],
	['get', '/query/no-such-id', 404],
	['put', '/query/crf', 405],
	['delete', '/query', 405],
] as const)('%s %s of the query service is a %i in JSON', async (method, url, status) => {
	const response = await bench.taxQuery.request({ method, url });
	expect([response.status, response.data.statusCode]).toEqual([status, status]);
});

it('the OpenAPI page has every documented endpoint, and no dead reference', async () => {
	const { data } = await bench.anyone.get<Record<string, object>>('/docs/json');
	const served = Object.entries(data.paths as Record<string, object>)
		.filter(([path]) => path.startsWith('/api/'))
		.flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
	const documented = [
		...endpoints.map(({ method, path }) => `${method.toLowerCase()} /api/v1${path}`),
		...postQueryEndpoints.map(({ path }) => `post /api${path}`),
		...['get /api/query', 'get /api/query/{queryId}', 'post /api/oauth/token'],
	];
	expect(served.sort()).toEqual(documented.sort());
	const references = JSON.stringify(data).match(/(?<="\$ref":")[^"]+/g) ?? [];
	const targets = references.map((reference) =>
		reference
			.replace('#/', '')
			.split('/')
			.reduce<unknown>((value, step) => (value as Record<string, unknown>)?.[step], data),
	);
	expect([data.openapi, targets.length > 0, targets.includes(undefined)]).toEqual([
		...['3.1.0', true, false],
	]);
	const page = await bench.anyone.get<string>('/docs/');
	expect([page.status, page.data.includes('swagger-ui')]).toEqual([200, true]);
});
