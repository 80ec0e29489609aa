import { setTimeout as sleep } from 'node:timers/promises';
import type { AxiosResponse } from 'axios';
import { startBench, type TestBench } from './support/creditProfile';

const POINTS = 10;
const WINDOW_MS = 1000;

const headersOf = ({ headers }: AxiosResponse) => ({
	limit: Number(headers['x-ratelimit-limit']),
	remaining: Number(headers['x-ratelimit-remaining']),
	reset: Number(headers['x-ratelimit-reset']),
});

/** Awaits the instant that an answer names as the limiter's reset. */
async function awaitReset(answer: AxiosResponse): Promise<void> {
	const { reset } = headersOf(answer);
	while (Date.now() < reset) await sleep(reset - Date.now());
}

/** Requests that all fall into one window, however busy the machine is. */
async function inOneWindow(send: () => Array<Promise<AxiosResponse>>): Promise<AxiosResponse[]> {
	for (;;) {
		const answers = await Promise.all(send());
		const resets = answers.map((answer) => headersOf(answer).reset);
		if (Math.max(...resets) - Math.min(...resets) < WINDOW_MS / 2) return answers;
		await awaitReset(answers[resets.indexOf(Math.max(...resets))]);
	}
}

const burstAt = async ({ service }: TestBench, length: number) =>
	await inOneWindow(() => Array.from({ length }, async () => await service.get('/credential')));

describe('the rate limiter (CP §8)', () => {
	let bench: TestBench;

	beforeEach(async () => {
		bench = await startBench({ rateLimit: POINTS });
	});
	afterEach(() => bench.sandbox.close());

	const burst = async (requests: number) => await burstAt(bench, requests);

	it('lets exactly 10 of 25 immediate requests pass', async () => {
		const statuses = (await burst(25)).map(({ status }) => status);
		expect(statuses.filter((status) => status === 200)).toHaveLength(10);
		expect(statuses.filter((status) => status === 429)).toHaveLength(15);
	});

	it('counts the remaining points down to none', async () => {
		const answers = await burst(12);
		const remaining = answers.map((answer) => headersOf(answer).remaining);
		expect(remaining.sort((a, b) => b - a)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0]);
	});

	it('names the limit and, in epoch milliseconds, a reset within the next second', async () => {
		const before = Date.now();
		const { limit, reset } = headersOf(await bench.service.get('/credential'));
		expect(limit).toBe(POINTS);
		expect(reset).toBeGreaterThan(before);
		expect(reset).toBeLessThanOrEqual(Date.now() + 1000);
	});

	it('gives all points back after the reset that its headers named', async () => {
		const answers = await burst(25);
		await awaitReset(answers[answers.length - 1]);
		const statuses = (await burst(POINTS)).map(({ status }) => status);
		expect(statuses).toEqual(Array(POINTS).fill(200));
	});

	it('says in JSON that the points are consumed', async () => {
		const refused = (await burst(11)).find(({ status }) => status === 429);
		expect(refused?.data).toEqual({
			statusCode: 429,
			message: 'All points of the rate limiter are consumed; wait until its reset',
		});
	});

	it.each([
		['200', 'GET', '/api/v1/credential', {}],
		['400', 'GET', '/api/v1/data/collection?limit=0', {}],
		['400', 'POST', '/api/v1/credential/bureau/pf', { data: {} }],
		['400', 'POST', '/api/v1/credential/bureau/pf', { data: '{"user":' }],
		['401', 'GET', '/api/v1/credential', { headers: { Authorization: 'Token wrong' } }],
		['401', 'GET', '/api/v1/credential', { headers: { Authorization: undefined } }],
		['404', 'GET', '/api/v1/nowhere', {}],
		['405', 'DELETE', '/api/v1/credential', {}],
	])('sends its headers with a %s to %s %s', async (status, method, url, more) => {
		const authorization = `Token ${bench.sandbox.creditProfile.token}`;
		const answer = await bench.anyone.request({
			method,
			url,
			...more,
			headers: {
				Authorization: authorization,
				...(method === 'POST' && { 'Content-Type': 'application/json' }),
				...('headers' in more && more.headers),
			},
		});
		expect({ status: String(answer.status), remaining: headersOf(answer).remaining }).toEqual({
			status,
			remaining: POINTS - 1,
		});
	});

	it('counts each token by itself, and requests without one by address', async () => {
		await burst(15);
		const other = { headers: { Authorization: 'Token other' } };
		expect(headersOf(await bench.anyone.get('/api/v1/credential', other)).remaining).toBe(9);
		const paths = ['/api/v1/credential', '/api/v1/data/collection'];
		const answers = await inOneWindow(() =>
			paths.map(async (path) => await bench.anyone.get(path)),
		);
		expect(answers.map((answer) => headersOf(answer).remaining).sort()).toEqual([8, 9]);
	});

	it('leaves the query service and the control paths alone', async () => {
		const answer = await bench.anyone.get('/sandbox/requests');
		expect(answer.headers).not.toHaveProperty('x-ratelimit-limit');
	});
});

describe('the rate limiter by its option', () => {
	it('gives as many points as --rate-limit says', async () => {
		const bench = await startBench({ rateLimit: 3 });
		const answers = await burstAt(bench, 4);
		await bench.sandbox.close();
		expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429]);
	});

	it('neither limits nor sends headers with 0 points', async () => {
		const { sandbox, service } = await startBench({ rateLimit: 0 });
		const answers = await Promise.all(Array.from({ length: 60 }, () => service.get('/credential')));
		await sandbox.close();
		expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
		expect(answers[0].headers).not.toHaveProperty('x-ratelimit-limit');
	});
});
