import axios from 'axios';
import { firstViolation } from '../../../../contract/check';
import { QueryRecord, TokenResponse } from '../../../../contract/taxQuery';
import { taxQueryBenchForTests, startTaxQueryBench, type TaxQueryBench } from '../support/taxQuery';

const CURP = 'PEXL990821HSRRXS05';
const EMMA = { name: 'Emma', firstLastName: 'Gómez', day: 31, month: 12, year: 1956 };

const bench = taxQueryBenchForTests();

describe('TQ §4.12 and TQ §4.13', () => {
	it('list every query, newest first, each a query record (TQ §2.1)', async () => {
		const { data: first } = await bench.service.post('/query/curp-data', { curp: CURP });
		const { data: second } = await bench.service.post('/query/curp-data', { curp: CURP });
		const { data: list } = await bench.service.get<QueryRecord[]>('/query');
		expect(list.slice(0, 2).map(({ _id }) => _id)).toEqual([second._id, first._id]);
		expect(list.map((record) => firstViolation(QueryRecord, record)).filter(Boolean)).toEqual([]);
	});

	it.each([
		['service=CURP', ['CURP']],
		['status=PENDING', []],
		['service=NONE', []],
	])('narrow the list by %s', async (query, services) => {
		const { service, sandbox } = await startTaxQueryBench();
		await service.post('/query/curp-data', { curp: CURP });
		await service.post('/query/rfc-calculator', EMMA);
		const { data: list } = await service.get<QueryRecord[]>(`/query?${query}`);
		await sandbox.close();
		expect([...new Set(list.map(({ service }) => service))]).toEqual(services);
	});

	it('list a part of them by limit and offset', async () => {
		const { data: list } = await bench.service.get<QueryRecord[]>('/query');
		const { data: part } = await bench.service.get<QueryRecord[]>('/query?limit=2&offset=1');
		expect(part).toEqual(list.slice(1, 3));
	});

	it.each(['limit=0', 'limit=x', 'offset=-1'])('refuse %s', async (query) => {
		const { status, data } = await bench.service.get(`/query?${query}`);
		expect({ status, field: data.field }).toEqual({ status: 400, field: query.split('=')[0] });
	});

	it('list them with their total, if the sandbox was started so', async () => {
		const other = await startTaxQueryBench({ queryList: 'page' });
		await other.service.post('/query/rfc-calculator', EMMA);
		await other.service.post('/query/rfc-calculator', EMMA);
		const { data } = await other.service.get('/query?limit=1');
		await other.sandbox.close();
		expect({ length: data.data.length, total: data.total }).toEqual({ length: 1, total: 2 });
	});

	it('find one by its id, and answer 404 for an unknown one', async () => {
		const { data: made } = await bench.service.post('/query/curp-data', { curp: CURP });
		const found = await bench.service.get(`/query/${made._id}`);
		const unknown = await bench.service.get('/query/no-such-id');
		expect([found.data._id, unknown.status]).toEqual([made._id, 404]);
	});
});

describe('TQ §5 authentication', () => {
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
		expect([status, firstViolation(TokenResponse, data)]).toEqual([200, undefined]);
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

	it('gives tokens with the configured lifetime', async () => {
		const { data } = await token(client());
		const [, claims] = data.access_token.split('.');
		const { iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {
			iat: number;
			exp: number;
		};
		expect([exp - iat, data.expires_in]).toEqual([3600, 3600]);
	});

	it('answers 401 to a token that has expired', async () => {
		const other = await startTaxQueryBench({ tokenLifetime: 0 });
		const { status } = await other.service.get('/query');
		await other.sandbox.close();
		expect(status).toBe(401);
	});

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

	it('gives one person for queries by CURP and by RFC', async () => {
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

	it('the pending identity stays pending while a later query has its result', async () => {
		const pending = await ask((await reserved('pending')).rfc);
		await bench.finished(await ask((await reserved('slow')).rfc));
		const { data } = await bench.service.get<QueryRecord>(`/query/${pending}`);
		expect(data.status).toBe('PENDING');
	});

	it('a generic RFC is nobody, and ends as FAILED', async () => {
		expect((await bench.finished(await ask('XAXX010101000'))).status).toBe('FAILED');
	});

	it('notFound answers 404 to a query that answers at once, and bills nothing', async () => {
		await bench.control.delete('/ledger');
		const { curp } = await reserved('notFound');
		const { status } = await bench.service.post('/query/curp-data', { curp });
		const { data: ledger } = await bench.control.get<object[]>('/ledger');
		expect([status, ledger.length]).toEqual([404, 0]);
	});
});
