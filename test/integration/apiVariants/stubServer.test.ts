import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { suggestedIn } from '../support/diagnosis';
import { codeOf } from '../support/errorCode';
import { runNode } from '../support/runNode';
import { getCrf, operation, rfcs } from '../taxQuery/support';
import { LOANS } from '../creditProfile/support';
import { runAgainstStub, startStubServer, type StubResponse, type StubRequest } from './stubServer';

const [RFC] = rfcs(1);
const NAME = 'EMMA GOMEZ DIAZ';
const BOM = '\uFEFF';

let close: () => Promise<void> = async () => {};
afterEach(async () => await close());

const record = (id: unknown, more: object = {}): IDataObject =>
	({
		_id: id,
		service: 'CRF',
		status: 'SUCCESS',
		query: { rfc: RFC },
		metadata: { clientType: 'PF', query: { rfc: RFC } },
		response: { RFC, RazonSocial: NAME, Valido: true },
		state: { FISCAL_DATA: { any: 'thing' } },
		createdAt: new Date().toISOString(),
		...more,
	}) as IDataObject;

const crf = getCrf({ rfc: RFC, waitForResult: true, maxWait: 5 });
const result = expect.objectContaining({ queryId: expect.any(String), rfc: RFC, legalName: NAME });

let next = 0;
const newId = () => `s${Date.now()}${++next}`;

describe('a query at a service that acknowledges it', () => {
	it.each<[string, (id: string) => StubResponse]>([
		['as the document', (id) => ({ body: { message: 'ok', queryId: id } })],
		['with status 202, and nothing but the ID', (id) => ({ status: 202, body: { queryId: id } })],
		['under data', (id) => ({ body: { success: true, data: { message: 'ok', queryId: id } } })],
		['in a list of one', (id) => ({ body: [{ message: 'ok', queryId: id }] })],
		['as plain text', (id) => ({ type: 'text/plain', body: JSON.stringify({ queryId: id }) })],
		['without a content type', (id) => ({ type: '', body: JSON.stringify({ queryId: id }) })],
		['behind a byte order mark', (id) => ({ body: BOM + JSON.stringify({ queryId: id }) })],
		[
			'with a pending record',
			(id) => ({ body: record(id, { status: 'pending', response: null }) }),
		],
	])('%s, and takes its result', async (_how, acknowledge) => {
		const id = newId();
		const { rows, error } = await runAgainstStub(
			({ method }) => (method === 'POST' ? acknowledge(id) : { body: record(id) }),
			crf,
		);
		expect([error?.message, rows]).toEqual([undefined, [result]]);
	});

	it.each<[string, (id: string) => StubResponse]>([
		['under a key of its own', (id) => ({ body: { consulta: record(id), ok: true } })],
		['in a list of one', (id) => ({ body: [record(id)] })],
		['with blanks around its status', (id) => ({ body: record(id, { status: ' Completed ' }) })],
	])('gives its record %s', async (_how, answer) => {
		const id = newId();
		const { rows, error } = await runAgainstStub(({ method, times }) => {
			if (method === 'POST') return { body: { queryId: id } };
			if (times === 0) return { status: 404, body: { error: 'not there yet' } };
			return times === 1
				? { body: record(id, { status: 'in progress', response: null }) }
				: answer(id);
		}, crf);
		expect([error?.message, rows]).toEqual([
			undefined,
			[expect.objectContaining({ legalName: NAME })],
		]);
	});

	it('with a number as ID', async () => {
		const id = Date.now();
		const { rows, requests } = await runAgainstStub(
			({ method }) => ({ body: method === 'POST' ? { queryId: id } : record(id) }),
			crf,
		);
		expect([rows, requests.at(-1)?.path]).toEqual([[result], `/api/query/${id}`]);
	});

	it('with 204 while there is no result', async () => {
		const id = newId();
		const { rows } = await runAgainstStub(({ method, times }) => {
			if (method === 'POST') return { body: { queryId: id } };
			return times < 2 ? { status: 204 } : { body: record(id) };
		}, crf);
		expect(rows).toEqual([result]);
	});

	it('with the queries of an invoice period, by themselves or under a key', async () => {
		for (const wrap of [
			(rows: object[]) => ({ results: rows, ok: true }),
			(rows: object[]) => ({ data: { results: rows } }),
		]) {
			const ids = [newId(), newId()];
			const accepted = ids.map((queryId, index) => ({
				queryId,
				period: `2026-0${index + 1}`,
				status: 'PENDING',
			}));
			const { rows } = await runAgainstStub(
				() => ({ body: wrap(accepted) }),
				operation('taxAuthority', 'getInvoices', {
					rfc: RFC,
					period: 'months',
					firstMonth: '2026-01',
					lastMonth: '2026-02',
				}),
			);
			await close();
			expect(rows.map(({ queryId, period, pending }) => [queryId, period, pending])).toEqual([
				[ids[0], '2026-01', true],
				[ids[1], '2026-02', true],
			]);
		}
	});

	it('takes a bare result for a result, whatever has an ID in it', async () => {
		const bare = {
			rfc: RFC,
			estado: 'ACTIVO',
			regimenes: [{ id: 601, status: 'ACTIVO' }],
			obligaciones: [{ _id: 'a', name: 'ISR' }],
		};
		const { rows } = await runAgainstStub(
			() => ({ body: bare }),
			operation('taxAuthority', 'getCsf', { rfc: RFC }),
		);
		expect(rows).toEqual([expect.objectContaining({ rfc: RFC, estado: 'ACTIVO' })]);
		expect(rows[0]).not.toHaveProperty('queryId');
	});

	it('with a token in camel case, of unknown life, under a key', async () => {
		const id = newId();
		const token = {
			data: { accessToken: 'token-2', expiresIn: null, tokenType: 'bearer' },
			ok: true,
		};
		const { rows } = await runAgainstStub(
			({ method }) => ({ body: method === 'POST' ? { queryId: id } : record(id) }),
			crf,
			{ token },
		);
		expect(rows).toEqual([result]);
	});
});

