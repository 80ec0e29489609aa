import fc from 'fast-check';
import { firstViolation } from '../../../../contract/check';
import { ErrorBody } from '../../../../contract/shared';
import { taxQueryBenchForTests } from '../support/taxQuery';
import { endpoints, type Endpoint } from './tables/endpoints';

const RUNS = 1000;

interface GeneratedQuery {
	endpoint: Endpoint;
	data: string;
}

const text = fc.string({ unit: 'grapheme', maxLength: 30 });
const two = (value: number) => String(value).padStart(2, '0');
const rfc = fc.stringMatching(
	/^[A-ZÑ&]{3,4}\d\d(0[1-9]|1[0-2])(0[1-9]|1\d|2[0-8])[1-9A-Z]{2}[\dA]$/,
);
const period = fc
	.tuple(fc.integer({ min: 1990, max: 2027 }), fc.integer({ min: 1, max: 12 }))
	.map(([year, month]) => `${year}-${two(month)}`);

/** Defines what a field is sometimes filled with, right or nearly so. */
const byField: Record<string, fc.Arbitrary<unknown>> = {
	rfc,
	from: period,
	to: period,
	day: fc.integer({ min: 0, max: 32 }),
	month: fc.integer({ min: 0, max: 13 }),
	year: fc.integer({ min: 1890, max: 2110 }),
	name: text,
	firstLastName: text,
	secondLastName: text,
};

/** Bodies from right to nonsense, as JSON. */
const query: fc.Arbitrary<GeneratedQuery> = fc.constantFrom(...endpoints).chain((endpoint) => {
	const valid = fc.constantFrom(...endpoint.valid);
	const broken = fc.constantFrom(...endpoint.violations.map(([, body]) => body));
	const fields = Object.keys(endpoint.valid[0]).map((name) => [
		name,
		fc.oneof({ weight: 4, arbitrary: byField[name] ?? text }, fc.jsonValue()),
	]);
	const changes = fc.record(Object.fromEntries(fields), { requiredKeys: [] });
	const changed = fc.tuple(valid, changes).map(([body, change]) => ({ ...body, ...change }));
	return fc
		.oneof(
			{ weight: 3, arbitrary: valid },
			{ weight: 1, arbitrary: broken },
			{ weight: 4, arbitrary: changed },
			{ weight: 1, arbitrary: fc.jsonValue() },
		)
		.map((body) => ({ endpoint, data: JSON.stringify(body) }));
});

describe('generated requests to the Tax Query service', () => {
	const bench = taxQueryBenchForTests();

	it('generated requests get valid responses, and only accepted ones are billed', async () => {
		const statuses = new Map<number, number>();
		let accepted = 0;
		const check = async ({ endpoint, data }: GeneratedQuery) => {
			const { status, data: answer } = await bench.service.post<{ results?: unknown[] }>(
				endpoint.path,
				data,
				{ headers: { 'Content-Type': 'application/json' } },
			);
			statuses.set(status, (statuses.get(status) ?? 0) + 1);
			if (status >= 500) throw new Error(`Status ${status}: ${JSON.stringify(answer)}`);
			const violation = firstViolation(status === 200 ? endpoint.answer : ErrorBody, answer);
			if (violation) throw new Error(`${status}: ${violation.field}: ${violation.message}`);
			if (status === 200) accepted += answer.results?.length ?? 1;
		};
		await fc.assert(fc.asyncProperty(query, check), { numRuns: RUNS });
		expect(statuses.get(200)).toBeGreaterThan(RUNS / 4);
		expect(statuses.get(400)).toBeGreaterThan(RUNS / 10);
		expect((await bench.control.get<unknown[]>('/ledger')).data).toHaveLength(accepted);
	});
});
