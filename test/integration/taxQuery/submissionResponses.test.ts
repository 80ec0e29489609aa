import type { IDataObject } from 'n8n-workflow';
import { runAgainstStub, type StubResponse, type StubRequest } from '../apiVariants/stubServer';
import { codeOf } from '../support/errorCode';
import { curps, getCrf, operation, rfcs } from './support';

const [RFC] = rfcs(1);
const PERSON = { legalName: 'EMMA GOMEZ DIAZ' };

const record = (_id: string, more: object = {}): IDataObject => ({
	_id,
	service: 'CRF',
	status: 'SUCCESS',
	query: { rfc: RFC },
	response: { RFC, RazonSocial: PERSON.legalName },
	createdAt: new Date().toISOString(),
	...more,
});

/** The POST is answered so; the list is empty, or these rows; what is read by its ID is its record. */
const answering =
	(post: unknown, rows: IDataObject[] = []) =>
	({ method, path }: StubRequest): StubResponse => {
		if (method === 'POST') return { body: post };
		return { body: path === '/api/query' ? rows : record(path.split('/').at(-1) ?? '') };
	};
const paths = (requests: StubRequest[]) => requests.map(({ method, path }) => `${method} ${path}`);
const readsOf = (requests: StubRequest[]) =>
	paths(requests).filter((one) => one.startsWith('GET /api/query'));
const waiting = getCrf({ rfc: RFC, waitForResult: true, maxWait: 20 });
const csf = operation('taxAuthority', 'getCsf', { rfc: RFC });

describe('an ID that is a number', () => {
	const wanted = rfcs(2);
	/** As text, for JavaScript would round it before it is sent. */
	const numbered = (ids: string[]) => {
		const taken = ids.values();
		const requests: string[] = [];
		return ({ method, path, body }: StubRequest): StubResponse => {
			if (method === 'POST') {
				requests.push((JSON.parse(body) as { rfc: string }).rfc);
				return { body: `{"queryId":${taken.next().value}}` };
			}
			const id = path.split('/').at(-1) ?? '';
			const rfc = requests[ids.indexOf(id)];
			return { body: path === '/api/query' ? [] : record(id, { query: { rfc } }) };
		};
	};
	const ask = async (...ids: string[]) =>
		await runAgainstStub(numbered(ids), getCrf({ waitForResult: true }), {
			items: wanted.map((rfc) => ({ rfc })),
			onError: 'continueRegularOutput',
		});

	it('is one where JSON holds it exactly', async () => {
		const { rows } = await ask('7', '9007199254740991');
		expect(rows.map(({ queryId }) => queryId)).toEqual(['7', '9007199254740991']);
	});

	it('is none beyond that, for two people would share it', async () => {
		const { codes } = await ask('1234567890123456789', '1234567890123456790');
		expect(codes).toEqual(['unsure', 'unsure']);
	});

	it('counts each query with a numeric ID for Max Queries per Day', async () => {
		const createdAt = new Date().toISOString();
		const row = (id: string) => `{"_id":${id},"status":"SUCCESS","createdAt":"${createdAt}"}`;
		const list = `[${row('1234567890123456789')},${row('1234567890123456790')}]`;
		const { error, requests } = await runAgainstStub(
			() => ({ body: list }),
			getCrf({ rfc: RFC }, { spendingLimits: { maxQueriesPerDay: 2 } }),
		);
		expect([
			codeOf(error),
			paths(requests).filter((one) => one.startsWith('POST /api/query')),
		]).toEqual(['uncounted', []]);
	});
});

describe('Send Again If Unsure', () => {
	const again = getCrf({ rfc: RFC }, { spendingLimits: { sendAgain: true } });
	const posts = (requests: StubRequest[]) =>
		requests.filter(({ method, path }) => method === 'POST' && path !== '/api/oauth/token').length;
	const lost: StubResponse = { status: 504, body: {} };

	it('sends nothing while the queries made cannot be listed', async () => {
		const { requests } = await runAgainstStub(
			({ method }) => (method === 'POST' ? lost : { status: 403, body: {} }),
			again,
		);
		expect(posts(requests)).toBe(1);
	});

	it('sends nothing where the list of queries cannot be read to its end', async () => {
		const data = Array.from({ length: 100 }, (_, row) =>
			record(`old${row}`, {
				createdAt: new Date(1_577_836_800_000 + row).toISOString(),
				query: { rfc: 'XAXX010101000' },
			}),
		);
		const { requests, error } = await runAgainstStub(
			({ method }) => (method === 'POST' ? lost : { body: { data, total: 5000 } }),
			again,
		);
		expect([posts(requests), error?.context]).toEqual([
			1,
			expect.objectContaining({ code: 'unsure', list: 'cut', found: [] }),
		]);
	});

	it('sends no period again of which a month was found', async () => {
		const invoices = operation('taxAuthority', 'getInvoices', {
			rfc: RFC,
			period: 'months',
			firstMonth: '2026-01',
			lastMonth: '2026-02',
		});
		const january = record('q1', {
			service: 'INVOICE',
			query: { rfc: RFC, period: '2026-01' },
		});
		const { requests, error } = await runAgainstStub(
			({ method }) => (method === 'POST' ? lost : { body: [january] }),
			{ ...invoices, options: { spendingLimits: { sendAgain: true } } },
		);
		expect([posts(requests), error?.context?.found]).toEqual([1, ['q1']]);
	});
});

