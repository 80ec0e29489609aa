import type { INodeParameters } from 'n8n-workflow';
import { until } from '../../support/until';
import { runNodeInEngine } from '../../support/runNodeInEngine';
import { startSandboxWithHelpers } from '../../support/sandbox';
import { codeOf } from '../../support/errorCode';
import { LOANS_COLLECTION_ID, createSandboxNodeRunner, PEOPLE_COLLECTION_ID } from './support';
import { serverForTestGroup } from '../../support/testServer';
import { sandboxForTestGroup } from '../../support/sandboxForTestGroup';

const ALL = 12_000;
const collection = { __rl: true, mode: 'id', value: PEOPLE_COLLECTION_ID };
const documents = {
	resource: 'dataDocument',
	operation: 'getAll',
	collection,
	options: { simplify: false },
};
const PATH = `/api/v1/data/collection/${PEOPLE_COLLECTION_ID}/document`;

describe('Return All and Limit', () => {
	describe('ask for pages', () => {
		const sandbox = sandboxForTestGroup(startSandboxWithHelpers, { rateLimit: 0, documents: 950 });

		const list = async (parameters: INodeParameters) => {
			const { items } = await createSandboxNodeRunner(sandbox)({ collection, ...parameters });
			const pages = (await sandbox.requests())
				.map(({ query }) => query as { offset: string; limit: string })
				.map(({ offset, limit }) => [Number(offset), Number(limit)])
				.sort(([a], [b]) => a - b);
			return { items: items.length, pages };
		};
		const documentPages: Array<[limit: number, pages: number[][], items?: number]> = [
			[1, [[0, 10]]],
			[3, [[0, 10]]],
			[10, [[0, 10]]],
			[99, [[0, 99]]],
			[100, [[0, 100]]],
			[103, [[0, 100], [100, 10]]],
			[250, [[0, 100], [100, 100], [200, 50]]],
		]; // prettier-ignore
		it.each(documentPages)('of 10 to 100 documents for a Limit of %d', async (limit, pages) => {
			expect(await list({ ...documents, limit })).toEqual({ items: limit, pages });
		});

		it('from Offset, and no page before it', async () => {
			const result = await list({
				...documents,
				limit: 150,
				options: { simplify: false, offset: 800 },
			});
			expect(result).toEqual({ items: 150, pages: [[800, 100], [900, 50]] }); // prettier-ignore
		});

		it.each([
			['the last row', 949, 1],
			['nothing, at the end', 950, 0],
			['nothing, beyond the end', 4000, 0],
		])('from Offset with Return All: %s', async (_what, startAt, items) => {
			const result = await list({
				...documents,
				returnAll: true,
				options: { simplify: false, offset: startAt },
			});
			expect(result).toEqual({ items, pages: [[startAt, 100]] });
		});

		/** A large list, so many rows to an item, by an expression that says where each begins. */
		const inBatches = async (parameters: INodeParameters, size: number, rows: number) => {
			const starts = Array.from({ length: Math.ceil(rows / size) }, (_, index) => index * size);
			const { items } = await createSandboxNodeRunner(sandbox)(
				{
					...parameters,
					limit: size,
					options: { ...(parameters.options as object), offset: '={{ $json.start }}' },
				},
				{ items: starts.map((start) => ({ start })) },
			);
			return items.map(({ json }) => json);
		};
		const whole = async (parameters: INodeParameters) =>
			(await createSandboxNodeRunner(sandbox)({ ...parameters, returnAll: true })).items.map(
				({ json }) => json,
			);

		it.each<[string, INodeParameters, number, number]>([
			['documents', documents, 950, 137],
			['collections', { resource: 'dataCollection', operation: 'getAll' }, 30, 7],
			[
				'versions',
				{
					...{ resource: 'dataCollection', operation: 'getVersions' },
					collection: { __rl: true, mode: 'id', value: LOANS_COLLECTION_ID },
				},
				3,
				1,
			],
		])(
			'so that %s in batches are the whole list, each row once',
			async (_what, wanted, rows, size) => {
				const all = await whole(wanted);
				expect(all).toHaveLength(rows);
				expect(await inBatches(wanted, size, rows)).toEqual(all);
			},
		);

		it('each once, in order, while some requests meet 503 or 429', async () => {
			await sandbox.faults(
				{ path: PATH, times: 1, fault: { status: 503 } },
				{ path: PATH, times: 1, fault: 'storm' },
			);
			const ids = (await whole(documents)).map(({ id }) => id);
			expect(ids).toEqual(
				Array.from({ length: 950 }, (_, index) => PEOPLE_COLLECTION_ID * 100_000 + index + 1),
			);
			const statuses = (await sandbox.requests(PATH)).map(({ status }) => status);
			expect(new Set(statuses)).toEqual(new Set([200, 503, 429]));
		});

		it('until there are no more, for a Limit beyond the end', async () => {
			const { items, pages } = await list({ ...documents, limit: 5000 });
			expect({ items, pages: pages.length }).toEqual({ items: 950, pages: 10 });
		});

		it.each([
			['collections', { resource: 'dataCollection', operation: 'getAll' }],
			['versions', { resource: 'dataCollection', operation: 'getVersions' }],
		])('of 1 of the %s for a Limit of 1', async (_name, parameters) => {
			expect(await list({ ...parameters, limit: 1 })).toEqual({ items: 1, pages: [[0, 1]] });
		});

		it('no more once the execution is cancelled', async () => {
			const calm = await startSandboxWithHelpers({ rateLimit: 10, documents: ALL });
			let cancel = () => {};
			const running = createSandboxNodeRunner(calm)(
				{ ...documents, returnAll: true },
				{ onStart: (how) => (cancel = how) },
			);
			await until('12 requests', async () => (await calm.requests()).length >= 12);
			cancel();
			await running;
			const atTheEnd = (await calm.requests()).length;
			await calm.close();
			expect(atTheEnd).toBeLessThan(40);
		});
	});

	describe('of a list that changes meanwhile', () => {
		/** A service with one list of ids. */
		let ids: number[];
		let total: () => number;
		/** Lists the requested offsets. */
		let sentRequests: number[];
		/** The most rows of a page. */
		let cap: number;
		/** May alter the list before the request of this number is answered. */
		let change: (request: number) => void;
		/** The page at this offset is sent only after the tenth is requested. */
		let late: number | undefined;
		let release: () => void;
		/** Requests that the run of another test left on their way are not of this one. */
		let tests = 0;

		const server = serverForTestGroup((request, response) => {
			const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://127.0.0.1');
			if (!pathname.startsWith(`/${tests}/`)) return void response.writeHead(410).end();
			const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))];
			const answer = () => {
				const page = ids
					.slice(offset, offset + Math.min(limit, cap))
					.map((id) => ({ id, document: {} }));
				response
					.setHeader('content-type', 'application/json')
					.setHeader('x-ratelimit-limit', '1000')
					.end(JSON.stringify({ total: total(), documents: page }));
			};
			sentRequests.push(offset);
			change(sentRequests.length);
			if (offset === late && sentRequests.length < 10) release = answer;
			else answer();
			if (sentRequests.length === 10) release();
		});
		beforeEach(() => {
			ids = Array.from({ length: 1000 }, (_, index) => index);
			total = () => ids.length;
			sentRequests = [];
			cap = 100;
			change = () => {};
			late = undefined;
			release = () => {};
			tests++;
		});

		let failure: unknown;
		const readAll = async (parameters: INodeParameters = { returnAll: true }) => {
			const run = await runNodeInEngine({
				type: 'creditProfile',
				parameters: { ...documents, ...parameters },
				credentials: {
					creditProfileApi: { baseUrl: `${server.url}/${tests}`, apiToken: 'token-1' },
				},
			});
			failure = run.error && codeOf(run.error);
			return run.items.map(({ json }) => json.id as number);
		};
		const before = Array.from({ length: 1000 }, (_, index) => index);

		it('no id comes twice when rows are added in front', async () => {
			change = (request) => {
				if (request === 4) ids = [-1, -2, -3, ...ids];
			};
			const read = await readAll();
			expect(read.length).toBe(new Set(read).size);
		});

		it('no row is lost when rows are added in front, and the order stays', async () => {
			change = (request) => {
				if (request === 4) ids = [-1, -2, -3, ...ids];
			};
			expect(await readAll()).toEqual(before);
		});

		it('no row that stays is lost when rows in front are removed, and the order stays', async () => {
			change = (request) => {
				if (request === 4) ids = ids.slice(7);
			};
			expect((await readAll()).filter((id) => id >= 7)).toEqual(before.slice(7));
		});

		it.each([
			['one after the first page', 50, [2]],
			['one after the first page', 100, [2]],
			['one after each of two pages', 100, [2, 3]],
			['one after each of two pages', 50, [2, 3]],
			['one while it is looked up', 100, [2, 3, 4, 5]],
		])(
			'no row that stays is lost when some in front are removed: %s, in pages of %i',
			async (_what, most, requests) => {
				ids = Array.from({ length: 256 }, (_, index) => index);
				cap = most;
				change = (request) => {
					if (requests.includes(request)) ids = ids.slice(1);
				};
				const read = await readAll();
				const stayed = read.filter((id) => id >= requests.length);
				expect(stayed.sort((a, b) => a - b)).toEqual(
					Array.from({ length: 256 - requests.length }, (_, index) => requests.length + index),
				);
			},
		);

		it('no row slips by a page that is answered late', async () => {
			late = 300;
			change = (request) => {
				if (request === 9) ids = [-1, -2, -3, ...ids];
			};
			expect(await readAll()).toEqual(before);
		});

		it('rows added at the end come as well', async () => {
			change = (request) => {
				if (request === 4) ids = [...ids, ...Array.from({ length: 150 }, (_, i) => 1000 + i)];
			};
			expect((await readAll()).length).toBe(1150);
		});

		it('sends no request beyond the end of a list that became shorter', async () => {
			ids = Array.from({ length: 6000 }, (_, index) => index);
			change = (request) => {
				if (request === 2) ids = ids.slice(0, 300);
			};
			await readAll();
			expect(Math.max(...sentRequests)).toBeLessThan(4200);
		});

		it('a total that is never reached is an error, and nothing is output', async () => {
			total = () => 1_000_000;
			expect(await readAll()).toEqual([]);
			expect([failure, Math.max(...sentRequests) < 6000]).toEqual(['incomplete', true]);
		});

		it('a Limit is filled although rows came twice', async () => {
			change = (request) => {
				if (request === 2) ids = [-1, -2, -3, -4, -5, ...ids];
			};
			expect(await readAll({ limit: 300 })).toEqual(before.slice(0, 300));
		});
	});
});
