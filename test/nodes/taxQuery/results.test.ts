import { respondJson } from '../../support/testServer';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import {
	type StubRequest,
	type StubResponse,
	runAgainstStub,
	startStubServer,
} from '../../support/stubServer';
import { codeOf } from '../../support/errorCode';
import { freshSandboxForEachTest, sandboxForTestGroup } from '../../support/sharedSandbox';
import {
	LEGAL_NAME,
	crfRecord,
	queryGetPathsIn,
	queryPostsIn,
	responderByRequestKind,
} from './crfResponses';
import {
	type TaxQuerySandbox,
	createTaxProfileParameters,
	curps,
	getCrfParameters,
	itemsForRfcs,
	operationParameters,
	rfcs,
	taxQuerySandbox,
} from './support';
import { fakeService } from './fakeService';
import { runNodeInEngine } from '../../support/runNodeInEngine';

const [RFC, OTHER] = rfcs(2);
const [CURP] = curps(1);
const waited = { waitForResult: true, maxWait: 30 };

/** TQ §4.4 and §4.5 document both: an acknowledgement, and the record itself. */
describe.each([
	['an acknowledgement', false],
	['the record', true],
])('CRF and RFC data of a service that responds with %s', (_what, immediateRecords) => {
	const sandbox = sandboxForTestGroup(taxQuerySandbox, { immediateRecords });

	it.each([['getCrf'], ['getRfcData']])('give the same columns: %s', async (name) => {
		const { items } = await sandbox.run(
			operationParameters('taxpayer', name, { rfc: RFC, ...waited }),
		);
		expect(items.map(({ json }) => json)).toEqual([
			expect.objectContaining({
				...{ outcome: 'result', rfc: RFC, legalName: expect.any(String) },
			}),
		]);
		const reads = (await sandbox.requests()).filter(({ method }) => method === 'GET');
		expect(reads.length > 0).toBe(!immediateRecords);
	});

	it('are there at once or pending if they are not waited for', async () => {
		const { items } = await sandbox.run(operationParameters('taxpayer', 'getCrf', { rfc: RFC }));
		const { rfc, outcome, legalName } = items[0].json;
		expect({ rfc, outcome, hasName: legalName !== undefined }).toEqual({
			...{ rfc: RFC, outcome: immediateRecords ? 'result' : 'pending' },
			hasName: immediateRecords,
		});
	});

	it('fail for unknown people, without cost if refused at once', async () => {
		const { rfc } = sandbox.reserved('notFound');
		const { error } = await sandbox.run(
			operationParameters('taxpayer', 'getCrf', { rfc, ...waited }),
		);
		expect(codeOf(error)).toBe(immediateRecords ? 'status.404' : 'failed');
		expect(await sandbox.ledger()).toHaveLength(immediateRecords ? 0 : 1);
	});
});

describe('CURP data that is acknowledged instead of given at once', () => {
	const curpData = operationParameters('person', 'getCurpData', { curp: CURP });
	const byId = crfRecord('q1', RFC, {
		service: 'CURP',
		query: { curp: CURP },
		response: { nombre: 'EMMA' },
	});

	it.each([
		{ queryId: 'q1', message: 'ok' },
		{ queryId: 'q1', message: 'Listo', status: 'OK' },
	])('is read by its ID: %j', async (body) => {
		const { rows } = await runAgainstStub(
			responderByRequestKind({ post: { body }, byId }),
			curpData,
		);
		expect(rows).toMatchObject([{ queryId: 'q1', name: 'EMMA', outcome: 'result' }]);
	});

	it.each<[string, unknown]>([
		['nothing is', undefined],
		['no record is', []],
	])('is pending while %s under its ID', async (_what, record) => {
		const post = { body: { queryId: 'q1', status: 'PENDING' } };
		const { rows } = await runAgainstStub(responderByRequestKind({ post, byId: record }), curpData);
		expect(rows).toMatchObject([{ queryId: 'q1', outcome: 'pending' }]);
	});
});

