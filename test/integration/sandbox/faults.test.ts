import { once } from 'node:events';
import { pass } from '../support/clock';
import { benchForTests, startBench } from './support/creditProfile';

const UPSERT = '/credential/bureau/pf';
const LOGIN = { user: 'PERSONA_01', password: 'ENCRYPTED01' };

describe('faults', () => {
	const bench = benchForTests();
	afterEach(() => bench.anyone.delete('/sandbox/faults'));

	const setFaults = (...rules: unknown[]) => bench.anyone.put('/sandbox/faults', rules);
	const everywhere = (fault: unknown, more: object = {}) =>
		setFaults({ path: '/api', fault, ...more });
	const storedUser = async () => {
		await bench.anyone.delete('/sandbox/faults');
		const { data } = await bench.service.get<Array<{ type: string; user: string }>>('/credential');
		return data.find(({ type }) => type === 'bureau/pf')?.user;
	};
	const upsert = (user: string) => bench.service.post(UPSERT, { ...LOGIN, user });

	it('answers with the status, headers and body of the rule', async () => {
		await everywhere({ status: 503, headers: { 'Retry-After': '7' }, body: { error: 'down' } });
		const { status, headers, data } = await bench.service.get('/credential');
		expect({ status, retryAfter: headers['retry-after'], data }).toEqual({
			status: 503,
			retryAfter: '7',
			data: { error: 'down' },
		});
	});

	it('does not accept what it answers with a status', async () => {
		await everywhere({ status: 503 });
		await upsert('STATUS_BEFORE');
		expect(await storedUser()).not.toBe('STATUS_BEFORE');
	});

	it('accepts what it answers with a status when the rule says so', async () => {
		await everywhere({ status: 502, accepted: true });
		const { status } = await upsert('STATUS_AFTER');
		expect({ status, user: await storedUser() }).toEqual({ status: 502, user: 'STATUS_AFTER' });
	});

	it('storms with 429 and no point left', async () => {
		await everywhere('storm');
		const { status, headers } = await bench.service.get('/credential');
		expect({ status, remaining: headers['x-ratelimit-remaining'] }).toEqual({
			status: 429,
			remaining: '0',
		});
		expect(Number(headers['x-ratelimit-reset'])).toBeGreaterThan(Date.now());
	});

	it('resets the connection before the request is accepted', async () => {
		await everywhere('resetBefore');
		await expect(upsert('RESET_BEFORE')).rejects.toMatchObject({ code: 'ECONNRESET' });
		expect(await storedUser()).not.toBe('RESET_BEFORE');
	});

	it('resets the connection after the request was accepted', async () => {
		await everywhere('resetAfter');
		await expect(upsert('RESET_AFTER')).rejects.toMatchObject({ code: 'ECONNRESET' });
		expect(await storedUser()).toBe('RESET_AFTER');
	});

	it('cuts the body of an accepted request', async () => {
		await everywhere('truncated');
		const { status, data } = await upsert('TRUNCATED');
		expect(status).toBe(200);
		expect(() => JSON.parse(String(data)) as unknown).toThrow(SyntaxError);
		expect(await storedUser()).toBe('TRUNCATED');
	});

	it('sends a web page in place of JSON', async () => {
		await everywhere('nonJson');
		const { headers, data } = await bench.service.get<string>('/credential');
		expect(headers['content-type']).toMatch(/^text\/html/);
		expect(data).toMatch(/^<!doctype html>/);
	});

	it.each([{}, [], { message: 'It was accepted' }, { message: 'x', results: [] }])(
		'accepts a request and answers %j, which is no answer',
		async (body) => {
			await everywhere({ status: 200, body, accepted: true });
			const { status, data } = await upsert('NO_ANSWER');
			expect([status, data, await storedUser()]).toEqual([200, body, 'NO_ANSWER']);
		},
	);

	it('lets an answer trickle byte by byte', async () => {
		await everywhere({ trickle: 1 });
		const { data } = await bench.service.get<NodeJS.ReadableStream>('/data/collection/tags', {
			responseType: 'stream',
		});
		const chunks: Buffer[] = [];
		for await (const chunk of data) chunks.push(chunk as Buffer);
		expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(20);
		expect(JSON.parse(Buffer.concat(chunks).toString())).toHaveProperty('count');
	});

	it('ends a trickling answer when the sandbox closes', async () => {
		const own = await startBench();
		await own.anyone.put('/sandbox/faults', [{ path: '/api', fault: { trickle: 600_000 } }]);
		const { data } = await own.service.get<NodeJS.ReadableStream>('/credential', {
			responseType: 'stream',
		});
		const ended = once(data, 'end'); // rejects if the answer is cut off
		data.once('data', () => void own.sandbox.close());
		await expect(ended).rejects.toThrow('aborted');
	});

	it('makes a response of the configured size', async () => {
		const size = 3 * 2 ** 20;
		await everywhere({ large: size });
		const { data } = await bench.service.get<string>('/credential', { responseType: 'text' });
		await bench.anyone.delete('/sandbox/faults');
		const { data: usual } = await bench.service.get<string>('/credential', {
			responseType: 'text',
		});
		expect([data.length, data.trim()]).toEqual([usual.length + size, usual]);
	});

	it('strikes for so many seconds only', async () => {
		await setFaults({ path: '/api/oauth/token', fault: { status: 503 }, seconds: 3_600 });
		const { clientId: client_id, clientSecret: client_secret } = bench.sandbox.taxQuery;
		const token = async () =>
			(await bench.anyone.post('/api/oauth/token', { client_id, client_secret })).status;
		const statuses = [await token()];
		pass(3_600_000);
		statuses.push(await token());
		expect(statuses).toEqual([503, 200]);
	});

	it('calls the token expired', async () => {
		await everywhere('expiredToken');
		const { status, data } = await bench.service.get('/credential');
		expect({ status, data }).toEqual({
			status: 401,
			data: { statusCode: 401, message: 'The token has expired' },
		});
	});

	it('leaves a request hanging, and close() ends it at once', async () => {
		const own = await startBench();
		await own.anyone.put('/sandbox/faults', [{ path: '/api/v1/credential', fault: 'hang' }]);
		const hanging = own.service.get('/credential').catch((error: Error) => error.message);
		const seen = async (): Promise<unknown> => {
			const { data } = await own.anyone.get<unknown[]>('/sandbox/requests');
			return data.length > 0 ? data[0] : seen();
		};
		expect(await seen()).toMatchObject({ path: '/api/v1/credential', status: null });
		await own.sandbox.close();
		expect(await hanging).toBe('socket hang up');
	});

	it('ends a long latency when the sandbox closes', async () => {
		const own = await startBench({ latency: 600_000 });
		const waiting = own.service.get('/credential').catch((error: Error) => error.message);
		const seen = async (): Promise<unknown> => {
			const { data } = await own.anyone.get<unknown[]>('/sandbox/requests');
			return data.length > 0 ? data[0] : seen();
		};
		await seen();
		await own.sandbox.close();
		expect(await waiting).toBe('socket hang up');
	});

	it('answers as usual after a latency', async () => {
		await everywhere({ latency: 30 });
		expect((await bench.service.get('/credential')).status).toBe(200);
	});

	it('strikes as often as `times` says, and then no more', async () => {
		await everywhere({ status: 500 }, { times: 2 });
		const statuses: number[] = [];
		for (let request = 0; request < 4; request++) {
			statuses.push((await bench.service.get('/credential')).status);
		}
		expect(statuses).toEqual([500, 500, 200, 200]);
	});

	it('strikes by the same chance again when the rules are set again', async () => {
		const run = async () => {
			await everywhere({ status: 500 }, { probability: 0.5 });
			const statuses: number[] = [];
			for (let request = 0; request < 40; request++) {
				statuses.push((await bench.service.get('/credential')).status);
			}
			return statuses;
		};
		const first = await run();
		expect(new Set(first)).toEqual(new Set([200, 500]));
		expect(await run()).toEqual(first);
	});

	it('strikes only the method and path of the rule', async () => {
		await setFaults({
			method: 'GET',
			path: '/api/v1/data/collection/:id',
			exact: true,
			fault: { status: 500 },
		});
		const statusOf = async (path: string) => (await bench.service.get(path)).status;
		expect(await statusOf('/data/collection/1')).toBe(500);
		expect(await statusOf('/data/collection')).toBe(200);
		expect(await statusOf('/data/collection/1/versions')).toBe(200);
		expect((await upsert('METHOD')).status).toBe(200);
	});

	it('lists the rules with how often each was applied', async () => {
		await everywhere({ status: 500 });
		await bench.service.get('/credential');
		const { data } = await bench.anyone.get('/sandbox/faults');
		expect(data).toEqual([{ path: '/api', fault: { status: 500 }, applied: 1 }]);
	});

	it.each([
		['no path', [{ fault: 'hang' }], '0.path'],
		['an unknown fault', [{ path: '/api', fault: 'nonsense' }], '0.fault'],
		['a probability above 1', [{ path: '/', fault: 'hang', probability: 2 }], '0.probability'],
		['no list', { path: '/api', fault: 'hang' }, undefined],
	])('refuses rules with %s', async (_what, rules, field) => {
		const { status, data } = await bench.anyone.put<{ field?: string }>('/sandbox/faults', rules);
		expect({ status, field: data.field }).toEqual({ status: 400, field });
	});
});

describe('the request log', () => {
	const bench = benchForTests();
	beforeEach(async () => {
		await bench.anyone.delete('/sandbox/requests');
		await bench.service.post(UPSERT, LOGIN, { params: { trace: 1, token: 'T0P' } });
		await bench.service.get('/credential');
	});

	it('logs method, path, query, body and status of each request', async () => {
		const { data } = await bench.anyone.get('/sandbox/requests');
		expect(data).toMatchObject([
			{ method: 'POST', path: `/api/v1${UPSERT}`, query: { trace: '1' }, status: 200 },
			{ method: 'GET', path: '/api/v1/credential', status: 200 },
		]);
	});

	it('holds no secret', async () => {
		const { data } = await bench.anyone.get('/sandbox/requests');
		const text = JSON.stringify(data);
		const secrets = [LOGIN.password, 'T0P', bench.sandbox.creditProfile.token];
		expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
		expect(text).toContain('"authorization":"Token ***"');
	});

	it('is emptied by DELETE', async () => {
		await bench.anyone.delete('/sandbox/requests');
		expect((await bench.anyone.get('/sandbox/requests')).data).toEqual([]);
	});
});
