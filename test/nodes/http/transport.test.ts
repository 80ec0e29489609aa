import type { RequestListener } from 'node:http';
import dns from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import type { INodeParameters } from 'n8n-workflow';
import { CredentialTestContext } from 'n8n-core';
import type { FaultRule } from '../../../sandbox/plugins/faults';
import { collectSocketErrorsDuring } from '../../support/socketErrors';
import {
	type StubRequest,
	type StubResponse,
	runAgainstStub,
	startStubServer,
} from '../../support/stubServer';
import { codeOf } from '../../support/errorCode';
import { type NodeRun, runNodeInEngine } from '../../support/runNodeInEngine';
import { startSandboxWithHelpers } from '../../support/sandbox';
import { sandboxForTestGroup } from '../../support/sharedSandbox';
import { credentialOfClient, serve, serverForTestGroup } from '../../support/testServer';
import { withoutWaiting } from '../../support/clock';
import { curps, getCrfParameters, operationParameters, rfcs } from '../taxQuery/support';
import { testTaxQuery } from '../../support/credentialTest';

const LIST = '/api/v1/credential';
const UPSERT = '/api/v1/credential/bureau/pm';
const SECRET = 'Very_Secret_77';

/** No response takes that long, however busy the machine is. */
const LONG = 600;
const getMany = { resource: 'providerLogin', operation: 'getAll', returnAll: true };

const upsert = {
	resource: 'providerLogin',
	operation: 'upsert',
	provider: 'bureau/pm',
	loginFrom: 'fields',
	user: 'lender_1',
	password: SECRET,
};

