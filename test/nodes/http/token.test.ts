import type { IncomingHttpHeaders } from 'node:http';
import { CredentialTestContext } from 'n8n-core';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { until } from '../../support/until';
import type { FaultRule } from '../../../sandbox/plugins/faults';
import { shiftAllClocks } from '../../support/clock';
import { codeOf } from '../../support/errorCode';
import { runNodeInEngine } from '../../support/runNodeInEngine';
import { type TestSandbox, startSandboxWithHelpers } from '../../support/sandbox';
import { credentialTestError, testCreditProfile, testTaxQuery } from '../../support/credentialTest';
import { serverForTestGroup } from '../../support/testServer';
import { toN8nCredentialLoginFields } from '../../support/credentialFields';
import { CreditProfileApi } from '../../../credentials/CreditProfileApi.credentials';
import { TaxQueryApi } from '../../../credentials/TaxQueryApi.credentials';
import { sandboxForTestGroup } from '../../support/sharedSandbox';

describe('the access token of the query service', () => {
	const TOKEN = '/api/oauth/token';
	const TOKEN_LIFETIME_MS = 3_600_000;
	const calculateRfc = {
		resource: 'taxpayer',
		operation: 'calculateRfc',
		name: 'Emma',
		firstLastName: 'Gómez',
		secondLastName: 'Díaz',
		birthDate: '={{ $json.birthDate }}',
	};
	const bornOn = (day: number) => new Date(Date.UTC(1956, 11, 1 + day)).toISOString().slice(0, 10);
	let seed = 100;
	/** Each test has a client of its own, because logins are shared in the process. */
	async function freshSandbox(): Promise<TestSandbox> {
		return await startSandboxWithHelpers({ rateLimit: 0, seed: seed++ });
	}

	let sandbox: TestSandbox;
	afterEach(async () => await sandbox.close());

	const run = async (credentials = sandbox.credentials(), count = 1) =>
		await runNodeInEngine({
			type: 'taxQuery',
			parameters: { ...calculateRfc, reuse: 'never' },
			credentials,
			// different people, because equal questions take turns
			items: Array.from({ length: count }, (_, day) => ({ birthDate: bornOn(day) })),
			onError: 'continueRegularOutput',
		});
	const failed = ({ items }: Awaited<ReturnType<typeof run>>) =>
		items.filter(({ json }) => json.error).map(({ json }) => json);
	const codesOf = ({ items }: Awaited<ReturnType<typeof run>>) =>
		items.map(({ json }) => codeOf(json));

	it('requests one token for many concurrent items', async () => {
		sandbox = await freshSandbox();
		const result = await run(sandbox.credentials(), 60);
		expect(failed(result)).toEqual([]);
		expect(await sandbox.requests(TOKEN)).toHaveLength(1);
	});

	it('stores the token in the credential for the next execution', async () => {
		sandbox = await freshSandbox();
		const credentials = sandbox.credentials();
		await run(credentials);
		await run(credentials);
		expect(await sandbox.requests(TOKEN)).toHaveLength(1);
	});

	it('is renewed once when the service refuses it in the middle of a run', async () => {
		sandbox = await freshSandbox();
		const credentials = sandbox.credentials({ taxQueryApi: { pointsPerSecond: 0 } });
		await run(credentials);
		await sandbox.faults({ path: '/api/query', times: 5, fault: 'expiredToken' });
		const result = await run(credentials, 5);
		expect(failed(result)).toEqual([]);
		expect(await sandbox.requests(TOKEN)).toHaveLength(2);
	});

	it('is renewed ahead of its expiry, so that no request meets a 401', async () => {
		sandbox = await freshSandbox();
		const credentials = sandbox.credentials();
		await run(credentials);
		shiftAllClocks(TOKEN_LIFETIME_MS);
		expect(failed(await run(credentials))).toEqual([]);
		const refused = (await sandbox.requests()).filter(({ status }) => status === 401);
		expect(refused).toEqual([]);
	});

	it('requests a new token after the secret was changed', async () => {
		sandbox = await freshSandbox();
		const credentials = sandbox.credentials();
		await run(credentials);
		credentials.taxQueryApi.clientSecret = 'changed-and-wrong';
		expect(codesOf(await run(credentials))).toEqual(['login.refused']);
	});

	it('requests a token once with a wrong secret, and sends no item', async () => {
		sandbox = await freshSandbox();
		const credentials = sandbox.credentials({ taxQueryApi: { clientSecret: 'wrong-secret-1' } });
		const result = await run(credentials, 100);
		expect(codesOf(result)).toEqual(Array(100).fill('login.refused'));
		expect((await sandbox.requests()).map(({ path }) => path)).toEqual([TOKEN]);
		expect(result.saved).not.toContain('wrong-secret-1');
	});

	it.each<[string, FaultRule['fault']]>([
		['status 503', { status: 503 }],
		['status 429', 'storm'],
		['a connection that was reset', 'resetBefore'],
	])('requests a token again after %s', async (_, fault) => {
		sandbox = await freshSandbox();
		await sandbox.faults({ path: TOKEN, times: 1, fault });
		const result = await run(sandbox.credentials(), 60);
		expect(failed(result)).toEqual([]);
		expect(await sandbox.requests(TOKEN)).toHaveLength(2);
	});

	it('is waited for while the login fails four times: no item of a hundred fails', async () => {
		sandbox = await freshSandbox();
		await sandbox.faults({ path: TOKEN, times: 4, fault: { status: 503 } });
		const credentials = sandbox.credentials({ taxQueryApi: { pointsPerSecond: 0 } });
		const result = await run(credentials, 100);
		expect(failed(result)).toEqual([]);
		const statuses = (await sandbox.requests(TOKEN)).map(({ status }) => status);
		expect(statuses).toEqual([503, 503, 503, 503, 200]);
	});

	it('is not waited for once the execution is cancelled', async () => {
		sandbox = await freshSandbox();
		await sandbox.faults({ path: TOKEN, fault: 'hang' });
		let cancel = () => {};
		const running = runNodeInEngine({
			type: 'taxQuery',
			parameters: { ...calculateRfc, birthDate: '1956-12-31' },
			credentials: sandbox.credentials(),
			onStart: (stop) => (cancel = stop),
		});
		await until('a login', async () => (await sandbox.requests(TOKEN)).length > 0);
		cancel();
		await running;
		expect((await sandbox.requests()).map(({ path }) => path)).toEqual([TOKEN]);
	});

	it.each(['json', 'form'])('requests a token with a body as %s', async (body) => {
		sandbox = await freshSandbox();
		const apiMapping = JSON.stringify({ token: { body } });
		const credentials = sandbox.credentials({ taxQueryApi: { apiMapping } });
		expect(failed(await run(credentials))).toEqual([]);
		const [request] = await sandbox.requests(TOKEN);
		expect(request.headers['content-type']).toContain(
			body === 'form' ? 'application/x-www-form-urlencoded' : 'application/json',
		);
	});

	it('carries additional fields in its request', async () => {
		sandbox = await freshSandbox();
		const apiMapping = '{"token": {"additional": {"audience": "query"}}}';
		await run(sandbox.credentials({ taxQueryApi: { apiMapping } }));
		const [request] = await sandbox.requests(TOKEN);
		expect(request.body).toMatchObject({ audience: 'query', grant_type: 'client_credentials' });
	});

	it.each([301, 302, 307, 308])('is not followed to where a redirect leads: %d', async (status) => {
		sandbox = await freshSandbox();
		const redirect = { status, headers: { location: 'https://elsewhere.example.com/' } };
		await sandbox.faults({ path: TOKEN, fault: redirect });
		expect(codesOf(await run())).toEqual(['login.redirect']);
		expect(await sandbox.requests(TOKEN)).toHaveLength(1);
	});

	it('asks to replace a refused pasted token after a single request', async () => {
		sandbox = await freshSandbox();
		const credentials = sandbox.credentials({
			taxQueryApi: { grant: 'accessToken', pastedToken: 'header.claims.signature' },
		});
		const result = await run(credentials);
		expect(codesOf(result)).toEqual(['status.401']);
		expect(await sandbox.requests()).toHaveLength(1);
	});
});

