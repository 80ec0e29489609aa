import { gzipSync } from 'node:zlib';
import {
	runAgainstStub,
	startStubServer,
	type StubResponse,
	type StubRequest,
} from '../../exhaustive/apiVariants/stubServer';
import { withoutWaiting } from '../../support/clock';
import { codeOf } from '../../support/errorCode';
import { runNodeInEngine } from '../../support/runNodeInEngine';
import { getCrfParameters, operationParameters, rfcs } from '../taxQuery/support';

const [RFC] = rfcs(1);
const LIST = JSON.stringify([{ id: 1, type: 'bureau/pm', createdAt: '2026-01-01T00:00:00Z' }]);
const cut = (text: string) => text.slice(0, -20);

/** Lists provider logins at a service that answers so. */
async function list(answer: (sentRequests: StubRequest) => StubResponse) {
	const service = await startStubServer(answer);
	const { items, error } = await runNodeInEngine({
		type: 'creditProfile',
		parameters: { resource: 'providerLogin', operation: 'getAll', returnAll: true },
		credentials: {
			creditProfileApi: { baseUrl: service.url, apiToken: `token of ${service.url}` },
		},
	});
	await service.close();
	return { items, error, requests: service.requests.length };
}

describe('a response that breaks off', () => {
	it.each<[string, StubResponse]>([
		['JSON that is cut', { body: cut(LIST) }],
		[
			'packed JSON that is cut',
			{ body: gzipSync(LIST).subarray(0, 40), headers: { 'content-encoding': 'gzip' } },
		],
		['an empty body', { body: '' }],
		['a text that is no JSON', { body: 'upstream error', type: 'text/plain' }],
	])('is requested again: %s', async (_what, broken) => {
		const { items, error, requests } = await list(({ times }) =>
			times === 0 ? broken : { body: LIST },
		);
		expect([error, items.length, requests]).toEqual([undefined, 1, 2]);
	});

	it('is an error after five requests, which does not blame the base URL', async () => {
		const { error, requests } = await list(() => ({ body: cut(LIST) }));
		expect([codeOf(error), requests]).toEqual(['body.truncated', 5]);
		expect(`${error?.message} ${error?.description}`).not.toMatch(/base URL/i);
	});

	it('fails no item where the list of queries breaks off once', async () => {
		const { error, requests: sentRequests } = await runAgainstStub(
			({ method, path, times }) => {
				if (method === 'POST') return { body: { message: 'ok', queryId: `q${times}` } };
				if (path !== '/api/query') return { status: 404, body: {} };
				return times === 0 ? { body: '[{"_id": "q' } : { body: [] };
			},
			getCrfParameters({ rfc: RFC, reuse: 'hours', reuseHours: 1 }),
		);
		const posts = sentRequests.filter(
			({ method, path }) => method === 'POST' && path !== '/api/oauth/token',
		);
		expect([error, posts.length]).toEqual([undefined, 1]);
	});

	it('is read again where it is one record', async () => {
		const record = JSON.stringify({
			_id: 'q1',
			service: 'CRF',
			status: 'PENDING',
			query: { rfc: RFC },
		});
		const { rows, error } = await runAgainstStub(
			({ times }) => ({ body: times === 0 ? cut(record) : record }),
			operationParameters('query', 'get', { queryId: 'q1' }),
		);
		expect([error, rows.map(({ queryId }) => queryId)]).toEqual([undefined, ['q1']]);
	});
});

describe('a service that says when to retry', () => {
	const post = getCrfParameters({ rfc: RFC, reuse: 'never' });

	it.each(['3600', new Date(Date.now() + 3_600_000).toUTCString(), '9'.repeat(20)])(
		'fails a billed query at once, and names the time: Retry-After %s',
		async (header) => {
			const { error, requests: sentRequests } = await runAgainstStub(
				({ method }) =>
					method === 'POST'
						? { status: 429, body: {}, headers: { 'retry-after': header } }
						: { body: [] },
				post,
			);
			const posts = sentRequests.filter(({ path }) => path === '/api/query/crf').length;
			expect([codeOf(error), posts]).toEqual(['status.429', 1]);
			const named = Date.parse(String(error?.context?.retryAt));
			expect(named).toBeGreaterThan(Date.now() + 3_500_000);
		},
	);

	it('fails all items of a run at once, though few were sent', async () => {
		const { codes, requests: sentRequests } = await runAgainstStub(
			({ method }) =>
				method === 'POST'
					? { status: 429, body: {}, headers: { 'retry-after': '3600' } }
					: { body: [] },
			getCrfParameters({ reuse: 'never' }),
			{ items: rfcs(60).map((rfc) => ({ rfc })), onError: 'continueRegularOutput' },
		);
		const posts = sentRequests.filter(({ path }) => path === '/api/query/crf').length;
		expect([codes.length, codes.includes(undefined), posts < 60]).toEqual([60, false, true]);
	});
});

describe('a service that refuses for as long as a request waits', () => {
	it('is reported with the whole time and the number of requests', async () => {
		const { error, requests } = await withoutWaiting(
			async () => await list(() => ({ status: 429, body: {} })),
		);
		const { waitedMs, refusals } = error?.context ?? {};
		expect([Number(waitedMs) >= 295_000, refusals]).toEqual([true, requests]);
	});

	it('is not ready for a request: 425 blames no base URL', async () => {
		const { error } = await withoutWaiting(
			async () => await list(() => ({ status: 425, body: {} })),
		);
		expect(codeOf(error)).toBe('status.425');
		expect(`${error?.message} ${error?.description}`).not.toMatch(/base URL/i);
	});

	it('has an error whose sentences hold the number of requests and their time', async () => {
		const { error, requests } = await withoutWaiting(
			async () => await list(() => ({ status: 429, body: {} })),
		);
		const sentences = `${error?.message}. ${error?.description}`;
		const [, seconds] = / ([\d.]+) s\b/.exec(sentences) ?? [];
		expect(sentences).toContain(` ${requests} times`);
		expect(Number(seconds)).toBeGreaterThanOrEqual(295);
		expect(error?.description).not.toMatch(/base URL/i);
	});
});

it('a packed response that is cut each time is an error of the transfer', async () => {
	const { error, requests } = await withoutWaiting(
		async () =>
			await list(() => ({
				body: gzipSync(LIST).subarray(0, 40),
				headers: { 'content-encoding': 'gzip' },
			})),
	);
	expect({ code: codeOf(error), requests }).toEqual({ code: 'body.truncated', requests: 5 });
	expect(error?.description).not.toMatch(/base URL/i);
});