describe('the list of queries of a service that answers', () => {
	const many = operation('query', 'getAll', { returnAll: true, filters: {} });
	const all = ['q1', 'q2', 'q3', 'q4', 'q5'];
	const page = (start: number, size: number) =>
		all.slice(start, start + size).map((id) => record(id));
	const ids = async (answer: (requests: StubRequest) => StubResponse, apiMapping = {}) => {
		const { rows, error } = await runAgainstStub(answer, many, { apiMapping });
		return error ? codeOf(error) : rows.map(({ queryId }) => queryId);
	};

	it.each<[string, StubResponse]>([
		['a plain array', { body: page(0, 5) }],
		['plain text', { type: 'text/plain; charset=utf-8', body: BOM + JSON.stringify(page(0, 5)) }],
		['the total as text', { body: { data: page(0, 5), total: '5' } }],
		[
			'HAL',
			{
				body: {
					_embedded: { queries: page(0, 5) },
					page: { size: 20, totalElements: 5, totalPages: 1, number: 0 },
				},
			},
		],
	])('%s', async (_how, answer) => {
		expect(await ids(() => answer)).toEqual(all);
	});

	it('204 where there is none', async () => {
		expect(await ids(() => ({ status: 204, type: '' }))).toEqual([]);
	});

	it.each<[string, StubResponse, string]>([
		['an empty body', { body: '' }, 'body.empty'],
		['an empty object', { body: {} }, 'shape'],
		['null', { body: 'null' }, 'body.scalar'],
		['a web page', { type: 'text/html', body: '<p>Sign in</p>' }, 'body.notJson'],
		['an error with status 200', { body: { error: 'maintenance', code: 503 } }, 'failure'],
	])('%s is no empty list', async (_how, answer, code) => {
		expect(await ids(() => answer)).toBe(code);
	});

	it.each<[string, (requests: StubRequest) => StubResponse, object]>([
		[
			'by page numbers that begin with 1',
			({ query }) => {
				const number = Number(query.get('page') ?? 1);
				return { body: { rows: page(2 * (number - 1), 2), meta: { totalCount: '5' } } };
			},
			{ list: { page: 'page' } },
		],
		[
			'by skip and take',
			({ query }) => {
				const at = Number(query.get('skip') ?? 0);
				const size = Number(query.get('take'));
				return { body: page(at, size) };
			},
			{ list: { limit: 'take', offset: 'skip', pageSize: 2 } },
		],
	])('page by page, %s', async (_how, answer, apiMapping) => {
		expect(await ids(answer, apiMapping)).toEqual(all);
	});
});