describe('an answer with status 200 that names the token, and not that it is an error', () => {
	const token = { access_token: 'eyJhbGciOiJub25lIn0.e30.c2lnbmF0dXJl' };
	const message = `Invalid token ${token.access_token}`;
	const secrets = [token.access_token];
	const asList = ({ method }: StubRequest): StubResponse =>
		method === 'POST' ? { body: { queryId: 'q1' } } : { body: { message } };

	it('is withheld where the list is read', async () => {
		const limited = getCrf({ rfc: RFC }, { spendingLimits: { maxQueriesPerDay: 5 } } as never);
		const { rows, error } = await runAgainstStub(asList, limited, { token, secrets });
		expect([rows, codeOf(error)]).toEqual([[], 'unlisted']);
		expect(error?.description).not.toContain('Invalid token');
	});

	it('is no list in Diagnose, which shows none of its texts', async () => {
		const diagnose = operation('connection', 'diagnose');
		const { rows } = await runAgainstStub(asList, diagnose, { token, secrets });
		expect(rows[1]).toMatchObject({
			check: 'Address, token and list of queries',
			result: 'Change needed',
		});
		expect(JSON.stringify(rows)).not.toContain('Invalid token');
	});

	it.each<[string, (answer: object) => unknown]>([['an object', (answer) => answer]])(
		'comes out as a success without a record, and is withheld: %s',
		async (_how, wrap) => {
			const { rows } = await runAgainstStub(
				answering(wrap({ message: 'Unauthorized', detail: message, requestId: 'r' })),
				csf,
				{ token, secrets },
			);
			expect(rows).toMatchObject([{ rfc: RFC, warnings: [{ code: 'unconfirmed' }] }]);
			expect(JSON.stringify(rows)).not.toContain('Invalid token');
		},
	);
});

describe('invoices of several months, of which some were refused', () => {
	const invoices = operation('taxAuthority', 'getInvoices', {
		rfc: RFC,
		period: 'months',
		firstMonth: '2026-01',
		lastMonth: '2026-02',
	});
	const accepted = { queryId: 'q1', period: '2026-01', status: 'PENDING' };
	const refused = { period: '2026-02', status: 'ERROR', message: 'No funds' };

	it.each<[string, unknown]>([
		['as the document', { message: 'ok', results: [accepted, refused] }],
		['with an empty ID', { results: [accepted, { ...refused, queryId: null }] }],
	])('%s: gives those that were accepted, and sends nothing again', async (_how, body) => {
		const memory = {};
		const options = { memory, onError: 'continueRegularOutput' } as const;
		const sent = { ...invoices, options: { spendingLimits: { sendAgain: true } } };
		const { rows, requests } = await runAgainstStub(answering(body), sent, options);
		expect([
			rows.map(({ queryId, period, pending }) => [queryId, period, pending]),
			rows[0].warnings,
			paths(requests).filter((one) => one.startsWith('POST /api/query')).length,
			JSON.stringify(memory).includes('q1'),
		]).toEqual([
			[['q1', '2026-01', true]],
			[expect.objectContaining({ code: 'fewerQueries' })],
			1,
			true,
		]);
	});

	describe.each<[string, object, object]>([
		['month', { fields: { getInvoices: { period: 'month' } } }, { month: '2026-02' }],
		['nothing', {}, {}],
	])('whose acknowledgement names them by %s', (name, apiMapping, second) => {
		const results = [
			{ queryId: 'q1', [name]: '2026-01' },
			{ queryId: 'q2', ...second },
		];

		it('has each its own month, or none', async () => {
			const { rows } = await runAgainstStub(answering({ message: 'ok', results }), invoices, {
				apiMapping,
			});
			const own = name === 'nothing' ? undefined : '2026-02';
			expect(rows.map(({ queryId, rfc, period }) => [queryId, rfc, period])).toEqual([
				['q1', RFC, name === 'nothing' ? undefined : '2026-01'],
				['q2', RFC, own],
			]);
		});
	});

	it('has no month in a further try while the service does not show it', async () => {
		const other = rfcs(2)[1];
		let refusals = 0;
		const { rows } = await runAgainstStub(
			({ method, body }) => {
				if (method === 'GET') return { status: 404, body: {} };
				const results = [accepted, { queryId: 'q2', period: '2026-02' }];
				if (body.includes(RFC)) return { body: { results } };
				if (refusals++ === 0) return { status: 400, body: {} };
				return {
					body: { results: results.map((one) => ({ ...one, queryId: `x${one.queryId}` })) },
				};
			},
			{ ...invoices, rfc: '={{ $json.rfc }}' },
			{ items: [{ rfc: RFC }, { rfc: other }], maxTries: 2 },
		);
		expect(rows.map(({ queryId, rfc, period }) => [queryId, rfc, period])).toEqual([
			['q1', RFC, undefined],
			['q2', RFC, undefined],
			['xq1', other, '2026-01'],
			['xq2', other, '2026-02'],
		]);
	});

	it('of one month are of that month, though the answer does not say so', async () => {
		const { rows } = await runAgainstStub(answering({ results: [{ queryId: 'q1' }] }), {
			...invoices,
			lastMonth: '2026-01',
		});
		expect(rows.map(({ queryId, rfc, period }) => [queryId, rfc, period])).toEqual([
			['q1', RFC, '2026-01'],
		]);
	});
});

