import type { ServerResponse } from 'node:http';
import { DateTime } from 'luxon';
import { until } from '../../support/until';
import { shiftAllClocks } from '../../support/clock';
import { codeOf } from '../../support/errorCode';
import { fakeService, respondJson, type StoredQuery } from './fakeService';
import { getCrfParameters, operationParameters, rfcs } from './support';

const [RFC] = rfcs(1);
const ONE_DAY = { reuse: 'hours', reuseHours: 24 };
/** Midnight just over would make the queries those of yesterday. */
const timezone = DateTime.utc().hour < 12 ? 'Etc/GMT+11' : 'UTC';
const item = { items: [{ rfc: RFC }], timezone };
const getMany = operationParameters('query', 'getAll', { returnAll: true, filters: {} });
const UNREPORTED = expect.stringContaining('list.paging');

type Shape = (rows: StoredQuery[], requests: { page?: number; offset: number }) => unknown;
const newest = (rows: StoredQuery[]) => rows.slice(0, 20);

/** Holds services that list only their newest 20 queries. */
const cut: Array<[string, Shape]> = [
	['a plain array', newest],
	['rows under data', (rows) => ({ data: newest(rows) })],
	['a filter by what it does not know', (rows, { offset }) => (offset ? [] : newest(rows))],
];
/** Holds services with further pages by the API Mapping, and without a total. */
const further: Array<[string, Shape, list: object]> = [
	[
		'by page',
		(rows, { page = 1 }) => ({ data: rows.slice((page - 1) * 20, page * 20), page, limit: 20 }),
		{ page: 'page' },
	],
	[
		'by page from 0 on',
		(rows, { page = 0 }) => rows.slice(page * 20, (page + 1) * 20),
		{ page: 'page', firstPage: 0 },
	],
	['by offset', (rows, { offset }) => rows.slice(offset, offset + 20), { offset: 'offset' }],
];

/** A service with so many queries made a while ago. */
async function serviceWith(shape: Shape, count: number, agoMs = 60_000, isLosing = false) {
	const listed: string[] = [];
	const service = await fakeService({
		list(stored: StoredQuery[], response: ServerResponse) {
			const { search, searchParams } = new URL(String(response.req.url), 'http://any');
			listed.push(search);
			const page = searchParams.has('page') ? Number(searchParams.get('page')) : undefined;
			respondJson(response, shape(stored, { page, offset: Number(searchParams.get('offset')) }));
		},
		post(accept, response) {
			const stored = accept();
			if (isLosing) response.destroy();
			else respondJson(response, { queryId: stored._id });
		},
	});
	service.billed.push(
		...rfcs(count).map((rfc, index) => ({
			_id: `${service.baseUrl}-${index}`,
			service: 'CRF',
			status: 'SUCCESS',
			query: { rfc },
			response: { RFC: rfc },
			createdAt: new Date(Date.now() - agoMs - (count - index) * 10).toISOString(),
		})),
	);
	return { ...service, listed };
}
const limited = (maxQueriesPerDay: number, more = {}) =>
	getCrfParameters(more, { spendingLimits: { maxQueriesPerDay } });

const KEYS = ['list.limit', 'list.offset', 'list.page'];

