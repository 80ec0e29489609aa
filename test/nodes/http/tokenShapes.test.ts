import type { IncomingHttpHeaders } from 'node:http';
import { CredentialTestContext } from 'n8n-core';
import { testTaxQuery } from '../../support/credentialTestAgainstStub';
import { codeOf } from '../../support/errorCode';
import { runNodeInEngine } from '../../support/runNodeInEngine';
import { serverForTestGroup } from '../../support/testServer';

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
/** Returns what the test of the credential says. */
const renderText = async ({ taxQueryApi: data }: ReturnType<typeof freshCredentials>) =>
	await testTaxQuery.call(new CredentialTestContext(), {
		id: '1',
		name: 'Tested',
		type: 'taxQueryApi',
		data,
	});
const codesOf = ({ items }: Awaited<ReturnType<typeof run>>) =>
	items.flatMap(({ json }) => (json.error ? [codeOf(json)] : []));
/** Says whether the first error omits the service's message. */
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
	])('carries additional secret fields %s, and no error shows them', async (_, fields, sentIn) => {
		issue = (_, { body }) => ({
			status: 403,
			body: { message: JSON.stringify(sentIn(JSON.parse(body) as Record<string, unknown>)) },
		});
		const result = await run(freshCredentials({ additionalSecretFields: fields }), 1, [
			'Kk-77-secret',
		]);
		expect(JSON.parse(logins[0].body)).toMatchObject(JSON.parse(fields) as object);
		expect(isWithheld(result)).toBe(true);
	});

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
		const result = await run(freshCredentials({ clientId: 'form', clientSecret, apiMapping }), 1, [
			'Abc8Q%7Exyz%211234',
		]);
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
		const { message } = await renderText(credentials);
		expect(logins[1].body).toContain('refresh-7~/z');
		expect(message).not.toContain('refresh-7');
		expect(message).not.toContain('later: ');
	});

	it.each(['access_token', 'refresh_token'])(
		'keeps the %s secret that it brought, though the service repeats it',
		async (name) => {
			const token = `${name}-of-a-day`;
			issue = () => ({ body: { access_token: 'token-1', refresh_token: 'fresh', [name]: token } });
			[isTaken, refusedWith, refusal] = [() => false, 422, () => ({ message: `Ended: ${token}` })];
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
		expect([codes.length, new Set(codes), logins.length]).toEqual([60, new Set(['status.401']), 2]);
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