describe('a record that says success and comes without its result', () => {
	const withoutResponse = record('q1', { response: undefined });
	const reading = (answer: StubResponse) => (requests: StubRequest) =>
		requests.method === 'POST'
			? { status: 201, body: withoutResponse }
			: requests.path === '/api/query'
				? { body: [] }
				: answer;

	it.each([
		['that is waited for', { waitForResult: true, maxWait: 20 }],
		['without', {}],
	])('is read by its ID, once: %s', async (_how, parameters) => {
		const { rows, requests } = await runAgainstStub(
			reading({ body: record('q1') }),
			getCrf({ rfc: RFC, ...parameters }),
		);
		expect([
			rows.map(({ legalName, warnings }) => [legalName, warnings]),
			readsOf(requests),
		]).toEqual([[[PERSON.legalName, undefined]], ['GET /api/query/q1']]);
	});

	it('is read once for 50 equal items', async () => {
		const { rows, requests } = await runAgainstStub(
			reading({ body: record('q1') }),
			getCrf({ rfc: RFC, reuse: 'hours', reuseHours: 24 }),
			{ items: new Array(50).fill({ rfc: RFC }) as IDataObject[] },
		);
		expect([
			rows.filter(({ legalName }) => legalName === PERSON.legalName).length,
			readsOf(requests).filter((one) => one.endsWith('q1')),
		]).toEqual([50, ['GET /api/query/q1']]);
	});

	it('is waited for where it is pending after all', async () => {
		let reads = 0;
		const { rows } = await runAgainstStub(
			(requests) =>
				reading({ body: record('q1', reads++ < 2 ? { status: 'PENDING' } : {}) })(requests),
			waiting,
		);
		expect(rows.map(({ legalName, pending }) => [legalName, pending])).toEqual([
			[PERSON.legalName, false],
		]);
	});

	it.each<[string, StubResponse]>([
		['is not there', { status: 404, body: { message: 'Nothing' } }],
		['is that of another query', { body: record('q9') }],
	])('returns the record with a warning if the one by its ID %s', async (_what, answer) => {
		const { rows, error } = await runAgainstStub(reading(answer), getCrf({ rfc: RFC }));
		expect([
			error,
			rows.map(({ queryId, status }) => [queryId, status]),
			rows[0]?.warnings,
		]).toEqual([
			undefined,
			[['q1', 'SUCCESS']],
			[expect.objectContaining({ field: 'Result', code: 'notRead' })],
		]);
	});

	it.each<[string, IDataObject]>([
		['the record with its result', record('q1')],
		['with a result that is a text', record('q1', { response: 'JVBERi0xLjQK' })],
	])('is no other answer, which is not read: %s', async (_what, body) => {
		const { rows, requests } = await runAgainstStub(answering(body), getCrf({ rfc: RFC }));
		expect([rows[0]?.queryId, readsOf(requests)]).toEqual(['q1', []]);
	});
});

