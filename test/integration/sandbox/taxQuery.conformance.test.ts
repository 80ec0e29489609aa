import axios from 'axios';
import type { TSchema } from '@sinclair/typebox';
import { departureFrom } from '../../../contract/check';
import {
	Acknowledgement,
	CrfRecord,
	CurpRecord,
	InvoiceAcknowledgement,
	QueryRecord,
	RfcCalculatorRecord,
	RfcRecord,
	TokenResponse,
} from '../../../contract/taxQuery';
import { startTaxQueryBench, type TaxQueryBench } from './taxQueryClient';

const PERSON = 'GODE561231GR8';
const COMPANY = 'EKU9003173C9';
const CURP = 'PEXL990821HSRRXS05';
const EMMA = { name: 'Emma', firstLastName: 'Gómez', day: 31, month: 12, year: 1956 };

interface Endpoint {
	section: string;
	path: string;
	/** What the 200 body is held to. */
	answer: TSchema;
	valid: object[];
	/** [field that the refusal must name, body]; one at least for each constraint. */
	violations: Array<[string, object]>;
	/** What the record is held to when it has its result. */
	result?: TSchema;
	service: string;
}

const wrongRfcs: Array<[string, object]> = [
	['rfc', {}],
	['rfc', { rfc: 5 }],
	['rfc', { rfc: '' }],
	['rfc', { rfc: 'GODE561331GR8' }],
	['rfc', { rfc: 'GODE561231' }],
];
const wrongCurps: Array<[string, object]> = [
	['curp', {}],
	['curp', { curp: null }],
	['curp', { curp: 'PEXL990821HSRRXS06' }],
	['curp', { curp: 'PEXL990821HSRRXS' }],
];

const endpoints: Endpoint[] = [
	{
		section: '4.2',
		path: '/query/company-shareholders',
		service: 'COMPANY_SHAREHOLDERS',
		answer: Acknowledgement,
		valid: [{ rfc: COMPANY }],
		violations: [...wrongRfcs, ['rfc', { rfc: PERSON }]],
	},
	{
		section: '4.3',
		path: '/query/rfc-calculator',
		service: 'RFC_CALCULATOR',
		answer: RfcCalculatorRecord,
		valid: [EMMA, { ...EMMA, secondLastName: 'Díaz' }],
		violations: [
			['name', { ...EMMA, name: undefined }],
			['name', { ...EMMA, name: 1 }],
			['firstLastName', { ...EMMA, firstLastName: undefined }],
			['secondLastName', { ...EMMA, secondLastName: 1 }],
			['day', { ...EMMA, day: undefined }],
			['day', { ...EMMA, day: '31' }],
			['day', { ...EMMA, day: 32 }],
			['day', { ...EMMA, month: 2 }],
			['month', { ...EMMA, month: 13 }],
			['month', { ...EMMA, month: 1.5 }],
			['year', { ...EMMA, year: undefined }],
		],
	},
	{
		section: '4.4',
		path: '/query/crf',
		service: 'CRF',
		answer: Acknowledgement,
		valid: [{ rfc: PERSON }, { rfc: COMPANY }],
		violations: wrongRfcs,
		result: CrfRecord,
	},
	{
		section: '4.5',
		path: '/query/rfc-data',
		service: 'RFC',
		answer: Acknowledgement,
		valid: [{ rfc: PERSON }, { rfc: COMPANY }],
		violations: wrongRfcs,
		result: RfcRecord,
	},
	{
		section: '4.6',
		path: '/query/curp-data',
		service: 'CURP',
		answer: CurpRecord,
		valid: [{ curp: CURP }],
		violations: wrongCurps,
	},
	{
		section: '4.7',
		path: '/query/job-history',
		service: 'JOB_HISTORY',
		answer: Acknowledgement,
		valid: [{ curp: CURP }],
		violations: wrongCurps,
	},
	{
		section: '4.8',
		path: '/query/tax/profile',
		service: 'TAX_PROFILE',
		answer: QueryRecord,
		valid: [{ rfc: PERSON, ciec: 'abcd1234' }],
		violations: [
			['rfc', { ciec: 'abcd1234' }],
			['ciec', { rfc: PERSON }],
			['ciec', { rfc: PERSON, ciec: '' }],
		],
	},
	{
		section: '4.9',
		path: '/query/tax/csf',
		service: 'CSF',
		answer: QueryRecord,
		valid: [{ rfc: PERSON }],
		violations: wrongRfcs,
	},
	{
		section: '4.10',
		path: '/query/tax/compliance-opinion',
		service: 'COMPLIANCE_OPINION',
		answer: Acknowledgement,
		valid: [{ rfc: PERSON }],
		violations: wrongRfcs,
	},
	{
		section: '4.11',
		path: '/query/tax/invoice',
		service: 'INVOICE',
		answer: InvoiceAcknowledgement,
		valid: [
			{ rfc: PERSON, from: '2025-11', to: '2026-02' },
			{ rfc: PERSON, from: '2026-01-15', to: '2026-01-31' },
		],
		violations: [
			...wrongRfcs.map(
				([field, body]) => [field, { from: '2026-01', to: '2026-02', ...body }] as [string, object],
			),
			['from', { rfc: PERSON, to: '2026-02' }],
			['from', { rfc: PERSON, from: '2026-13', to: '2026-12' }],
			['from', { rfc: PERSON, from: '2026-03', to: '2026-02' }],
			['to', { rfc: PERSON, from: '2026-01', to: '2199-01' }],
		],
	},
];