describe('a fiscal situation that comes without a record', () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox);

	it('is a result without a query ID, whatever has an ID in it', async () => {
		const body = {
			rfc: RFC,
			estado: 'ACTIVO',
			regimenes: [{ id: 601, status: 'ACTIVO' }],
			obligaciones: [{ _id: 'a', name: 'ISR' }],
		};
		const { rows } = await runAgainstStub(
			responderByRequestKind({ post: { body } }),
			operationParameters('taxAuthority', 'getCsf', { rfc: RFC }),
		);
		expect(rows).toEqual([expect.objectContaining({ rfc: RFC, estado: 'ACTIVO' })]);
		expect(rows[0]).not.toHaveProperty('queryId');
	});

	it('is given again by a further try, and not sent again', async () => {
		for (const rfc of [RFC, OTHER]) await sandbox.run(createTaxProfileParameters(rfc));
		const path = '/api/query/tax/csf';
		const url = 'https://example.test/csf.pdf';
		await sandbox.faults(
			{ path, times: 1, fault: { status: 200, body: { url } } },
			{ path, times: 1, fault: { status: 400 } },
		);
		const { items } = await sandbox.run(
			operationParameters('taxAuthority', 'getCsf', { rfc: '={{ $json.rfc }}', reuse: 'never' }),
			{ items: itemsForRfcs([RFC, OTHER]), maxTries: 2 },
		);
		expect(items.map(({ json }) => ({ url: json.url, rfc: json.rfc }))).toEqual([
			{ url, rfc: RFC },
			{ url: undefined, rfc: OTHER },
		]);
		expect(await sandbox.requests(path)).toHaveLength(3);
	});
});

describe('records without a result', () => {
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
				{ outcome: 'pending', reason: expect.stringContaining('webhook'), warnings: noResult },
			]);
		});

		it('comes out of Query → Get with the same reason', async () => {
			const [{ queryId }] = await sandbox.ledger();
			const get = (simplify: boolean) =>
				operationParameters('query', 'get', { queryId, options: { simplify } });
			const [simple, raw] = [await sandbox.run(get(true)), await sandbox.run(get(false))];
			expect(simple.items[0].json.reason).toContain('webhook');
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
			expect(rows).toMatchObject([{ legalName: LEGAL_NAME, outcome: 'result' }]);
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
				{ queryId: 'q1', outcome: 'pending', warnings: [{ field: 'Result', code: 'notRead' }] },
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
		/** Their records by ID are whole, or have these fields, too. */
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
				ids.slice(0, 4).map((queryId) => ({ queryId, outcome: 'pending' })),
			);
			expect(queryGetPathsIn(requests).filter((path) => path !== '/api/query')).toHaveLength(4);
		});
	});
});

