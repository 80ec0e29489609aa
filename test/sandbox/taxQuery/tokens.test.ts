import { firstViolation } from '../../../contract/check';
import { TokenResponse } from '../../../contract/taxQuery';
import { sharedSandboxWithClients, withSandboxClients } from '../support/clients';

const bench = sharedSandboxWithClients();

const client = () => ({
	grant_type: 'client_credentials',
	client_id: bench.sandbox.taxQuery.clientId,
	client_secret: bench.sandbox.taxQuery.clientSecret,
});
const token = async (body: object | URLSearchParams) =>
	await bench.anyone.post<Record<string, string>>('/api/oauth/token', body);
const statusWith = async (Authorization?: string) =>
	(await bench.anyone.get('/api/query', { headers: Authorization ? { Authorization } : {} }))
		.status;

it.each([
	['JSON', (body: Record<string, string>) => body],
	['form', (body: Record<string, string>) => new URLSearchParams(body)],
])('a token is issued to a %s body, and opens the query service', async (_format, write) => {
	const { status, data } = await token(write(client()));
	expect([status, firstViolation(TokenResponse, data)]).toEqual([200, undefined]);
	expect(await statusWith(`Bearer ${data.access_token}`)).toBe(200);
});

it('a refresh token gets another access token, and is none itself', async () => {
	const { refresh_token } = (await token(client())).data;
	const { status } = await token({ ...client(), grant_type: 'refresh_token', refresh_token });
	expect([status, await statusWith(`Bearer ${refresh_token}`)]).toEqual([200, 401]);
});

it.each([
	['a wrong secret', { client_secret: 'wrong' }, 401],
	['a wrong client', { client_id: 'wrong' }, 401],
	['a wrong refresh token', { grant_type: 'refresh_token', refresh_token: 'x' }, 401],
	['another grant', { grant_type: 'password' }, 400],
])('a token is refused for %s', async (_what, change, status) => {
	expect((await token({ ...client(), ...change })).status).toBe(status);
});

it.each([undefined, 'Bearer wrong', 'Token wrong'])(
	'the query service answers 401 to %p',
	async (authorization) => expect(await statusWith(authorization)).toBe(401),
);

it('an access token lives as long as --token-lifetime says', async () => {
	for (const tokenLifetime of [3600, 0]) {
		await withSandboxClients({ tokenLifetime }, async ({ taxQuery, anyone }) => {
			const { data } = await anyone.post<{ access_token: string; expires_in: number }>(
				'/api/oauth/token',
				client(),
			);
			const claims = Buffer.from(data.access_token.split('.')[1], 'base64url').toString();
			const { iat, exp } = JSON.parse(claims) as { iat: number; exp: number };
			expect([exp - iat, data.expires_in]).toEqual([tokenLifetime, tokenLifetime]);
			expect((await taxQuery.get('/query')).status).toBe(tokenLifetime > 0 ? 200 : 401);
		});
	}
});
