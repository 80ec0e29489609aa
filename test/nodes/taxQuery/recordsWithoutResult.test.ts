import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import {
	runAgainstStub,
	type StubRequest,
	type StubResponse,
} from '../../exhaustive/apiVariants/stubServer';
import {
	crfRecord,
	LEGAL_NAME,
	queryPostsIn,
	queryGetPathsIn,
	responderByRequestKind,
} from './crfStubResponses';
import {
	getCrfParameters,
	itemsForRfcs,
	operationParameters,
	rfcs,
	taxQuerySandbox,
	type TaxQuerySandbox,
} from './support';

const [RFC] = rfcs(1);
const HOURS = { reuse: 'hours', reuseHours: 24 };
const waited = { waitForResult: true, maxWait: 20 };

describe('a record that reports success and never holds a result', () => {
	let sandbox: TaxQuerySandbox;
	let items: INodeExecutionData[];
	beforeAll(async () => {
		sandbox = await taxQuerySandbox({ record: 'no-response' });
		({ items } = await sandbox.run(getCrfParameters(waited), { items: itemsForRfcs([RFC]) }));
	});
	afterAll(async () => await sandbox.close());
	const noResult = [expect.objectContaining({ code: 'noResult' })];

	it('ends the wait with a warning instead of a result', () => {
		expect(items.map(({ json }) => json)).toMatchObject([
			{ status: 'SUCCESS', pending: true, warnings: noResult },
		]);
	});

	it('comes out of Query → Get with the same warning', async () => {
		const [{ queryId }] = await sandbox.ledger();
		const get = (simplify: boolean) =>
			operationParameters('query', 'get', { queryId, options: { simplify } });
		const [simple, raw] = [await sandbox.run(get(true)), await sandbox.run(get(false))];
		expect(simple.items[0].json.warnings).toEqual(noResult);
		expect(raw.hints).toMatchObject([{ message: expect.stringContaining('webhook') }]);
	});
});

describe('a response that reports success without its result', () => {
	const post = { status: 201, body: crfRecord('q1', RFC, { response: undefined }) };
	const BY_ID = '/api/query/q1';

	it.each([
		['that is waited for', waited],
		['that is not waited for', {}],
	])('is completed by one read by its ID: %s', async (_how, parameters) => {
		const { rows, requests } = await runAgainstStub(
			responderByRequestKind({ post, byId: crfRecord('q1', RFC) }),
			getCrfParameters({ rfc: RFC, ...parameters }),
		);
		expect(rows).toMatchObject([{ legalName: LEGAL_NAME }]);
		expect(rows[0].warnings).toBeUndefined();
		expect(queryGetPathsIn(requests)).toEqual([BY_ID]);
	});

	it('is read once for 50 equal items', async () => {
		const { rows, requests } = await runAgainstStub(
			responderByRequestKind({ post, byId: crfRecord('q1', RFC) }),
			getCrfParameters({ rfc: RFC, ...HOURS }),
			{ items: new Array(50).fill({ rfc: RFC }) as IDataObject[] },
		);
		expect(rows.filter(({ legalName }) => legalName === LEGAL_NAME)).toHaveLength(50);
		expect(queryGetPathsIn(requests).filter((path) => path === BY_ID)).toHaveLength(1);
	});

	it('is waited for where the record by its ID is pending after all', async () => {
		let reads = 0;
		const { rows } = await runAgainstStub(
			(request) => {
				const byId = crfRecord('q1', RFC, reads++ < 2 ? { status: 'PENDING' } : {});
				return responderByRequestKind({ post, byId })(request);
			},
			getCrfParameters({ rfc: RFC, ...waited }),
		);
		expect(rows).toMatchObject([{ legalName: LEGAL_NAME, pending: false }]);
	});

	it.each<[string, unknown]>([
		['is not there', undefined],
		['is that of another query', crfRecord('q9', RFC)],
	])('comes out with a warning if the record by its ID %s', async (_what, byId) => {
		const { rows, error } = await runAgainstStub(
			responderByRequestKind({ post, byId }),
			getCrfParameters({ rfc: RFC }),
		);
		expect(error).toBeUndefined();
		expect(rows).toMatchObject([
			{ queryId: 'q1', status: 'SUCCESS', warnings: [{ field: 'Result', code: 'notRead' }] },
		]);
	});

	it.each<[string, IDataObject]>([
		['an object', crfRecord('q1', RFC)],
		['a text', crfRecord('q1', RFC, { response: 'JVBERi0xLjQK' })],
	])('costs no read if it has its result: %s', async (_what, body) => {
		const { rows, requests } = await runAgainstStub(
			responderByRequestKind({ post: { body } }),
			getCrfParameters({ rfc: RFC }),
		);
		expect({ queryId: rows[0]?.queryId, reads: queryGetPathsIn(requests) }).toEqual({
			...{ queryId: 'q1', reads: [] },
		});
	});
});

describe('listed rows that report success without their results', () => {
	const ids = ['q1', 'q2', 'q3', 'q4', 'q5'];
	const wanted = rfcs(ids.length);
	const ofItem = (index: number, more: object = {}) => crfRecord(ids[index], wanted[index], more);
	const items = (count: number) => itemsForRfcs(wanted.slice(0, count));
	/** Lists rows with these fields; their records by ID are whole, or have these fields, too. */
	const service =
		(listed: object, byId: object = {}) =>
		({ method, path, body }: StubRequest): StubResponse => {
			const { rfc } = (body ? JSON.parse(body) : {}) as { rfc?: string };
			if (method === 'POST') return { body: { queryId: ids[wanted.indexOf(String(rfc))] } };
			if (path === '/api/query') return { body: ids.map((_, index) => ofItem(index, listed)) };
			return { body: ofItem(ids.indexOf(path.split('/').at(-1) ?? ''), byId) };
		};
	const results = (count: number) =>
		ids.slice(0, count).map((queryId) => ({ queryId, legalName: LEGAL_NAME }));

	it('are read by their IDs for queries that wait', async () => {
		const { rows } = await runAgainstStub(service({ response: null }), getCrfParameters(waited), {
			items: items(5),
		});
		expect(rows).toMatchObject(results(5));
	});

	it.each<[string, object]>([
		['null', { response: null }],
		['an empty object', { response: {} }],
		['an empty list', { response: [] }],
		['null, and so is service', { response: null, service: null }],
	])('are reused with their results by ID: response is %s', async (_what, listed) => {
		const { rows, requests } = await runAgainstStub(
			service(listed),
			getCrfParameters({ ...waited, ...HOURS }),
			{ items: items(2) },
		);
		expect(rows).toMatchObject(results(2).map((row) => ({ ...row, reused: true })));
		expect(queryPostsIn(requests)).toEqual([]);
	});

	it('are completed by Complete Rows', async () => {
		const many = operationParameters(
			'query',
			'getAll',
			{ returnAll: true },
			{ completeRows: true },
		);
		const { rows } = await runAgainstStub(service({ response: null }), many);
		expect(rows).toMatchObject(results(5));
	});

	it('come out as pending, after one read each, if their records lack results', async () => {
		const lacking = { response: {} };
		const { rows, requests } = await runAgainstStub(
			service(lacking, lacking),
			getCrfParameters(waited),
			{
				items: items(4),
			},
		);
		expect(rows).toMatchObject(
			ids.slice(0, 4).map((queryId) => ({ queryId, status: 'SUCCESS', pending: true })),
		);
		expect(queryGetPathsIn(requests).filter((path) => path !== '/api/query')).toHaveLength(4);
	});
});
