import type { INodeParameters } from 'n8n-workflow';
import { startStranger, type Asked } from '../dialects/stranger';
import { runNode } from '../support/runNode';
import { LOANS } from './support';

interface Odd {
	total: number;
	/** The most rows of a page. */
	cap?: number;
	ignoresOffset?: true;
	ignoresLimit?: true;
	/** It gives one row less than it is asked for. */
	oneLess?: true;
	/** Rows that it counts and does not show. */
	hidden?: number[];
	/** What the answer says of the total, where that is not true: of so many rows, or null. */
	told?: number | null | ((rows: number) => number);
	/** What it says where rows are asked for that are not there, if that is no empty page. */
	beyond?: 'the last page' | 400 | 404 | 416;
	/** So many rows go once the second page was asked for. */
	shrinksBy?: number;
	/** The ID of a row, where that is not its number. */
	idOf?: (row: number) => unknown;
}

/** Lists by a service that gives pages of its own size, or not those that are asked for. */
async function listAt(
	{
		total,
		cap = 100,
		ignoresOffset,
		ignoresLimit,
		oneLess,
		hidden = [],
		told = total,
		idOf = (row) => row,
		beyond,
		shrinksBy = 0,
	}: Odd,
	list: INodeParameters,
) {
	const asked: Array<[offset: number, limit: number]> = [];
	const page = ({ path, query }: Asked) => {
		const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))];
		asked.push([offset, limit]);
		const most = ignoresLimit ? Infinity : Math.min(cap, oneLess ? limit - 1 : limit);
		const there = asked.length > 1 ? total - shrinksBy : total;
		const isBeyond = offset >= there && !ignoresOffset;
		if (isBeyond && typeof beyond === 'number') {
			return { status: beyond, body: { message: 'offset' } };
		}
		const nearest = isBeyond && beyond ? Math.max(0, there - most) : offset;
		const start = ignoresOffset ? 0 : nearest;
		const rows = Array.from(
			{ length: Math.max(0, Math.min(most, there - start)) },
			(_, index) => start + index + 1,
		)
			.filter((row) => !hidden.includes(row))
			.map((row) => ({ id: idOf(row), row, schema: {} }));
		const count = typeof told === 'function' ? told(rows.length) : told && told - (total - there);
		return { body: { total: count, [path.endsWith('/document') ? 'documents' : 'data']: rows } };
	};
	const service = await startStranger(page);
	const { items, error, hints } = await runNode({
		type: 'creditProfile',
		parameters: { simplify: false, ...list },
		credentials: {
			creditProfileApi: { baseUrl: service.url, apiToken: 'token-1', pointsPerSecond: 0 },
		},
	});
	await service.close();
	return {
		ids: items.map(({ json }) => json.row ?? json.id),
		error: error?.message,
		hints: hints.map(({ message }) => message).filter((hint) => !hint.startsWith('Waited')),
		asked,
	};
}

const collections = { resource: 'dataCollection', operation: 'getAll' };
const collection = { __rl: true, mode: 'id', value: LOANS };
const documents = { resource: 'dataDocument', operation: 'getAll', collection };
const upTo = (last: number, first = 1) =>
	Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe('a service whose pages are smaller than asked for', () => {
	it.each([
		['collections', collections, 250, 50, 5],
		['documents', documents, 250, 50, 5],
		['documents, fewer than are asked for at least', documents, 40, 4, 10],
		['versions', { resource: 'dataCollection', operation: 'getVersions', collection }, 250, 50, 5],
		['collections, one at a time', collections, 15, 1, 15],
	])('loses no row of all: %s', async (_what, list, total, cap, requests) => {
		const { ids, error, hints, asked } = await listAt({ total, cap }, { ...list, returnAll: true });
		expect([error, ids, hints]).toEqual([undefined, upTo(total), []]);
		expect(asked.length).toBeLessThanOrEqual(requests + 1);
	});

	it.each([
		[60, 50, collections],
		[60, 50, documents],
		[3, 2, documents],
		[120, 50, collections],
		[50, 50, collections],
	])('fills a Limit of %i', async (limit, cap, list) => {
		const { ids, asked } = await listAt({ total: 250, cap }, { ...list, limit });
		expect(ids).toEqual(upTo(limit));
		expect(asked.length).toBe(Math.ceil(limit / cap));
	});

	it('goes on from Start At', async () => {
		const { ids } = await listAt(
			{ total: 250, cap: 50 },
			{ ...collections, returnAll: true, options: { startAt: 70 } },
		);
		expect(ids).toEqual(upTo(250, 71));
	});

	it('names the columns of all versions', async () => {
		const { ids, asked } = await listAt(
			{ total: 120, cap: 50 },
			{ ...documents, returnAll: true, simplify: true },
		);
		expect([ids, asked.length]).toEqual([upTo(120), 6]);
	});
});