describe('the Credit Profile node at a service that answers', () => {
	const run = async (
		answer: (requests: StubRequest) => StubResponse,
		parameters: INodeParameters,
	) => {
		const service = await startStubServer(answer);
		close = service.close;
		return await runNode({
			type: 'creditProfile',
			parameters,
			credentials: {
				creditProfileApi: { baseUrl: `${service.url}/`, apiToken: 'token-of-the-lender' },
			},
		});
	};
	const ask = async (...requests: Parameters<typeof run>) => {
		const { items, error } = await run(...requests);
		return error ? String(codeOf(error)) : items.map(({ json }) => json);
	};
	/** The same; the data of the error. */
	const refusal = async (...requests: Parameters<typeof run>) =>
		(await run(...requests)).error?.context;
	const login = { id: 1, type: 'bureau/pf', user: 'lender', isEnabled: true, metadata: null };
	const logins = { resource: 'providerLogin', operation: 'getAll', returnAll: true };
	const collections = { resource: 'dataCollection', operation: 'getAll', returnAll: true };
	const collection = {
		id: 1,
		name: 'Loans',
		tags: null,
		slug: null,
		creatorId: 1,
		activeDataCollectionVersionId: 2,
		more: { x: 1 },
	};
	const row = expect.objectContaining({ id: 1 });

	it.each<[string, StubResponse]>([
		['an array', { body: [login] }],
		['an array as plain text', { type: 'text/plain', body: BOM + JSON.stringify([login]) }],
		['an array under a key of its own', { body: { credentials: [login], count: 1 } }],
	])('its logins as %s', async (_how, answer) => {
		expect(await ask(() => answer, logins)).toEqual([row]);
	});

	it('204 is no empty list of logins', async () => {
		expect(await ask(() => ({ status: 204, type: '' }), logins)).toBe('body.empty');
	});

	const upsert = {
		...{ resource: 'providerLogin', operation: 'upsert', provider: 'bureau/pf' },
		...{ loginFrom: 'fields', user: 'lender', password: 'Encrypted_1' },
	};
	it.each<[string, StubResponse, unknown]>([['201', { status: 201, body: login }, row]])(
		'an upsert with %s',
		async (_how, answer, expected) => {
			expect(await ask(() => answer, upsert)).toEqual([expected]);
		},
	);

	it('an upsert with 204 may have been saved or not', async () => {
		expect(await ask(() => ({ status: 204, type: '' }), upsert)).toBe('unsure');
	});

	it.each<[string, StubResponse]>([
		['as the document', { body: { data: [collection], total: 1 } }],
		['under other keys', { body: { collections: [collection], totalCount: 1 } }],
	])('its collections %s', async (_how, answer) => {
		expect(await ask(() => answer, collections)).toEqual([row]);
	});

	it.each<[string, StubResponse]>([['under data', { body: { data: collection } }]])(
		'one collection %s',
		async (_how, answer) => {
			const get = {
				resource: 'dataCollection',
				operation: 'get',
				collection: { __rl: true, mode: 'id', value: LOANS },
			};
			expect(await ask(() => answer, get)).toEqual([row]);
		},
	);

	const tags = { resource: 'dataDocument', operation: 'getTags' };
	it.each<[string, INodeParameters, object]>([
		['its logins', logins, { data: null, count: 0 }],
		['its collections', collections, { data: null, total: 0 }],
		['its tags', tags, { count: 0, data: null }],
	])('%s, where no list of rows is, are not taken for none', async (_what, parameters, body) => {
		expect(await ask(() => ({ body }), parameters)).toBe('shape');
	});

	it('returns collections without a total, and hints that there may be more', async () => {
		const body = { data: [collection], pagination: { total: 1, next: null } };
		expect(await ask(() => ({ body }), collections)).toBe('incomplete');
	});

	it.each<[string, unknown, unknown]>([
		['as the document', { count: 1, data: ['aval'] }, [{ tag: 'aval' }]],
	])('its tags %s', async (_how, body, expected) => {
		expect(await ask(() => ({ body }), { resource: 'dataDocument', operation: 'getTags' })).toEqual(
			expected,
		);
	});

	it.each<[string, unknown, unknown]>([
		['as the document', { count: 1, data: ['aval'] }, [{ count: 1, data: ['aval'] }]],
		['as a plain array', ['aval', 'otro'], [{ count: 2, data: ['aval', 'otro'] }]],
	])('its tags with Simplify off %s', async (_what, body, expected) => {
		const tags = { resource: 'dataDocument', operation: 'getTags', options: { simplify: false } };
		expect(await ask(() => ({ body }), tags)).toEqual(expected);
	});

	it.each<[string, unknown, unknown]>([['errors as texts', { errors: ['a', '', 'b'] }, 'a; b']])(
		'a refusal with %s',
		async (_what, body, message) => {
			const reported = await refusal(() => ({ status: 422, body }), collections);
			expect(reported).toMatchObject({ code: 'status.422', serviceMessage: message });
		},
	);

	it.each([400, 422])('a filter refused with %i names the keys of its encoding', async (status) => {
		const filtered = { ...collections, filters: { name__eq: ['x'] } };
		const reported = await refusal(() => ({ status, body: {} }), filtered);
		expect(reported).toMatchObject({ mappingKeys: ['filterEncoding'] });
	});

	it.each<[string, unknown]>([
		['data', { success: false, message: 'Maintenance', data: [], total: 0 }],
	])('an error with status 200 and %s is no empty list', async (_what, body) => {
		const reported = await refusal(() => ({ body }), collections);
		expect(reported).toMatchObject({ code: 'failure', serviceMessage: 'Maintenance' });
	});

	describe('documents', () => {
		const version = (schema: object) => ({ body: { data: [{ id: 9, schema }], total: 1 } });
		const simplified = async (document: unknown, properties: object = {}, more: object = {}) => {
			const rows = await ask(
				({ path }) =>
					path.endsWith('/versions')
						? version({ properties })
						: {
								body: {
									total: 1,
									documents: [{ id: 1, dataCollectionVersionId: 9, document, ...more }],
								},
							},
				{
					...{ resource: 'dataDocument', operation: 'getAll', limit: 1 },
					columnNames: 'titles',
					collection: { __rl: true, mode: 'id', value: LOANS },
				},
			);
			return typeof rows === 'string' ? rows : rows[0];
		};
		const title = (text: string) => ({ title: text });

		it.each<[string, object, unknown, object]>([
			[
				'one of them not in the schema',
				{ rfc: title('RFC') },
				{ RFC: 'B', rfc: 'A' },
				{ RFC: 'A', 'RFC (RFC)': 'B' },
			],
			[
				'one title for two, and it with a key for a third',
				{ c: title('A (b)'), x: title('A'), b: title('A') },
				{ c: 1, x: 2, b: 3 },
				{ 'A (b)': 1, 'A (x)': 2, 'A (b) (b)': 3 },
			],
			[
				'columns that each row has',
				{ id: {}, t: title('tags'), a: title('associations') },
				{ id: 7, t: 'x', a: 'y', tags: 'z', 'document.tags': 'w' },
				{
					'id (id)': 7,
					'tags (t)': 'x',
					'associations (a)': 'y',
					'document.tags': 'z',
					'document.tags (document.tags)': 'w',
				},
			],
			['none that is an object: a list', {}, ['a', { b: 1 }], { document: ['a', { b: 1 }] }],
		])('lose nothing by Simplify: %s', async (_what, properties, document, expected) => {
			expect(await simplified(document, properties)).toEqual({ ...expected, id: 1 });
		});

		it('keep associations of a type that nobody knows', async () => {
			const associations = [
				{ type: 'Profiles', association: { id: 2, rfc: 'A' } },
				{ type: 'Loans', association: { id: 3 } },
				{ type: 'files', association: { id: 5 } },
				{ type: 'constructor', association: { id: 4 } },
				null,
			];
			expect(await simplified({}, {}, { associations })).toEqual({
				profiles: [{ rfc: 'A', id: 2 }],
				forms: [],
				files: [],
				associations: associations.slice(1, 4),
				id: 1,
			});
		});
	});
});

