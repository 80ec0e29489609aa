import type { RequestListener } from 'node:http';
import type { FaultRule } from '../../../sandbox/plugins/faults';
import { collectSocketErrorsDuring } from '../../support/collectSocketErrorsDuring';
import { startStubServer } from '../../exhaustive/apiVariants/stubServer';
import { codeOf } from '../../support/errorCode';
import { runNodeInEngine } from '../../support/runNodeInEngine';
import { startSandboxWithHelpers } from '../../support/sandbox';
import { sandboxForTestGroup } from '../../support/sandboxForTestGroup';
import { serve, serverForTestGroup } from '../../support/testServer';

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
	/** Returns how often one was sent. On a busy machine what follows one that hangs may meet that timeout, too. */
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
