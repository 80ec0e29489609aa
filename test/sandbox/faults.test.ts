import { once } from 'node:events';
import axios from 'axios';
import { startSandbox } from '../../sandbox';
import { until } from '../support/until';
import { sharedSandboxWithClients, startSandboxWithClients } from './support/clients';

const LOGIN = { user: 'PERSONA_01', password: 'ENCRYPTED01' };

const bench = sharedSandboxWithClients();
afterEach(async () => await bench.control.delete('/faults'));

const everywhere = async (fault: unknown) =>
	await bench.control.put('/faults', [{ path: '/api', fault }]);
const list = async () => await bench.creditProfile.get<object[]>('/credential');
const upsert = async (user: string) =>
	await bench.creditProfile.post('/credential/bureau/pf', { ...LOGIN, user });
/** Whether the service has stored this user, read without faults. */
async function isStored(user: string): Promise<boolean> {
	await bench.control.delete('/faults');
	return JSON.stringify((await list()).data).includes(`"${user}"`);
}

describe('faults instead of a response', () => {
	it('the fault status responds with its status, headers and body, and accepts nothing', async () => {
		await everywhere({ status: 503, headers: { 'Retry-After': '7' }, body: { error: 'down' } });
		const { status, headers, data } = await upsert('STATUS_BEFORE');
		expect([status, headers['retry-after'], data]).toEqual([503, '7', { error: 'down' }]);
		expect(await isStored('STATUS_BEFORE')).toBe(false);
	});

	it('the fault status accepts the request if the rule says so', async () => {
		await everywhere({ status: 502, accepted: true });
		expect((await upsert('STATUS_AFTER')).status).toBe(502);
		expect(await isStored('STATUS_AFTER')).toBe(true);
	});

	it.each([{}, [], { message: 'It was accepted' }, { message: 'x', results: [] }])(
		'an accepted request may get the body %j, which is no response',
		async (body) => {
			await everywhere({ status: 200, body, accepted: true });
			const { status, data } = await upsert('NO_RESPONSE');
			expect([status, data, await isStored('NO_RESPONSE')]).toEqual([200, body, true]);
		},
	);

	it('the fault storm is a 429 with no point left', async () => {
		await everywhere('storm');
		const { status, headers } = await list();
		expect([status, headers['x-ratelimit-remaining']]).toEqual([429, '0']);
		expect(headers['x-ratelimit-reset']).toMatch(/^\d{13}$/);
	});

	it('the fault expiredToken is a 401', async () => {
		await everywhere('expiredToken');
		const { status, data } = await list();
		expect([status, data]).toEqual([401, { statusCode: 401, message: 'The token has expired' }]);
	});

	it.each([
		['resetBefore', false],
		['resetAfter', true],
	])('the fault %s resets the connection; accepted: %p', async (fault, isAccepted) => {
		await everywhere(fault);
		await expect(upsert(fault)).rejects.toMatchObject({ code: 'ECONNRESET' });
		expect(await isStored(fault)).toBe(isAccepted);
	});
});

describe('faults of a response', () => {
	it('the fault truncated cuts the body of an accepted request', async () => {
		await everywhere('truncated');
		const { status, data } = await upsert('TRUNCATED');
		expect(status).toBe(200);
		expect(() => JSON.parse(String(data)) as unknown).toThrow(SyntaxError);
		expect(await isStored('TRUNCATED')).toBe(true);
	});

	it('the fault nonJson sends a web page', async () => {
		await everywhere('nonJson');
		const { headers, data } = await list();
		expect(headers['content-type']).toMatch(/^text\/html/);
		expect(data).toMatch(/^<!doctype html>/);
	});

	it('the fault trickle sends the response byte by byte', async () => {
		await everywhere({ trickle: 1 });
		const { data } = await bench.creditProfile.get<NodeJS.ReadableStream>('/data/collection/tags', {
			responseType: 'stream',
		});
		const chunks: Buffer[] = [];
		for await (const chunk of data) chunks.push(chunk as Buffer);
		expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(20);
		expect(JSON.parse(Buffer.concat(chunks).toString())).toHaveProperty('count');
	});

	it('the fault large adds so many blanks', async () => {
		const read = async () =>
			(await bench.creditProfile.get<string>('/credential', { responseType: 'text' })).data;
		const usual = await read();
		await everywhere({ large: 3 * 2 ** 20 });
		const large = await read();
		expect([large.length, large.trim()]).toEqual([usual.length + 3 * 2 ** 20, usual]);
	});

	it('the fault latency sends the usual response', async () => {
		await everywhere({ latency: 30 });
		expect((await list()).status).toBe(200);
	});
});

