import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IDataObject } from 'n8n-workflow';
import { runNode } from '../support/runNode';
import { operation, taxQuerySandbox } from './support';

const getMany = (parameters = {}, options = {}) =>
	operation('query', 'getAll', { returnAll: true, simplify: false, ...parameters }, options);
const row = (index: number) => ({ _id: `q${index}`, status: 'SUCCESS', response: { index } });
const rows = (count: number) => Array.from({ length: count }, (_, index) => row(index));

describe('the list of all queries at the sandbox', () => {
	it.each([
		['array', 250],
		['page', 250],
		['lean', 250],
		['page', 20_000],
	] as const)(
		'shaped as %s with %i past queries is read to its end, each once',
		async (queryList, pastQueries) => {
			const sandbox = await taxQuerySandbox({ queryList, pastQueries });
			const { items, error } = await sandbox.run(getMany());
			const pages = (await sandbox.requests('/api/query')).length;
			await sandbox.close();
			expect(error).toBeUndefined();
			expect(new Set(items.map(({ json }) => json._id)).size).toBe(pastQueries);
			expect(pages).toBe(queryList === 'array' ? 1 : Math.ceil(pastQueries / 100));
		},
	);

	it('stops asking once the limit is reached', async () => {
		const sandbox = await taxQuerySandbox({ queryList: 'page', pastQueries: 250 });
		const { items } = await sandbox.run(getMany({ returnAll: false, limit: 150 }));
		const pages = (await sandbox.requests('/api/query')).length;
		await sandbox.close();
		expect([items.length, pages]).toEqual([150, 2]);
	});

	it('completes lean rows by their IDs where that is wanted', async () => {
		const sandbox = await taxQuerySandbox({ queryList: 'lean', pastQueries: 5 });
		const lean = await sandbox.run(getMany());
		const whole = await sandbox.run(getMany({}, { completeRows: true }));
		const blind = await sandbox.run(getMany({ filters: { rfc: 'GODE561231GR8' } }));
		await sandbox.close();
		expect(
			[lean, whole].map(({ items }) => items.filter(({ json }) => json.response).length),
		).toEqual([0, 5]);
		expect(blind.error?.message).toBe('The list of queries does not tell what each asked');
	});
});

describe('the list of all queries at a service that', () => {
	let server: Server;
	let asked: IDataObject[];
	afterEach(() => server.close());

	/** Runs Get Many against a service that answers GET /query so. */
	async function listFrom(answer: (query: IDataObject) => unknown, list?: object) {
		asked = [];
		server = createServer(({ url }, response) => {
			const query = Object.fromEntries(new URL(String(url), 'http://x').searchParams);
			asked.push(query);
			response.setHeader('content-type', 'application/json').end(JSON.stringify(answer(query)));
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const { port } = server.address() as AddressInfo;
		const { items, error } = await runNode({
			type: 'taxQuery',
			parameters: getMany(),
			credentials: {
				taxQueryApi: {
					baseUrl: `http://127.0.0.1:${port}/api`,
					grant: 'accessToken',
					pastedToken: 'pasted-token-1',
					pointsPerSecond: 0,
					apiMapping: JSON.stringify(list ? { list } : {}),
				},
			},
		});
		return { ids: items.map(({ json }) => json._id), error };
	}
	const all = (count: number) => rows(count).map(({ _id }) => _id);

	it('ignores paging: is told, and no row comes twice', async () => {
		const { error } = await listFrom(() => ({ data: rows(10), total: 30 }));
		expect([error?.message, asked.length]).toEqual([
			'The service tells of 30 queries but lists only 10 of them',
			2,
		]);
	});

	it('repeats the last row of a page on the next: each once', async () => {
		const { ids } = await listFrom(({ offset = 0 }) => {
			const from = Math.max(0, Number(offset) - 1);
			return { data: rows(25).slice(from, from + 10), total: 25 };
		});
		expect(ids).toEqual(all(25));
	});

	it('tells no total but that more exist', async () => {
		const { ids } = await listFrom(({ offset = 0 }) => {
			const from = Number(offset);
			return { items: rows(25).slice(from, from + 10), hasMore: from + 10 < 25 };
		});
		expect([ids, asked.length]).toEqual([all(25), 3]);
	});

	it.each([{ page: 'page' }, undefined])(
		'tells the number of its pages only: is read to its end, or that it was not is told: %j',
		async (list) => {
			const { ids, error } = await listFrom(({ page = '1' }) => {
				const from = (Number(page) - 1) * 10;
				return { data: rows(25).slice(from, from + 10), page: Number(page), totalPages: 3 };
			}, list);
			expect([ids, asked.length, error?.message]).toEqual(
				list
					? [all(25), 3, undefined]
					: [[], 2, 'The service tells of more queries but lists only 10 of them'],
			);
		},
	);

	it("gives the next page's address, of which only the parameters are used", async () => {
		const { ids } = await listFrom(({ cursor = '0' }) => {
			const from = Number(cursor);
			const next = from + 10 < 25 ? `https://elsewhere.invalid/steal?cursor=${from + 10}` : null;
			return { items: rows(25).slice(from, from + 10), next };
		});
		expect([ids, asked]).toEqual([all(25), [{}, { cursor: '10' }, { cursor: '20' }]]);
	});

	it('pages a plain array by number, as the API Mapping says', async () => {
		const { ids } = await listFrom(
			({ page, size }) =>
				rows(25).slice((Number(page) - 1) * Number(size), Number(page) * Number(size)),
			{ limit: 'size', page: 'page', pageSize: 10 },
		);
		expect([ids, asked.map(({ page }) => page)]).toEqual([all(25), ['1', '2', '3']]);
	});

	it('counts its pages from 0: is read from the first, as the API Mapping says', async () => {
		const { ids } = await listFrom(
			({ page = '0', size }) => {
				const from = Number(page) * Number(size);
				return {
					content: rows(25).slice(from, from + 10),
					number: Number(page),
					totalElements: 25,
				};
			},
			{ limit: 'size', page: 'page', pageSize: 10, firstPage: 0 },
		);
		expect([ids, asked.map(({ page }) => page)]).toEqual([all(25), ['0', '1', '2']]);
	});

	it('tells of more for ever: is given up', async () => {
		let index = 0;
		const { error } = await listFrom(() => ({ items: [row(index++)], hasMore: true }));
		expect([error?.message, asked.length]).toEqual([
			'The list of queries has more than 500 pages',
			500,
		]);
	});

	it('answers with another shape: is told in words', async () => {
		const { error } = await listFrom(() => ({ message: 'Hello' }));
		expect(error?.message).toBe('The answer of the query service holds no list of queries');
	});
});
