import { DateTime } from 'luxon';
import { respondJson } from '../../support/testServer';
import type {
	IDataObject,
	IExecuteContextData,
	INodeParameters,
	INodePropertyOptions,
} from 'n8n-workflow';
import { codeOf } from '../../support/errorCode';
import { packageNodesByType } from '../../support/runNodeInEngine';
import {
	CIEC,
	type TaxQuerySandbox,
	buildNextCrfFaultRule,
	createTaxProfileParameters,
	curps,
	getCrfParameters,
	operationParameters,
	rfcs,
	taxQuerySandbox,
} from './support';
import { freshSandboxForEachTest, sandboxForTestGroup } from '../../support/sharedSandbox';
import { type StubResponse, runAgainstStub } from '../../support/stubServer';
import { type StoredQuery, aRecord, fakeService } from './fakeService';
import { crfRecord, queryPostsIn, responderByRequestKind } from './crfResponses';
import { shiftWallClock, withoutWaiting } from '../../support/clock';

const [RFC] = rfcs(1);
const [CURP] = curps(1);
const COMPANY = 'EKU9003173C9';
const PERSON = { name: 'Emma', firstLastName: 'Gómez', secondLastName: 'Díaz' };
const queryId = expect.stringMatching(/^[0-9a-f]{24}$/);

const acknowledged = (requested: object) => ({
	queryId,
	outcome: 'pending',
	message: expect.any(String),
	...requested,
});

interface Row {
	section: string;
	endpoint: string;
	parameters: INodeParameters & { resource?: string; operation?: string };
	/** It reaches the service; the sandbox's log masks secrets. */
	body?: object;
	/** With Simplify on, these fields make the result what it is. */
	output: object;
}

/** Every endpoint of §4: what the operator sets, what is sent, what comes out. */
const rows: Row[] = [
	{
		section: '4.2',
		endpoint: 'POST /query/company-shareholders',
		parameters: operationParameters('company', 'getShareholders', { rfc: COMPANY }),
		body: { rfc: COMPANY },
		output: acknowledged({ rfc: COMPANY }),
	},
	{
		section: '4.3',
		endpoint: 'POST /query/rfc-calculator',
		parameters: operationParameters('taxpayer', 'calculateRfc', {
			...PERSON,
			birthDate: '1956-12-31',
		}),
		body: { ...PERSON, day: 31, month: 12, year: 1956 },
		output: { queryId, outcome: 'result', rfc: 'GODE561231GR8' },
	},
	{
		section: '4.4',
		endpoint: 'POST /query/crf',
		parameters: operationParameters('taxpayer', 'getCrf', { rfc: RFC }),
		body: { rfc: RFC },
		output: acknowledged({ rfc: RFC }),
	},
	{
		section: '4.5',
		endpoint: 'POST /query/rfc-data',
		parameters: operationParameters('taxpayer', 'getRfcData', { rfc: RFC }),
		body: { rfc: RFC },
		output: acknowledged({ rfc: RFC }),
	},
	{
		section: '4.6',
		endpoint: 'POST /query/curp-data',
		parameters: operationParameters('person', 'getCurpData', { curp: CURP }),
		body: { curp: CURP },
		output: {
			queryId,
			outcome: 'result',
			curp: CURP,
			rfc: expect.stringMatching(/^GODE500101/),
			birthDate: '1950-01-01',
			curpStatus: 'RCN',
			curpActive: true,
			curpStatusMeaning: 'corrected',
		},
	},
	{
		section: '4.7',
		endpoint: 'POST /query/job-history',
		parameters: operationParameters('person', 'getEmploymentHistory', { curp: CURP }),
		body: { curp: CURP },
		output: acknowledged({ curp: CURP }),
	},
	{
		section: '4.8',
		endpoint: 'POST /query/tax/profile',
		parameters: createTaxProfileParameters(RFC),
		body: { rfc: RFC, ciec: '***' },
		output: { queryId, outcome: 'result', rfc: RFC },
	},
	{
		section: '4.9',
		endpoint: 'POST /query/tax/csf',
		parameters: operationParameters('taxAuthority', 'getCsf', { rfc: RFC }),
		body: { rfc: RFC },
		output: { queryId, outcome: 'result', rfc: RFC, resultStatus: 'ACTIVO' },
	},
	{
		section: '4.10',
		endpoint: 'POST /query/tax/compliance-opinion',
		parameters: operationParameters('taxAuthority', 'getComplianceOpinion', { rfc: RFC }),
		body: { rfc: RFC },
		output: acknowledged({ rfc: RFC }),
	},
	{
		section: '4.11',
		endpoint: 'POST /query/tax/invoice',
		parameters: operationParameters('taxAuthority', 'getInvoices', {
			rfc: RFC,
			period: 'month',
			month: '2026-01',
		}),
		body: { rfc: RFC, from: '2026-01', to: '2026-01' },
		output: acknowledged({ rfc: RFC, period: '2026-01' }),
	},
	{
		section: '4.12',
		endpoint: 'GET /query',
		parameters: operationParameters('query', 'getAll', {
			limit: 1,
			filters: { queries: ['calculateRfc'] },
		}),
		output: { queryId, service: 'RFC_CALCULATOR', rfc: 'GODE561231GR8' },
	},
	{
		section: '4.13',
		endpoint: 'GET /query/{queryId}',
		parameters: operationParameters('query', 'get', { queryId: '={{ $json.queryId }}' }),
		output: { service: 'RFC_CALCULATOR', status: 'SUCCESS', rfc: 'GODE561231GR8' },
	},
];