describe('a list that does not say whether there are more', () => {
	it.each(cut)('is not counted for Max Queries per Day: %s', async (_what, shape) => {
		const service = await serviceWith(shape, 60);
		const { error } = await service.run(limited(100), item);
		await service.close();
		expect(error?.context).toMatchObject({ code: 'uncounted', list: 'untold', mappingKeys: KEYS });
		expect(service.sent()).toBe(0);
	});

	it('is truncated if it reports more and repeats its rows', async () => {
		const shape: Shape = (rows) => ({ data: newest(rows), total: rows.length });
		const service = await serviceWith(shape, 30);
		const { error } = await service.run(limited(100), item);
		await service.close();
		expect(error?.context).toMatchObject({ code: 'uncounted', list: 'cut' });
		expect({ sent: service.sent(), listed: service.listed }).toEqual({
			...{ sent: 0, listed: ['', '?offset=20'] },
		});
	});

	it('is counted as far as it is enough to refuse', async () => {
		const service = await serviceWith(newest, 60);
		const { error } = await service.run(limited(20), item);
		await service.close();
		expect([codeOf(error), service.sent()]).toEqual(['limitOfDay', 0]);
	});

	it.each(further)('is counted whole by the API Mapping: %s', async (_how, shape, list) => {
		const service = await serviceWith(shape, 45);
		const mapped = { ...item, ...service.mapped({ list }) };
		const { error } = await service.run(limited(45), mapped);
		const { items } = await service.run(limited(46), mapped);
		await service.close();
		expect({ code: codeOf(error), items: items.length, sent: service.sent() }).toEqual({
			...{ code: 'limitOfDay', items: 1, sent: 1 },
		});
	});

	it('is counted where the API Mapping says that all come at once', async () => {
		const service = await serviceWith((rows) => rows, 45);
		const { items } = await service.run(limited(46), {
			...item,
			...service.mapped({ list: { paging: 'none' } }),
		});
		await service.close();
		expect([items.length, service.sent()]).toEqual([1, 1]);
	});

	it.each<[string, Shape, object?]>([...cut, ...further])(
		'Reuse Results reports the list: %s',
		async (_what, shape) => {
			const service = await serviceWith(shape, 60);
			const { hints } = await service.run(getCrfParameters(ONE_DAY), item);
			await service.close();
			expect(hints.map(({ message }) => message)).toEqual([UNREPORTED]);
		},
	);

	it.each(further)(
		'is read on by Reuse Results, by the API Mapping: %s',
		async (_how, shape, list) => {
			const service = await serviceWith(shape, 60);
			const { items } = await service.run(getCrfParameters(ONE_DAY), {
				...item,
				...service.mapped({ list }),
			});
			await service.close();
			expect([items[0].json.reused, service.sent()]).toEqual([true, 0]);
		},
	);

	it('is read on by Reuse Results behind a row without a date', async () => {
		const undated = (one: StoredQuery, index: number) =>
			index === 19 ? { ...one, createdAt: undefined } : one;
		const shape: Shape = (rows, { offset }) => rows.slice(offset, offset + 20).map(undated);
		const service = await serviceWith(shape, 45);
		const { items } = await service.run(getCrfParameters(ONE_DAY), {
			...item,
			...service.mapped({ list: { offset: 'offset' } }),
		});
		await service.close();
		expect([items[0].json.reused, service.sent()]).toEqual([true, 0]);
	});

	const noId: Shape = (rows) => [...rows.slice(0, 8), { status: 'SUCCESS' }];
	it.each<[string, Shape, list: object, extent: string]>([
		...cut.map(([what, shape]): [string, Shape, object, string] => [what, shape, {}, 'untold']),
		['parameters that it ignores', newest, { offset: 'offset' }, 'untold'],
		['a row without an ID', noId, {}, 'cut'],
		['a total beyond its rows', (rows) => ({ data: newest(rows), total: 5000 }), {}, 'cut'],
	])('lets nothing be sent again: %s', async (_what, shape, list, extent) => {
		const oldest: Shape = (rows, requests) => shape([...rows].reverse(), requests);
		const service = await serviceWith(oldest, 60, 60_000, true);
		const unlisted = { ...item, items: [{ rfc: rfcs(61)[60] }], ...service.mapped({ list }) };
		const running = service.run(
			getCrfParameters({}, { spendingLimits: { sendAgain: true } }),
			unlisted,
		);
		await until('a search for it', () => service.sent() > 0 && service.listed.length > 0);
		shiftAllClocks(61_000); // by now a whole list would show it
		const { error } = await running;
		await service.close();
		expect([error?.context?.list, service.sent()]).toEqual([extent, 1]);
	});

	it.each<[string, Shape, object?]>([cut[0], further[2]])(
		'comes out of Get Many with a hint, and no further request: %s',
		async (_what, shape) => {
			const service = await serviceWith(shape, 60);
			const { items, hints } = await service.run(getMany);
			await service.close();
			expect(items.length).toBeGreaterThanOrEqual(17);
			expect(hints.map(({ message }) => message)).toEqual([UNREPORTED]);
			expect(service.listed).toEqual(['']);
		},
	);

	it('ends behind its total, in which a row without an ID counts', async () => {
		const service = await serviceWith((rows) => ({ data: [...rows, {}], total: 21 }), 20);
		const { items } = await service.run(getMany);
		await service.close();
		expect([items.length, service.listed]).toEqual([20, ['', '?offset=21']]);
	});

	it('is whole though a query that is made meanwhile moves the others by one', async () => {
		let pages = 0;
		const shape: Shape = (rows, { offset }) => {
			const all = pages++ > 0 ? [{}, ...rows] : rows;
			return { data: all.slice(offset, offset + 20), total: all.length };
		};
		const service = await serviceWith(shape, 45);
		const { error } = await service.run(limited(100), item);
		await service.close();
		expect([codeOf(error), service.sent()]).toEqual([undefined, 1]);
	});

	it.each<[string, Shape, number, number, string]>([
		['reaches back far enough', newest, 60, 48 * 3_600_000, ''],
		['is shorter than any page', newest, 9, 60_000, ''],
		['reports a total', (rows) => ({ data: rows, total: rows.length }), 20, 60_000, '?offset=20'],
	])('is whole where it %s', async (_what, shape, count, agoMs, listed) => {
		const service = await serviceWith(shape, count, agoMs);
		const { error } = await service.run(limited(30, ONE_DAY), item);
		await service.close();
		expect([error, service.listed.join('')]).toEqual([undefined, listed]);
	});
});

