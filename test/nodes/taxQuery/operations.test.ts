import type { IDataObject, INodeParameters, INodePropertyOptions } from 'n8n-workflow';
import { codeOf } from '../../support/errorCode';
import { packageNodesByType } from '../../support/runNodeInEngine';
import {
	CIEC,
	createTaxProfileParameters,
	curps,
	operationParameters,
	rfcs,
	taxQuerySandbox,
	type TaxQuerySandbox,
} from './support';
import { sandboxForTestGroup } from '../../support/sandboxForTestGroup';

const [RFC] = rfcs(1);
const [CURP] = curps(1);
const COMPANY = 'EKU9003173C9';
const PERSON = { name: 'Emma', firstLastName: 'Gómez', secondLastName: 'Díaz' };
const queryId = expect.stringMatching(/^[0-9a-f]{24}$/);
const acknowledged = (requests: object) => ({
	queryId,
	pending: true,
	message: expect.any(String),
	...requests,
});

interface Row {
	section: string;
	endpoint: string;
	parameters: INodeParameters & { resource?: string; operation?: string };
	/** Says what reaches the service; the sandbox's log masks secrets. */
	body?: object;
	/** Says what comes out with Simplify on: the fields that make the result what it is. */
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
		output: { queryId, pending: false, rfc: 'GODE561231GR8' },
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
			pending: false,
			curp: CURP,
			rfc: expect.stringMatching(/^GODE500101/),
			birthDate: '1950-01-01',
			curpStatus: 'RCN',
			curpActive: true,
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
		output: { queryId, pending: false, rfc: RFC },
	},
	{
		section: '4.9',
		endpoint: 'POST /query/tax/csf',
		parameters: operationParameters('taxAuthority', 'getCsf', { rfc: RFC }),
		body: { rfc: RFC },
		output: { queryId, pending: false, rfc: RFC, resultStatus: 'ACTIVO' },
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
			const { service, pending } = output as { service: string; pending?: boolean };
			const _id = '0123456789abcdef01234567';
			const record = {
				...{ _id, service, status: 'SUCCESS', query, organizationSlug: 'lender' },
				...{ response: { Extra: [1, { deep: null }] }, metadata: {}, other: { a: ['b'] } },
				createdAt: new Date().toISOString(),
			};
			const answer = pending ? { queryId: _id, message: 'Soon', other: { a: ['b'] } } : record;
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
		expect(offered.sort()).toEqual([...tested, 'identifier check', 'connection diagnose'].sort());
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
		expect(items[0].json).toMatchObject({ pending: false, rfc: RFC });
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
			items.map(({ json }) => [json.pending, json.period, Array.isArray(json.invoices)]),
		).toEqual(['2025-11', '2025-12', '2026-01'].map((period) => [false, period, true]));
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