describe('what is sent again', () => {
	const sandbox = sandboxForTestGroup(startSandboxWithHelpers, { rateLimit: 0 });
	let executions = 0;
	/** Each is an execution of its own: within one, a refused login is not sent again. */
	const nextExecution = () => `execution ${++executions}`;

	const run = async (parameters: typeof getMany | typeof upsert, timeout = LONG) =>
		await runNodeInEngine({
			type: 'creditProfile',
			executionId: nextExecution(),
			parameters: { ...parameters, options: { timeout } },
			credentials: sandbox.credentials(),
		});

	const once = (fault: FaultRule['fault']): FaultRule => ({ path: LIST, times: 1, fault });

	/** The retry table of the design: what happens once, and whether a GET and a POST are sent again then. */
	const table: Array<[string, FaultRule['fault'], boolean, boolean]> = [
		['429', 'storm', true, true],
		['status 500', { status: 500 }, true, false],
		['status 503', { status: 503 }, true, false],
		['a connection reset before it was accepted', 'resetBefore', true, false],
		['a connection reset after it was accepted', 'resetAfter', true, false],
		['a timeout', 'hang', true, false],
		['a truncated body', 'truncated', true, false],
		['a web page', 'nonJson', false, false],
		['status 400', { status: 400 }, false, false],
		['status 403', { status: 403 }, false, false],
		['status 404', { status: 404 }, false, false],
		['status 409', { status: 409 }, false, false],
		['status 422', { status: 422 }, false, false],
	];
	const verdict = (again: boolean) => ({ requests: again ? 2 : 1, succeeded: again });
	/** Only a request that hangs is to meet its timeout. */
	const timeoutFor = (fault: FaultRule['fault']) => (fault === 'hang' ? 3 : LONG);
	/** On a busy machine what follows one that hangs may meet that timeout, too. */
	const countSent = async (path: string, fault: FaultRule['fault']) => {
		const { length } = await sandbox.requests(path);
		return fault === 'hang' ? Math.min(length, 2) : length;
	};

	it.each(table)('a GET after %s', async (_name, fault, again) => {
		await sandbox.faults(once(fault));
		const { error } = await run(getMany, timeoutFor(fault));
		const requests = await countSent(LIST, fault);
		expect({ requests, succeeded: error === undefined }).toEqual(verdict(again));
	});

	it.each(table)('a POST after %s: only if it surely was not accepted', async (...row) => {
		const [, fault, , again] = row;
		await sandbox.faults(once(fault));
		const { error } = await run(upsert, timeoutFor(fault));
		const requests = await countSent(UPSERT, fault);
		expect({ requests, succeeded: error === undefined }).toEqual(verdict(again));
	});

	it.each(table.slice(1, 8))(
		'reports a POST that ended in %s as possibly accepted',
		async (_name, fault) => {
			await sandbox.faults(once(fault));
			const { error } = await run(upsert, timeoutFor(fault));
			expect(codeOf(error)).toBe('unsure');
		},
	);

	it('a GET no more than five times', async () => {
		await sandbox.faults({ path: LIST, fault: { status: 503 } });
		const { error } = await run(getMany);
		expect(codeOf(error)).toBe('status.503');
		expect(await sandbox.requests(LIST)).toHaveLength(5);
	});

	it('a GET that met 503 once Retry-After is over, and not before', async () => {
		let until: number | undefined;
		const service = await startStubServer(() => {
			until ??= Date.now() + 2000;
			const isThere = Date.now() >= until;
			return isThere ? { body: [] } : { status: 503, headers: { 'retry-after': '2' } };
		});
		const { error } = await runNodeInEngine({
			type: 'creditProfile',
			parameters: getMany,
			credentials: { creditProfileApi: { baseUrl: service.url, apiToken: 'token-1' } },
		});
		await service.close();
		expect([error?.message, service.requests.length]).toEqual([undefined, 2]);
	});

	it('a GET after a fault, however often it was held back by 429 before', async () => {
		const fault = { path: LIST, times: 1, fault: { status: 503 } };
		await sandbox.faults({ path: LIST, times: 4, fault: 'storm' }, fault);
		expect((await run(getMany)).error).toBeUndefined();
	});

	it.each([
		['GET', getMany, LIST],
		['POST', upsert, UPSERT],
	])('a %s whose connection was refused, until one is made', async (_, parameters, path) => {
		const absent = await startSandboxWithHelpers();
		await absent.close();
		const port = Number(new URL(absent.creditProfile.baseUrl).port);
		const credentials = absent.credentials();
		let requests: unknown;
		await collectSocketErrorsDuring(async (first) => {
			const running = runNodeInEngine({
				type: 'creditProfile',
				parameters,
				credentials,
				executionId: nextExecution(),
			});
			await first;
			const present = await startSandboxWithHelpers({ port });
			await running;
			requests = (await present.requests(path)).map(({ status }) => status);
			await present.close();
		});
		expect(requests).toEqual([200]);
	});

	it.each([
		['GET', getMany],
		['POST', upsert],
	])('a %s to a host that is not found, five times', async (_, parameters) => {
		const { creditProfileApi } = sandbox.credentials();
		const credentials = {
			creditProfileApi: { ...creditProfileApi, baseUrl: 'http://no-such-host.invalid' },
		};
		const codes = await collectSocketErrorsDuring(
			async () =>
				await runNodeInEngine({
					type: 'creditProfile',
					parameters,
					credentials,
					executionId: nextExecution(),
				}),
		);
		// the second, where there is no network
		expect(codes.filter((code) => /^(ENOTFOUND|EAI_AGAIN)$/.test(code))).toHaveLength(5);
	});

	it('reports the uncertain POST to the operator', async () => {
		await sandbox.faults({ path: LIST, times: 2, fault: { status: 503 } });
		const { hints } = await run(getMany);
		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^Requests repeated: 2\./),
		]);
	});

	it('no secret is in what n8n saves of a failure, even if the service repeats it', async () => {
		await sandbox.faults(once({ status: 500, body: { message: `wrong password ${SECRET}` } }));
		const { error } = await runNodeInEngine({
			type: 'creditProfile',
			parameters: { ...upsert, password: '={{ "Very_" + "Secret_77" }}' },
			credentials: sandbox.credentials(),
			secrets: [SECRET],
		});
		expect(error?.context).toMatchObject({ code: 'unsure', isWithheld: true });
	});
});

