import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runAgainstStub, type StubResponse } from '../../exhaustive/apiVariants/stubServer';
import { codeOf } from '../../support/errorCode';
import { runNodeInEngine } from '../../support/runNodeInEngine';
import { getCrfParameters, operationParameters, rfcs, taxQuerySandbox } from './support';
import { respondJson, serve } from '../../support/testServer';

const getMany = (parameters = {}, options = {}) =>
	operationParameters(
		'query',
		'getAll',
		{ returnAll: true, options: { simplify: false }, ...parameters },
		options,
	);
const row = (index: number) => ({ _id: `q${index}`, status: 'SUCCESS', response: { index } });
const rows = (count: number) => Array.from({ length: count }, (_, index) => row(index));

describe('the list of all queries that comes as', () => {
	const BOM = '\uFEFF';
	const list = async (response: StubResponse) => {
		const { rows: given, error } = await runAgainstStub(() => response, getMany());
		return { ids: given.map(({ _id }) => _id), code: codeOf(error) };
	};

	it.each<[string, StubResponse]>([
		[
			'text behind a BOM',
			{ type: 'text/plain; charset=utf-8', body: BOM + JSON.stringify(rows(5)) },
		],
		['rows with the total as text', { body: { data: rows(5), total: '5' } }],
		[
			'HAL',
			{
				body: {
					_embedded: { queries: rows(5) },
					page: { size: 20, totalElements: 5, totalPages: 1, number: 0 },
				},
			},
		],
	])('%s is read', async (_how, response) => {
		expect(await list(response)).toEqual({ ids: ['q0', 'q1', 'q2', 'q3', 'q4'], code: undefined });
	});

	it.each<[string, StubResponse]>([
		['204', { status: 204, type: '' }],
		['null, of an account without queries,', { body: 'null' }],
		['null beside a total of 0', { body: { data: null, total: 0 } }],
	])('%s is empty', async (_how, response) => {
		expect(await list(response)).toEqual({ ids: [], code: undefined });
	});

	it('null lets the first query of an account begin, whatever asks for the list', async () => {
		const first = getCrfParameters(
			{ rfc: rfcs(1)[0], reuse: 'hours', reuseHours: 24 },
			{ spendingLimits: { maxQueriesPerDay: 5 } },
		);
		const { error, requests } = await runAgainstStub(
			({ method }) => ({ body: method === 'POST' ? { queryId: 'q1', message: 'ok' } : 'null' }),
			first,
		);
		expect([error, requests.filter(({ method }) => method === 'POST').length]).toEqual([
			undefined,
			2,
		]);
	});

	it.each<[string, StubResponse, string]>([
		['an empty body', { body: '' }, 'body.empty'],
		['an empty object', { body: {} }, 'shape'],
		['a message', { body: { message: 'Hello' } }, 'shape'],
		['a web page', { type: 'text/html', body: '<p>Sign in</p>' }, 'body.notJson'],
		['an error with status 200', { body: { error: 'maintenance', code: 503 } }, 'failure'],
	])('%s is an error, and not empty', async (_how, response, code) => {
		expect(await list(response)).toEqual({ ids: [], code });
	});
});

