import type { RowsPage } from '../../../../nodes/shared/http/rows';
import { IncompleteList, readPages } from '../../../../nodes/shared/http/pagination';

/** Always the same numbers, as good as by chance. */
function chances(state = 7) {
	const below = (most: number) => {
		state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
		return Math.floor((state / 2 ** 32) * most);
	};
	return { below, oneOf: <T>(values: readonly T[]): T => values[below(values.length)] };
}

const upTo = (last: number, first: number) =>
	Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
const rowsOf = (ids: number[]) => ids.map((id) => ({ id }));

async function gather(
	read: (limit: number, offset: number) => RowsPage | Promise<RowsPage>,
	range: Parameters<typeof readPages>[1],
) {
	const given: number[] = [];
	try {
		for await (const rows of readPages(async (limit, offset) => await read(limit, offset), range)) {
			given.push(...rows.map(({ id }) => Number(id)));
		}
	} catch (error) {
		if (!(error instanceof IncompleteList)) throw error;
		return { given, error: { given: error.given, total: error.total } };
	}
	return { given };
}

describe('a list that stays as it is', () => {
	it('is read to what is wanted, 3,000 times with sizes of every kind', async () => {
		const { below, oneOf } = chances();
		for (let trial = 0; trial < 3000; trial++) {
			const total = oneOf([below(340), 10 * below(30)]);
			const cap = oneOf([100, 100, 4, 10, 13, 25, 30, 50, 64]);
			const startAt = oneOf([0, below(total), Math.max(0, total - oneOf([3, 10, 50])), total + 5]);
			const wanted = oneOf([Infinity, 1 + below(360), 10, 50, 100]);
			const read = (limit: number, offset: number): RowsPage => ({
				rows: rowsOf(upTo(Math.min(total, offset + Math.min(limit, cap)), offset + 1)),
				total,
			});
			const smallestPage = oneOf([1, 10]);
			expect({
				...{ total, cap, startAt, wanted },
				...(await gather(read, { startAt, wanted, smallestPage })),
			}).toEqual({
				...{ total, cap, startAt, wanted },
				given: upTo(Math.min(total, startAt + wanted), startAt + 1),
			});
		}
	});

	it('requests a list in the fewest pages', async () => {
		const sentRequests: number[][] = [];
		await gather(
			(limit, offset) => {
				sentRequests.push([offset, limit]);
				return { rows: rowsOf(upTo(Math.min(950, offset + limit), offset + 1)), total: 950 };
			},
			{ startAt: 0, wanted: Infinity },
		);
		expect(sentRequests).toEqual(upTo(9, 0).map((page) => [page * 100, page === 9 ? 100 : 100]));
	});
});

describe('a list that changes while it is read', () => {
	/** Adds or removes rows before some of the requests; pages are answered in any order. */
	async function changing(seed: number) {
		const { below, oneOf } = chances(seed);
		let ids = upTo(50 + below(500), 1);
		const wasThere = new Set(ids);
		let newest = 10_000;
		const isGrowing = below(2) === 0;
		const cap = oneOf([100, 100, 50, 25]);
		const gone = new Set<number>();
		const change = () => {
			const count = 1 + below(4);
			const at = oneOf([0, below(ids.length + 1), ids.length]);
			if (isGrowing)
				ids = [...ids.slice(0, at), ...upTo(newest + count, newest + 1), ...ids.slice(at)];
			else for (const id of ids.slice(at, at + count)) gone.add(id);
			newest += count;
			ids = ids.filter((id) => !gone.has(id));
		};
		const read = async (limit: number, offset: number): Promise<RowsPage> => {
			for (let wait = below(4); wait > 0; wait--) await Promise.resolve();
			if (below(3) === 0) change();
			return { rows: rowsOf(ids.slice(offset, offset + Math.min(limit, cap))), total: ids.length };
		};
		const result = await gather(read, { startAt: 0, wanted: Infinity });
		const stayed = [...wasThere].filter((id) => !gone.has(id));
		const missing = stayed.filter((id) => !result.given.includes(id));
		return { ...result, missing };
	}

	it('gives each ID once, and hardly ever loses one that stays: 6,000 lists', async () => {
		let [lost, unfinished] = [0, 0];
		for (let seed = 1; seed <= 6000; seed++) {
			const { given, error, missing } = await changing(seed);
			expect(new Set(given).size).toBe(given.length);
			if (error) unfinished++;
			else if (missing.length > 0) lost++;
		}
		// where rows come and go at once between two pages, nothing in the totals shows it
		expect([lost < 12, unfinished]).toEqual([true, 0]);
	});
});

it('a list that loses several pages while it is read loses no row that stays', async () => {
	let ids = upTo(6000, 1);
	let requests = 0;
	const read = (limit: number, offset: number): RowsPage => {
		if (++requests === 4) ids = ids.slice(300);
		return { rows: rowsOf(ids.slice(offset, offset + limit)), total: ids.length };
	};
	const { given } = await gather(read, { startAt: 0, wanted: Infinity });
	expect(ids.filter((id) => !given.includes(id))).toEqual([]);
});