describe('a service whose pages lack rows', () => {
	it.each([
		['collections', collections],
		['documents', documents],
	])('that it counts and does not show: all others come, once: %s', async (_what, list) => {
		const hidden = [10, 20, 30, 250, 500];
		const { ids, error } = await listAt({ total: 500, hidden }, { ...list, returnAll: true });
		expect([error, ids]).toEqual([undefined, upTo(500).filter((row) => !hidden.includes(row))]);
	});

	it('that it hides by the hundred: all others come', async () => {
		const hidden = upTo(330, 101);
		const { ids } = await listAt({ total: 700, hidden }, { ...collections, returnAll: true });
		expect(ids).toEqual([...upTo(100), ...upTo(700, 331)]);
	});

	it.each([
		['all collections', { ...collections, returnAll: true }, 250],
		['all documents', { ...documents, returnAll: true }, 250],
		['a Limit', { ...collections, limit: 103 }, 103],
		['a Limit of 1', { ...collections, limit: 1 }, 1],
	])('for it gives one less than it is asked for: %s', async (_what, list, rows) => {
		const { ids, error, hints } = await listAt({ total: 250, oneLess: true }, list);
		expect([error, ids, hints]).toEqual([undefined, upTo(rows), []]);
	});
});

describe('a service that gives all rows at once', () => {
	it.each([
		['Return All', { returnAll: true }, 250],
		['a Limit', { limit: 120 }, 120],
		['a Limit of 1', { limit: 1 }, 1],
	])('is taken at its word: %s', async (_what, wanted, rows) => {
		const odd = { total: 250, ignoresLimit: true, ignoresOffset: true } as const;
		const { ids, error, asked } = await listAt(odd, { ...collections, ...wanted });
		expect([error, ids, asked.length]).toEqual([undefined, upTo(rows), 1]);
	});

	it('is not believed where that begins before Start At', async () => {
		for (const total of [40, 250]) {
			const odd = { total, ignoresLimit: true, ignoresOffset: true } as const;
			const { ids, error } = await listAt(odd, {
				...{ ...collections, returnAll: true },
				options: { startAt: 10 },
			});
			expect([ids, error]).toEqual([
				[],
				`The service tells of ${total} rows, but gives ${total} where fewer are left from Start At on`,
			]);
		}
	});

	it.each([
		[5, []],
		[250, ['The service tells of 0 rows, but gave 250 at once: more may follow.']],
	])('may tell of none, and gives %i: they come out', async (total, told) => {
		const odd = { total, told: 0, ignoresLimit: true, ignoresOffset: true } as const;
		const { ids, hints } = await listAt(odd, { ...collections, returnAll: true });
		expect([ids, hints]).toEqual([upTo(total), told]);
	});

	it('may give 200,000', async () => {
		const odd = { total: 200_000, ignoresLimit: true, ignoresOffset: true } as const;
		const { ids, error } = await listAt(odd, { ...collections, returnAll: true });
		expect([error, ids.length]).toEqual([undefined, 200_000]);
	});
});