describe('a response that no service should give', () => {
	let answer: RequestListener;
	let hits: Array<string | undefined>;
	const server = serverForTestGroup((request, response) => {
		hits.push(request.headers.authorization);
		answer(request, response);
	});
	beforeEach(() => {
		hits = [];
	});

	const run = async (credential: object = {}) =>
		await runNodeInEngine({
			type: 'creditProfile',
			parameters: { ...getMany, options: { timeout: LONG } },
			credentials: {
				creditProfileApi: { baseUrl: server.url, apiToken: SECRET, ...credential },
			},
		});

	it('does not follow a redirect, and sends no token there', async () => {
		const other = await serve((request, response) => {
			hits.push(`other: ${request.headers.authorization}`);
			response.end('[]');
		});
		const Location = `${other.url.replace('127.0.0.1', 'localhost')}/`;
		answer = (_request, response) => response.writeHead(302, { Location }).end();
		const { error } = await run();
		await other.close();
		expect(codeOf(error)).toBe('status.302');
		expect(hits).toEqual([`Token ${SECRET}`]);
	});

	it("names a redirect's target without its query and login", async () => {
		const Location = `https://user:pass@api.example.com/api/v1/credential/?token=${SECRET}#x`;
		answer = (_request, response) => response.writeHead(308, { Location }).end();
		const { error } = await run();
		expect(codeOf(error)).toBe('status.308');
		expect(hits).toHaveLength(1);
		expect(error?.description).toContain(' https://api.example.com/api/v1/credential/.');
		expect(error?.description).not.toMatch(/user:pass|token=/);
	});

	it('says so when a web page comes with status 200', async () => {
		answer = (_request, response) =>
			response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>Welcome</html>');
		const { error } = await run();
		expect(codeOf(error)).toBe('body.notJson');
	});

	it('reads a body of 50 MB', async () => {
		const row = JSON.stringify({ id: 1, type: 'x'.repeat(1000) });
		const body = `[${new Array(50_000).fill(row).join(',')}]`;
		answer = (_request, response) =>
			response.writeHead(200, { 'Content-Type': 'application/json' }).end(body);
		const { items, error } = await run();
		expect(error).toBeUndefined();
		expect(items).toHaveLength(50_000);
	});

	it('ends in time, however long bytes trickle in', async () => {
		answer = (_request, response) => {
			response.writeHead(200, { 'Content-Type': 'application/json' }).write('[');
			const trickle = setInterval(() => response.write(' '), 20);
			response.on('close', () => clearInterval(trickle));
		};
		const { error } = await runNodeInEngine({
			type: 'creditProfile',
			parameters: { ...upsert, options: { timeout: 1 } },
			credentials: { creditProfileApi: { baseUrl: server.url, apiToken: 'trickle-token' } },
		});
		expect(codeOf(error)).toBe('unsure');
	});

	it('is not read to its end when it has none', async () => {
		let sent = 0;
		answer = (_request, response) => {
			response.writeHead(200, { 'Content-Type': 'application/json' });
			const chunk = Buffer.alloc(1_048_576, ' ');
			const more = () => {
				while (!response.destroyed && sent < 500) {
					sent++;
					if (!response.write(chunk)) {
						response.once('drain', more);
						return;
					}
				}
			};
			more();
		};
		const { error } = await run();
		expect(codeOf(error)).toBe('body.tooLarge');
		expect(sent).toBeLessThan(100);
	});

	it('says so when TLS is refused', async () => {
		answer = (_request, response) => response.end('[]');
		const { error } = await run({ baseUrl: server.url.replace('http:', 'https:') });
		expect(error?.context).toMatchObject({
			code: 'network',
			fault: expect.stringMatching(/SSL|PROTO/),
		});
	});

	it.each([
		['missing', {}],
		[
			'garbled',
			{ 'X-RateLimit-Limit': 'ten', 'X-RateLimit-Remaining': '', 'X-RateLimit-Reset': '?' },
		],
		['in seconds', { 'X-RateLimit-Reset': String(Math.floor(Date.now() / 1000)) }],
		['in the past', { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '1000' }],
		[
			'a day ahead',
			{ 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(Date.now() + 86_400_000) },
		],
	])(
		'goes on when the rate limit headers are %s',
		async (_name, headers: Record<string, string>) => {
			answer = (_request, response) =>
				response.writeHead(200, { 'Content-Type': 'application/json', ...headers }).end('[]');
			const first = await run({ apiToken: `token-${_name}` });
			const second = await run({ apiToken: `token-${_name}` });
			expect([first.error, second.error]).toEqual([undefined, undefined]);
		},
	);

	it.each([
		['seconds', () => '1'],
		['a date', () => new Date(Date.now() + 1000).toUTCString()],
	])('waits for a Retry-After given as %s', async (_name, retryAfter) => {
		answer = (_request, response) => {
			if (hits.length === 1) {
				response.writeHead(429, { 'Retry-After': retryAfter() }).end('{}');
			} else {
				response.writeHead(200, { 'Content-Type': 'application/json' }).end('[]');
			}
		};
		const { error } = await run({ apiToken: `retry-${_name}` });
		expect(error).toBeUndefined();
		expect(hits).toHaveLength(2);
	});

	it.each([
		['refused', 'http://127.0.0.1:1', /^ECONNREFUSED$/],
		['unknown', 'http://no-such-host.invalid', /^(ENOTFOUND|EAI_AGAIN)$/],
	])('says so when the host is %s', async (_name, url, fault) => {
		const { error } = await run({ baseUrl: url });
		expect(error?.context).toMatchObject({ code: 'network', fault: expect.stringMatching(fault) });
	});
});