describe('a list that is not whole is an error', () => {
	const hundred = (offset: number, total?: number): RowsPage => ({
		rows: rowsOf(upTo(offset + 100, offset + 1)),
		...(total !== undefined && { total }),
	});
	const cases: Array<
		[what: string, read: (limit: number, offset: number) => RowsPage, error: object]
	> = [
		['no total', (_limit, offset) => hundred(offset), { given: 100 }],
		['offset ignored', () => hundred(0, 450), { given: 100, total: 450 }],
		['nothing of 30', () => ({ rows: [], total: 30 }), { given: 0, total: 30 }],
		['more than there are', () => hundred(0, 30), { given: 100, total: 30 }],
		[
			'a short page',
			(_limit, offset) => ({
				rows: hundred(offset).rows.slice(0, offset ? 40 : 100),
				total: 300,
			}),
			{ given: 100, total: 300 },
		],
		[
			'a total that is never reached',
			(_limit, offset) => ({ rows: offset < 200 ? hundred(offset).rows : [], total: 1_000_000 }),
			{ given: 200, total: 1_000_000 },
		],
		[
			'the same rows on two pages',
			(_limit, offset) => hundred(offset === 200 ? 100 : offset, 300),
			{ given: 200, total: 300 },
		],
	];
	it.each(cases)('%s', async (_what, read, error) => {
		expect(await gather(read, { startAt: 0, wanted: Infinity })).toMatchObject({ error });
	});

	it('also where the last page comes again and again, and totals count the page', async () => {
		const read = (_limit: number, offset: number): RowsPage => ({
			...hundred(Math.min(offset, 300)),
			total: 100,
		});
		expect(await gather(read, { startAt: 0, wanted: Infinity })).toMatchObject({
			error: { given: 400 },
		});
	});

	it('sends no more requests to a service that ignores the offset', async () => {
		let requests = 0;
		const read = () => {
			requests++;
			return hundred(0, 20_000);
		};
		expect(await gather(read, { startAt: 0, wanted: Infinity })).toMatchObject({
			error: { given: 100, total: 20_000 },
		});
		expect(requests).toBeLessThan(60);
	});

	it('but for a Limit that is filled at once, no total is needed', async () => {
		const read = (_limit: number, offset: number) => hundred(offset);
		expect(await gather(read, { startAt: 0, wanted: 50 })).toEqual({ given: upTo(50, 1) });
	});
});

describe('a total that does not count the list', () => {
	const PAGE = 100;
	const rowsFrom = (count: number, limit: number, offset: number) =>
		rowsOf(upTo(Math.min(count, offset + Math.min(limit, PAGE)), offset + 1));
	/** Totals that services report for a page. */
	const totals: Array<
		[what: string, total: (count: number, offset: number, length: number) => number | undefined]
	> = [
		['counts the page', (_count, _offset, length) => length],
		['counts the rows so far', (_count, offset, length) => offset + length],
		['is 0 behind the end', (count, offset) => (offset < count ? count : 0)],
		[
			'counts the list on the first page only',
			(count, offset, length) => (offset === 0 ? count : length),
		],
		['is there on the first page only', (count, offset) => (offset === 0 ? count : undefined)],
	];

	it.each(totals)('ends no reading where it %s', async (_what, totalOf) => {
		for (const count of [0, 1, 9, 10, 50, 99, 100, 101, 200, 250, 400]) {
			for (const wanted of [Infinity, 1, 50, 100, 150, 250]) {
				for (const startAt of [0, 40, 100]) {
					const read = (limit: number, offset: number): RowsPage => {
						const rows = rowsFrom(count, limit, offset);
						return { rows, total: totalOf(count, offset, rows.length) };
					};
					const range = { startAt, wanted, smallestPage: 10 };
					const given = upTo(Math.min(count, startAt + wanted), startAt + 1);
					const isUnreported = totalOf(count, startAt, given.length) === undefined;
					if (isUnreported) continue; // an error, as a list without a total is
					expect({ count, wanted, startAt, ...(await gather(read, range)) }).toEqual({
						...{ count, wanted, startAt, given },
					});
				}
			}
		}
	});

	it('ends no reading of a service that gives its usual number of rows', async () => {
		const read = (_limit: number, offset: number): RowsPage => {
			const rows = rowsOf(upTo(Math.min(250, offset + 50), offset + 1));
			return { rows, total: rows.length };
		};
		const { given } = await gather(read, { startAt: 0, wanted: Infinity, usualPage: 50 });
		expect(given).toEqual(upTo(250, 1));
	});

	it('ends no reading where later pages report fewer rows than they show', async () => {
		const read = (limit: number, offset: number): RowsPage => ({
			rows: rowsFrom(5000, limit, offset),
			total: offset === 0 ? 5000 : offset + 20,
		});
		const { given } = await gather(read, { startAt: 0, wanted: Infinity });
		expect(given).toEqual(upTo(5000, 1));
	});

	it('costs one more request where the list may end with a full page', async () => {
		const countRequests = async (count: number) => {
			let sent = 0;
			const read = (limit: number, offset: number): RowsPage => {
				sent++;
				return { rows: rowsFrom(count, limit, offset), total: count };
			};
			await gather(read, { startAt: 0, wanted: Infinity });
			return sent;
		};
		expect([await countRequests(99), await countRequests(100), await countRequests(200)]).toEqual([
			1, 2, 2,
		]);
	});

	it('is an error where a higher one was reported, and the rows end before', async () => {
		const read = (limit: number, offset: number): RowsPage => ({
			rows: rowsFrom(200, limit, offset),
			total: offset < 200 ? 450 : 0,
		});
		expect(await gather(read, { startAt: 0, wanted: Infinity })).toMatchObject({
			error: { given: 200, total: 450 },
		});
	});
});