describe('Connection → Diagnose at a service', () => {
	const diagnose = operation('connection', 'diagnose');
	const all = Array.from({ length: 25 }, (_, index) => `d${index}`);
	const check = (rows: IDataObject[], name: string) => rows.find((row) => row.check === name);

	it('that cuts its list off without a word finds the parameters, and proposes them', async () => {
		const { rows } = await runAgainstStub(({ path, query }) => {
			if (path !== '/api/query') return { body: record(path.split('/').at(-1)) };
			const at = Number(query.get('skip') ?? 0);
			const size = Math.min(Number(query.get('take') ?? 10), 10);
			return { body: all.slice(at, at + size).map((id) => record(id)) };
		}, diagnose);
		expect(check(rows, 'Paging of the list')).toMatchObject({
			result: 'Change needed',
			seen: expect.stringMatching(/ 10 .* 25 /),
		});
		expect(suggestedIn(rows)).toEqual({
			list: { limit: 'take', offset: 'skip', pageSize: 10 },
		});
	});

	describe('whose pages are counted from 0', () => {
		const pages =
			(isReported: boolean) =>
			({ path, query }: StubRequest) => {
				if (path !== '/api/query') return { body: record(path.split('/').at(-1)) };
				const size = Math.min(Number(query.get('size') ?? 10), 10);
				const at = Number(query.get('page') ?? 0) * size;
				const content = all.slice(at, at + size).map((id) => record(id));
				return { body: isReported ? { content, totalElements: all.length } : content };
			};

		it.each([true, false])(
			'Diagnose proposes pages counted from 0 (total reported: %s)',
			async (isReported) => {
				const { rows } = await runAgainstStub(pages(isReported), diagnose);
				expect([check(rows, 'Paging of the list')?.result, suggestedIn(rows)]).toEqual([
					'Change needed',
					{ list: { limit: 'size', page: 'page', firstPage: 0, pageSize: 10 } },
				]);
			},
		);

		it.each([true, false])(
			'reports that the mapping skipped the newest page (total reported: %s)',
			async (isReported) => {
				const apiMapping = { list: { limit: 'size', page: 'page', pageSize: 10 } };
				const { rows } = await runAgainstStub(pages(isReported), diagnose, { apiMapping });
				expect([check(rows, 'Paging of the list')?.result, suggestedIn(rows)]).toEqual([
					'Change needed',
					{ list: { ...apiMapping.list, firstPage: 0 } },
				]);
			},
		);

		it('finds nothing to do once the mapping says so', async () => {
			const apiMapping = { list: { limit: 'size', page: 'page', pageSize: 10, firstPage: 0 } };
			const { rows } = await runAgainstStub(pages(false), diagnose, { apiMapping });
			expect(check(rows, 'Paging of the list')?.result).toBe('OK');
		});
	});

	it('reports paging as unknowable if the list takes no parameters', async () => {
		const { rows } = await runAgainstStub(
			({ path }) => ({
				body: path === '/api/query' ? all.map((id) => record(id)) : record(path.split('/').at(-1)),
			}),
			diagnose,
		);
		expect(check(rows, 'Paging of the list')).toMatchObject({
			result: 'Not known',
		});
	});

	it('that refuses every parameter still gives its items', async () => {
		const { rows } = await runAgainstStub(({ path, query }) => {
			if ([...query].length > 0) return { status: 400, body: { message: 'unknown parameter' } };
			return {
				body: path === '/api/query' ? { consultas: [record('a'), record('b')] } : record('a'),
			};
		}, diagnose);
		expect(check(rows, 'Paging of the list')?.result).toBe('OK');
		expect(suggestedIn(rows)).toEqual({});
	});

	it('whose words hold an identifier shows and proposes none', async () => {
		const status = `LISTO ${RFC}`;
		const { rows } = await runAgainstStub(
			({ path }) => ({
				body: path === '/api/query' ? [record('a', { status })] : record('a', { status }),
			}),
			diagnose,
		);
		expect(JSON.stringify(rows)).not.toContain(RFC);
		expect(suggestedIn(rows)).toEqual({});
	});

	it('reports the lifetime of an opaque token', async () => {
		const { rows } = await runAgainstStub(() => ({ body: [] }), diagnose, {
			token: { access_token: 'opaque', expires_in: '600' },
		});
		expect(check(rows, 'Token lifetime')).toMatchObject({
			result: 'OK',
			seen: expect.stringContaining(' 570 s'),
		});
	});
});