/** Sends a POST there. */
const post = async (baseUrl: string, timeout = 60): Promise<NodeRun> =>
	await runNodeInEngine({
		type: 'creditProfile',
		parameters: {
			...{ resource: 'providerLogin', operation: 'upsert', provider: 'bureau/pm' },
			...{ loginFrom: 'fields', user: 'lender_1', password: 'Secret_of_unreached' },
			options: { timeout },
		},
		credentials: { creditProfileApi: { baseUrl, apiToken: `token of ${baseUrl}` } },
	});

type Addresses = Array<{ address: string; family: number }>;

/** Lets a host name stand for these addresses while the tests of a group run. */
function withHost(name: string, addresses: Addresses): void {
	const real = dns.lookup.bind(dns) as (...args: unknown[]) => void;
	beforeAll(() => {
		jest.spyOn(dns, 'lookup').mockImplementation(((host: string, ...rest: unknown[]) => {
			const [options, done] = rest as [object, (error: null, found: Addresses) => void];
			if (host === name) done(null, addresses);
			else real(host, options, done);
		}) as typeof dns.lookup);
	});
	afterAll(() => jest.restoreAllMocks());
}

/** A port on which connections are never opened: a program listens, accepts none, and its queue is full. */
async function startSilentPort() {
	const listener = new Worker(
		`const { parentPort } = require('node:worker_threads');
		const server = require('node:net').createServer();
		server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
			parentPort.postMessage(server.address().port);
			setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
		});`,
		{ eval: true },
	);
	const [port] = (await once(listener, 'message')) as [number];
	const waiting = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}));
	await Promise.race(waiting.map(async (socket) => await once(socket, 'connect')));
	return {
		url: `http://127.0.0.1:${port}`,
		async close() {
			for (const socket of waiting) socket.destroy();
			await listener.terminate();
		},
	};
}

describe('a service whose addresses all refuse the connection', () => {
	withHost('refusing.test', [
		{ address: '127.0.0.1', family: 4 },
		{ address: '127.0.0.2', family: 4 },
	]);

	it('was not reached', async () => {
		const { error } = await post('http://refusing.test:1');
		expect(error?.context).toMatchObject({ code: 'network', fault: 'ECONNREFUSED' });
	});
});

describe('a connection that never opens', () => {
	it('leaves it open whether anything was sent when the time is over', async () => {
		const silent = await startSilentPort();
		const { error } = await post(silent.url, 1);
		await silent.close();
		expect(error?.context).toMatchObject({ code: 'unsure', fault: 'ETIMEDOUT' });
	});
});

describe('a connection that opens', () => {
	it('has sent the request, though no response comes in time', async () => {
		const server = createServer(() => {});
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
		const sockets: Socket[] = [];
		server.on('connection', (socket) => sockets.push(socket));
		const { port } = server.address() as AddressInfo;
		const { error } = await post(`http://127.0.0.1:${port}`, 1);
		for (const socket of sockets) socket.destroy();
		server.close();
		expect(codeOf(error)).toBe('unsure');
	});

	it('has sent the request, though it is reset', async () => {
		const service = await serve((request) => request.socket.destroy());
		const { error } = await post(service.url);
		await service.close();
		expect(codeOf(error)).toBe('unsure');
	});
});