describe('records of somebody else', () => {
	const [RFC, OTHER] = rfcs(2);
	const [CURP, OTHER_CURP] = curps(2);
	const FOREIGN = 'otherQuery';
	const waited = { waitForResult: true, maxWait: 20 };
	const crf = getCrfParameters({ rfc: RFC });
	const waitingCrf = getCrfParameters({ rfc: RFC, ...waited });
	const curpData = operationParameters('person', 'getCurpData', { curp: CURP });
	const csf = operationParameters('taxAuthority', 'getCsf', { rfc: RFC, reuse: 'never' });

	const codes = ({ warnings }: IDataObject) =>
		((warnings ?? []) as IDataObject[]).map(({ code }) => code);

	const accepted = { body: { message: 'ok', queryId: 'q1' } };

	const person = (curp: string, more: object = {}) =>
		crfRecord('q1', RFC, {
			...{ service: 'CURP', query: { curp }, response: { curp, nombre: 'LUIS' } },
			...more,
		});

	const emma = { name: 'Emma', firstLastName: 'Gómez', secondLastName: 'Díaz' };

	const calculation = operationParameters('taxpayer', 'calculateRfc', {
		...emma,
		birthDate: '1956-12-03',
	});

	const born = (query: object) =>
		crfRecord('q1', '', { service: 'RFC_CALCULATOR', query, response: { rfc: RFC } });

	describe('a foreign record fails the item, which names its ID:', () => {
		it.each<[string, IDataObject, StubResponse, unknown]>([
			['another person, at once', curpData, { body: person(OTHER_CURP) }, undefined],
			[
				'another query type, at once',
				curpData,
				{ body: person(CURP, { service: 'RFC_CALCULATOR' }) },
				undefined,
			],
			[
				'another person, still pending',
				crf,
				{ body: crfRecord('q1', OTHER, { status: 'PENDING' }) },
				undefined,
			],
			['another person, by its ID', waitingCrf, accepted, crfRecord('q1', OTHER)],
			[
				'another query type, by its ID',
				waitingCrf,
				accepted,
				crfRecord('q1', RFC, { service: 'CURP' }),
			],
		])('%s', async (_how, parameters, post, byId) => {
			const { rows, error } = await runAgainstStub(
				responderByRequestKind({ post, byId }),
				parameters as never,
			);
			expect({ rows, code: codeOf(error), ids: error?.context?.queryIds }).toEqual({
				...{ rows: [], code: FOREIGN, ids: ['q1'] },
			});
		});

		it.each<[string, object, object]>([
			['another birth date', { ...emma, day: 4, month: 12, year: 1956 }, {}],
			['another birth date in a mapped field', { dia: 4 }, { day: 'dia' }],
		])('%s', async (_when, query, names) => {
			const { rows, error } = await runAgainstStub(
				responderByRequestKind({ post: { body: born(query) } }),
				calculation,
				{ apiMapping: { fields: { calculateRfc: names } } },
			);
			expect({ rows, code: codeOf(error) }).toEqual({ rows: [], code: FOREIGN });
		});
	});

	it('an ID shared by three items fails those whose query it is not', async () => {
		const { rows, codes: failures } = await runAgainstStub(
			responderByRequestKind({ post: accepted, byId: crfRecord('q1', RFC) }),
			getCrfParameters(waited),
			{ items: itemsForRfcs(rfcs(3)), onError: 'continueRegularOutput' },
		);
		expect(rows.map(({ rfc }, at) => failures[at] ?? rfc)).toEqual([RFC, FOREIGN, FOREIGN]);
	});

	it('a foreign record under the right ID leaves the query pending, with the problem', async () => {
		const service = await fakeService({
			get: (one, response) =>
				respondJson(response, {
					...one,
					_id: 'of-somebody-else',
					query: {},
					response: { rfc: 'XYZ' },
				}),
		});
		const { items } = await service.run(getCrfParameters({ waitForResult: true, maxWait: 2 }), {
			items: itemsForRfcs([RFC]),
		});
		await service.close();
		const [{ _id }] = service.billed;
		expect(items.map(({ json }) => json)).toMatchObject([
			{ queryId: _id, outcome: 'pending', reason: expect.stringContaining('last check failed') },
		]);
	});

	it.each<[string, IDataObject, object, string | undefined]>([
		['another person', { query: { rfc: OTHER } }, {}, undefined],
		['an unknown person', { query: {} }, {}, 'CRF'],
		['another mapped query type', {}, { services: { getCsf: 'SITUACION' } }, 'CRF'],
	])(
		'a foreign record of %s has its query type in the error',
		async (_who, more, mapping, type) => {
			const { rows, error } = await runAgainstStub(
				responderByRequestKind({ post: accepted, byId: crfRecord('q1', RFC, more) }),
				{ ...csf, ...waited },
				{ apiMapping: mapping },
			);
			expect({ rows, code: codeOf(error), type: error?.context?.type }).toEqual({
				...{ rows: [], code: FOREIGN, type },
			});
		},
	);

	describe('a record that may be the own one comes out', () => {
		it.each<[string, object, string[]]>([
			['whose RFC is masked, with a warning', { query: { rfc: 'GODE5001*****' } }, ['notEchoed']],
			['without its request, with a warning', { query: { channel: 'api' } }, ['notEchoed']],
			[
				'whose RFC has blanks and hyphens',
				{ query: { rfc: RFC.replace(/(.{4})(.{6})/, '$1-$2 ').toLowerCase() } },
				[],
			],
			[
				'whose RFC has another name, beside another person',
				{ query: { taxpayerId: RFC, requestedBy: OTHER } },
				[],
			],
			['of an unknown query type', { service: 'REGIMEN' }, ['unknownService']],
		])('%s', async (_how, more, warnings) => {
			const { rows, error } = await runAgainstStub(
				responderByRequestKind({ post: { body: crfRecord('q1', RFC, more) } }),
				crf,
			);
			expect(error).toBeUndefined();
			expect(rows.map((row) => ({ rfc: row.rfc, warnings: codes(row) }))).toEqual([
				{ rfc: RFC, warnings },
			]);
		});

		it.each<[string, object]>([
			['first', { taxId: RFC, rfc: OTHER }],
			['last', { rfc: OTHER, taxId: RFC }],
		])(
			'whose RFC has its mapped name, %s, beside a field of the old name',
			async (_which, query) => {
				const { rows, error } = await runAgainstStub(
					responderByRequestKind({ post: { body: crfRecord('q1', RFC, { query }) } }),
					crf,
					{ apiMapping: { fields: { getCrf: { rfc: 'taxId' } } } },
				);
				expect(error).toBeUndefined();
				expect(rows).toMatchObject([{ rfc: RFC, queryId: 'q1' }]);
			},
		);

		it("without an additional field that is called as every object's constructor", async () => {
			const { rows, error } = await runAgainstStub(
				responderByRequestKind({ post: { body: crfRecord('q1', RFC) } }),
				getCrfParameters({ rfc: RFC }, { additionalBodyFields: '{"constructor":"ACME"}' }),
			);
			expect(error).toBeUndefined();
			expect(rows).toMatchObject([{ rfc: RFC, queryId: 'q1' }]);
		});

		it.each<[string, object]>([
			['as text', { ...emma, day: '03', month: '12', year: '1956' }],
			['masked', { ...emma, day: '**', month: '**', year: '19**' }],
			['not at all', { ...emma }],
		])('of a calculated RFC whose birth date is repeated %s', async (_how, query) => {
			const { rows } = await runAgainstStub(
				responderByRequestKind({ post: { body: born(query) } }),
				calculation,
			);
			expect(rows.map(({ rfc }) => rfc)).toEqual([RFC]);
		});

		const COMPANY = 'EKU9003173C9';
		it.each<[string, string, string, object]>([
			['Shareholders', 'company', 'getShareholders', { rfc: COMPANY }],
			['Employment History', 'person', 'getEmploymentHistory', { curp: CURP }],
			['CRF', 'company', 'getShareholders', { rfc: COMPANY }],
		])('of a type whose name is not documented: %s', async (service, resource, name, query) => {
			const own = crfRecord('q1', RFC, { service, query, response: { x: 1 } });
			const { rows, error } = await runAgainstStub(
				responderByRequestKind({ post: accepted, byId: own }),
				operationParameters(resource, name, { ...query, ...waited, reuse: 'never' }),
			);
			expect(error).toBeUndefined();
			expect(rows).toMatchObject([{ queryId: 'q1', x: 1, warnings: [{ code: 'unknownService' }] }]);
		});

		it('with a warning if only its result names another person', async () => {
			const byCurp = person(CURP, { response: { curp: OTHER_CURP, nombre: 'LUIS' } });
			const byRfc = crfRecord('q1', RFC, { response: { RFC: OTHER, RazonSocial: 'X' } });
			const ofCurp = await runAgainstStub(
				responderByRequestKind({ post: { body: byCurp } }),
				curpData,
			);
			const ofRfc = await runAgainstStub(responderByRequestKind({ post: { body: byRfc } }), crf);
			const warnings = [{ code: 'otherIdentifier' }];
			expect(ofCurp.rows).toMatchObject([{ curp: OTHER_CURP, warnings }]);
			expect(ofCurp.rows[0].askedCurp).toBe(CURP);
			expect(ofRfc.rows).toMatchObject([{ rfc: OTHER, warnings }]);
			expect(ofRfc.rows[0].askedRfc).toBe(RFC);
		});
	});
});

