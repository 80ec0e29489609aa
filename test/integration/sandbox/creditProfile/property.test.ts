import fc from 'fast-check';
import { firstViolation } from '../../../../contract/check';
import { ErrorBody } from '../../../../contract/shared';
import { benchForTests } from '../support/creditProfile';
import { endpointTables, filterKeys, type EndpointTable } from './tables/endpoints';

const RUNS = 1000;

interface GeneratedRequest {
	endpoint: EndpointTable;
	path: string;
	contentType?: string;
	data?: string;
	params?: Record<string, unknown>;
}

const upserts = endpointTables.filter(({ method }) => method === 'POST');
const lists = endpointTables.filter(({ query }) => query);
const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const login = fc.stringMatching(/^[A-Za-z0-9_]{0,20}$/);

/** Bodies from right to nonsense, as JSON or as a form. */
const upsert: fc.Arbitrary<GeneratedRequest> = fc.constantFrom(...upserts).chain((endpoint) => {
	const [valid] = endpoint.bodies?.valid ?? [{}];
	const fields = Object.fromEntries(
		Object.keys(valid).map((name) => [name, fc.oneof({ weight: 4, arbitrary: login }, text)]),
	);
	const right = fc.record(fields);
	const spoilt = fc.record(
		{ ...fields, other: fc.jsonValue(), [Object.keys(valid)[0]]: fc.jsonValue() },
		{ requiredKeys: [] },
	);
	const asJson = fc
		.oneof({ weight: 5, arbitrary: right }, spoilt, fc.jsonValue())
		.map((body) => ({ contentType: 'application/json', data: JSON.stringify(body) }));
	const asForm = right.map((body) => ({
		contentType: 'application/x-www-form-urlencoded',
		data: new URLSearchParams(body).toString(),
	}));
	const asNonsense = text.map((data) => ({ contentType: 'application/json', data }));
	return fc
		.oneof({ weight: 5, arbitrary: asJson }, { weight: 2, arbitrary: asForm }, asNonsense)
		.map((body) => ({ endpoint, path: endpoint.path, ...body }));
});

const anyKey = fc.oneof(
	{ weight: 5, arbitrary: fc.constantFrom(...Object.keys(filterKeys)) },
	fc.constantFrom('__proto__', 'constructor', 'toString', 'name__gt'),
);
const anyValue = fc.oneof(
	fc.constantFrom('PF', 'Domicilios', 'ñ', 'applicants-pf', '101', '1', '2'),
	fc.integer({ min: -5, max: 6000 }),
	text,
	fc.array(fc.oneof(text, fc.integer()), { maxLength: 4 }),
	fc.jsonValue({ maxDepth: 2 }),
);

/** The filter in each of its encodings. */
const filter: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
	fc.dictionary(anyKey, anyValue, { maxKeys: 3 }).map((keys) => ({ filter: JSON.stringify(keys) })),
	fc.tuple(anyKey, anyValue).map(([key, value]) => ({ [`filter[${key}]`]: value })),
	fc.tuple(anyKey, anyValue).map(([key, value]) => ({ [`filter.${key}`]: value })),
	text.map((nonsense) => ({ filter: nonsense })),
);

const list: fc.Arbitrary<GeneratedRequest> = fc.constantFrom(...lists).chain((endpoint) => {
	const names = Object.keys(endpoint.query ?? {}).filter((name) => name !== 'filter');
	const values = Object.fromEntries(
		names.map((name) => {
			const { valid, broken } = endpoint.query?.[name] ?? { valid: [], broken: [] };
			const some = fc.constantFrom(...valid, ...broken);
			return [
				name,
				fc.oneof(
					{ weight: 6, arbitrary: fc.constantFrom(...valid) },
					{ weight: 1, arbitrary: some },
					{ weight: 1, arbitrary: text },
				),
			];
		}),
	);
	const id = fc.oneof(
		{ weight: 4, arbitrary: fc.integer({ min: 1, max: 30 }).map(String) },
		{ weight: 1, arbitrary: text.map((some) => encodeURIComponent(some)) },
	);
	const params = fc.tuple(
		fc.record(values, { requiredKeys: [] }),
		endpoint.section === '4.4' ? filter : fc.constant({}),
	);
	return fc.tuple(id, params).map(([one, [known, filtered]]) => ({
		endpoint,
		path: endpoint.template.replace(/\{\w+\}/, () => one),
		params: { ...known, ...filtered },
	}));
});

describe('generated requests to the Credit Profile service', () => {
	const bench = benchForTests({ documents: 500 });

	it('never fail, and every answer is valid by the contract', async () => {
		const statuses = new Map<number, number>();
		const check = async ({ endpoint, path, contentType, data, params }: GeneratedRequest) => {
			const { status, data: answer } = await bench.service.request<unknown>({
				method: endpoint.method,
				url: path,
				params,
				data,
				headers: contentType ? { 'Content-Type': contentType } : {},
			});
			statuses.set(status, (statuses.get(status) ?? 0) + 1);
			if (status >= 500) throw new Error(`Status ${status}: ${JSON.stringify(answer)}`);
			const violation = firstViolation(status === 200 ? endpoint.response : ErrorBody, answer);
			if (violation) throw new Error(`${status}: ${violation.field}: ${violation.message}`);
		};
		await fc.assert(fc.asyncProperty(fc.oneof(upsert, list), check), { numRuns: RUNS });
		expect(statuses.get(200)).toBeGreaterThan(RUNS / 4);
		expect(statuses.get(400)).toBeGreaterThan(RUNS / 10);
	});
});