describe('a service whose total is too small', () => {
	const ofPage = (rows: number) => rows;

	it.each<[string, Odd, INodeParameters]>([
		['the rows of the page', { total: 250, told: ofPage }, collections],
		['the rows of a page of 50', { total: 250, cap: 50, told: ofPage }, documents],
		['one that is out of date', { total: 250, told: 120 }, documents],
		['none', { total: 250, told: 0 }, collections],
		['one that is out of date, with pages of 50', { total: 250, cap: 50, told: 150 }, documents],
	])('is read on: %s', async (_what, odd, list) => {
		const { ids, error, hints } = await listAt(odd, { ...list, returnAll: true });
		expect([error, ids, hints]).toEqual([undefined, upTo(250), []]);
	});

	it('is read on for a Limit', async () => {
		const { ids, asked } = await listAt({ total: 250, told: ofPage }, { ...documents, limit: 150 });
		expect([ids, asked]).toEqual([upTo(150), [[0, 100], [100, 50]]]); // prettier-ignore
	});

	it.each([
		[7, 1],
		[50, 2],
		[99, 1],
		[100, 2],
		[200, 3],
		[230, 3],
	])('costs a list that has %i as told %i requests', async (total, requests) => {
		for (const beyond of [undefined, 400, 404, 416] as const) {
			const odd = { total, beyond };
			const { ids, error, asked } = await listAt(odd, { ...collections, returnAll: true });
			expect([error, ids, asked.length]).toEqual([undefined, upTo(total), requests]);
		}
	});

	it('is a part, perhaps, where the same rows come again: they come out, and it is said', async () => {
		const odd = { total: 250, told: ofPage, ignoresOffset: true } as const;
		const { ids, error, hints } = await listAt(odd, { ...collections, returnAll: true });
		expect([error, ids, hints]).toEqual([
			undefined,
			upTo(100),
			[
				'The service tells of 100 rows, but gives the same 100 again where the next ones are asked for',
			],
		]);
	});
});

describe('a service that tells no total', () => {
	it.each([
		['collections', { total: 250, told: null }, collections],
		['documents, in pages of 30', { total: 250, cap: 30, told: null }, documents],
		['documents that fill their pages', { total: 200, told: null }, documents],
		['all at once', { total: 250, told: null, ignoresLimit: true, ignoresOffset: true }, documents],
		['fewer than a page at once', { total: 5, told: null, ignoresOffset: true }, documents],
		['none', { total: 0, told: null }, documents],
	] as Array<[string, Odd, INodeParameters]>)(
		'is read to its end: %s',
		async (_what, odd, list) => {
			const { ids, error, hints } = await listAt(odd, { ...list, returnAll: true });
			expect([error, ids, hints]).toEqual([undefined, upTo(odd.total), []]);
		},
	);

	it('is asked no more once a Limit is filled', async () => {
		const { ids, asked } = await listAt({ total: 250, told: null }, { ...documents, limit: 5 });
		expect([ids, asked]).toEqual([upTo(5), [[0, 10]]]);
	});

	it('fails where the same rows come again, rather than give a part for the whole', async () => {
		const odd = { total: 250, told: null, ignoresOffset: true } as const;
		for (const idOf of [undefined, () => null]) {
			const { ids, error } = await listAt({ ...odd, idOf }, { ...collections, returnAll: true });
			expect([ids, error]).toEqual([
				[],
				'The service tells no total, but gives the same 100 again where the next ones are asked for',
			]);
		}
	});
});

describe('rows without an ID to tell them apart by', () => {
	it.each<[string, (row: number) => unknown]>([
		['null', () => null],
		['an empty text', () => ''],
		['a number too large to be exact', (row) => 9_007_199_254_740_992 + 2 * Math.floor(row / 50)],
	])('are all given: %s', async (_what, idOf) => {
		const { ids, error } = await listAt({ total: 250, idOf }, { ...documents, returnAll: true });
		expect([error, ids]).toEqual([undefined, upTo(250)]);
	});
});