describe('a list of queries whose pages are counted from 0', () => {
	const apiMapping = {
		list: { limit: 'size', page: 'page', pageSize: 2, firstPage: 0 },
	};
	const now = Date.now();
	const rows = [RFC, ...rfcs(5)].map((rfc, index) =>
		record(`q${index}`, {
			query: { rfc },
			createdAt: new Date(now - index).toISOString(),
		}),
	);
	const pages = ({ method, path, query }: StubRequest): StubResponse => {
		if (method === 'POST') return { body: { queryId: 'new' } };
		if (path !== '/api/query') return { status: 404, body: {} };
		const at = Number(query.get('page') ?? 0) * 2;
		return { body: { content: rows.slice(at, at + 2), totalElements: rows.length } };
	};

	it('lets Reuse find the newest result', async () => {
		const reuse = getCrf({ rfc: RFC, reuse: 'hours', reuseHours: 24 });
		const { rows: found } = await runAgainstStub(pages, reuse, { apiMapping });
		expect(found.map(({ queryId, reused }) => [queryId, reused])).toEqual([['q0', true]]);
	});

	it('lets Max Queries per Day count the newest', async () => {
		const limited = getCrf({ rfc: RFC }, { spendingLimits: { maxQueriesPerDay: rows.length } });
		const { error, requests } = await runAgainstStub(pages, limited, {
			apiMapping,
			timezone: 'UTC',
		});
		expect([codeOf(error), paths(requests).includes('POST /api/query/crf')]).toEqual([
			'limitOfDay',
			false,
		]);
	});
});

describe('a service that has nothing under the ID of a query', () => {
	const NOTHING: Array<[string, StubResponse]> = [
		['404', { status: 404, body: { message: 'Nothing' } }],
		['null', { body: 'null' }],
		['null as plain text', { type: 'text/plain', body: 'null' }],
		['204', { status: 204, type: '' }],
	];
	const withoutResponse = [record('q1', { query: undefined, response: undefined })];
	const nothingAt =
		(nothing: StubResponse) =>
		({ method, path, times }: StubRequest): StubResponse => {
			if (method === 'POST') return { body: { queryId: `new-${times}` } };
			return path === '/api/query' ? { body: withoutResponse } : nothing;
		};

	it.each(NOTHING)(
		'Get reports that the service has nothing under the ID: %s',
		async (_how, nothing) => {
			const { error, requests } = await runAgainstStub(
				nothingAt(nothing),
				operation('query', 'get', { queryId: 'q1' }),
			);
			expect([codeOf(error), readsOf(requests).length]).toEqual(['noQuery', 1]);
		},
	);

	it('leaves the query pending in a further try', async () => {
		const [[, nothing]] = NOTHING;
		const two = rfcs(2);
		let refusals = 0;
		const { rows, error } = await runAgainstStub(
			({ method, body }) => {
				if (method === 'GET') return nothing;
				if (body.includes(two[0])) return { body: { queryId: 'q1' } };
				return refusals++ === 0 ? { status: 400, body: {} } : { body: { queryId: 'q2' } };
			},
			getCrf(),
			{ items: two.map((rfc) => ({ rfc })), maxTries: 2 },
		);
		expect([error?.message, rows.map(({ queryId, pending }) => [queryId, pending])]).toEqual([
			undefined,
			[
				['q1', true],
				['q2', true],
			],
		]);
	});

	it('fails no item with Reuse', async () => {
		const [[, nothing]] = NOTHING;
		const { rows, error } = await runAgainstStub(
			nothingAt(nothing),
			getCrf({ reuse: 'hours', reuseHours: 24 }),
			{ items: rfcs(2).map((rfc) => ({ rfc })) },
		);
		expect([error?.message, rows.length]).toEqual([undefined, 2]);
	});
});