describe('shapes of tokens', () => {
	/** Serves a login of the shape that a test wants, and accepts the last issued tokens. */
	interface Login {
		headers: IncomingHttpHeaders;
		body: string;
	}

	let logins: Login[];
	let sent: Array<string | undefined>;
	let issue: (count: number, login: Login) => { status?: number; body: unknown; type?: string };
	let isTaken: (authorization: string | undefined) => boolean;
	let listed: () => object[];
	let refusedWith: number;
	let refusal: (authorization: string | undefined) => object;

	const server = serverForTestGroup((request, response) => {
		let body = '';
		request.on('data', (chunk: Buffer) => (body += chunk.toString()));
		request.on('end', () => {
			const reply = (status: number, json: unknown, type = 'application/json') =>
				response
					.writeHead(status, { 'Content-Type': type })
					.end(type === 'text/plain' ? json : JSON.stringify(json));
			if (request.method === 'POST') {
				const login = { headers: request.headers, body };
				logins.push(login);
				const { status = 200, body: json, type } = issue(logins.length, login);
				return reply(status, json, type);
			}
			sent.push(request.headers.authorization);
			if (isTaken(request.headers.authorization)) return reply(200, listed());
			return reply(refusedWith, refusal(request.headers.authorization));
		});
	});

	beforeEach(() => {
		logins = [];
		sent = [];
		isTaken = () => true;
		listed = () => [{ _id: 'q1' }];
		refusedWith = 401;
		refusal = (authorization) => ({ message: `Refused: ${authorization}` });
	});

	const JWT = ['{"alg":"HS256"}', '{"exp":99999999999}', 'a signature']
		.map((part) => Buffer.from(part).toString('base64url'))
		.join('.');

	let clients = 0;

	const freshCredentials = (fields: object = {}) => ({
		taxQueryApi: {
			baseUrl: `${server.url}/api`,
			grant: 'clientCredentials',
			clientId: `client-${clients++}`,
			clientSecret: 'sécret with blanks/77',
			pointsPerSecond: 0,
			accessToken: '',
			...fields,
		},
	});

	const run = async (credentials = freshCredentials(), count = 1, secrets: string[] = []) =>
		await runNodeInEngine({
			type: 'taxQuery',
			parameters: { resource: 'query', operation: 'getAll', returnAll: true },
			credentials,
			items: new Array<object>(count).fill({}).map(() => ({})),
			onError: 'continueRegularOutput',
			secrets,
		});

	const testResult = async ({ taxQueryApi: data }: ReturnType<typeof freshCredentials>) =>
		await testTaxQuery.call(new CredentialTestContext(), {
			id: '1',
			name: 'Tested',
			type: 'taxQueryApi',
			data,
		});

	const codesOf = ({ items }: Awaited<ReturnType<typeof run>>) =>
		items.flatMap(({ json }) => (json.error ? [codeOf(json)] : []));

	/** Only the first error shows it. */
	const isWithheld = ({ items }: Awaited<ReturnType<typeof run>>) =>
		String(items[0].json.errorDetail).includes('is withheld');

	const errorsOf = ({ items }: Awaited<ReturnType<typeof run>>) =>
		items.flatMap(({ json }) => (json.error ? [json.error as string] : []));

	describe('an answer of the login', () => {
		it.each<[string, (token: string) => unknown]>([
			['in snake_case', (token) => ({ access_token: token, expires_in: 3600 })],
			['in camelCase', (token) => ({ accessToken: token, expiresIn: '3600' })],
			['below a key', (token) => ({ data: { accessToken: token } })],
			['below the key token', (token) => ({ token: { access_token: token } })],
			['beside an object about the answer', (token) => ({ data: { token }, meta: { id: 'r' } })],
			['beside the user', (token) => ({ data: { access_token: token }, user: { id: 1 } })],
			['beside an id_token', (token) => ({ id_token: 'eyJ.e.f', access_token: token })],
			['with the scheme in it', (token) => ({ access_token: `Bearer ${token}` })],
		])('%s is read', async (_, answer) => {
			issue = (count) => ({ body: answer(`the-token-${count}`) });
			expect(errorsOf(await run())).toEqual([]);
			expect(sent).toEqual(['Bearer the-token-1']);
		});

		it.each([
			['JSON', 'application/json'],
			['plain text', 'text/plain'],
		])('that is nothing but a JWT, as %s, is read', async (_, type) => {
			issue = () => ({ body: JWT, type });
			expect(errorsOf(await run())).toEqual([]);
			expect(sent).toEqual([`Bearer ${JWT}`]);
		});

		it.each([{ jwt: JWT }, { id_token: JWT, token_type: 'Bearer' }, { data: { authToken: JWT } }])(
			'whose only JWT has another name is read: %j',
			async (body) => {
				issue = () => ({ body });
				expect(errorsOf(await run())).toEqual([]);
				expect(sent).toEqual([`Bearer ${JWT}`]);
			},
		);

		it.each([
			{ message: `Token: ${JWT}`, code: 0 },
			{ details: { sessionKey: 'Abc8Q~xyz!1234-Abc8Q~xyz', ttl: '1h' } },
			{ authToken: 'opaque-1234' },
			{ data: { session: { access_token: 'opaque-1234' } } },
			{ access: { token: JWT }, refresh: { token: 'r1' }, message: 'Welcome' },
			[{ access_token: 'opaque-1234' }],
			[],
		])('that holds no certain token, %j, is quoted nowhere', async (body) => {
			issue = () => ({ body });
			const secrets = [JWT, 'Abc8Q~xyz!1234-Abc8Q~xyz', 'opaque-1234', 'Welcome'];
			expect(codesOf(await run(undefined, 1, secrets))).toEqual(['login.noToken']);
		});

		it.each(['0', 0, -5, 'soon', null])(
			'whose lifetime is %p does not make it log in again and again',
			async (expires_in) => {
				issue = (count) => ({ body: { access_token: `token-${count}`, expires_in } });
				expect(errorsOf(await run(undefined, 50))).toEqual([]);
				expect(logins).toHaveLength(1);
			},
		);

		it.each([
			[404, 'login.notFound'],
			[401, 'login.refused'],
			[400, 'login.refused'],
			[407, 'login.proxy'],
			[302, 'login.redirect'],
			[418, 'login.status'],
		])('with status %p says what is wrong', async (status, code) => {
			issue = () => ({ status, body: { message: 'no: sécret with blanks/77' } });
			expect(codesOf(await run())).toEqual([code]);
		});

		it('that is the page of a proxy says so', async () => {
			issue = () => ({ status: 403, body: '<html>Access denied</html>', type: 'text/plain' });
			expect(codesOf(await run())).toEqual(['login.proxy']);
		});
	});

	describe('a token request', () => {
		it('is made as the API Mapping says', async () => {
			const token = {
				fields: { client_id: 'usuario', client_secret: 'clave', grant_type: '' },
				additional: { audience: 'queries' },
				scheme: 'JWT',
			};
			issue = () => ({ body: { token: 'abcd1234' } });
			await run(freshCredentials({ clientId: 'me', apiMapping: JSON.stringify({ token }) }));
			expect(JSON.parse(logins[0].body)).toEqual({
				usuario: 'me',
				clave: 'sécret with blanks/77',
				audience: 'queries',
			});
			expect(sent).toEqual(['JWT abcd1234']);
		});

		it('may carry client ID and secret in its head', async () => {
			issue = () => ({ body: { token: 'abcd1234' } });
			const apiMapping = '{"token": {"clientAuthentication": "basic", "body": "form"}}';
			await run(freshCredentials({ clientId: 'a:b', apiMapping }));
			const basic = Buffer.from(`a%3Ab:${encodeURIComponent('sécret with blanks/77')}`);
			expect(logins[0].headers.authorization).toBe(`Basic ${basic.toString('base64')}`);
			expect(logins[0].body).toBe('grant_type=client_credentials');
		});

		it.each<[string, string, (body: Record<string, unknown>) => unknown]>([
			['on top', '{"api_key": "Kk-77-secret"}', (body) => body.api_key],
			['in an object', '{"auth": {"api_key": "Kk-77-secret"}}', ({ auth }) => auth],
			['in a list', '{"keys": [7, ["Kk-77-secret"]]}', ({ keys }) => keys],
			['in a list of objects', '{"a": [{"b": {"c": "Kk-77-secret"}}]}', ({ a }) => a],
		])(
			'carries additional secret fields %s, and no error shows them',
			async (_, fields, sentIn) => {
				issue = (_, { body }) => ({
					status: 403,
					body: { message: JSON.stringify(sentIn(JSON.parse(body) as Record<string, unknown>)) },
				});
				const result = await run(freshCredentials({ additionalSecretFields: fields }), 1, [
					'Kk-77-secret',
				]);
				expect(JSON.parse(logins[0].body)).toMatchObject(JSON.parse(fields) as object);
				expect(isWithheld(result)).toBe(true);
			},
		);

		it.each(['{"pin": 40718822}', '{"auth": {"pins": [40718822]}}'])(
			'carries numbers that are secret in %s, and no error shows them',
			async (additionalSecretFields) => {
				issue = () => ({ body: { access_token: 'abcd1234' } });
				isTaken = () => false;
				refusal = () => ({ message: 'PIN 40718822 is wrong' });
				const result = await run(freshCredentials({ additionalSecretFields }), 1, ['40718822']);
				expect(isWithheld(result)).toBe(true);
			},
		);

		it('reveals no client ID and secret of its header, though the service does', async () => {
			const secret = 'sécret with blanks/77';
			const clientId = 'client:basic';
			const apiMapping = '{"token": {"clientAuthentication": "basic", "body": "form"}}';
			const encoded = Buffer.from([clientId, secret].map(encodeURIComponent).join(':'));
			issue = (_, { headers }) => ({
				status: 401,
				body: { message: `Refused: ${headers.authorization}` },
			});
			const result = await run(freshCredentials({ clientId, apiMapping }), 1, [
				encoded.toString('base64').replace(/=+$/, ''),
			]);
			expect(isWithheld(result)).toBe(true);
		});

		it('that is a form shows none of it, though the service repeats it', async () => {
			const clientSecret = 'Abc8Q~xyz!1234';
			issue = (_, { body }) => ({ status: 403, body: { message: `Cannot read ${body}` } });
			const apiMapping = '{"token": {"body": "form"}}';
			const result = await run(
				freshCredentials({ clientId: 'form', clientSecret, apiMapping }),
				1,
				['Abc8Q%7Exyz%211234'],
			);
			expect(logins[0].body).toContain('Abc8Q%7Exyz%211234');
			expect(isWithheld(result)).toBe(true);
		});

		it.each([429, 503])('by a refresh token shows none of it with status %p', async (status) => {
			issue = (count, { body }) =>
				count > 1
					? { status, body: { message: `later: ${/refresh-[^"]*/.exec(body)?.[0]}` } }
					: { body: { access_token: 'token-1', expires_in: 3600, refresh_token: 'refresh-7~/z' } };
			const credentials = freshCredentials({ clientId: `refresh-${status}` });
			await run(credentials);
			// the test of a credential asks once; a run goes on trying
			const { message } = await testResult(credentials);
			expect(logins[1].body).toContain('refresh-7~/z');
			expect(message).not.toContain('refresh-7');
			expect(message).not.toContain('later: ');
		});

		it.each(['access_token', 'refresh_token'])(
			'keeps the %s secret that it brought, though the service repeats it',
			async (name) => {
				const token = `${name}-of-a-day`;
				issue = () => ({
					body: { access_token: 'token-1', refresh_token: 'fresh', [name]: token },
				});
				[isTaken, refusedWith, refusal] = [
					() => false,
					422,
					() => ({ message: `Ended: ${token}` }),
				];
				const result = await run(freshCredentials(), 1, [token]);
				expect(codesOf(result)).toEqual(['status.422']);
			},
		);

		it('hides the new token in a truncated quote of the service', async () => {
			const token = 'a-token-of-the-day-0123456789';
			issue = () => ({ body: { access_token: token } });
			const message = `${'x'.repeat(290)} ${token}`;
			[isTaken, refusedWith, refusal] = [() => false, 422, () => ({ message })];
			expect(errorsOf(await run())[0]).not.toContain(token.slice(0, 8));
		});

		it.each([16, 63, 64])(
			'leaves no token of %i characters in a good response that repeats it',
			async (length) => {
				const token = 'token-'.padEnd(length, '7');
				issue = () => ({ body: { access_token: token } });
				listed = () => [{ _id: 'q1', response: { request: `Bearer ${token}` } }];
				expect(errorsOf(await run(freshCredentials(), 1, [token]))).toEqual([]);
			},
		);

		it('uses the refresh token, and the secret if that has ended', async () => {
			issue = (count, { body }) =>
				body.includes('refresh-2')
					? { status: 400, body: {} }
					: { body: { access_token: `token-${count}`, refresh_token: `refresh-${count}` } };
			const credentials = freshCredentials();
			for (const last of [1, 2, 4]) {
				isTaken = (authorization) => authorization === `Bearer token-${last}`;
				expect(errorsOf(await run(credentials, 3))).toEqual([]);
			}
			const grants = logins.map(({ body }) => JSON.parse(body) as Record<string, string>);
			expect(grants.map(({ grant_type, refresh_token }) => refresh_token ?? grant_type)).toEqual([
				'client_credentials',
				'refresh-1',
				'refresh-2',
				'client_credentials',
			]);
		});
	});

	describe('a token that the service refuses', () => {
		it.each([400, 403])(
			'with status %d and the error of RFC 6750 is renewed once',
			async (status) => {
				issue = (count) => ({ body: { access_token: `token-${count}` } });
				const credentials = freshCredentials();
				await run(credentials);
				[refusedWith, refusal] = [status, () => ({ error: 'invalid_token' })];
				isTaken = (authorization) => authorization !== 'Bearer token-1';
				expect(errorsOf(await run(credentials, 3))).toEqual([]);
				expect(logins).toHaveLength(2);
			},
		);

		it('for ever costs two logins, and every item says so', async () => {
			issue = (count) => ({ body: { access_token: `just-issued-${count}` } });
			[isTaken, refusal] = [() => false, () => ({ message: 'Token expired' })];
			const credentials = freshCredentials();
			const codes = [];
			for (const items of [30, 30]) codes.push(...codesOf(await run(credentials, items)));
			expect([codes.length, new Set(codes), logins.length]).toEqual([
				60,
				new Set(['status.401']),
				2,
			]);
		});

		it('is not renewed for a 403 that speaks of rights', async () => {
			issue = (count) => ({ body: { access_token: `token-${count}` } });
			const words = { message: 'Not contracted for this token' };
			[isTaken, refusedWith, refusal] = [() => false, 403, () => words];
			const [code] = codesOf(await run(undefined, 3));
			expect([code, logins.length, sent.length]).toEqual(['status.403', 1, 3]);
		});

		it('for ever costs two logins and at most two requests per item, and is in no error', async () => {
			issue = (count) => ({ body: { access_token: `just-issued-${count}` } });
			isTaken = () => false;
			const result = await run(undefined, 30, ['just-issued-1', 'just-issued-2']);
			expect(errorsOf(result)).toHaveLength(30);
			expect(isWithheld(result)).toBe(true);
			expect(logins).toHaveLength(2);
			expect(sent.length).toBeLessThanOrEqual(60);
		});

		it('is not sent faster than the limit allows, though items send it twice', async () => {
			const at: number[] = [];
			issue = (count) => ({ body: { access_token: `token-${count}`, expires_in: 3600 } });
			isTaken = () => {
				at.push(performance.now());
				return false;
			};
			await run(freshCredentials({ pointsPerSecond: 10, clientId: 'paced' }), 15);
			// how many are sent twice depends on when the token was renewed; a busy machine makes it longer
			const fullSeconds = Math.ceil(at.length / 10) - 1;
			expect(at.length).toBeGreaterThan(15);
			expect(at[at.length - 1] - at[0]).toBeGreaterThan(850 * fullSeconds);
		});

		it('is not taken from what is stored again, not even where it was issued elsewhere', async () => {
			issue = (count) => ({ body: { access_token: `token-${count}` } });
			const credentials = freshCredentials();
			await run(credentials);
			const { accessToken } = credentials.taxQueryApi;
			isTaken = (authorization) => authorization !== 'Bearer token-1';
			await run(credentials);
			credentials.taxQueryApi.accessToken = accessToken; // as another process may write it back
			expect(errorsOf(await run(credentials))).toEqual([]);
			expect([logins.length, sent.length]).toEqual([2, 4]);
		});
	});

	describe('an expired token', () => {
		it('of another process is not sent: its end is stored with it', async () => {
			issue = (count) => ({ body: { access_token: `token-${count}`, expires_in: 3600 } });
			const credentials = freshCredentials();
			await run(credentials);
			const stored = JSON.parse(credentials.taxQueryApi.accessToken) as { token: string };
			credentials.taxQueryApi.accessToken = JSON.stringify({
				...stored,
				token: 'token-of-another',
				renewAt: Date.now() - 1,
			});
			await run(credentials);
			expect(sent).toEqual(['Bearer token-1', 'Bearer token-1']);
		});
	});

	describe('a token that another process has replaced', () => {
		it('is not handed out again when the new one has ended, too', async () => {
			issue = (count) => ({ body: { access_token: `token-${count}` } });
			const credentials = freshCredentials();
			await run(credentials);
			const stored = JSON.parse(credentials.taxQueryApi.accessToken) as { issuedAt: number };
			credentials.taxQueryApi.accessToken = JSON.stringify({
				...stored,
				token: 'token-of-another',
				issuedAt: stored.issuedAt + 1000,
			});
			sent = [];
			isTaken = (authorization) => authorization === 'Bearer token-2';
			expect(errorsOf(await run(credentials))).toEqual([]);
			expect(sent).toEqual(['Bearer token-of-another', 'Bearer token-2']);
		});
	});

	describe('a pasted token', () => {
		it.each(['abcd.efgh.ijkl', ' Bearer abcd.efgh.ijkl ', 'bearer abcd.efgh.ijkl'])(
			'%p is sent as it should be',
			async (pastedToken) => {
				await run(freshCredentials({ grant: 'accessToken', pastedToken }));
				expect([sent, logins]).toEqual([['Bearer abcd.efgh.ijkl'], []]);
			},
		);
	});
});