describe('a service that gives the first rows whatever Offset is asked for', () => {
	it.each([
		['all', { returnAll: true }],
		['a Limit beyond them', { limit: 150 }],
	])('fails, rather than give a part for the whole: %s', async (_what, wanted) => {
		const { ids, error } = await listAt(
			{ total: 250, ignoresOffset: true },
			{ ...collections, ...wanted },
		);
		expect([ids, error]).toEqual([
			[],
			'The service tells of 250 rows, but gives the same 100 again where the next ones are asked for',
		]);
	});

	it('fails where its pages are short, too', async () => {
		const list = { ...collections, returnAll: true };
		const { error } = await listAt({ total: 250, cap: 50, ignoresOffset: true }, list);
		expect(error).toMatch(/^The service tells of 250 rows, but gives the same 50 again/);
	});

	it('gives a Limit that the first page fills', async () => {
		const { ids, error } = await listAt(
			{ total: 250, ignoresOffset: true },
			{ ...collections, limit: 100 },
		);
		expect([error, ids]).toEqual([undefined, upTo(100)]);
	});
});

describe('a service that tells of more rows than it gives', () => {
	it.each([
		['ending with a whole page', 200],
		['ending within a page', 230],
	])('gives what there is, and says so: %s', async (_what, total) => {
		const { ids, error, hints } = await listAt(
			{ total, told: 1000 },
			{ ...collections, returnAll: true },
		);
		expect([error, ids, hints]).toEqual([
			undefined,
			upTo(total),
			[`The service tells of 1000 rows, but gave only ${total} of them.`],
		]);
	});

	it('says nothing where a Limit was reached', async () => {
		const { hints } = await listAt({ total: 200, told: 1000 }, { ...collections, limit: 150 });
		expect(hints).toEqual([]);
	});

	it('says nothing of rows before Start At', async () => {
		const { ids, hints } = await listAt(
			{ total: 200 },
			{ ...collections, returnAll: true, options: { startAt: 150 } },
		);
		expect([ids, hints]).toEqual([upTo(200, 151), []]);
	});
});

describe('a service that gives its last page again beyond the end', () => {
	const beyond = 'the last page';
	const from = (startAt: number) => ({ returnAll: true, options: { startAt } });

	it.each<[string, Odd, INodeParameters, number[]]>([
		['10 documents', { total: 60, beyond }, { ...documents, ...from(50) }, upTo(60, 51)],
		['10 collections', { total: 120, beyond }, { ...collections, ...from(110) }, upTo(120, 111)],
		[
			'3, without a total',
			{ total: 65, told: null, beyond },
			{ ...documents, ...from(62) },
			[63, 64, 65],
		],
		[
			'64, without a total',
			{ total: 264, cap: 64, told: null, beyond },
			{ ...documents, ...from(200) },
			upTo(264, 201),
		],
		[
			'all, told too many',
			{ total: 250, told: 1000, beyond },
			{ ...documents, ...from(200) },
			upTo(250, 201),
		],
		[
			'all, told too few',
			{ total: 250, told: 30, beyond },
			{ ...documents, ...from(200) },
			upTo(250, 201),
		],
		[
			'none, as it tells',
			{ total: 110, beyond },
			{ ...documents, limit: 50, options: { startAt: 150 } },
			[],
		],
	])('gives from Start At on what is there: %s', async (_what, odd, list, there) => {
		const { ids, error } = await listAt(odd, list);
		expect([error, ids]).toEqual([undefined, there]);
	});

	it('is read in batches to its end', async () => {
		const batches = [];
		for (const startAt of [0, 50, 100]) {
			const odd = { total: 110, beyond } as const;
			const { ids, hints } = await listAt(odd, { ...documents, limit: 50, options: { startAt } });
			batches.push([ids, hints]);
		}
		expect(batches).toEqual([[upTo(50), []], [upTo(100, 51), []], [upTo(110, 101), []]]); // prettier-ignore
	});

	it.each([undefined, null])('is known for what it is by a whole page (total %s)', async (told) => {
		for (const total of [50, 100]) {
			const odd = { total, cap: total, told, beyond } as const;
			const { ids, error, hints } = await listAt(odd, { ...collections, returnAll: true });
			expect([error, ids, hints]).toEqual([undefined, upTo(total), []]);
		}
	});

	it('and tells no total: rows from before Start At are none from there on', async () => {
		for (const wanted of [{ returnAll: true }, { limit: 20 }]) {
			const odd = { total: 53, told: null, beyond } as const;
			const { ids, error } = await listAt(odd, {
				...documents,
				...wanted,
				options: { startAt: 60 },
			});
			expect([ids, error]).toEqual([
				[],
				'The service tells no total, but gives rows before Start At again',
			]);
		}
	});
});