const HOURS = { reuse: 'hours', reuseHours: 24 };

describe('a record of a status that the API Mapping does not know', () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox, { statusWords: { success: 'FERTIG' } });
	const waiting = getCrfParameters({ waitForResult: true, maxWait: 1 });
	const billed = async () => (await sandbox.ledger()).length;

	it('comes out marked when the time to wait is over, and is never reused', async () => {
		const { items } = await sandbox.run(waiting, { items: itemsForRfcs(rfcs(1)) });
		await sandbox.run(getCrfParameters(HOURS), { items: itemsForRfcs(rfcs(1)) });
		expect(items.map(({ json }) => json)).toMatchObject([
			{ outcome: 'uncertain', warnings: [{ code: 'unknownStatus' }] },
		]);
		expect(await billed()).toBe(2);
	});

	it('is not reused for an equal item of the run', async () => {
		const [curp] = curps(1);
		const { items } = await sandbox.run(
			operationParameters('person', 'getCurpData', { curp, ...HOURS }),
			{
				items: [{}, {}],
			},
		);
		const marks = items.map(({ json: { outcome, reused } }) => ({ outcome, reused }));
		const each = { outcome: 'uncertain', reused: undefined };
		expect(marks).toEqual([each, each]);
		expect(await billed()).toBe(2);
	});

	it('is a result where the API Mapping maps it', async () => {
		const { items } = await sandbox.run(waiting, {
			items: itemsForRfcs(rfcs(1)),
			apiMapping: { statuses: { success: ['FERTIG'] } },
		});
		expect(items[0].json.outcome).toBe('result');
	});
});

