import type { QueryId, QueryRecord } from '../../../../nodes/TaxQuery/client/model';
import type { QueryRequest } from '../../../../nodes/TaxQuery/request/queryRequest';
import type { PastQueries } from '../../../../nodes/TaxQuery/submission/reuse';
import { DayCounter, SpendingLimit } from '../../../../nodes/TaxQuery/submission/limits';
import { countOf } from '../../../../nodes/TaxQuery/spending/amounts';
import type { Submission } from '../../../../nodes/TaxQuery/submission/submissionState';
import type { Run, Item } from '../../../../nodes/shared/operations/operation';

const LOST = 50;
const FOREIGN = 500;

const run = {
	root: '7',
	node: 'node',
	timeZone: 'America/Mexico_City',
	execution: { shared: (make: () => unknown) => make() },
} as unknown as Run;
const item = {
	...{ index: 0, run },
	connection: async () => await Promise.resolve({ clientKey: 'client', clockOffsetMs: () => 0 }),
} as unknown as Item;
const requestFor = (rfc: string) =>
	({
		definition: { queryType: { operation: 'getCrf' } },
		expected: [{ code: 'CRF', otherCodes: [], fields: { rfc } }],
	}) as unknown as QueryRequest;
const submissionOf = (share: string, sentAt: number) =>
	({
		sharingKey: share,
		sentAt,
		state: { status: 'uncertain', sentAt: 0, reason: 'noId' },
	}) as Submission;

describe('Max Queries per Day with many queries of unknown outcome', () => {
	const names = (count: number, start: string) =>
		Array.from({ length: count }, (_, index) => `${start}-${index}`);
	let reads: number;
	const recordOf = (rfc: string): QueryRecord => ({
		...({ id: `id-of-${rfc}` as QueryId, code: 'CRF', raw: {} } as QueryRecord),
		createdAt: Date.now(),
	});
	/** It counts how often it is compared. */
	const countingReads = (rfc: string): QueryRecord =>
		Object.defineProperty(recordOf(rfc), 'request', {
			get() {
				reads++;
				return { rfc };
			},
		});
	const lost = names(LOST, 'lost');
	const listed = [...names(FOREIGN, 'foreign'), ...lost];

	/** Plans one more query after the list shows those of unknown outcome. */
	async function planOneMore(maxQueriesPerDay: number) {
		const records = listed.map(countingReads);
		const past = {
			list: async () =>
				await Promise.resolve({ records, unreadable: 0, completeness: 'complete' as const }),
		} as unknown as PastQueries;
		const limit = new SpendingLimit(run, past, false);
		for (const name of lost)
			await limit.ended(item, name, requestFor(name), submissionOf(name, Date.now()));
		const limits = { maxQueries: Infinity, maxQueriesPerDay, maxAmountPerDay: Infinity };
		await limit.plan(item, limits, [{ name: 'next', request: requestFor('next') }]);
		limit.end();
	}
	beforeEach(() => (reads = 0));

	it('counts each of them once where the list shows it', async () => {
		await expect(planOneMore(listed.length + 1)).resolves.toBeUndefined();
		await expect(planOneMore(listed.length)).rejects.toThrow();
	});

	it('compares each of them with few records of the list', async () => {
		await planOneMore(listed.length + 1);
		expect(reads).toBeLessThan(3 * listed.length);
	});

	it('counts two equal ones as two where the list shows one of them', () => {
		const day = new DayCounter();
		const request = requestFor('same');
		for (const share of ['one', 'other']) day.addOutcome(submissionOf(share, Date.now()), request);
		const shown = countingReads('same');
		day.addListed([shown], [shown], 0);
		expect(countOf(day.made)).toBe(2);
	});
});