describe('the operations of the Tax Query node', () => {
	let sandbox: TaxQuerySandbox;
	beforeAll(async () => {
		sandbox = await taxQuerySandbox();
		await sandbox.run(createTaxProfileParameters(RFC), { secrets: [CIEC] });
	});
	beforeEach(async () => await sandbox.reset());
	afterAll(async () => await sandbox.close());

	const readsQueries = ({ endpoint }: Row) => endpoint.startsWith('GET ');

	/** Runs a row; those that read queries read one that was just made. */
	async function run(row: Row, changes: INodeParameters = {}) {
		const { parameters } = row;
		const known = readsQueries(row) ? (await sandbox.run(rows[1].parameters)).items[0].json : {};
		const result = await sandbox.run(
			{ ...parameters, ...changes },
			{ items: [{ queryId: known.queryId }], secrets: [CIEC] },
		);
		return { ...result, queryId: String(known.queryId) };
	}

	it.each(rows)('§$section: sends $endpoint, and nothing else', async (row) => {
		const { error, queryId: id } = await run(row);
		expect(error).toBeUndefined();
		const made = readsQueries(row) ? [rows[1]] : []; // what is read was made before
		const sent = (await sandbox.requests()).filter(({ path }) => path !== '/api/oauth/token');
		expect(sent.map(({ method, path, body }) => [`${method} ${path}`, body])).toEqual(
			[...made, row].map(({ endpoint, body }) => [
				endpoint.replace(' ', ' /api').replace('{queryId}', id),
				body,
			]),
		);
	});

	it.each(rows)('§$section: gives what $endpoint answers as one flat item', async (row) => {
		const { items } = await run(row);
		expect(items.map(({ json }) => json)).toEqual([expect.objectContaining(row.output)]);
	});

	it.each(rows)(
		'§$section: gives the answer of $endpoint untouched without Simplify',
		async ({ endpoint, parameters, body: query = {}, output }) => {
			const { service, outcome } = output as { service: string; outcome?: string };
			const _id = '0123456789abcdef01234567';
			const record = {
				...{ _id, service, status: 'SUCCESS', query, organizationSlug: 'lender' },
				...{ response: { Extra: [1, { deep: null }] }, metadata: {}, other: { a: ['b'] } },
				createdAt: new Date().toISOString(),
			};
			const answer =
				outcome === 'pending' ? { queryId: _id, message: 'Soon', other: { a: ['b'] } } : record;
			const [method, path] = endpoint.split(' ');
			const isList = endpoint === 'GET /query';
			await sandbox.faults({
				method,
				path: `/api${path.replace('{queryId}', _id)}`,
				exact: true,
				fault: { status: 200, body: isList ? [answer] : answer },
			});
			const { items } = await sandbox.run(
				{ ...parameters, options: { simplify: false } },
				{ items: [{ queryId: _id }], secrets: [CIEC] },
			);
			expect(items.map(({ json }) => json)).toEqual([answer]);
		},
	);

	it('are all there: an operation for each endpoint, an endpoint for each operation', () => {
		const { properties } = packageNodesByType.taxQuery.description;
		const offered = properties
			.filter(({ name }) => name === 'operation')
			.flatMap(({ displayOptions, options }) =>
				(options as INodePropertyOptions[]).map(
					({ value }) => `${String(displayOptions?.show?.resource)} ${String(value)}`,
				),
			);
		const tested = rows.map(({ parameters }) => `${parameters.resource} ${parameters.operation}`);
		const others = ['identifier check', 'connection diagnose', 'query getSpending'];
		expect(offered.sort()).toEqual([...tested, ...others].sort());
	});

	it('leave no section of §4 out', () => {
		const expected = Array.from({ length: 12 }, (_, index) => `4.${index + 2}`);
		expect(rows.map(({ section }) => section)).toEqual(expected);
	});
});

describe('the tax profile', () => {
	const sandbox = sandboxForTestGroup(taxQuerySandbox);

	it('is created from a stored login, which stays out of the workflow', async () => {
		const { items } = await sandbox.run(
			operationParameters('taxAuthority', 'createTaxProfile', { loginFrom: 'stored', rfc: RFC }),
			{ login: { provider: 'taxAuthority', rfc: RFC, ciec: CIEC }, secrets: [CIEC] },
		);
		expect(items[0].json).toMatchObject({ outcome: 'result', rfc: RFC });
	});

	it('is not created for another RFC than the stored login has', async () => {
		const { error } = await sandbox.run(
			operationParameters('taxAuthority', 'createTaxProfile', {
				loginFrom: 'stored',
				rfc: rfcs(2)[1],
			}),
			{ login: { provider: 'taxAuthority', rfc: RFC, ciec: CIEC }, secrets: [CIEC] },
		);
		expect([codeOf(error), await sandbox.ledger()]).toEqual(['storedLogin.rfc', []]);
	});

	it('is not created with the login of another provider', async () => {
		const { error } = await sandbox.run(
			operationParameters('taxAuthority', 'createTaxProfile', { loginFrom: 'stored', rfc: RFC }),
			{ login: { provider: 'bureau/pm', user: 'lender_1', password: 'Bureau_Secret_1' } },
		);
		expect(codeOf(error)).toBe('storedLogin.provider');
	});

	it('keeps the CIEC out of what comes out, also if the service echoes it', async () => {
		const answer = { status: 200, body: { queryId: 'q-1', message: `profile with ${CIEC}` } };
		await sandbox.faults({ path: '/api/query/tax/profile', fault: answer });
		const { items } = await sandbox.run(createTaxProfileParameters(RFC), { secrets: [CIEC] });
		expect(items[0].json).toMatchObject({ message: '***', rfc: RFC, queryId: 'q-1' });
	});

	it.each([
		['1', false],
		['a', false],
		['Ab12', true],
	])(
		'returns the tax profile with the CIEC %j masked (in other texts: %s)',
		async (ciec, isLongEnough) => {
			const body = {
				_id: 'a1b2',
				service: 'TAX_PROFILE',
				status: 'SUCCESS',
				query: { rfc: RFC, ciec },
				organizationId: 1,
				state: { '1': 'x1y', a: 'a1', base64: Buffer.from(ciec).toString('base64') },
			};
			await sandbox.faults({ path: '/api/query/tax/profile', fault: { status: 200, body } });
			const { items } = await sandbox.run({
				...createTaxProfileParameters(RFC),
				ciec,
				options: { simplify: false },
			});
			expect(items.map(({ json }) => json)).toEqual([
				{
					...body,
					query: { rfc: RFC, ciec: '***' },
					state: { ...body.state, ...(isLongEnough && { base64: '***' }) },
				},
			]);
		},
	);

	it('is created for the one of 50 customers whose login it is, and for no other', async () => {
		const { items } = await sandbox.run(
			operationParameters('taxAuthority', 'createTaxProfile', {
				loginFrom: 'stored',
				rfc: '={{ $json.rfc }}',
			}),
			{
				login: { provider: 'taxAuthority', rfc: RFC, ciec: CIEC },
				items: rfcs(50).map((rfc) => ({ rfc })),
				onError: 'continueRegularOutput',
				secrets: [CIEC],
			},
		);
		const failed = items.filter(({ json }) => codeOf(json) === 'storedLogin.rfc');
		expect([failed.length, (await sandbox.ledger()).map(({ query }) => query.rfc)]).toEqual([
			49,
			[RFC],
		]);
	});

	it('withholds what the service says of an error where that echoes the CIEC', async () => {
		const fault = { status: 400, body: { message: `wrong CIEC ${CIEC}` } };
		await sandbox.faults({ path: '/api/query/tax/profile', fault });
		const { items } = await sandbox.run(
			operationParameters('taxAuthority', 'createTaxProfile', { loginFrom: 'stored', rfc: RFC }),
			{
				login: { provider: 'taxAuthority', rfc: RFC, ciec: CIEC },
				onError: 'continueRegularOutput',
				secrets: [CIEC],
			},
		);
		expect(items[0].json).toMatchObject({
			errorCode: 'status.400',
			errorDetail: expect.stringContaining('withheld') as unknown,
		});
	});
});