describe('a query whose result should come at once, and does not', () => {
	const two = curps(2);
	const curp = operation('person', 'getCurpData', { curp: two[0] });
	const curpRecord = record('q1', { service: 'CURP', response: { nombre: 'EMMA' } });

	it.each<[string, StubResponse]>([
		['an ID and a status', { body: { queryId: 'q1', status: 'PENDING' } }],
	])('is pending, by its ID: %s', async (_what, answer) => {
		const { rows } = await runAgainstStub(
			({ method }) => (method === 'POST' ? answer : { body: [] }),
			curp,
		);
		expect(rows.map(({ queryId, pending }) => [queryId, pending])).toEqual([['q1', true]]);
	});

	it('reads a successful query by its ID to get its result', async () => {
		const { rows } = await runAgainstStub(
			({ method }) => ({
				body: method === 'POST' ? { status: 'OK', message: 'Listo', queryId: 'q1' } : curpRecord,
			}),
			curp,
		);
		expect(rows.map(({ queryId, name, pending }) => [queryId, name, pending])).toEqual([
			['q1', 'EMMA', false],
		]);
	});

	it('is pending in a further try while the service does not show it', async () => {
		let refusals = 0;
		const { rows } = await runAgainstStub(
			({ method, body }) => {
				if (method === 'GET') return { status: 404, body: {} };
				if (body.includes(two[0])) return { body: { message: 'En proceso', queryId: 'q1' } };
				return refusals++ === 0 ? { status: 400, body: {} } : { body: { queryId: 'q2' } };
			},
			operation('person', 'getCurpData', { curp: '={{ $json.curp }}' }),
			{ items: two.map((curp) => ({ curp })), maxTries: 2 },
		);
		expect(rows.map(({ queryId, curp, pending }) => [queryId, curp, pending])).toEqual([
			['q1', two[0], true],
			['q2', two[1], true],
		]);
	});

	it.each<[string, IDataObject]>([
		['the record', curpRecord],
		['its response, without a status', { queryId: 'q1', response: { nombre: 'EMMA' } }],
	])('is not pending where it does: %s', async (_what, body) => {
		const { rows } = await runAgainstStub(answering(body), curp);
		expect([rows[0]?.queryId, rows[0]?.pending]).toEqual(['q1', false]);
	});
});

describe('rows of the list that have no result in them, though they say success', () => {
	const ids = ['q1', 'q2', 'q3', 'q4', 'q5'];
	const wanted = rfcs(ids.length);
	const ofItem = (index: number, more: object = {}) =>
		record(ids[index], { query: { rfc: wanted[index] }, ...more });
	const EMPTY: Array<[unknown, object]> = [null, {}, []].map((response) => [
		JSON.stringify(response),
		{ response },
	]);
	const crf = (parameters: object = {}) =>
		getCrf({ waitForResult: true, maxWait: 20, ...parameters });
	const items = (count: number) => wanted.slice(0, count).map((rfc) => ({ rfc }));
	const service =
		(more: object) =>
		({ method, path, body }: StubRequest): StubResponse => {
			const { rfc } = (body ? JSON.parse(body) : {}) as { rfc?: string };
			if (method === 'POST') return { body: { queryId: ids[wanted.indexOf(String(rfc))] } };
			if (path === '/api/query') return { body: ids.map((_, index) => ofItem(index, more)) };
			return { body: ofItem(ids.indexOf(path.split('/').at(-1) ?? '')) };
		};
	const results = (count: number) => ids.slice(0, count).map((id) => [id, PERSON.legalName]);

	it('are read by their IDs by those that wait', async () => {
		const [[, more]] = EMPTY;
		const { rows } = await runAgainstStub(service(more), crf(), { items: items(5) });
		expect(rows.map(({ queryId, legalName }) => [queryId, legalName])).toEqual(results(5));
	});

	it.each([...EMPTY, ['null as service, too', { response: null, service: null }]])(
		'are reused with their result: %s',
		async (_what, more) => {
			const reuse = { reuse: 'hours', reuseHours: 24 };
			const { rows, requests } = await runAgainstStub(service(more as object), crf(reuse), {
				items: items(2),
			});
			expect([
				rows.map(({ queryId, legalName, reused }) => [queryId, legalName, reused]),
				paths(requests).filter((one) => one.startsWith('POST /api/query')),
			]).toEqual([results(2).map((row) => [...row, true]), []]);
		},
	);

	it('are completed by Complete Rows', async () => {
		const [[, more]] = EMPTY;
		const many = operation('query', 'getAll', { returnAll: true }, { completeRows: true });
		const { rows } = await runAgainstStub(service(more), many);
		expect(rows.map(({ queryId, legalName }) => [queryId, legalName])).toEqual(results(5));
	});

	it('returns rows whose records hold no result either, after one read each', async () => {
		const { rows, requests } = await runAgainstStub(
			({ method, path, body }) => {
				if (method === 'POST') return service({})({ method, path, body } as StubRequest);
				const all = ids.map((_, index) => ofItem(index, { response: {} }));
				const id = path.split('/').at(-1);
				return { body: path === '/api/query' ? all : all.find(({ _id }) => _id === id) };
			},
			crf(),
			{ items: items(4) },
		);
		expect([
			rows.map(({ queryId, status, pending }) => [queryId, status, pending]),
			readsOf(requests).filter((one) => one !== 'GET /api/query').length,
		]).toEqual([ids.slice(0, 4).map((id) => [id, 'SUCCESS', true]), 4]);
	});
});