describe('the test of a credential', () => {
	const sandbox = sandboxForTestGroup(startSandboxWithHelpers, { rateLimit: 0, seed: 4711 });

	const renderOf = async (
		test: typeof testTaxQuery,
		data: ICredentialDataDecryptedObject,
	): Promise<string> => {
		const context = new CredentialTestContext();
		const { message } = await test.call(context, { id: '1', name: 'Test', type: 'test', data });
		return message;
	};
	const creditProfile = async (fields: object) =>
		await renderOf(testCreditProfile, { ...sandbox.credentials().creditProfileApi, ...fields });
	const taxQuery = async (fields: object) =>
		await renderOf(testTaxQuery, { ...sandbox.credentials().taxQueryApi, ...fields });

	it.each(['creditProfileApi', 'taxQueryApi'] as const)(
		'of %s is no success where the service reports a failure with status 200',
		async (type) => {
			const failure = { success: false, message: 'Contract has ended' };
			expect(await credentialTestError(type, {}, failure)).toContain('Contract has ended');
		},
	);

	it('takes what is right', async () => {
		expect([await creditProfile({}), await taxQuery({})]).toEqual([
			'Connection successful!',
			'Connection successful!',
		]);
	});

	it.each([
		[{ baseUrl: 'http://127.0.0.1:1' }, /^The Credit Profile Service refused the connection\./],
		[
			{ baseUrl: 'http://no-such-host.invalid' },
			/^The Credit Profile Service was not found: its host name/,
		],
		[{ apiToken: 'wrong-token-1' }, /^The Credit Profile Service refused the token\. Tokens are/],
		[{ baseUrl: '' }, /^The credential has no base URL\./],
		[{ apiToken: '' }, /^The credential has no API token\. Open the credential/],
		[{ apiToken: 'Token ' }, /^The credential has no API token\./],
		[{ apiMapping: '{"pathz": {}}' }, /^API Mapping: "pathz" is not known; known are paths/],
		[{ pseudonymKey: 'too short' }, /^'Pseudonym Key' must have 16 characters or more\./],
	])("the Credit Profile credential's test reports %j", async (fields, text) => {
		expect(await creditProfile(fields)).toMatch(text);
	});

	it.each([
		[{ baseUrl: 'http://127.0.0.1:1' }, /^The query service refused the connection\./],
		[{ pseudonymKey: 'too short' }, /^'Pseudonym Key' must have 16 characters or more\./],
		[{ clientSecret: 'wrong-secret-1' }, /^The service refused the client ID or secret\. Check/],
		[
			{ grant: 'accessToken', pastedToken: 'wrong-token-1' },
			/^The Tax Query Service refused the token\./,
		],
		[{ grant: 'accessToken', pastedToken: ' ' }, /^The credential has no access token\./],
		[{ grant: 'accessToken', pastedToken: 'Bearer ' }, /^The credential has no access token\./],
		[{ additionalSecretFields: '[1]' }, /^'Additional Secret Fields' .* must be a JSON object\./],
		[{ apiMapping: '{"list": {"pageSize": "x"}}' }, /^API Mapping: "list\.pageSize" must be/],
	])("the query service credential's test reports %j without secrets", async (fields, text) => {
		const message = await taxQuery(fields);
		expect(message).toMatch(text);
		expect(message).not.toMatch(/wrong-(secret|token)-1/);
	});

	it.each([
		['creditProfile', { apiToken: '' }, 'API token'],
		['taxQuery', { grant: 'accessToken', pastedToken: '' }, 'access token'],
	] as const)('of %s without a token: its node sends nothing either', async (...row) => {
		const [type, fields, name] = row;
		await sandbox.reset();
		const all = sandbox.credentials();
		const { error } = await runNodeInEngine({
			type,
			parameters:
				type === 'taxQuery'
					? { resource: 'person', operation: 'getCurpData', curp: 'HEGG560427MVZRRL04' }
					: { resource: 'providerLogin', operation: 'getAll', returnAll: true },
			credentials: { [`${type}Api`]: { ...all[`${type}Api`], ...fields } },
		});
		expect([error?.message, await sandbox.requests()]).toEqual([
			`The credential has no ${name}`,
			[],
		]);
	});

	it.each([
		[new CreditProfileApi(), { apiToken: '' }],
		[new TaxQueryApi(), { grant: 'accessToken', pastedToken: '' }],
	])("other nodes report a missing token without the credential's test: %#", async (...row) => {
		const [credential, fields] = row;
		const held = { ...sandbox.credentials()[credential.name as 'taxQueryApi'], ...fields };
		await expect(credential.authenticate(held, { url: 'http://127.0.0.1:1' })).rejects.toThrow(
			/^The credential has no (API|access) token$/,
		);
	});

	it.each([
		[
			new CreditProfileApi(),
			{
				apiToken: 'token-1',
				...toN8nCredentialLoginFields('bureau/pm', { user: 'u', password: 'Bureau_1' }),
			},
			'Token token-1',
		],
		[
			new TaxQueryApi(),
			{
				...{ grant: 'accessToken', pastedToken: 'token-1' },
				...{ webhookVerification: 'header', webhookSecret: 'Webhook_1' },
				...toN8nCredentialLoginFields('taxAuthority', {
					rfc: 'GODE561231GR8',
					ciec: 'Ciec_1',
				}),
			},
			'Bearer token-1',
		],
	])('hands other nodes nothing but the header Authorization: %#', async (...row) => {
		const [credential, fields, Authorization] = row;
		const held = { baseUrl: 'https://service.example', ...fields };
		const request = {
			url: 'https://service.example/x',
			headers: { A: 'b' },
			qs: { c: 1 },
			body: {},
		};
		expect(await credential.authenticate(held, { ...request })).toEqual({
			...request,
			headers: { A: 'b', Authorization },
		});
	});

	it('says how the base URL of the query service ends', async () => {
		const { baseUrl } = sandbox.taxQuery;
		expect(await taxQuery({ baseUrl: baseUrl.replace(/api$/, 'ap') })).toMatch(
			/^No query service at this base URL; it usually ends with \/api\. Check the base URL/,
		);
	});
});

describe('the test of webhook verification', () => {
	const plain = { webhookVerification: 'signature', webhookSecret: 's', signatureHeader: 'X' };
	const signed = {
		...plain,
		signatureFormat: 'timestamped',
		timestampHeader: 'T',
	};
	const standard = {
		webhookVerification: 'signature',
		signatureFormat: 'standard',
		webhookSecret: 'whsec_c2VjcmV0',
	};
	const statusOf = async (data: ICredentialDataDecryptedObject) =>
		(await credentialTestError('taxQueryApi', data)) === undefined ? 'OK' : 'Error';

	it.each([
		[{ ...signed, timestampTolerance: '' }, 'Error'],
		[{ ...signed, timestampTolerance: 0 }, 'Error'],
		[{ ...standard, timestampTolerance: '' }, 'Error'],
		[{ ...signed, timestampTolerance: 300 }, 'OK'],
		[{ ...signed }, 'OK'],
		[{ ...plain, timestampTolerance: '' }, 'OK'],
		[{ ...standard, timestampTolerance: 60 }, 'OK'],
	])('refuses a tolerance in which no delivery arrives: %j', async (data, status) => {
		expect(await statusOf(data)).toBe(status);
	});
});
