import type { AxiosInstance, AxiosResponse } from 'axios';
import {
	startSandboxWithClients,
	withSandboxClients,
	type SandboxWithClients,
} from './support/clients';

const POINTS = 10;
const WINDOW_MS = 1000;
const MESSAGE = 'All points of the rate limiter are consumed; wait until its reset';

const headersOf = ({ headers }: AxiosResponse) =>
	['limit', 'remaining', 'reset'].map((name) => Number(headers[`x-ratelimit-${name}`]));
const remainingOf = (response: AxiosResponse) => headersOf(response)[1];

let bench: SandboxWithClients;

beforeEach(async () => {
	bench = await startSandboxWithClients({ rateLimit: POINTS });
	// The windows of the limiter begin and end by this clock, however busy the machine is.
	jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});
afterEach(async () => {
	jest.useRealTimers();
	await bench.sandbox.close();
});

async function gets(client: AxiosInstance, path: string, count: number): Promise<AxiosResponse[]> {
	const responses = [];
	while (responses.length < count) responses.push(await client.get<unknown>(path));
	return responses;
}
const burst = async (count: number) => await gets(bench.creditProfile, '/credential', count);
const passing = async (count: number) =>
	(await burst(count)).filter(({ status }) => status === 200).length;

it('10 of 25 requests of one second pass, the others are a 429 (CP §8)', async () => {
	const responses = await burst(25);
	const refused = responses.filter(({ status }) => status === 429);
	expect([await passing(5), responses.length - refused.length]).toEqual([0, POINTS]);
	expect(refused.map(({ data }) => data as object)).toEqual(
		Array(15).fill({ statusCode: 429, message: MESSAGE }),
	);
});

it('the headers name the limit, the remaining points and the reset in epoch ms', async () => {
	const responses = await burst(12);
	expect(responses.map(remainingOf)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0]);
	for (const response of responses) {
		const [limit, , reset] = headersOf(response);
		expect([limit, reset]).toEqual([POINTS, Date.now() + WINDOW_MS]);
	}
});

it('all points are back after the reset, and none before', async () => {
	await burst(25);
	jest.advanceTimersByTime(WINDOW_MS - 1);
	expect(await passing(1)).toBe(0);
	jest.advanceTimersByTime(1);
	expect(await passing(25)).toBe(POINTS);
});

it.each([
	[200, 'GET', '/api/v1/credential', {}],
	[400, 'GET', '/api/v1/data/collection?limit=0', {}],
	[400, 'POST', '/api/v1/credential/bureau/pf', { data: {} }],
	[400, 'POST', '/api/v1/credential/bureau/pf', { data: '{"user":' }],
	[401, 'GET', '/api/v1/credential', { Authorization: 'Token wrong' }],
	[401, 'GET', '/api/v1/credential', { Authorization: undefined }],
	[404, 'GET', '/api/v1/nowhere', {}],
	[405, 'DELETE', '/api/v1/credential', {}],
])('a %i to %s %s with %j consumes a point', async (status, method, url, changes: object) => {
	const { data, ...headers } = changes as { data?: unknown };
	const response = await bench.anyone.request({
		...{ method, url, data },
		headers: {
			Authorization: `Token ${bench.sandbox.creditProfile.token}`,
			'Content-Type': data === undefined ? undefined : 'application/json',
			...headers,
		},
	});
	expect([response.status, remainingOf(response)]).toEqual([status, POINTS - 1]);
});

it('each token is limited by itself, and requests without a token by address', async () => {
	await burst(15);
	const get = async (path: string, headers = {}) =>
		remainingOf(await bench.anyone.get(path, { headers }));
	expect(await get('/api/v1/credential', { Authorization: 'Token other' })).toBe(9);
	expect(await get('/api/v1/credential')).toBe(9);
	expect(await get('/api/v1/data/collection')).toBe(8);
});

it('the query service and the control paths have no limiter by default', async () => {
	for (const client of [bench.taxQuery, bench.control]) {
		const { headers } = await client.get(client === bench.control ? '/requests' : '/query');
		expect(headers).not.toHaveProperty('x-ratelimit-limit');
	}
});

it('--rate-limit gives as many points; 0 switches the limiter off', async () => {
	for (const [rateLimit, statuses] of [
		[3, [200, 200, 200, 429]],
		[0, [200, 200, 200, 200]],
	] as const) {
		await withSandboxClients({ rateLimit }, async ({ creditProfile }) => {
			const responses = await gets(creditProfile, '/credential', 4);
			expect(responses.map(({ status }) => status)).toEqual(statuses);
			expect('x-ratelimit-limit' in responses[0].headers).toBe(rateLimit > 0);
		});
	}
});

it.each([true, false])('--tax-rate-limit with headers: %p', async (taxRateLimitHeaders) => {
	await withSandboxClients({ taxRateLimit: 3, taxRateLimitHeaders }, async ({ taxQuery }) => {
		const responses = await gets(taxQuery, '/query', 4);
		expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
		expect(headersOf(responses[0]).slice(0, 2)).toEqual(taxRateLimitHeaders ? [3, 2] : [NaN, NaN]);
	});
});
