import jwt from '@fastify/jwt';
import type { FastifyInstance } from 'fastify';
import { TokenBody, TokenResponse } from '../../contract/taxQuery';
import type { SandboxContext } from '../context';
import { Refusal } from '../errors';

const MESSAGE =
	'The access token is missing, wrong or expired; the header is "Bearer <ACCESS_TOKEN>"';

/** POST /oauth/token (§4.1), and the guard that every other path stands behind (§5). */
export async function tokens(app: FastifyInstance, { options, secrets }: SandboxContext) {
	await app.register(jwt, { secret: secrets.jwtKey });

	app.post<{ Body: TokenBody }>(
		'/oauth/token',
		{
			schema: {
				tags: ['Token'],
				summary: 'Create or refresh an access token',
				body: TokenBody,
				response: { 200: TokenResponse },
			},
		},
		async ({ body }) => {
			const { grant_type = 'client_credentials', client_id, client_secret, refresh_token } = body;
			if (client_id !== secrets.clientId || client_secret !== secrets.clientSecret) {
				throw new Refusal(401, 'The client ID or the client secret is wrong');
			}
			if (grant_type === 'refresh_token' && !isRefreshToken(app, refresh_token)) {
				throw new Refusal(401, 'The refresh token is wrong or expired', 'refresh_token');
			}
			return {
				access_token: app.jwt.sign({ use: 'access' }, { expiresIn: options.tokenLifetime }),
				token_type: 'Bearer' as const,
				expires_in: options.tokenLifetime,
				refresh_token: app.jwt.sign({ use: 'refresh' }),
			};
		},
	);

	app.addHook('onRequest', async (request) => {
		if (request.routeOptions.url?.endsWith('/oauth/token')) return;
		const claims = await request.jwtVerify<{ use: string }>().catch(() => undefined);
		if (claims?.use !== 'access') throw new Refusal(401, MESSAGE);
	});
}

function isRefreshToken(app: FastifyInstance, token = ''): boolean {
	try {
		return app.jwt.verify<{ use: string }>(token).use === 'refresh';
	} catch {
		return false; // not a token of ours
	}
}
