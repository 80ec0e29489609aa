import { startBench, type TestBench } from './creditProfileClient';

jest.setTimeout(60_000);

let bench: TestBench;

beforeAll(async () => {
	bench = await startBench();
});
afterAll(() => bench.sandbox.close());

const get = async <T>(path: string, params: object = {}): Promise<T> =>
	(await bench.service.get<T>(path, { params })).data;

describe('credentials (§4.1, 4.2)', () => {
	it('are created once per provider, and replaced after that', async () => {
		const post = async (user: string) =>
			(await bench.service.post<{ id: number }>('/credential/bureau/pm', { user, password: 'A' }))
				.data;
		const { id } = await post('FIRST');
		expect(await post('SECOND')).toMatchObject({ id, user: 'SECOND', type: 'bureau/pm' });
		const list = await get<Array<{ user: string; type: string }>>('/credential');
		expect(list.filter(({ type }) => type === 'bureau/pm')).toHaveLength(1);
	});

	it('never return a secret', async () => {
		const secrets = { apiKey: 'S1', password: 'S2', clientPrivateKey: 'S3', bureauPublicKey: 'S4' };
		const { data } = await bench.service.post<object>('/credential/credit-bureau-b', {
			...secrets,
			username: 'someone',
		});
		const said = JSON.stringify([data, await get('/credential')]);
		expect(Object.values(secrets).filter((secret) => said.includes(secret))).toEqual([]);
	});

	it('are refused with 415 in JSON in any other form', async () => {
		const headers = { 'Content-Type': 'text/xml' };
		const { status, data } = await bench.service.post<{ statusCode: number }>(
			'/credential/prospector/pf',
			'<user/>',
			{ headers },
		);
		expect({ status, statusCode: data.statusCode }).toEqual({ status: 415, statusCode: 415 });
	});

	it('are taken from form-encoded bodies too (§1)', async () => {
		const form = new URLSearchParams({ user: 'FORM_1', password: 'B' });
		const { status, data } = await bench.service.post<object>('/credential/prospector/pf', form);
		expect({ status, data }).toMatchObject({ status: 200, data: { user: 'FORM_1' } });
	});
});