it('a status that is called as a member of every object is unknown', async () => {
	const service = await fakeService({
		post: (accept, response) =>
			respondJson(response, Object.assign(accept(), { status: 'constructor' })),
	});
	const { items } = await service.run(getCrfParameters(), { items: itemsForRfcs(rfcs(1)) });
	await service.close();
	expect(items.map(({ json }) => json)).toMatchObject([{ outcome: 'uncertain' }]);
});

describe('the response to a billed query', () => {
	const [RFC] = rfcs(1);
	const [CURP] = curps(1);
	const BOM = '\uFEFF';
	/** A query of each way in which results come. */
	const ways: Record<string, INodeParameters> = {
		'whose result follows': operationParameters('taxpayer', 'getCrf', { rfc: RFC }),
		'whose result comes at once': operationParameters('person', 'getCurpData', { curp: CURP }),
		'of two months': operationParameters('taxAuthority', 'getInvoices', {
			...{ rfc: RFC, period: 'months', firstMonth: '2026-01', lastMonth: '2026-02' },
		}),
	};
	const [LATER, AT_ONCE, MONTHS] = Object.keys(ways);
	const json = (body: unknown): StubResponse => ({ body });
	const text = (body: string, type = 'application/json'): StubResponse => ({ body, type });
	const crf = crfRecord('q1', RFC);
	const curpData = {
		_id: 'q1',
		service: 'CURP',
		status: 'SUCCESS',
		query: { curp: CURP },
		response: { curp: CURP, nombre: 'EMMA', estatusCurp: 'RCN' },
	};
	const months = (...ids: unknown[]) =>
		ids.map((queryId, index) => ({ queryId, period: `2026-0${index + 1}`, status: 'PENDING' }));
	/** Responses that identify no query. Bodies of JSON have a table of their own in the unit tests. */
	const unidentified: Array<[what: string, response: StubResponse]> = [
		['an object without an ID', json({ ok: true, folio: 'F-1' })],
		['a part of a result', json({ RFC, curp: CURP, nombre: 'EMMA' })],
		['a record without an ID', json({ service: 'CRF', status: 'SUCCESS', response: { RFC } })],
		['an empty object', json({})],
		['an empty list', json([])],
		['errors', json({ errors: [{ message: 'No' }] })],
		['an HTML page', text('<html><body>Welcome</body></html>', 'text/html')],
		['a text', text('"q1"')],
		['a number', text('12')],
		['null', text('null')],
		['an empty body', text('')],
		['half a body', text('{"queryId":"q1"')],
		['204', { status: 204, body: '', type: '' }],
		['500', { status: 500, body: { message: 'Oops', queryId: 'q1' } }],
		['502 of a gateway', { status: 502, body: '<html></html>', type: 'text/html' }],
		['408', { status: 408, body: {} }],
		['302', { status: 302, body: '', headers: { location: '/api/query/q1' } }],
	];
	type Case = [way: string, what: string, response: StubResponse];
	const uncertain: Case[] = [
		...Object.keys(ways).flatMap((way) =>
			unidentified.map(([what, one]): Case => [way, what, one]),
		),
		[
			MONTHS,
			'more queries than months',
			json({ results: [...months('q1', 'q2'), { queryId: 'q9', period: '2025-12' }] }),
		],
	];
	const failed: Array<[...Case, code: string]> = [
		...[400, 403, 404, 422].map((status): [...Case, string] => [
			...([LATER, String(status), { status, body: { message: 'No' } }] as Case),
			`status.${status}`,
		]),
		[LATER, 'a failed record', json({ ...crf, status: 'FAILED', response: {} }), 'failed'],
	];
	const pending = [{ queryId: 'q1', outcome: 'pending' }];
	const acknowledgement = JSON.stringify({ queryId: 'q1' });
	const acknowledged: Array<[...Case, rows: object[]]> = [
		[LATER, 'an acknowledgement', json({ message: 'ok', queryId: 'q1' }), pending],
		[LATER, 'an acknowledgement with 202', { status: 202, body: { queryId: 'q1' } }, pending],
		[LATER, 'an acknowledgement with SUCCESS', json({ status: 'SUCCESS', queryId: 'q1' }), pending],
		[LATER, 'a wrapped acknowledgement', json({ data: { queryId: 'q1' }, ok: true }), pending],
		[LATER, 'a list of one acknowledgement', json([{ message: 'ok', queryId: 'q1' }]), pending],
		[LATER, 'an acknowledgement as text', text(acknowledgement, 'text/plain'), pending],
		[LATER, 'an acknowledgement without a type', text(acknowledgement, ''), pending],
		[LATER, 'an acknowledgement behind a BOM', text(BOM + acknowledgement), pending],
		[LATER, 'a pending record', json({ ...crf, status: 'PENDING', response: {} }), pending],
		[LATER, 'a record', json(crf), [{ queryId: 'q1', legalName: LEGAL_NAME, outcome: 'result' }]],
		[LATER, 'a list of one record', json([crf]), [{ queryId: 'q1', legalName: LEGAL_NAME }]],
		[
			LATER,
			'a wrapped record',
			json({ consulta: crf }),
			[{ queryId: 'q1', legalName: LEGAL_NAME }],
		],
		[
			LATER,
			'a record of an unknown status',
			json({ ...crf, status: 'DONE' }),
			[{ queryId: 'q1', outcome: 'uncertain' }],
		],
		[AT_ONCE, 'a record', json(curpData), [{ queryId: 'q1', name: 'EMMA', curpActive: true }]],
		[
			AT_ONCE,
			'a record without a status',
			json({ queryId: 'q1', response: { nombre: 'EMMA' } }),
			[{ queryId: 'q1', outcome: 'uncertain' }],
		],
		[
			MONTHS,
			'two acknowledgements',
			json({ message: 'ok', results: months('q1', 'q2') }),
			[
				{ queryId: 'q1', period: '2026-01', outcome: 'pending' },
				{ queryId: 'q2', period: '2026-02' },
			],
		],
	];
	/** Runs an operation once against a service that responds so, and lists nothing. */
	async function run(way: string, response: StubResponse) {
		const service = await startStubServer(({ method, path }) => {
			if (method === 'POST') return response;
			return path === '/api/query' ? json([]) : { status: 404, body: {} };
		});
		const { items, error } = await runNodeInEngine({
			type: 'taxQuery',
			parameters: ways[way],
			executionId: `acknowledged-${service.url}`,
			credentials: {
				taxQueryApi: {
					baseUrl: `${service.url}/api`,
					grant: 'accessToken',
					pastedToken: `pasted-token-${service.url}`,
					pointsPerSecond: 0,
				},
			},
		});
		await service.close();
		return {
			code: codeOf(error),
			rows: items.map(({ json: row }) => row),
			sent: queryPostsIn(service.requests).length,
		};
	}
	type Outcome = Awaited<ReturnType<typeof run>>;
	const outcomes = new Map<StubResponse, Map<string, Outcome>>();
	const outcomeOf = (way: string, response: StubResponse) => outcomes.get(response)?.get(way);

	// side by side, for a query that is uncertain is searched during four seconds
	beforeAll(async () => {
		const left = [...uncertain, ...failed, ...acknowledged].values();
		const worker = async () => {
			for (const [way, , response] of left) {
				const ofWays = outcomes.get(response) ?? new Map<string, Outcome>();
				outcomes.set(response, ofWays);
				ofWays.set(way, await run(way, response));
			}
		};
		await Promise.all(Array.from({ length: 24 }, worker));
	});

	it.each(uncertain)('a query %s is uncertain after %s', (way, _what, response) => {
		expect(outcomeOf(way, response)).toEqual({ code: 'unsure', rows: [], sent: 1 });
	});

	it.each(failed)('a query %s fails after %s', (way, _what, response, code) => {
		expect(outcomeOf(way, response)).toEqual({ code, rows: [], sent: 1 });
	});

	it.each(acknowledged)('a query %s is identified by %s', (way, _what, response, rows) => {
		expect(outcomeOf(way, response)).toMatchObject({ code: undefined, rows, sent: 1 });
	});
});