describe('closing a sandbox', () => {
	it('close() ends a response that trickles', async () => {
		const own = await startSandboxWithClients();
		await own.control.put('/faults', [{ path: '/api', fault: { trickle: 600_000 } }]);
		const { data } = await own.creditProfile.get<NodeJS.ReadableStream>('/credential', {
			responseType: 'stream',
		});
		const ended = once(data, 'end'); // rejects if the response is cut off
		data.once('data', () => void own.sandbox.close());
		await expect(ended).rejects.toThrow('aborted');
	});

	it.each([
		['the fault hang', {}, [{ path: '/api/v1', fault: 'hang' }]],
		['--latency', { latency: 600_000 }, []],
	])('close() ends a request that waits because of %s', async (_what, options, rules) => {
		const sandbox = await startSandbox(options);
		const { baseUrl, token } = sandbox.creditProfile;
		await axios.put(`${baseUrl}/sandbox/faults`, rules);
		const headers = { Authorization: `Token ${token}` };
		const waiting = axios
			.get(`${baseUrl}/api/v1/credential`, { headers })
			.catch((error: Error) => error.message);
		const request = await until('the request', async () => {
			const { data } = await axios.get<object[]>(`${baseUrl}/sandbox/requests`);
			return data[0];
		});
		await sandbox.close();
		expect(request).toMatchObject({ path: '/api/v1/credential', status: null });
		expect(await waiting).toBe('socket hang up');
	});
});

it('GET /sandbox/faults counts how often each rule was applied', async () => {
	const rule = { method: 'GET', path: '/api/v1/credential', fault: { status: 500 }, times: 1 };
	await bench.control.put('/faults', [rule]);
	expect([(await list()).status, (await list()).status]).toEqual([500, 200]);
	expect((await bench.control.get('/faults')).data).toEqual([{ ...rule, applied: 1 }]);
});

it.each([
	['no path', [{ fault: 'hang' }], '0.path'],
	['an unknown fault', [{ path: '/api', fault: 'nonsense' }], '0.fault'],
	['a probability above 1', [{ path: '/', fault: 'hang', probability: 2 }], '0.probability'],
	['no list', { path: '/api', fault: 'hang' }, undefined],
])('rules of faults with %s are refused', async (_what, rules, field) => {
	const { status, data } = await bench.control.put<{ field?: string }>('/faults', rules);
	expect([status, data.field]).toEqual([400, field]);
});

it('the request log has method, path, query and status, no secrets, and is emptied', async () => {
	await bench.control.delete('/requests');
	const params = { trace: 1, token: 'T0P', api_key: 'K3Y', processorKey__eq: 'tax' };
	await bench.creditProfile.post('/credential/bureau/pf', LOGIN, { params });
	await list();
	const { data } = await bench.control.get<object[]>('/requests');
	expect(data).toMatchObject([
		{
			...{ method: 'POST', path: '/api/v1/credential/bureau/pf', status: 200 },
			...{ query: { trace: '1', processorKey__eq: 'tax' }, body: { user: LOGIN.user } },
		},
		{ method: 'GET', path: '/api/v1/credential', status: 200 },
	]);
	const text = JSON.stringify(data);
	const secrets = [LOGIN.password, 'T0P', 'K3Y', bench.sandbox.creditProfile.token];
	expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
	expect(text).toContain('"authorization":"Token ***"');
	expect((await bench.control.delete('/requests')).data).toEqual([]);
});
