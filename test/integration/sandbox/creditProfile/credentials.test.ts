import { benchForTests, startBench } from '../support/creditProfile';

const bench = benchForTests();

const get = async <T>(path: string, params: object = {}): Promise<T> =>
	(await bench.service.get<T>(path, { params })).data;

describe('credentials (CP §4.1, 4.2)', () => {
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
		const message = JSON.stringify([data, await get('/credential')]);
		expect(Object.values(secrets).filter((secret) => message.includes(secret))).toEqual([]);
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

	it('are taken from form-encoded bodies too (CP §1)', async () => {
		const form = new URLSearchParams({ user: 'FORM_1', password: 'B' });
		const { status, data } = await bench.service.post<object>('/credential/prospector/pf', form);
		expect({ status, data }).toMatchObject({ status: 200, data: { user: 'FORM_1' } });
	});

	it('are there from the start for three providers', async () => {
		const own = await startBench();
		const { data } = await own.service.get<Array<{ type: string }>>('/credential');
		await own.sandbox.close();
		expect(data.map(({ type }) => type)).toEqual([
			'bureau/pf',
			'identity-verification',
			'legal-records',
		]);
	});

	it('expire where they are of a bureau, the second one too (CP §2.1)', async () => {
		const texts = (names: string[]) => Object.fromEntries(names.map((name) => [name, 'A']));
		const bodies = {
			'bureau/pm': texts(['user', 'password']),
			'bureau/pf': texts(['user', 'password']),
			'prospector/pf': texts(['user', 'password']),
			'credit-bureau-b': texts(
				'apiKey username password clientPrivateKey bureauPublicKey'.split(' '),
			),
		};
		const dates: Record<string, unknown> = {};
		for (const [provider, body] of Object.entries(bodies)) {
			const { data } = await bench.service.post(`/credential/${provider}`, body);
			dates[provider] = data.metadata?.expirationDate;
		}
		const date = expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string;
		expect(dates).toEqual({
			'bureau/pm': date,
			'bureau/pf': date,
			'prospector/pf': undefined,
			'credit-bureau-b': date,
		});
	});

	it('that the bureau does not accept are refused, and the old ones stay (CP §4.1.2)', async () => {
		const login = { user: 'REFUSED_USER', password: 'A' };
		const { status, data } = await bench.service.post('/credential/bureau/pf', login);
		expect([status, data.field]).toEqual([422, 'user']);
		const list = await get<Array<{ user: string }>>('/credential');
		expect(list.map(({ user }) => user)).not.toContain('REFUSED_USER');
		expect((await bench.service.post('/credential/bureau/pm', login)).status).toBe(200);
	});
});