describe('Get Invoices', () => {
	let sandbox: TaxQuerySandbox;
	beforeAll(async () => {
		sandbox = await taxQuerySandbox();
		await sandbox.run(createTaxProfileParameters(RFC), { secrets: [CIEC] });
	});
	beforeEach(async () => await sandbox.reset());
	afterAll(async () => await sandbox.close());

	const invoices = (parameters: INodeParameters, options: INodeParameters = {}) =>
		operationParameters('taxAuthority', 'getInvoices', { rfc: RFC, ...parameters }, options);
	const sent = async () => {
		const [{ body }] = await sandbox.requests('/api/query/tax/invoice');
		return body as IDataObject;
	};
	const months = { period: 'months', firstMonth: '2025-11', lastMonth: '2026-01' };

	it('gives one item for each month, paired with its input item', async () => {
		const { items } = await sandbox.run(invoices(months), { items: [{}, {}] });
		expect(items.map(({ json, pairedItem }) => [json.period, pairedItem])).toEqual(
			[0, 1].flatMap((item) =>
				['2025-11', '2025-12', '2026-01'].map((period) => [period, { item }]),
			),
		);
	});

	it('keeps the message of the acknowledgement with Simplify off (TQ §4.11)', async () => {
		const { items } = await sandbox.run(invoices({ ...months, options: { simplify: false } }));
		expect(items.map(({ json }) => [json.message, json.period, json.status])).toEqual(
			['2025-11', '2025-12', '2026-01'].map((period) => [expect.any(String), period, 'PENDING']),
		);
	});

	it('waits for each month, and gives the result of each', async () => {
		const { items } = await sandbox.run(invoices({ ...months, waitForResult: true }));
		expect(
			items.map(({ json }) => [json.outcome, json.period, Array.isArray(json.invoices)]),
		).toEqual(['2025-11', '2025-12', '2026-01'].map((period) => ['result', period, true]));
	});

	it('sends days as days', async () => {
		const days = { period: 'dates', firstDay: '2026-01-15', lastDay: '2026-02-03T18:00:00-06:00' };
		await sandbox.run(invoices(days));
		expect(await sent()).toEqual({ rfc: RFC, from: '2026-01-15', to: '2026-02-03' });
	});

	it('takes the month of a date that an expression gives', async () => {
		await sandbox.run(
			invoices({ period: 'month', month: '={{ DateTime.fromISO("2026-03-31") }}' }),
		);
		expect(await sent()).toEqual({ rfc: RFC, from: '2026-03', to: '2026-03' });
	});

	it('writes the period as the API Mapping says', async () => {
		await sandbox.run(invoices(months), {
			apiMapping: { periodFormat: { months: 'yyyy-MM-dd' } },
		});
		expect(await sent()).toEqual({ rfc: RFC, from: '2025-11-01', to: '2026-01-31' });
	});
});