const count = { endpoints: 0, valid: 0, violations: 0 };
let bench: TaxQueryBench;

beforeAll(async () => {
	bench = await startTaxQueryBench();
});
afterAll(async () => {
	await bench.sandbox.close();
	process.stdout.write(
		`Tax Query conformance: ${count.endpoints} endpoints, ${count.valid} allowed bodies, ${count.violations} violations\n`,
	);
});

it('has a row for every POST query of the document', () => {
	const sections = Array.from({ length: 10 }, (_, index) => `4.${index + 2}`);
	expect(endpoints.map(({ section }) => section)).toEqual(sections);
});

describe('§4.8 before the tax authority is asked', () => {
	it.each(['csf', 'compliance-opinion', 'invoice'])('%s needs a tax profile', async (name) => {
		const body = { rfc: 'LOPE800101AB1', from: '2026-01', to: '2026-01' };
		const { status, data } = await bench.service.post(`/query/tax/${name}`, body);
		expect({ status, message: data.message }).toEqual({
			status: 409,
			message: expect.stringContaining('POST /query/tax/profile'),
		});
	});
});

describe.each(endpoints)('§$section POST $path', (endpoint) => {
	const { path, answer, valid, violations, result, service } = endpoint;
	beforeAll(async () => {
		count.endpoints++;
		await bench.service.post('/query/tax/profile', { rfc: PERSON, ciec: 'abcd1234' });
	});

	it.each(valid)('takes %j, and bills it', async (body) => {
		count.valid++;
		await bench.control.delete('/ledger');
		const { status, data } = await bench.service.post(path, body);
		const { data: ledger } = await bench.control.get<Array<{ service: string }>>('/ledger');
		expect({ status, departure: departureFrom(answer, data), service: ledger[0]?.service }).toEqual(
			{
				status: 200,
				departure: undefined,
				service,
			},
		);
	});

	it.each(violations)('refuses a wrong %s (%#), and bills nothing', async (field, body) => {
		count.violations++;
		await bench.control.delete('/ledger');
		const { status, data } = await bench.service.post(path, body);
		const { data: ledger } = await bench.control.get<object[]>('/ledger');
		expect({ status, field: data.field, billed: ledger.length }).toEqual({
			status: 400,
			field,
			billed: 0,
		});
	});

	if (result) {
		it('comes to a record as the document shows it (§2.3)', async () => {
			const { data } = await bench.service.post<{ queryId: string }>(path, valid[0]);
			const record = await bench.finished(data.queryId);
			expect(departureFrom(result, record)).toBeUndefined();
		});
	}
});

describe('§4.11 invoices', () => {
	it('have one pending query for each month of the period', async () => {
		const body = { rfc: PERSON, from: '2025-11', to: '2026-02' };
		const { data } = await bench.service.post('/query/tax/invoice', body);
		expect(data.results).toEqual(
			['2025-11', '2025-12', '2026-01', '2026-02'].map((period) => ({
				queryId: expect.any(String),
				period,
				status: 'PENDING',
			})),
		);
	});
});

describe('§4.12 and §4.13', () => {
	it('list every query, newest first, each a query record (§2.1)', async () => {
		const { data: first } = await bench.service.post('/query/curp-data', { curp: CURP });
		const { data: second } = await bench.service.post('/query/curp-data', { curp: CURP });
		const { data: list } = await bench.service.get<QueryRecord[]>('/query');
		expect(list.slice(0, 2).map(({ _id }) => _id)).toEqual([second._id, first._id]);
		expect(list.map((record) => departureFrom(QueryRecord, record)).filter(Boolean)).toEqual([]);
	});

	it('find one by its id, and answer 404 for an unknown one', async () => {
		const { data: made } = await bench.service.post('/query/curp-data', { curp: CURP });
		const found = await bench.service.get(`/query/${made._id}`);
		const unknown = await bench.service.get('/query/no-such-id');
		expect([found.data._id, unknown.status]).toEqual([made._id, 404]);
	});
});

