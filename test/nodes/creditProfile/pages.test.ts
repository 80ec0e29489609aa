import type { INodeParameters } from 'n8n-workflow';
import { startStubServer, type StubRequest } from '../../exhaustive/apiVariants/stubServer';
import { codeOf } from '../../support/errorCode';
import { runNodeInEngine } from '../../support/runNodeInEngine';
import { LOANS_COLLECTION_ID } from './support';

interface Paged {
	total: number;
	/** The most rows of a page. */
	cap?: number;
	/** Says what the response says of the total, where that is not true. */
	reported?: number | null | ((offset: number, length: number) => number);
	ignoresOffset?: true;
	/** A row that it counts and does not show. */
	hidden?: number;
}

/** Serves lists in pages of its own size, or other pages than requested. */
async function listAt(
	{ total, cap = 100, reported = total, ignoresOffset, hidden }: Paged,
	list: INodeParameters,
) {
	const page = ({ path, query }: StubRequest) => {
		const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))];
		const start = ignoresOffset ? 0 : offset;
		const rows = upTo(Math.min(total, start + Math.min(cap, limit)), start + 1)
			.filter((id) => id !== hidden)
			.map((id) => ({ id, name: `Row ${id}`, schema: {}, document: {} }));
		const count = typeof reported === 'function' ? reported(offset, rows.length) : reported;
		return { body: { total: count, [path.endsWith('/document') ? 'documents' : 'data']: rows } };
	};
	const service = await startStubServer(page);
	const { items, error } = await runNodeInEngine({
		type: 'creditProfile',
		parameters: { options: { simplify: false }, ...list },
		credentials: {
			creditProfileApi: { baseUrl: service.url, apiToken: 'token-1', pointsPerSecond: 0 },
		},
	});
	await service.close();
	return { ids: items.map(({ json }) => json.id), code: codeOf(error), requests: service.requests };
}

const collections = { resource: 'dataCollection', operation: 'getAll' };
const collection = { __rl: true, mode: 'id', value: LOANS_COLLECTION_ID };
const versions = { resource: 'dataCollection', operation: 'getVersions', collection };
const documents = { resource: 'dataDocument', operation: 'getAll', collection };
const upTo = (last: number, first = 1) =>
	Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);

describe('a service whose pages are smaller than requested', () => {
	it.each<[string, INodeParameters, total: number, cap: number, requests: number]>([
		['collections', collections, 250, 50, 5],
		['documents', documents, 250, 50, 5],
		['documents, fewer than are asked for at least', documents, 40, 4, 10],
		['versions', versions, 250, 50, 5],
		['collections, one at a time', collections, 15, 1, 15],
	])('loses no row of all: %s', async (_what, list, total, cap, requests) => {
		const {
			ids,
			code,
			requests: sentRequests,
		} = await listAt({ total, cap }, { ...list, returnAll: true });
		expect([code, ids, sentRequests.length]).toEqual([undefined, upTo(total), requests]);
	});

	it.each<[number, number, INodeParameters]>([
		[60, 50, collections],
		[60, 50, documents],
		[3, 2, documents],
		[120, 50, collections],
		[50, 50, collections],
	])('fills a Limit of %i from pages of %i', async (limit, cap, list) => {
		const { ids, requests: sentRequests } = await listAt({ total: 250, cap }, { ...list, limit });
		expect(ids).toEqual(upTo(limit));
		expect(sentRequests.length).toBe(Math.ceil(limit / cap));
	});

	it('goes on from Offset', async () => {
		const { ids } = await listAt(
			{ total: 250, cap: 50 },
			{ ...collections, returnAll: true, options: { offset: 70 } },
		);
		expect(ids).toEqual(upTo(250, 71));
	});
});

describe('a list that may be truncated is an error, not a part:', () => {
	const all = { ...collections, returnAll: true };
	it.each<[string, Paged, INodeParameters]>([
		['without a total, Return All', { total: 7, reported: null }, all],
		[
			'without a total, below the Limit',
			{ total: 7, reported: null },
			{ ...collections, limit: 50 },
		],
		['of fewer rows than reported', { total: 130, reported: 150 }, all],
		['of none though some are reported', { total: 0, reported: 5 }, all],
		['whose offset is ignored', { total: 250, ignoresOffset: true }, all],
		['with a row that is counted and not shown', { total: 250, hidden: 120 }, all],
	])('%s', async (_what, service, list) => {
		expect((await listAt(service, list)).code).toBe('incomplete');
	});

	it('unless it fills the Limit', async () => {
		const { ids, code } = await listAt(
			{ total: 250, reported: null },
			{ ...collections, limit: 50 },
		);
		expect([code, ids]).toEqual([undefined, upTo(50)]);
	});
});

describe('a list is read to its end where the total', () => {
	it.each<[string, (offset: number, length: number) => number, INodeParameters]>([
		['counts the page: documents', (_offset, length) => length, documents],
		['counts the page: collections', (_offset, length) => length, collections],
		['counts the page: versions', (_offset, length) => length, versions],
		['is 0 behind the end: documents', (offset) => (offset < 250 ? 250 : 0), documents],
		['shrinks to the page: documents', (offset, length) => (offset > 0 ? length : 250), documents],
	])('%s', async (_what, reported, list) => {
		const { ids, code } = await listAt({ total: 250, reported }, { ...list, returnAll: true });
		expect({ ids, code }).toEqual({ ids: upTo(250), code: undefined });
	});
});