describe('tax profiles', () => {
	const [RFC] = rfcs(1);

	describe('the creation of a tax profile', () => {
		const message = 'The profile was created';

		it.each<[string, StubResponse, columns: object]>([
			['204', { status: 204, type: '' }, {}],
			['a status', { status: 201, body: { status: 'CREATED' } }, {}],
			['a message', { body: { message } }, { message }],
		])('counts as done, with a warning, after %s', async (_how, post, columns) => {
			const { rows, error, requests } = await runAgainstStub(
				responderByRequestKind({ post }),
				createTaxProfileParameters(RFC),
			);
			expect(error).toBeUndefined();
			expect(rows).toMatchObject([
				{ rfc: RFC, outcome: 'result', ...columns, warnings: [{ code: 'unconfirmed' }] },
			]);
			expect(queryPostsIn(requests)).toHaveLength(1);
		});

		it.each<[string, StubResponse]>([
			['a failure', { body: { success: false } }],
			['an HTML page', { type: 'text/html', body: '<html>' }],
			['an empty list', { body: [] }],
		])('is uncertain after %s', async (_how, post) => {
			const { rows, error } = await runAgainstStub(
				responderByRequestKind({ post }),
				createTaxProfileParameters(RFC),
			);
			expect({ rows, code: codeOf(error) }).toEqual({ rows: [], code: 'unsure' });
		});

		it('is recovered from the list after a message alone', async () => {
			const sandbox = await taxQuerySandbox();
			const fault = { status: 200, body: { message: 'Accepted' }, accepted: true };
			await sandbox.faults(
				{ ...buildNextCrfFaultRule(fault), path: '/api/query/tax/profile' },
				{ path: '/api/query', exact: true, times: 1, fault: 'nonJson' },
			);
			const { items } = await sandbox.run(createTaxProfileParameters(RFC));
			const [{ queryId }] = await sandbox.ledger();
			await sandbox.close();
			expect(items.map(({ json }) => json)).toMatchObject([
				{ queryId, outcome: 'result', recovered: true },
			]);
		});
	});

	describe('a refused query hints at a missing tax profile', () => {
		const csf = operationParameters('taxAuthority', 'getCsf', { rfc: RFC, reuse: 'never' });
		const refused = async (status: number, message: string, parameters = csf) => {
			const post = { status, body: { message } };
			const { error } = await runAgainstStub(responderByRequestKind({ post }), parameters);
			return error?.context;
		};

		it.each([404, 422])('after status %i, with the message of the service', async (status) => {
			expect(await refused(status, 'Perfil no encontrado')).toMatchObject({
				mayLackProfile: true,
				serviceMessage: 'Perfil no encontrado',
			});
		});

		it('but not after status 402', async () => {
			expect(await refused(402, 'Tax profile required')).not.toHaveProperty('mayLackProfile');
		});

		it('but not if the query needs none', async () => {
			const context = await refused(422, 'Tax profile required', getCrfParameters({ rfc: RFC }));
			expect(context).not.toHaveProperty('mayLackProfile');
		});
	});

	describe('a corrected CIEC', () => {
		const NEW = 'Ciec_Corrected_8';
		const withCiec = (ciec: string) => ({ ...createTaxProfileParameters(RFC), ciec });

		it.each([
			['after a refusal', 422],
			['after it was accepted', undefined],
		])('is sent by the retry %s, though a profile exists', async (_when, status) => {
			const service = await fakeService({
				post: (accept, response) =>
					service.sent() === 2 && status !== undefined
						? respondJson(response, { message: 'Wrong CIEC' }, status)
						: respondJson(response, { queryId: accept()._id }),
			});
			const execution = { executionId: `corrected-${status}`, memory: {} };
			await service.run(withCiec(CIEC));
			await service.run(withCiec('Mistyped_Ciec'), execution);
			const { items } = await service.run(withCiec(NEW), { ...execution, mode: 'retry' });
			await service.close();
			expect(items[0].json).not.toHaveProperty('reused');
			expect(service.billed.at(-1)?.query).toMatchObject({ rfc: RFC, ciec: NEW });
		});

		it('is not sent again by a retry with the same one', async () => {
			const service = await fakeService();
			const execution = { executionId: 'same-ciec', memory: {} };
			for (const mode of ['trigger', 'retry'] as const)
				await service.run(withCiec(CIEC), { ...execution, mode });
			await service.close();
			expect(service.sent()).toBe(1);
		});
	});
});