describe('§5 authentication', () => {
	const token = async (body: object | URLSearchParams) =>
		await axios.post(`${bench.sandbox.taxQuery.baseUrl}/oauth/token`, body, {
			validateStatus: () => true,
		});
	const client = () => ({
		grant_type: 'client_credentials',
		client_id: bench.sandbox.taxQuery.clientId,
		client_secret: bench.sandbox.taxQuery.clientSecret,
	});

	it.each(['JSON', 'form'])('issues a token to a request as %s', async (format) => {
		const { status, data } = await token(
			format === 'JSON' ? client() : new URLSearchParams(client()),
		);
		expect([status, departureFrom(TokenResponse, data)]).toEqual([200, undefined]);
	});

	it('issues a new one for a refresh token', async () => {
		const { data } = await token(client());
		const renewed = await token({
			...client(),
			grant_type: 'refresh_token',
			refresh_token: data.refresh_token,
		});
		expect(renewed.status).toBe(200);
	});

	it.each([
		['a wrong secret', { client_secret: 'wrong' }, 401],
		['a wrong client', { client_id: 'wrong' }, 401],
		['a refresh token that is none', { grant_type: 'refresh_token', refresh_token: 'x' }, 401],
		['another grant', { grant_type: 'password' }, 400],
	])('refuses %s', async (_name, change, status) => {
		expect((await token({ ...client(), ...change })).status).toBe(status);
	});

	it.each([undefined, 'Bearer wrong', 'Token wrong'])(
		'answers 401 to %p',
		async (authorization) => {
			const { status } = await axios.get(`${bench.sandbox.taxQuery.baseUrl}/query`, {
				headers: authorization ? { Authorization: authorization } : {},
				validateStatus: () => true,
			});
			expect(status).toBe(401);
		},
	);

	it('refuses a refresh token where an access token is due', async () => {
		const { data } = await token(client());
		const { status } = await axios.get(`${bench.sandbox.taxQuery.baseUrl}/query`, {
			headers: { Authorization: `Bearer ${data.refresh_token}` },
			validateStatus: () => true,
		});
		expect(status).toBe(401);
	});
});

describe('the address', () => {
	it.each([
		['post', '/nothing', 404],
		['get', '/query/crf/more', 404],
		['put', '/query/crf', 405],
		['delete', '/query', 405],
	] as const)('%s %s is answered in JSON', async (method, path, status) => {
		const answer = await bench.service.request({ method, url: path });
		expect([answer.status, answer.data.statusCode]).toEqual([status, status]);
	});
});

describe('one person is the same in every query', () => {
	it('with RFC, CURP, name and birth date', async () => {
		const { data: calculated } = await bench.service.post('/query/rfc-calculator', {
			...EMMA,
			secondLastName: 'Díaz',
		});
		const { rfc } = calculated.response;
		const { data: acknowledged } = await bench.service.post('/query/rfc-data', { rfc });
		const record = await bench.finished(acknowledged.queryId);
		expect(record.response.RazonSocial).toBe('EMMA GÓMEZ DÍAZ');
	});

	it('whether the CURP or the RFC is asked for', async () => {
		const { data: byCurp } = await bench.service.post('/query/curp-data', { curp: CURP });
		const { rfc, nombre, apellidoPaterno, apellidoMaterno } = byCurp.response;
		const { data: acknowledged } = await bench.service.post('/query/crf', { rfc });
		const record = await bench.finished(acknowledged.queryId);
		expect(record.response.RazonSocial).toBe([nombre, apellidoPaterno, apellidoMaterno].join(' '));
	});

	it('and again in another sandbox of the same seed', async () => {
		const other = await startTaxQueryBench();
		const ask = async ({ service }: TaxQueryBench) =>
			(await service.post('/query/curp-data', { curp: 'HEGG560427MVZRRL04' })).data.response;
		const answers = [await ask(bench), await ask(other)];
		await other.sandbox.close();
		expect(answers[0]).toEqual(answers[1]);
	});
});

describe('reserved identities', () => {
	interface Reserved {
		behaviour: string;
		rfc: string;
		curp: string;
	}
	const reserved = async (behaviour: string): Promise<Reserved> => {
		const { data } = await bench.control.get<{ reserved: Reserved[] }>('/state');
		return data.reserved.find((one) => one.behaviour === behaviour) as Reserved;
	};
	const ask = async (rfc: string) =>
		(await bench.service.post<{ queryId: string }>('/query/crf', { rfc })).data.queryId;

	it.each([
		['success', 'SUCCESS'],
		['slow', 'SUCCESS'],
		['failed', 'FAILED'],
		['notFound', 'FAILED'],
	])('%s ends as %s', async (behaviour, status) => {
		const { rfc } = await reserved(behaviour);
		expect((await bench.finished(await ask(rfc))).status).toBe(status);
	});

	it('pending stays so, while one asked for later has its result', async () => {
		const pending = await ask((await reserved('pending')).rfc);
		await bench.finished(await ask((await reserved('slow')).rfc));
		const { data } = await bench.service.get<QueryRecord>(`/query/${pending}`);
		expect(data.status).toBe('PENDING');
	});

	it('notFound answers 404 to a query that answers at once, and bills nothing', async () => {
		await bench.control.delete('/ledger');
		const { curp } = await reserved('notFound');
		const { status } = await bench.service.post('/query/curp-data', { curp });
		const { data: ledger } = await bench.control.get<object[]>('/ledger');
		expect([status, ledger.length]).toEqual([404, 0]);
	});
});