describe('the list of all queries at the sandbox', () => {
	it.each([
		['array', 250],
		['page', 250],
		['summary', 250],
		['page', 2_000],
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

	it('sends no further request once the limit is reached', async () => {
		const sandbox = await taxQuerySandbox({ queryList: 'page', pastQueries: 250 });
		const { items } = await sandbox.run(getMany({ returnAll: false, limit: 150 }));
		const pages = (await sandbox.requests('/api/query')).length;
		await sandbox.close();
		expect([items.length, pages]).toEqual([150, 2]);
	});

	it('completes rows without responses by ID on demand', async () => {
		const sandbox = await taxQuerySandbox({ queryList: 'summary', pastQueries: 5 });
		const withoutResponse = await sandbox.run(getMany());
		const whole = await sandbox.run(getMany({}, { completeRows: true }));
		const blind = await sandbox.run(getMany({ filters: { rfc: 'GODE561231GR8' } }));
		await sandbox.close();
		expect(
			[withoutResponse, whole].map(({ items }) => items.filter(({ json }) => json.response).length),
		).toEqual([0, 5]);
		expect(codeOf(blind.error)).toBe('list.asked');
	});
});

it('a search by RFC reports rows that show neither their result nor the RFC', async () => {
	const person = { name: 'EMMA', firstLastName: 'GOMEZ', day: 31, month: 12, year: 1956 };
	const listed = { _id: 'q1', service: 'RFC_CALCULATOR', status: 'SUCCESS', query: person };
	const { rows: found, hints } = await runAgainstStub(
		() => ({ body: [listed] }),
		getMany({ filters: { rfc: 'GODE561231GR8' } }),
	);
	expect(found).toEqual([]);
	expect(hints.map(({ message }) => message)).toEqual([
		expect.stringMatching(/^1 .*Complete Rows/),
	]);
});

describe('the list of all queries at a service that', () => {
	let close: () => Promise<void>;
	let requests: IDataObject[];
	afterEach(async () => await close());

	/** Runs Get Many against a service that answers GET /query so. */
	async function listFrom(
		answer: (query: IDataObject) => unknown,
		list?: object,
		parameters: INodeParameters = {},
	) {
		requests = [];
		const service = await serve(({ url }, response) => {
			const query = Object.fromEntries(new URL(String(url), 'http://x').searchParams);
			requests.push(query);
			respondJson(response, answer(query));
		});
		({ close } = service);
		const run = await runNodeInEngine({
			type: 'taxQuery',
			parameters: getMany(parameters),
			credentials: {
				taxQueryApi: {
					baseUrl: `${service.url}/api`,
					grant: 'accessToken',
					pastedToken: 'pasted-token-1',
					pointsPerSecond: 0,
					apiMapping: JSON.stringify(list ? { list } : {}),
				},
			},
		});
		const items = run.items.map(({ json }) => json);
		return {
			items,
			ids: items.map(({ _id }) => _id),
			error: run.error,
			hints: run.hints.map(({ message }) => message),
		};
	}
	const all = (count: number) => rows(count).map(({ _id }) => _id);

	it('reports a service that ignores paging, and returns each row once', async () => {
		const { error } = await listFrom(() => ({ data: rows(10), total: 30 }));
		expect([error?.context, requests.length]).toEqual([
			expect.objectContaining({ code: 'list.cut', listed: 10, total: 30 }),
			2,
		]);
	});

	it.each<[string, INodeParameters, string]>([
		['all of them', {}, '25 of 25 '],
		['fewer, by the Limit', { returnAll: false, limit: 5 }, '5 of 25 '],
		['fewer, by the filters', { filters: { status: ['pending'] } }, '0 of 25 '],
	])('reports the total when %s come', async (_what, parameters, text) => {
		for (const total of ['total', 'totalCount']) {
			const answer = ({ offset = 0 }: IDataObject) => ({
				data: rows(25).slice(Number(offset), Number(offset) + 10),
				[total]: 25,
			});
			const { hints } = await listFrom(answer, undefined, parameters);
			expect(hints).toEqual([expect.stringContaining(text)]);
			await close();
		}
	});

	it('keeps names and nesting of an undocumented result', async () => {
		const response = { addressCalle: 'own', address: { calle: 'inner' }, event: 'alta' };
		const record = { ...row(1), service: 'CSF', response };
		const { items } = await listFrom(() => [record], undefined, { options: { simplify: true } });
		expect(items).toEqual([
			{
				...{ addressCalle: 'own', address: { calle: 'inner' }, resultEvent: 'alta' },
				...{ pending: false, status: 'SUCCESS', service: 'CSF', queryId: 'q1' },
			},
		]);
	});

	it('reports a total below the number of rows unchanged', async () => {
		const { ids, hints } = await listFrom(() => ({ data: rows(12), total: 3 }));
		expect([ids, hints]).toEqual([all(12), [expect.stringMatching(/^12 .* 3\.$/)]]);
	});

	it('repeats the last row of a page on the next: each once', async () => {
		const { ids } = await listFrom(({ offset = 0 }) => {
			const from = Math.max(0, Number(offset) - 1);
			return { data: rows(25).slice(from, from + 10), total: 25 };
		});
		expect(ids).toEqual(all(25));
	});

	it.each<[string, (from: number) => object]>([
		['that more exist', (from) => ({ hasMore: from + 10 < 25 })],
		["the next page's address", (from) => ({ next: `https://elsewhere.invalid/x?o=${from + 10}` })],
		['nothing', () => ({})],
	])(
		'returns part of a list without total with %s, and all by the API Mapping',
		async (_what, mark) => {
			const answer = ({ offset = 0 }: IDataObject) => {
				const from = Number(offset);
				return { items: rows(25).slice(from, from + 10), ...mark(from) };
			};
			const part = await listFrom(answer);
			const [count, hints] = [requests.length, part.hints];
			await close();
			const whole = await listFrom(answer, { offset: 'offset' });
			expect([part.ids, count, hints]).toEqual([
				all(10),
				1,
				[expect.stringMatching(/ 10 .*list\.limit/)],
			]);
			expect([whole.ids, whole.hints]).toEqual([all(25), []]);
		},
	);

	it.each<[string, (query: IDataObject) => unknown, list: IDataObject, pages: string[]]>([
		[
			'of a plain array by number',
			({ page, size }) =>
				rows(25).slice((Number(page) - 1) * Number(size), Number(page) * Number(size)),
			{ limit: 'size', page: 'page', pageSize: 10 },
			['1', '2', '3'],
		],
		[
			'by number, with a nested total',
			({ p = '1' }) => {
				const from = (Number(p) - 1) * 10;
				return { rows: rows(25).slice(from, from + 10), meta: { totalCount: '25' } };
			},
			{ page: 'p' },
			['1', '2', '3'],
		],
		[
			'by number from 0 on',
			({ page = '0', size }) => {
				const from = Number(page) * Number(size);
				return { content: rows(25).slice(from, from + 10), totalElements: 25 };
			},
			{ limit: 'size', page: 'page', pageSize: 10, firstPage: 0 },
			['0', '1', '2'],
		],
		[
			'by skip and take',
			({ skip = '0', take }) => rows(25).slice(Number(skip), Number(skip) + Number(take)),
			{ limit: 'take', offset: 'skip', pageSize: 10 },
			['0', '10', '20'],
		],
	])('has pages %s, as the API Mapping says', async (_how, answer, list, pages) => {
		const { ids } = await listFrom(answer, list);
		const name = String(list.page ?? list.offset);
		expect(ids).toEqual(all(25));
		expect(requests.map((query) => query[name] ?? '0')).toEqual(pages);
	});

	it('gives new rows for ever: is given up', async () => {
		let index = 0;
		const { error } = await listFrom(() => [row(index++)], { page: 'page' });
		expect([error?.context, requests.length]).toEqual([
			expect.objectContaining({ code: 'list.cut', listed: 500 }),
			500,
		]);
	});

	it('shows no hint for a single page that the API Mapping calls complete', async () => {
		const { ids, hints } = await listFrom(() => rows(25), { paging: 'none' });
		expect([ids, hints, requests.length]).toEqual([all(25), [], 1]);
	});

	it('names the API Mapping key if a response holds two lists', async () => {
		const two = () => ({ mine: rows(2), others: rows(3) });
		const { error } = await listFrom(two);
		await close();
		const { ids } = await listFrom(two, { rows: 'mine' });
		expect([error?.context?.mappingKeys, ids]).toEqual([
			expect.arrayContaining(['list.rows']),
			all(2),
		]);
	});
});