describe('a service that finds nothing beyond the end', () => {
	it.each<[string, Odd, INodeParameters]>([
		['without a total', { total: 250, told: null }, { returnAll: true }],
		['without a total, ending with a page', { total: 200, told: null }, { returnAll: true }],
		['without a total, for a Limit', { total: 120, told: null }, { limit: 200 }],
		['in pages of 30', { total: 250, cap: 30, told: null }, { returnAll: true }],
	])('gives what there is: %s', async (_what, odd, wanted) => {
		for (const beyond of [404, 416] as const) {
			const { ids, error, hints } = await listAt({ ...odd, beyond }, { ...documents, ...wanted });
			expect([error, ids, hints]).toEqual([undefined, upTo(odd.total), []]);
		}
	});

	it('and tells of more gives what there is, and says so', async () => {
		const odd = { total: 250, told: 1000, beyond: 404 } as const;
		const { ids, error, hints } = await listAt(odd, { ...collections, returnAll: true });
		expect([error, ids, hints]).toEqual([
			undefined,
			upTo(250),
			['The service tells of 1000 rows, but gave only 250 of them.'],
		]);
	});

	it('may shrink while it is read', async () => {
		const odd = { total: 1000, shrinksBy: 600, beyond: 404 } as const;
		const { ids, error } = await listAt(odd, { ...collections, returnAll: true });
		expect([error, ids]).toEqual([undefined, upTo(400)]);
	});

	it.each([110, 200])('gives nothing from Start At %i on', async (startAt) => {
		for (const told of [110, null]) {
			const odd = { total: 110, told, beyond: 404 } as const;
			const { ids, error, hints } = await listAt(odd, {
				...{ ...documents, returnAll: true },
				options: { startAt },
			});
			expect([error, ids, hints]).toEqual([undefined, [], []]);
		}
	});

	it('and refuses to be asked: its rows come out, and it is said', async () => {
		const odd = { total: 250, told: null, beyond: 400 } as const;
		const { ids, error, hints } = await listAt(odd, { ...collections, returnAll: true });
		expect([error, ids, hints]).toEqual([
			undefined,
			upTo(250),
			['The service tells no total, and refuses to go on behind these rows: more may follow.'],
		]);
	});
});

describe('a total that is less than the rows beside it', () => {
	it('is not believed', async () => {
		const odd = { total: 250, cap: 30, told: 0 };
		const { ids, error, hints } = await listAt(odd, { ...documents, returnAll: true });
		expect([error, ids, hints]).toEqual([undefined, upTo(250), []]);
	});

	it('or than Start At is not believed', async () => {
		const odd = { total: 250, told: (rows: number) => rows };
		const { ids, error } = await listAt(odd, {
			...{ ...documents, returnAll: true },
			options: { startAt: 120 },
		});
		expect([error, ids]).toEqual([undefined, upTo(250, 121)]);
	});
});