describe('invoices', () => {
	const [RFC, OTHER] = rfcs(2);
	const waited = { waitForResult: true, maxWait: 20 };

	const invoices = (firstMonth: string, lastMonth: string, more: INodeParameters = {}) =>
		operationParameters('taxAuthority', 'getInvoices', {
			...{ rfc: RFC, period: 'months', firstMonth, lastMonth, reuse: 'never' },
			...more,
		});

	const twoMonths = invoices('2026-01', '2026-02');

	const month = (queryId: unknown, period: string, status = 'PENDING') => ({
		...{ queryId, period, status },
	});

	const january = month('q1', '2026-01');

	const codes = ({ warnings }: IDataObject) =>
		((warnings ?? []) as IDataObject[]).map(({ code }) => code);

	describe('the acknowledgement of invoices of two months', () => {
		it.each<[string, (results: object[]) => object]>([
			['under results', (results) => ({ results, ok: true })],
			['under data.results', (results) => ({ data: { results } })],
		])('gives a pending row for each month: %s', async (_how, wrap) => {
			const body = wrap([january, month('q2', '2026-02')]);
			const { rows } = await runAgainstStub(responderByRequestKind({ post: { body } }), twoMonths);
			expect(rows).toMatchObject([
				{ queryId: 'q1', period: '2026-01', outcome: 'pending' },
				{ queryId: 'q2', period: '2026-02', outcome: 'pending' },
			]);
		});

		const refused = { period: '2026-02', status: 'ERROR', message: 'No funds' };
		it.each<[string, object[]]>([
			['refused without an ID', [january, refused]],
			['refused with an empty ID', [january, { ...refused, queryId: null }]],
			['missing', [january]],
		])('gives one month, and is sent once, if the other is %s', async (_how, results) => {
			const memory = {};
			const { rows, requests } = await runAgainstStub(
				responderByRequestKind({ post: { body: { message: 'ok', results } } }),
				{ ...twoMonths, options: { spendingLimits: { sendAgain: true } } },
				{ memory, onError: 'continueRegularOutput' },
			);
			expect(rows).toMatchObject([
				{
					...{ queryId: 'q1', period: '2026-01', outcome: 'pending' },
					warnings: [{ code: 'fewerQueries' }],
				},
			]);
			expect(queryPostsIn(requests)).toHaveLength(1);
			expect(JSON.stringify(memory)).toContain('q1');
		});

		it('marks the month that has failed, and leaves the other pending', async () => {
			const results = [january, month('q2', '2026-02', 'FAILED')];
			const { rows } = await runAgainstStub(
				responderByRequestKind({ post: { body: { results } } }),
				twoMonths,
			);
			expect(rows.map(({ outcome }) => outcome)).toEqual(['pending', 'failed']);
		});

		it.each<[string, object[], string[]]>([
			['another month', [january, month('q2', '2025-02')], ['otherMonths']],
			['one month twice', [january, month('q2', '2026-01')], ['otherMonths']],
			['both months in another order', [month('q2', '2026-02'), month('q1', '202601')], []],
		])('is compared with the requested months: %s', async (_what, results, warnings) => {
			const { rows } = await runAgainstStub(
				responderByRequestKind({ post: { body: { results } } }),
				twoMonths,
			);
			expect(codes(rows[0])).toEqual(warnings);
		});

		it.each<[string, object, object, Array<string | undefined>]>([
			[
				'month, by the API Mapping',
				{ fields: { getInvoices: { period: 'month' } } },
				{ first: { month: '2026-01' }, second: { month: '2026-02' } },
				['2026-01', '2026-02'],
			],
			['nothing', {}, { first: {}, second: {} }, [undefined, undefined]],
		])('names the month of each row by %s', async (_name, apiMapping, named, periods) => {
			const { first, second } = named as { first: object; second: object };
			const results = [
				{ queryId: 'q1', ...first },
				{ queryId: 'q2', ...second },
			];
			const { rows } = await runAgainstStub(
				responderByRequestKind({
					post: { body: { message: 'ok', results } },
					byId: crfRecord('q1', RFC),
				}),
				twoMonths,
				{ apiMapping },
			);
			expect(rows.map(({ queryId, rfc, period }) => ({ queryId, rfc, period }))).toEqual([
				{ queryId: 'q1', rfc: RFC, period: periods[0] },
				{ queryId: 'q2', rfc: RFC, period: periods[1] },
			]);
		});

		it('of one month needs no name of it', async () => {
			const { rows } = await runAgainstStub(
				responderByRequestKind({ post: { body: { results: [{ queryId: 'q1' }] } } }),
				invoices('2026-01', '2026-01'),
			);
			expect(rows).toMatchObject([{ queryId: 'q1', rfc: RFC, period: '2026-01' }]);
		});

		it('leaves the months open in a further try while the records are not there', async () => {
			let refusals = 0;
			const { rows } = await runAgainstStub(
				({ method, body }) => {
					if (method === 'GET') return { status: 404, body: {} };
					const results = [january, { queryId: 'q2', period: '2026-02' }];
					if (body.includes(RFC)) return { body: { results } };
					if (refusals++ === 0) return { status: 400, body: {} };
					return {
						body: { results: results.map((one) => ({ ...one, queryId: `x${one.queryId}` })) },
					};
				},
				{ ...twoMonths, reuse: 'building', rfc: '={{ $json.rfc }}' },
				{ items: [{ rfc: RFC }, { rfc: OTHER }], maxTries: 2 },
			);
			expect(rows.map(({ queryId, rfc, period }) => ({ queryId, rfc, period }))).toEqual([
				{ queryId: 'q1', rfc: RFC, period: undefined },
				{ queryId: 'q2', rfc: RFC, period: undefined },
				{ queryId: 'xq1', rfc: OTHER, period: '2026-01' },
				{ queryId: 'xq2', rfc: OTHER, period: '2026-02' },
			]);
		});
	});

	it('invoices come out without a foreign month, whose query ID a warning names', async () => {
		const months = ['2026-01', '2026-02', '2026-03'];
		const results = months.map((period, at) => month(`m${at}`, period));
		const ended = (at: number) =>
			crfRecord(`m${at}`, RFC, {
				service: 'INVOICE',
				query: { rfc: at === 1 ? OTHER : RFC, period: months[at] },
				response: { n: at },
			});
		const { rows, error } = await runAgainstStub(
			({ method, path }) => {
				if (method === 'POST') return { body: { results } };
				return { body: path === '/api/query' ? [] : ended(Number(path.slice(-1))) };
			},
			invoices('2026-01', '2026-03', waited),
		);
		const warnings = [{ code: 'otherQuery', message: expect.stringContaining(' m1, ') }];
		expect(error).toBeUndefined();
		expect(rows).toMatchObject([
			{ queryId: 'm0', n: 0, warnings },
			{ queryId: 'm2', n: 2, warnings: [{ code: 'otherQuery' }] },
		]);
	});

	describe('reuse of invoices', () => {
		const DAY_MS = 86_400_000;
		const sandbox = freshSandboxForEachTest(taxQuerySandbox);
		const HOURS = { reuse: 'hours', reuseHours: 24 };

		it('takes a month only if it was over when they were made, or was made today', async () => {
			const now = new Date();
			const monthOf = (at: Date) => at.toISOString().slice(0, 7);
			const lastOfPast = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1) - DAY_MS);
			const reusing = async (period: string, at: number) => {
				const old = crfRecord('old', RFC, {
					service: 'INVOICE',
					query: { rfc: RFC, period },
					response: { invoices: [] },
					createdAt: new Date(at).toISOString(),
				});
				const { rows } = await runAgainstStub(
					responderByRequestKind({
						post: { body: { results: [month('new', period)] } },
						rows: [old],
						byId: old,
					}),
					invoices(period, period, { reuse: 'hours', reuseHours: 2000 }),
					{ timezone: 'UTC' },
				);
				return rows[0].queryId;
			};
			const past = monthOf(lastOfPast);
			expect({
				onItsLastDay: await reusing(past, lastOfPast.getTime()),
				// a day ends in Mexico six hours after it does in UTC
				afterIt: await reusing(past, lastOfPast.getTime() + 1.25 * DAY_MS + 1000),
				twoDaysAgo: await reusing(monthOf(now), now.getTime() - 2 * DAY_MS),
				today: await reusing(monthOf(now), now.getTime() - 500),
			}).toEqual({ onItsLastDay: 'new', afterIt: 'old', twoDaysAgo: 'new', today: 'old' });
		});

		it('takes only the same days of a month', async () => {
			const days = (firstDay: string, lastDay: string) =>
				operationParameters('taxAuthority', 'getInvoices', {
					...{ rfc: RFC, period: 'dates', firstDay, lastDay, waitForResult: true, ...HOURS },
				});
			await sandbox.run(createTaxProfileParameters(RFC));
			const reused = [];
			for (const [from, to] of [
				['2026-01-01', '2026-01-15'],
				['2026-01-16', '2026-01-31'],
				['2026-01-01', '2026-01-31'],
				['2026-01-01', '2026-01-15'],
			]) {
				const { items } = await sandbox.run(days(from, to));
				reused.push(items[0].json.reused);
			}
			expect(reused).toEqual([undefined, undefined, undefined, true]);
		});

		it('sends the same missing months in a retry, also if one of them has failed', async () => {
			const until = (lastMonth: string) =>
				invoices('2026-01', lastMonth, { ...HOURS, waitForResult: true });
			await sandbox.run(createTaxProfileParameters(RFC));
			await sandbox.run(until('2026-01'));
			const memory = {};
			await sandbox.control.put('/outcomes', { [RFC]: ['SUCCESS', 'FAILED'] });
			await sandbox.run(until('2026-03'), { memory });
			const { items } = await sandbox.run(until('2026-03'), { memory });
			const rows = items.map(({ json: { period, outcome, billed } }) => [period, outcome, billed]);
			expect(rows).toEqual([
				['2026-01', 'result', 0],
				['2026-02', 'result', 1],
				['2026-03', 'failed', 1],
			]);
			expect(await sandbox.ledger()).toHaveLength(4);
		});

		it('names the billed query if the reused part cannot be read again', async () => {
			const until = (lastMonth: string) => invoices('2026-01', lastMonth, HOURS);
			await sandbox.run(createTaxProfileParameters(RFC));
			await sandbox.run(until('2026-01'));
			const memory = {};
			await sandbox.run(until('2026-02'), { memory });
			await sandbox.faults({ path: '/api/query/:id', method: 'GET', fault: { status: 403 } });
			const { error } = await sandbox.run(until('2026-02'), { memory });
			const paid = (await sandbox.ledger()).find(({ query }) => query.period === '2026-02');
			expect(error?.description).toContain(String(paid?.queryId));
		});
	});

	it.each([
		['an empty list', []],
		['an object with an empty list', { rfc: RFC, invoices: [] }],
		['an object without a list', { rfc: RFC, period: '2026-01', message: 'No hay facturas' }],
		['null as the list', { rfc: RFC, invoices: null }],
	])('of a month without any are an empty list, if the response is %s', async (_what, response) => {
		const record = crfRecord('q1', RFC, {
			...{ service: 'INVOICE', query: { rfc: RFC, period: '2026-01' }, response },
		});
		const { rows } = await runAgainstStub(
			responderByRequestKind({ post: { body: { results: [january] } }, rows: [], byId: record }),
			invoices('2026-01', '2026-01', waited),
		);
		expect(rows[0].invoices).toEqual([]);
	});

	it.each([
		['a list', [{ uuid: 'i1' }], { invoices: [{ uuid: 'i1' }] }],
		['a list of another name', { cfdi: [{ uuid: 'i1' }] }, { cfdi: [{ uuid: 'i1' }] }],
		['a list below a key', { data: { cfdi: [] } }, { data: { cfdi: [] } }],
		['a link', { rfc: RFC, url: 'https://a.example/1.zip' }, { url: 'https://a.example/1.zip' }],
		['a text', 'UUID,Total', { response: 'UUID,Total' }],
	])('of a month keep their names, if the response is %s', async (_what, response, columns) => {
		const record = crfRecord('q1', RFC, {
			...{ service: 'INVOICE', query: { rfc: RFC, period: '2026-01' }, response },
		});
		const { rows } = await runAgainstStub(
			responderByRequestKind({ post: { body: { results: [january] } }, rows: [], byId: record }),
			invoices('2026-01', '2026-01', waited),
		);
		expect(rows[0]).toMatchObject(columns);
		expect(Object.keys(rows[0])).toEqual(expect.arrayContaining(Object.keys(columns)));
		expect('invoices' in rows[0]).toBe('invoices' in columns);
	});

	describe('of a period that is not over', () => {
		const sandbox = sandboxForTestGroup(taxQuerySandbox);
		const today = DateTime.now().setZone('America/Mexico_City');
		const thisMonth = today.toFormat('yyyy-MM');
		const lastMonth = today.startOf('month').minus({ days: 1 });
		const of = async (parameters: INodeParameters) => {
			const { items } = await sandbox.run(
				operationParameters('taxAuthority', 'getInvoices', { rfc: RFC, ...parameters }),
			);
			return items.map(({ json }) => codes(json));
		};
		const days = (firstDay: DateTime, lastDay: DateTime) => ({
			period: 'dates',
			firstDay: firstDay.toISODate(),
			lastDay: lastDay.toISODate(),
		});
		beforeEach(async () => await sandbox.run(createTaxProfileParameters(RFC)));

		it.each<[string, INodeParameters, string[][]]>([
			['the running month', { period: 'month', month: thisMonth }, [['openPeriod']]],
			['last month', { period: 'month', month: lastMonth.toFormat('yyyy-MM') }, [[]]],
			['a last day that is today', days(today, today), [['openPeriod']]],
			['days of last month', days(lastMonth, lastMonth), [[]]],
		])('come with a warning for %s', async (_what, parameters, expected) => {
			expect(await of(parameters)).toEqual(expected);
		});
	});

	it('invoices of some days lie within them', async () => {
		const sandbox = await taxQuerySandbox();
		await sandbox.run(createTaxProfileParameters(RFC));
		const days = { period: 'dates', firstDay: '2026-01-10', lastDay: '2026-03-05' };
		const { items } = await sandbox.run(
			operationParameters('taxAuthority', 'getInvoices', { rfc: RFC, ...days, ...waited }),
		);
		await sandbox.close();
		const issued = items.flatMap(({ json }) =>
			(json.invoices as IDataObject[]).map(({ issuedAt }) => String(issuedAt)),
		);
		expect(items).toHaveLength(3);
		expect(issued.length).toBeGreaterThan(0);
		expect(issued.filter((day) => day < '2026-01-10' || day > '2026-03-05')).toEqual([]);
	});

	describe('a service with one field for a period', () => {
		const apiMapping = { fields: { getInvoices: { from: 'mes', to: '' } } };
		async function run(parameters: INodeParameters) {
			const sent: unknown[] = [];
			const service = await fakeService({
				post(accept, response) {
					const stored = accept();
					sent.push(stored.query.mes);
					respondJson(response, { queryId: stored._id, message: 'ok' });
				},
			});
			const { items, error } = await service.run(parameters, service.mapped(apiMapping));
			await service.close();
			return { items: items.length, code: codeOf(error), sent };
		}

		it('gets one request for each month', async () => {
			expect(await run(invoices('2026-01', '2026-03'))).toEqual({
				items: 3,
				code: undefined,
				sent: ['2026-01', '2026-02', '2026-03'],
			});
		});

		it('gets no request for days, which are an error', async () => {
			const days = { period: 'dates', firstDay: '2026-01-05', lastDay: '2026-01-20' };
			const parameters = operationParameters('taxAuthority', 'getInvoices', { rfc: RFC, ...days });
			expect(await run(parameters)).toEqual({ items: 0, code: 'period.days', sent: [] });
		});
	});

	describe('a service that makes a query for each month of a period', () => {
		const months = ['2026-07', '2026-08', '2026-09'];
		/** It names so many of the queries that it has made. */
		const monthlyService = async (namedAtMost = Infinity) => {
			const service = await fakeService({
				post(accept, response) {
					const { query } = accept();
					service.billed.pop();
					const [from, to] = [query.from, query.to].map((day) => String(day).slice(0, 7));
					const made = months
						.filter((period) => period >= from && period <= to)
						.map((period) =>
							aRecord({
								service: 'INVOICE',
								status: 'PENDING',
								query: { rfc: RFC, period, from: period, to: period },
							}),
						);
					service.billed.push(...made);
					const results = made
						.slice(0, namedAtMost)
						.map(({ _id, query: { period } }) => ({ queryId: _id, period }));
					respondJson(response, { message: 'Accepted', results });
				},
			});
			return service;
		};
		const periodsOf = (billed: StoredQuery[]) => billed.map(({ query }) => query.period);

		it('bills a month once that an execution requests by months and by days', async () => {
			const service = await monthlyService();
			const byMonth = { period: 'month', month: '2026-09' };
			const byDays = { period: 'dates', firstDay: '2026-09-01', lastDay: '2026-09-30' };
			for (const [ranBefore, period] of [byMonth, byDays].entries()) {
				await service.run(
					operationParameters('taxAuthority', 'getInvoices', { rfc: RFC, ...period }),
					{
						executionId: 'months-and-days',
						ranBefore,
					},
				);
			}
			await service.close();
			expect(periodsOf(service.billed)).toEqual(['2026-09']);
		});

		it('has a billed month found in the list that its response does not name', async () => {
			const service = await monthlyService(2);
			const { items } = await withoutWaiting(
				async () => await service.run(invoices('2026-07', '2026-09')),
			);
			await service.close();
			expect(items.map(({ json }) => json.queryId).sort()).toEqual(
				service.billed.map(({ _id }) => _id).sort(),
			);
			expect(periodsOf(service.billed)).toEqual(months);
		});
	});

	describe("reuse of invoices by the days of Mexico's zone", () => {
		/** Moves the clock for one run, whose service lists one record. */
		async function runAt(
			now: string,
			{ createdAt, ...query }: { createdAt: string; from: string; to: string },
			period: INodeParameters,
		) {
			const movedMs = Date.parse(now) - Date.now();
			shiftWallClock(movedMs);
			const record = crfRecord('old', RFC, {
				...{ service: 'INVOICE', query: { rfc: RFC, ...query } },
				...{ response: { invoices: [] }, createdAt },
			});
			const headers = { date: new Date(now).toUTCString() };
			const { rows, error, requests } = await runAgainstStub(
				(request) => ({
					...responderByRequestKind({
						post: { body: { results: [month('new', query.to.slice(0, 7))] } },
						...{ rows: [record], byId: record },
					})(request),
					headers,
				}),
				operationParameters('taxAuthority', 'getInvoices', {
					...{ rfc: RFC, reuse: 'hours', reuseHours: 100, ...period },
				}),
				{ timezone: 'America/Mexico_City' },
			);
			shiftWallClock(-movedMs);
			return { error, queryId: rows[0]?.queryId, sent: queryPostsIn(requests).length };
		}

		it('takes no record that was made before its last day was over there', async () => {
			const day = '2026-11-25';
			const outcome = await runAt(
				'2026-11-27T00:30:00Z',
				{ from: day, to: day, createdAt: '2026-11-26T02:00:00Z' }, // 20:00 in Mexico
				{ period: 'dates', firstDay: day, lastDay: day },
			);
			expect(outcome).toEqual({ error: undefined, queryId: 'new', sent: 1 });
		});

		it('takes a record of the current month an hour later, in the evening there', async () => {
			const outcome = await runAt(
				'2026-11-27T00:30:00Z', // 18:30 in Mexico
				{ from: '2026-11', to: '2026-11', createdAt: '2026-11-26T23:40:00Z' },
				{ period: 'month', month: '2026-11' },
			);
			expect(outcome).toEqual({ error: undefined, queryId: 'old', sent: 0 });
		});
	});
});

