import { DateTime } from 'luxon';
import type { INodeParameters } from 'n8n-workflow';
import { respondJson } from '../../support/testServer';
import { freshSandboxForEachTest } from '../../support/sharedSandbox';
import { aRecord, fakeService } from './fakeService';
import {
	getCrfParameters,
	itemsForRfcs,
	operationParameters,
	rfcs,
	taxQuerySandbox,
} from './support';

const timezone = 'America/Mexico_City';
const spending = (fields: INodeParameters = {}, options: INodeParameters = {}) =>
	operationParameters('query', 'getSpending', { spendingPeriod: 'today', ...fields }, options);

describe('Get Spending', () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox);
	const rowsOf = async (...args: Parameters<typeof sandbox.run>) => {
		const [parameters, options] = args;
		const { items, hints, error } = await sandbox.run(parameters, { timezone, ...options });
		expect(error).toBeUndefined();
		return { rows: items.map(({ json }) => json), hint: hints[0]?.message };
	};

	it('counts the queries of a day by type and status, with a total', async () => {
		const [failing] = [sandbox.reserved('failed').rfc];
		await sandbox.control.put('/outcomes', { [rfcs(1)[0]]: ['PENDING'] });
		const wanted = itemsForRfcs([...rfcs(2), failing]);
		await sandbox.run(getCrfParameters(), { items: wanted });
		const { rfc } = wanted[1];
		const service = await sandbox.elsewhere();
		await service.post('/query/rfc-data', { rfc });
		const { rows, hint } = await rowsOf(spending(), { prices: { getCrf: '3.50' } });
		const period = DateTime.now().setZone(timezone).toISODate();
		const counts = { notFound: 0, unknown: 0 };
		expect(rows).toEqual([
			{
				...{ period, queryType: 'Fiscal Regime Certificate (CRF)', queries: 3 },
				...{ successful: 1, failed: 1, pending: 1, ...counts },
				...{ amount: 10.5, currency: 'MXN', withoutPrice: 0, complete: true },
			},
			{
				...{ period, queryType: 'RFC Data', queries: 1 },
				...{ successful: 1, failed: 0, pending: 0, ...counts },
				...{ amount: null, currency: 'MXN', withoutPrice: 1, complete: true },
			},
			{
				...{ period: 'total', queryType: 'all', queries: 4 },
				...{ successful: 2, failed: 1, pending: 1, ...counts },
				...{ amount: 10.5, currency: 'MXN', withoutPrice: 1, complete: true },
			},
		]);
		expect(hint).toBe(
			`4 queries on ${period}: MXN 10.50. Not in the amount, because the credential has no price ('Advanced', 'Prices'): 1 query. 4 queries read from the service's list.`,
		);
	});

	it('gives the total alone for a period without queries, and nothing without a total', async () => {
		const past = { spendingPeriod: 'dates', firstDay: '2020-01-01', lastDay: '2020-01-31' };
		const none = await rowsOf(spending(past));
		expect(none.rows).toMatchObject([{ period: 'total', queries: 0, amount: null }]);
		expect((await rowsOf(spending(past, { totalRow: false }))).rows).toEqual([]);
	});

	it('stops an empty day', async () => {
		const { error } = await sandbox.run(spending({ spendingPeriod: 'dates', firstDay: '' }));
		expect(error?.message).toMatch(/'First Day' is empty/);
	});

	it('stops a period that runs backwards', async () => {
		const { error } = await sandbox.run(
			spending({ spendingPeriod: 'dates', firstDay: '2026-02-01', lastDay: '2026-01-01' }),
		);
		expect(error?.message).toMatch(/runs backwards/);
	});

	it('reads the list once for all items of a run', async () => {
		await sandbox.run(getCrfParameters(), { items: itemsForRfcs(rfcs(2)) });
		const before = (await sandbox.requests('/api/query')).length;
		const { rows } = await rowsOf(
			operationParameters('query', 'getSpending', { spendingPeriod: '={{ $json.period }}' }),
			{ items: ['today', 'thisMonth', 'lastMonth'].map((period) => ({ period })) },
		);
		expect(rows.filter(({ period }) => period === 'total').map(({ queries }) => queries)).toEqual([
			...[2, 2, 0],
		]);
		expect((await sandbox.requests('/api/query')).length - before).toBe(1);
	});
});

describe('Get Spending and a list that does not say all', () => {
	const at = (iso: string) => DateTime.fromISO(iso, { zone: timezone }).toUTC().toISO() ?? '';

	async function report(list: object[], fields: INodeParameters = {}, answer: object = list) {
		const service = await fakeService({
			list: (_stored, response) => respondJson(response, answer),
		});
		const { items, hints } = await service.run(
			spending({
				spendingPeriod: 'dates',
				firstDay: '2026-03-01',
				lastDay: '2026-03-31',
				...fields,
			}),
			{ timezone },
		);
		await service.close();
		return { rows: items.map(({ json }) => json), hint: hints[0]?.message ?? '' };
	}
	const many = (count: number, createdAt: string) =>
		Array.from({ length: count }, () => aRecord({ createdAt: at(createdAt) }));

	it("groups by days and months of the workflow's time zone", async () => {
		const list = [
			...many(1, '2026-03-31T23:59:59'),
			...many(2, '2026-03-01T00:00:00'),
			...many(4, '2026-02-28T23:59:59'),
			...many(8, '2026-04-01T00:00:00'),
		];
		const days = await report(list);
		const months = await report(list, { groupBy: 'month' });
		expect(days.rows.map(({ period, queries }) => [period, queries])).toEqual([
			...[
				['2026-03-01', 2],
				['2026-03-31', 1],
				['total', 3],
			],
		]);
		expect(months.rows.map(({ period, queries }) => [period, queries])).toEqual([
			...[
				['2026-03', 3],
				['total', 3],
			],
		]);
	});

	it('says where the list may not reach back to the start of the period', async () => {
		const list = many(10, '2026-03-10T12:00:00');
		const partial = await report(list, {}, { data: list, total: 50 });
		const untold = await report(list);
		const whole = await report([...list, ...many(1, '2026-02-10T12:00:00')]);
		expect(
			[partial, untold, whole].map(({ rows }) => rows.map(({ complete }) => complete)),
		).toEqual([
			...[
				[false, false],
				[false, false],
				[true, true],
			],
		]);
		expect(partial.hint).toMatch(/reports 50 queries but lists only 10/);
		expect(untold.hint).toMatch(/may not be all/);
	});

	it('names what it cannot count or name', async () => {
		const { rows, hint } = await report([
			aRecord({ createdAt: at('2026-03-02T12:00:00'), service: 'NEW_ONE', status: 'WHO_KNOWS' }),
			aRecord({ createdAt: '' }),
		]);
		expect(rows.map(({ queryType, unknown, complete }) => [queryType, unknown, complete])).toEqual([
			...[
				['NEW_ONE', 1, false],
				['all', 1, false],
			],
		]);
		expect(hint).toMatch(/Not counted, because the list shows no date with a time zone: 1 query/);
		expect(hint).toMatch(/does not name: NEW_ONE/);
	});
});