const wanted = rfcs(2);

describe('query IDs that lead elsewhere', () => {
	it.each(['.', '..', ' .. '])('are refused before anything is sent: %j', async (queryId) => {
		const { error, requests } = await runAgainstStub(
			() => ({ body: {} }),
			operationParameters('query', 'get', { queryId }),
		);
		expect([codeOf(error), requests]).toEqual(['field.id', []]);
	});
});

describe('query IDs that are numbers', () => {
	/** Acknowledges with these IDs as text, for JavaScript would round them before they are sent. */
	const numbered = (ids: string[]) => {
		const taken = ids.values();
		const requests: string[] = [];
		return ({ method, path, body }: StubRequest): StubResponse => {
			if (method === 'POST') {
				requests.push((JSON.parse(body) as { rfc: string }).rfc);
				return { body: `{"queryId":${taken.next().value}}` };
			}
			const id = path.split('/').at(-1) ?? '';
			return { body: path === '/api/query' ? [] : crfRecord(id, requests[ids.indexOf(id)]) };
		};
	};
	const run = async (...ids: string[]) =>
		await runAgainstStub(numbered(ids), getCrfParameters({ waitForResult: true }), {
			items: itemsForRfcs(wanted),
			onError: 'continueRegularOutput',
		});

	it('are read as text where JSON holds them exactly', async () => {
		const { rows, requests } = await run('7', '9007199254740991');
		expect(rows).toMatchObject([{ queryId: '7' }, { queryId: '9007199254740991' }]);
		expect(queryGetPathsIn(requests)).toContain('/api/query/7');
	});

	it('are read by their digits beyond that', async () => {
		const ids = ['1234567890123456789', '1234567890123456790'];
		const { rows, requests } = await run(...ids);
		expect(rows).toMatchObject(ids.map((queryId) => ({ queryId, outcome: 'result' })));
		expect(queryGetPathsIn(requests)).toEqual(ids.map((id) => `/api/query/${id}`));
	});
});

