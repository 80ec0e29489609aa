import type { INodeParameters } from 'n8n-workflow';
import { aRecord, fakeService, respondJson, respondBadGateway } from './fakeService';
import { getCrfParameters, rfcs } from './support';

const [RFC] = rfcs(1);
const items = [{ rfc: RFC }];
const HOUR_MS = 3_600_000;
const PAGE = 10;
const hour = { reuse: 'hours', reuseHours: 1 };

/** Lists in pages, in the order in which queries were added. */
async function pagedService(isLosing = false) {
	return await fakeService({
		list(stored, response) {
			const { searchParams } = new URL(String(response.req.url), 'http://any');
			const from = Number(searchParams.get('offset'));
			const rows = [...stored].reverse();
			respondJson(response, { data: rows.slice(from, from + PAGE), total: rows.length });
		},
		post(accept, response) {
			const stored = accept();
			if (isLosing) respondBadGateway(response);
			else respondJson(response, { queryId: stored._id });
		},
	});
}

describe('a list from the oldest query on, whose first page has one date', () => {
	it.each<[string, INodeParameters, boolean, number]>([
		['is read by Reuse Results', getCrfParameters(hour), false, 0],
		[
			'is counted for Max Queries per Day',
			getCrfParameters({}, { spendingLimits: { maxQueriesPerDay: 1 } }),
			false,
			0,
		],
		[
			'shows a lost query to Send Again',
			getCrfParameters({}, { spendingLimits: { sendAgain: true } }),
			true,
			1,
		],
	])('%s to its newest query', async (_what, parameters, isLosing, sent) => {
		const service = await pagedService(isLosing);
		const createdAt = '2026-01-05T10:00:00.000Z';
		service.billed.push(
			...Array.from({ length: 12 }, (_, index) =>
				aRecord({ service: 'INVOICE', query: { rfc: RFC, period: `2025-${index}` }, createdAt }),
			),
			aRecord({ query: { rfc: RFC } }),
		);
		await service.run(parameters, { items });
		await service.close();
		expect(service.sent()).toBe(sent);
	});
});

it('a list from the newest query on is read up to the first older date', async () => {
	const service = await pagedService();
	const now = Date.now();
	/** The rows of the first page have one date. */
	const hours = (index: number) => 100 + (index < 12 ? 1 : index);
	service.billed.push(
		...Array.from({ length: 200 }, (_, index) =>
			aRecord({
				service: 'INVOICE',
				query: { rfc: RFC, period: '2025-0' },
				createdAt: new Date(now - hours(index) * HOUR_MS).toISOString(),
			}),
		),
	);
	await service.run(getCrfParameters(hour), { items });
	await service.close();
	expect(service.requests).toEqual(['GET /query', 'GET /query', 'POST /query/crf']);
});