describe('a list whose totals do not count it', () => {
	const PAGE = 100;
	const pageOf = (rows: StoredQuery[], offset: number) => rows.slice(offset, offset + PAGE);
	const totals: Array<[what: string, shape: Shape]> = [
		[
			'counts the page',
			(rows, { offset }) => {
				const data = pageOf(rows, offset);
				return { data, total: data.length };
			},
		],
		[
			'is 0 behind the end',
			(rows, { offset }) => ({
				data: pageOf(rows, offset),
				total: offset < rows.length ? rows.length : 0,
			}),
		],
		[
			'counts the rows so far, as text',
			(rows, { offset }) => {
				const data = pageOf(rows, offset);
				return { data, total: String(offset + data.length) };
			},
		],
		['is negative', (rows, { offset }) => ({ data: pageOf(rows, offset), total: -1 })],
		[
			'shrinks to the page',
			(rows, { offset }) => {
				const data = pageOf(rows, offset);
				return { data, total: offset === 0 ? rows.length : data.length };
			},
		],
	];
	const mapped = { list: { offset: 'offset' } };

	it.each(totals)('is read to its end where the total %s', async (_what, shape) => {
		const found = [];
		for (const count of [250, 200, 100, 12]) {
			const service = await serviceWith(shape, count);
			const { items } = await service.run(getMany, service.mapped(mapped));
			await service.close();
			found.push(items.length);
		}
		expect(found).toEqual([250, 200, 100, 12]);
	});

	it.each(totals)('is counted for the limit per day where the total %s', async (_what, shape) => {
		const service = await serviceWith(shape, 250);
		const run = { ...item, ...service.mapped(mapped) };
		const { error } = await service.run(limited(150), run);
		await service.close();
		expect([codeOf(error), service.sent()]).toEqual(['limitOfDay', 0]);
	});

	it('keeps a total in force that a later page does not repeat', async () => {
		const shape: Shape = (rows, { offset }) =>
			offset === 0 ? { data: pageOf(rows, 0), total: 450 } : { data: pageOf(rows, offset) };
		const service = await serviceWith(shape, 200);
		const { error } = await service.run(getMany, service.mapped(mapped));
		await service.close();
		expect(error?.context).toMatchObject({ code: 'list.cut', listed: 200, total: 450 });
	});

	it.each(totals)('shows Send Again a query on its last page where it %s', async (_what, shape) => {
		const oldestFirst: Shape = (rows, requests) => shape([...rows].reverse(), requests);
		const service = await serviceWith(oldestFirst, 250, 60_000, true);
		const { items } = await service.run(
			getCrfParameters({}, { spendingLimits: { sendAgain: true } }),
			{
				...{ items: [{ rfc: rfcs(251)[250] }], timezone },
				...service.mapped(mapped),
			},
		);
		await service.close();
		expect({ recovered: items[0]?.json.recovered, sent: service.sent() }).toEqual({
			...{ recovered: true, sent: 1 },
		});
	});
});

describe('a list that reports a failure with status 200', () => {
	const failures: Array<[what: string, body: object]> = [
		['success: false', { success: false, data: [] }],
		['success as text', { success: 'false', data: [], total: 0 }],
		['an error', { error: 'timeout', data: [] }],
		['errors', { errors: [{ code: 7 }], data: [] }],
		['ok: false', { ok: false, data: [] }],
		['a status', { status: 'error', data: [] }],
		['an HTTP status', { statusCode: 503, data: [], total: 0 }],
		['success: false inside', { data: { success: false, rows: [] } }],
		['success: false without rows', { success: false }],
	];
	const failsAt =
		(page: number, body: object): Shape =>
		(rows, { offset }) =>
			offset >= page * 20 ? body : { data: rows.slice(offset, offset + 20) };

	it.each(failures)('is not empty for the limit per day: %s', async (_what, body) => {
		const service = await serviceWith(() => body, 140);
		const { error } = await service.run(limited(140), item);
		await service.close();
		expect([codeOf(error), service.sent()]).toEqual(['unlisted', 0]);
	});

	it.each(failures)('is no end of the list: %s on the third page', async (_what, body) => {
		const service = await serviceWith(failsAt(2, body), 60);
		const mapped = { ...item, ...service.mapped({ list: { offset: 'offset' } }) };
		const { error, items } = await service.run(getMany, mapped);
		const { error: limitError } = await service.run(limited(60), mapped);
		await service.close();
		expect([codeOf(error), items.length]).toEqual(['failure', 0]);
		expect([codeOf(limitError), service.sent()]).toEqual(['unlisted', 0]);
	});

	it.each([failures[0], failures[6]])('pays for nothing by Reuse: %s', async (_what, body) => {
		const service = await serviceWith(() => body, 3);
		const { error } = await service.run(getCrfParameters(ONE_DAY), item);
		await service.close();
		expect([codeOf(error), service.sent()]).toEqual(['unlisted', 0]);
	});

	it.each([failures[0], failures[3]])('lets nothing be sent again: %s', async (_what, body) => {
		const service = await serviceWith(() => body, 3, 60_000, true);
		const running = service.run(
			getCrfParameters({}, { spendingLimits: { sendAgain: true } }),
			item,
		);
		await until('a search for it', () => service.sent() > 0 && service.listed.length > 0);
		shiftAllClocks(61_000);
		const { error } = await running;
		await service.close();
		expect([codeOf(error), service.sent()]).toEqual(['unsure', 1]);
	});
});