describe('a query ID under which the service has nothing', () => {
	const NOTHING: Array<[string, StubResponse]> = [
		['404', { status: 404, body: { message: 'Nothing' } }],
		['null', { body: 'null' }],
		['null as plain text', { type: 'text/plain', body: 'null' }],
		['204', { status: 204, type: '' }],
	];
	const [[, nothing]] = NOTHING;

	it.each(NOTHING)('fails Query → Get after one read: %s', async (_how, byId) => {
		const { error, requests } = await runAgainstStub(
			() => byId,
			operationParameters('query', 'get', { queryId: 'q1' }),
		);
		expect(codeOf(error)).toBe('noQuery');
		expect(queryGetPathsIn(requests)).toEqual(['/api/query/q1']);
	});

	it('fails no item with Reuse Results, if a listed row has it', async () => {
		const row = crfRecord('q1', wanted[0], { query: undefined, response: undefined });
		const { rows, error } = await runAgainstStub(
			({ method, path, times }) => {
				if (method === 'POST') return { body: { queryId: `new-${times}` } };
				return path === '/api/query' ? { body: [row] } : nothing;
			},
			getCrfParameters({ reuse: 'hours', reuseHours: 24 }),
			{ items: itemsForRfcs(wanted) },
		);
		expect(error).toBeUndefined();
		expect(rows).toHaveLength(2);
	});

	const people = curps(2);
	it.each<[string, IDataObject, IDataObject[]]>([
		['whose result follows', getCrfParameters(), itemsForRfcs(wanted)],
		[
			'whose result comes at once',
			operationParameters('person', 'getCurpData', { curp: '={{ $json.curp }}' }),
			people.map((curp) => ({ curp })),
		],
	])('is pending in a further try of a query %s', async (_what, parameters, items) => {
		const [[first]] = items.map((item) => Object.values(item));
		let refusals = 0;
		const { rows, error } = await runAgainstStub(
			({ method, body }) => {
				if (method === 'GET') return nothing;
				if (body.includes(String(first))) return { body: { message: 'ok', queryId: 'q1' } };
				return refusals++ === 0 ? { status: 400, body: {} } : { body: { queryId: 'q2' } };
			},
			parameters as never,
			{ items, maxTries: 2 },
		);
		expect(error).toBeUndefined();
		expect(rows).toMatchObject([
			{ ...items[0], queryId: 'q1', outcome: 'pending' },
			{ ...items[1], queryId: 'q2', outcome: 'pending' },
		]);
	});
});
