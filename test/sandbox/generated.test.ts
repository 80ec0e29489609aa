import fc from 'fast-check';
import { firstViolation } from '../../contract/check';
import { SandboxErrorBody } from '../../contract/builders';
import { endpoints, filterKeys } from './creditProfile/endpointCases';
import { sharedSandboxWithClients, PERSON_RFC } from './support/clients';
import type { EndpointTestCase } from './support/endpointTypes';
import { postQueryEndpoints } from './taxQuery/endpointCases';

const RUNS = 1000;

interface GeneratedRequest {
	endpoint: EndpointTestCase;
	id: string;
	params: object;
	/** Its text and its type. */
	body: object;
}

const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const oneOf = <T>(...choices: Array<[weight: number, arbitrary: fc.Arbitrary<T>]>) =>
	fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
/** An object that may lack any of these fields. */
const someOf = (names: string[], valueOf: (name: string) => fc.Arbitrary<unknown>) =>
	fc.record(Object.fromEntries(names.map((name) => [name, valueOf(name)])), { requiredKeys: [] });

const month = fc
	.tuple(fc.integer({ min: 1990, max: 2027 }), fc.constantFrom('01', '06', '12', '13'))
	.map((parts) => parts.join('-'));
const word = fc.stringMatching(/^[A-Za-z0-9_]{0,20}$/);
/** Values of a body's field that are right or nearly so. */
const byField: Record<string, fc.Arbitrary<unknown>> = {
	rfc: fc.stringMatching(/^[A-ZÑ&]{3,4}\d\d(0[1-9]|1[0-2])(0[1-9]|1\d|2[0-8])[1-9A-Z]{2}[\dA]$/),
	...{ from: month, to: month, user: word, password: word },
	day: fc.integer({ min: 0, max: 32 }),
	month: fc.integer({ min: 0, max: 13 }),
	year: fc.integer({ min: 1890, max: 2110 }),
};

/** Bodies from right to nonsense, as JSON or as a form. */
function bodyOf(valid: object[], invalid: Array<[field: unknown, body: unknown]>) {
	const right = fc.constantFrom(...valid);
	const changes = someOf([...Object.keys(valid[0]), 'other'], (name) =>
		oneOf<unknown>([8, byField[name] ?? text], [1, fc.jsonValue()]),
	);
	const changed = fc.tuple(right, changes).map(([body, change]) => ({ ...body, ...change }));
	const json = oneOf<unknown>(
		[3, right],
		[4, changed],
		[1, fc.constantFrom(...invalid.map(([, body]) => body))],
		[1, fc.jsonValue()],
	);
	const asForm = right.map((body) => ({
		data: new URLSearchParams(Object.entries(body)).toString(),
		headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
	}));
	const asJson = oneOf<string>([8, json.map((body) => JSON.stringify(body))], [1, text]);
	const headers = { 'Content-Type': 'application/json' };
	return oneOf<object>([8, asJson.map((data) => ({ data, headers }))], [1, asForm]);
}

const key = fc.constantFrom(...filterKeys, '__proto__', 'constructor', 'name__gt');
const value = fc.oneof(
	fc.constantFrom('PF', 'Domicilios', 'ñ', 'applicants-pf', '101', '1'),
	fc.integer({ min: -5, max: 6000 }),
	fc.array(fc.oneof(text, fc.integer()), { maxLength: 4 }),
	fc.jsonValue({ maxDepth: 2 }),
);
const filter = fc.oneof(
	fc.dictionary(key, value, { maxKeys: 3 }).map((keys) => ({ filter: JSON.stringify(keys) })),
	fc.tuple(key, value).map(([name, one]) => ({ [`filter[${name}]`]: one })),
	fc.tuple(key, value).map(([name, one]) => ({ [`filter.${name}`]: one })),
);

function requestTo(endpoint: EndpointTestCase): fc.Arbitrary<GeneratedRequest> {
	const { query = {}, valid, invalid = [] } = endpoint;
	const params = someOf(Object.keys(query), (name) =>
		oneOf(
			[9, fc.constantFrom(...query[name].valid)],
			[1, fc.constantFrom(...query[name].invalid)],
			[1, text],
		),
	);
	return fc.record({
		endpoint: fc.constant(endpoint),
		id: oneOf([4, fc.integer({ min: 1, max: 30 }).map(String)], [1, text]),
		params: query.filter ? oneOf<object>([1, params], [2, filter]) : params,
		body: valid ? bodyOf(valid, invalid) : fc.constant({}),
	});
}

const bench = sharedSandboxWithClients({ documents: 500 });

it.each([
	['creditProfile', endpoints],
	['taxQuery', postQueryEndpoints],
] as const)('%s follows the contract with generated requests', async (service, all) => {
	const requests = fc.constantFrom(...all).chain(requestTo);
	const statuses = new Map<number, number>();
	let accepted = 0;
	await bench.taxQuery.post('/query/tax/profile', { rfc: PERSON_RFC, ciec: 'abcd1234' });
	await bench.control.delete('/ledger');
	const check = async ({ endpoint, id, params, body }: GeneratedRequest) => {
		const { status, data } = await bench[service].request<{ results?: unknown[] }>({
			method: endpoint.method,
			url: endpoint.path.replace(/\{\w+\}/, () => encodeURIComponent(id)),
			...{ params, ...body },
		});
		statuses.set(status, (statuses.get(status) ?? 0) + 1);
		expect(status).toBeLessThan(500);
		const violation = firstViolation(status === 200 ? endpoint.response : SandboxErrorBody, data);
		expect(violation).toBeUndefined();
		if (status === 200 && service === 'taxQuery') accepted += data.results?.length ?? 1;
	};
	await fc.assert(fc.asyncProperty(requests, check), { numRuns: RUNS });
	expect(statuses.get(200)).toBeGreaterThan(RUNS / 4);
	expect(statuses.get(400)).toBeGreaterThan(RUNS / 10);
	expect((await bench.control.get<unknown[]>('/ledger')).data).toHaveLength(accepted);
});
