import { operationParameters, taxQuerySandbox } from '../../nodes/taxQuery/support';

const QUERIES = 20_000;
const PAGE = 100;

it('Get Spending reads a list of 20,000 queries once for all items of a run', async () => {
	const sandbox = await taxQuerySandbox({ queryList: 'page', pastQueries: QUERIES });
	const always = { spendingPeriod: 'dates', firstDay: '2000-01-01', lastDay: '2099-12-31' };
	const { items, hints, error } = await sandbox.run(
		operationParameters('query', 'getSpending', { ...always, groupBy: '={{ $json.unit }}' }),
		{
			items: ['day', 'month', 'month'].map((unit) => ({ unit })),
			apiMapping: { list: { limit: 'limit', offset: 'offset', pageSize: PAGE } },
			prices: { getCrf: '3.5' },
		},
	);
	const pages = (await sandbox.requests('/api/query')).length;
	await sandbox.close();
	const totals = items.map(({ json }) => json).filter(({ period }) => period === 'total');
	expect(error).toBeUndefined();
	expect(totals.map(({ queries, complete }) => [queries, complete])).toEqual(
		Array(3).fill([QUERIES, true]),
	);
	expect(hints[0].message).toMatch(new RegExp(`\\. ${QUERIES} queries read from`));
	expect(pages).toBe(QUERIES / PAGE);
});