describe('fields that change', () => {
	const [RFC, OTHER] = rfcs(2);

	/** Each try sends another text. */
	const extra = (more = '') => ({
		additionalBodyFields: `={{ JSON.stringify({ at: $now.toISO() + Math.random()${more} }) }}`,
	});

	const item = { items: [{ rfc: RFC }] };

	describe('a further try, whose Additional Body Fields hold something else', () => {
		let service: Awaited<ReturnType<typeof fakeService>>;
		let [losing, hides, refusing] = [0, false, 0];
		let answer: ((stored: StoredQuery) => unknown) | undefined;
		beforeEach(async () => {
			[losing, hides, refusing, answer] = [0, false, 0, undefined];
			service = await fakeService({
				post(accept, response) {
					if (refusing-- === 1) return respondJson(response, { message: 'Momentary' }, 400);
					const stored = accept();
					if (losing-- > 0) return void response.destroy();
					respondJson(response, answer ? answer(stored) : { queryId: stored._id });
				},
				list: (stored, response) => respondJson(response, hides ? [] : stored),
			});
		});
		afterEach(async () => await service.close());
		const requestedFor = () => service.billed.map(({ query }) => query.rfc).sort();

		it.each(['Retry On Fail', "the editor's Retry"])(
			'pays once for what was accepted: %s',
			async (how) => {
				refusing = 2;
				const memory: IExecuteContextData = {};
				const again = how === 'Retry On Fail' ? { maxTries: 2 } : { memory };
				const run = async () =>
					await service.run(getCrfParameters({}, extra()), {
						items: [{ rfc: RFC }, { rfc: OTHER }],
						...again,
					});
				const first = await run();
				const { items } = how === 'Retry On Fail' ? first : await run();
				const ids = items.map(({ json }) => json.queryId);
				expect([ids.sort(), requestedFor()]).toEqual([
					service.billed.map(({ _id }) => _id).sort(),
					[RFC, OTHER],
				]);
			},
		);

		it('names what may have been accepted under the fields of the first try', async () => {
			[losing, hides] = [1, true];
			const memory: IExecuteContextData = {};
			const { error } = await service.run(getCrfParameters({}, extra()), { ...item, memory });
			hides = false;
			const again = await service.run(getCrfParameters({}, extra()), { ...item, memory });
			expect([codeOf(error), again.error?.context?.possible, service.sent()]).toEqual([
				'unsure',
				service.billed.map(({ _id }) => _id),
				1,
			]);
		});

		it('sends nothing where it is not listed', async () => {
			[losing, hides] = [1, true];
			const { error } = await service.run(getCrfParameters({}, extra()), { ...item, maxTries: 2 });
			expect([codeOf(error), service.sent()]).toEqual(['unsure', 1]);
		});

		it.each([false, true])(
			'matches items that differ in an additional field that stays (one rejected: %s)',
			async (isOneLost) => {
				const parameters = getCrfParameters(
					{ rfc: RFC, options: { simplify: false } },
					{
						additionalBodyFields: '={{ JSON.stringify($json) }}',
					},
				);
				const items = [{ kind: 'issued' }, { kind: 'received' }];
				[losing, hides] = [2, true];
				const memory: IExecuteContextData = {};
				const how = { items, memory, onError: 'continueRegularOutput' as const };
				await service.run(parameters, how);
				const lost = isOneLost ? service.billed.splice(0, 1)[0].query.kind : undefined;
				hides = false;
				const again = await service.run(parameters, how);
				const kinds = again.items.map(({ json }) => (json.query as IDataObject)?.kind);
				expect(kinds).toEqual(items.map(({ kind }) => (kind === lost ? undefined : kind)));
			},
		);

		it('asks for another value where the field is one of the document', async () => {
			const memory: IExecuteContextData = {};
			const items = [{ rfc: RFC }];
			const by = (rfc: string) =>
				getCrfParameters({}, { additionalBodyFields: JSON.stringify({ rfc }) });
			await service.run(by(RFC), { items, memory });
			await service.run(by(OTHER), { items, memory });
			expect(requestedFor()).toEqual([RFC, OTHER]);
		});
	});

	describe('two items with different values in Additional Body Fields', () => {
		const sentFor = async (additionalBodyFields: string, items: IDataObject[]) => {
			const service = await fakeService();
			await service.run(getCrfParameters({}, { additionalBodyFields }), { items });
			await service.close();
			return service.billed.map(({ query }) => query);
		};

		it.each([
			['letters of another case', 'aB3x', 'Ab3X'],
			['a leading zero', '07', '7'],
			['an accent', 'á', 'a'],
			['another dash', 'a-b', 'a–b'],
			['a text for a boolean', true, 'true'],
			['another blank', 'a  b', 'a b'],
		])('are two queries where the difference is %s', async (_what, one, other) => {
			const items = [one, other].map((folio) => ({ rfc: RFC, folio }));
			const sent = await sentFor('={{ { folio: $json.folio } }}', items);
			expect(sent.map(({ folio }) => folio)).toEqual(expect.arrayContaining([one, other]));
			expect(sent).toHaveLength(2);
		});

		it('are two queries where the difference is under the name __proto__', async () => {
			const items = [1, 2].map((a) => ({ rfc: RFC, body: `{"__proto__": {"a": ${a}}, "b": 1}` }));
			const sent = await sentFor('={{ $json.body }}', items);
			expect(sent).toHaveLength(2);
		});
	});
});