describe('transfers that break off', () => {
	const [RFC] = rfcs(1);
	const LIST = JSON.stringify([{ id: 1, type: 'bureau/pm', createdAt: '2026-01-01T00:00:00Z' }]);
	const cut = (text: string) => text.slice(0, -20);

	async function list(answer: (request: StubRequest) => StubResponse) {
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
				expect(named).toBeGreaterThan(Date.now() + 3_000_000);
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
});

const ROW = { id: 1, name: 'Peña Ávila' };
const PAGE = JSON.stringify({ data: [ROW], total: 1 });
const BOM = '\uFEFF';

async function list(response: StubResponse) {
	const service = await startStubServer(() => response);
	const { items } = await runNodeInEngine({
		type: 'creditProfile',
		parameters: {
			...{ resource: 'dataCollection', operation: 'getAll', returnAll: true },
			options: { simplify: false },
		},
		credentials: { creditProfileApi: { baseUrl: service.url, apiToken: 'token-1' } },
	});
	await service.close();
	return items.map(({ json }) => json);
}

it.each<[string, BufferEncoding]>([
	['iso-8859-1', 'latin1'],
	['windows-1252', 'latin1'],
	['ISO-8859-1', 'latin1'],
	['ISO-8859-1', 'utf8'],
])('a body of charset %s is read whose bytes are %s', async (charset, encoding) => {
	const type = `application/json; charset=${charset}`;
	expect(await list({ type, body: Buffer.from(PAGE, encoding) })).toEqual([ROW]);
});

it('a body of plain text behind a byte order mark is read as JSON', async () => {
	expect(await list({ type: 'text/plain', body: BOM + PAGE })).toEqual([ROW]);
});

const page = (body: string): StubResponse => ({ status: 404, type: 'text/html', body });
const plain = (body: string): StubResponse => ({ status: 404, type: 'text/plain', body });
const json = (body: unknown): StubResponse => ({ status: 404, body });

/** What stands between n8n and a service during a rollout, and answers in its place. */
const GATEWAYS: Array<[name: string, answer: StubResponse]> = [
	['Express', page('<!DOCTYPE html>\n<html><body><pre>Cannot POST /query/crf</pre></body></html>')],
	[
		'nginx',
		page(
			'<html>\r\n<head><title>404 Not Found</title></head><body><center>nginx</center></body></html>',
		),
	],
	['the default backend of ingress', plain('default backend - 404')],
	['Heroku', page('<!DOCTYPE html><html><head><title>No such app</title></head></html>')],
	['Kong', json({ message: 'no Route matched with those values' })],
	[
		'Kong with a request ID',
		json({ message: 'no Route matched with those values', request_id: 'a1' }),
	],
	['Traefik', plain('404 page not found\n')],
	['Envoy, without a body', { status: 404, type: 'text/plain', body: '' }],
	['a body of blanks', plain(' \n')],
	['Nest', json({ statusCode: 404, message: 'Cannot POST /query/crf', error: 'Not Found' })],
	['Fastify', json({ statusCode: 404, message: 'Route POST:/query/crf not found' })],
	['a text in JSON', json('Not Found')],
	['a list in JSON', json(['Not Found'])],
	['null in JSON', json(null)],
];

const [RFC] = rfcs(1);
const [CURP] = curps(1);
const crf = getCrfParameters({ rfc: RFC, reuse: 'never' });
const byId = operationParameters('query', 'get', { queryId: 'q1' });

describe("a gateway's 404", () => {
	it.each(GATEWAYS)('is no word about a taxpayer: %s', async (_name, answer) => {
		const { error } = await runAgainstStub(() => answer, crf);
		expect(error?.message).toMatch(/^Something between n8n and the service answered/);
		expect(error?.context).toMatchObject({ code: 'gateway.404', mappingKeys: ['paths.getCrf'] });
	});

	it.each(GATEWAYS)('is no word about a person or a past query: %s', async (_name, answer) => {
		const curpData = operationParameters('person', 'getCurpData', { curp: CURP });
		const runs = [
			await runAgainstStub(() => answer, curpData),
			await runAgainstStub(() => answer, byId),
		];
		expect(runs.map(({ error }) => error?.context?.code)).toEqual(['gateway.404', 'gateway.404']);
	});

	it('is not the refusal of a password, nor a missing tax profile', async () => {
		const csf = operationParameters('taxAuthority', 'getCsf', { rfc: RFC, reuse: 'never' });
		const { error } = await runAgainstStub(() => plain('default backend - 404'), csf);
		expect(error?.description).not.toContain('Create Tax Profile');
		expect(error?.context?.mayLackProfile).toBeUndefined();
	});

	it.each([400, 403, 409, 422])('with status %i instead is none either', async (status) => {
		const { error } = await runAgainstStub(() => ({ ...plain('upstream'), status }), crf);
		expect(error?.context?.code).toBe(`gateway.${status}`);
	});
});

describe("a 404 in JSON that may be the service's own", () => {
	it.each([{}, { message: 'Not Found' }, { error: 'unknown RFC' }])(
		'is said to be both: %j',
		async (body) => {
			const { error } = await runAgainstStub(() => json(body), crf);
			expect(error?.message).toBe('No taxpayer was found for this RFC');
			expect(error?.description).toMatch(/If every item fails so, a gateway answered/);
			expect(error?.context).toMatchObject({ code: 'status.404' });
		},
	);
});

describe('the identifier of a request in the headers of its response', () => {
	const [RFC] = rfcs(1);
	const get = operationParameters('query', 'get', { queryId: 'q1' });
	const list = operationParameters('query', 'getAll');
	const crf = getCrfParameters({ rfc: RFC });
	const named = (headers: Record<string, string>, answer: StubResponse): StubResponse => ({
		...answer,
		headers,
	});
	const run = async (answer: StubResponse, parameters: INodeParameters, options = {}) =>
		await runAgainstStub(() => answer, parameters, options);
	const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

	it.each<[string, Record<string, string>, string]>([
		['X-Request-Id', { 'X-Request-Id': 'req-7f3a' }, 'x-request-id: req-7f3a'],
		['X-Correlation-ID', { 'X-Correlation-ID': 'c-9' }, 'x-correlation-id: c-9'],
		['traceparent', { traceparent: TRACE }, `traceparent: ${TRACE}`],
	])('ends the message and is in the context: %s', async (_name, headers, text) => {
		const { error } = await run(named(headers, { status: 400, body: { message: 'x' } }), get);
		expect(error?.message.endsWith(`(${text})`)).toBe(true);
		expect(error?.context?.requestIds).toEqual([text]);
	});

	it.each<[string, INodeParameters, StubResponse]>([
		['a refused query', crf, { status: 404, body: {} }],
		['a 2xx that reports a failure', crf, { body: { success: false } }],
		['a 2xx without a query', crf, { body: { hello: 1 } }],
		['a body of another shape', get, { body: { hello: 1 } }],
		['a list of another shape', list, { body: { hello: 1 } }],
		['a body that is not JSON', get, { type: 'text/html', body: '<p>x</p>' }],
		['a list that is not found', list, { status: 404, body: {} }],
	])('ends the message of %s', async (_what, parameters, answer) => {
		const { error } = await run(named({ 'x-request-id': 'req-1' }, answer), parameters);
		expect(error?.message).toMatch(/\(x-request-id: req-1\)$/);
		expect(error?.context?.requestIds).toEqual(['x-request-id: req-1']);
	});

	it('ends the message of a query that may have been accepted', async () => {
		const { error } = await runAgainstStub(
			({ method }) =>
				method === 'POST'
					? named({ 'x-request-id': 'req-1' }, { status: 500, body: {} })
					: { body: [] },
			crf,
		);
		expect([error?.context?.code, error?.context?.requestIds]).toEqual([
			'unsure',
			['x-request-id: req-1'],
		]);
		expect(error?.message).toMatch(/\(x-request-id: req-1\)$/);
	});

	it('ends the message of an item that failed under Continue On Fail', async () => {
		const answer = named({ 'x-request-id': 'req-1' }, { status: 400, body: {} });
		const { rows } = await run(answer, get, { onError: 'continueRegularOutput' });
		expect(rows[0].error).toMatch(/\(x-request-id: req-1\)$/);
	});

	it('is left out where it holds a secret, several words, or more than 200 characters', async () => {
		for (const id of ['secret-of-the-client', 'two words', 'x'.repeat(201)]) {
			const answer = named({ 'x-request-id': id }, { status: 400, body: {} });
			const { error } = await run(answer, get);
			expect([error?.message.includes(id), error?.context?.requestIds]).toEqual([false, undefined]);
		}
	});

	it('is in the row of Diagnose and in the result of the credential test', async () => {
		const headers = { 'x-request-id': 'req-1', 'content-type': 'application/json' };
		const { rows } = await run(
			named(headers, { status: 400, body: {} }),
			operationParameters('connection', 'diagnose'),
		);
		expect(rows[1].seen).toContain('req-1');
		const service = await serve((_request, response) => {
			response.writeHead(401, headers);
			response.end('{}');
		});
		const data = {
			...credentialOfClient(`${service.url}/api`, 'client-of-ids'),
			clientSecret: 'secret-1',
		};
		const result = await testTaxQuery.call(new CredentialTestContext(), {
			...{ id: '1', name: 'x', type: 'taxQueryApi', data },
		} as never);
		await service.close();
		expect(result).toMatchObject({ status: 'Error', message: expect.stringMatching(/req-1\)$/) });
	});
});
