import jwt from '@fastify/jwt';
import { Type, type Static } from '@sinclair/typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { TokenBody, TokenResponse } from '../../../contract/taxQuery';
import type { SandboxContext } from '../../context';
import type { TaxQueryMapping } from '../../apiMapping';
import type { SandboxOptions } from '../../options';
import { HttpError } from '../../plugins/errors';
import { withResponseMapper } from '../../plugins/contractValidation';

type TokenRequest = NonNullable<TaxQueryMapping['token']>;
type Field = keyof TokenBody;
interface Claims {
	use: 'access' | 'refresh';
	/** Seconds of the services' clock. */
	iat: number;
	exp?: number;
}

const CLIENT_CREDENTIALS = 'client_credentials';

/** The token endpoint (TQ §4.1), and the guard that every other path stands behind (TQ §5). */
export async function registerAuthentication(
	app: FastifyInstance,
	context: SandboxContext,
): Promise<void> {
	const { clock, variant, options, secrets } = context;
	const wanted = variant.tokenRequest;
	const { scheme = 'Bearer' } = wanted;
	const path = variant.tokenPath;
	await app.register(jwt, {
		secret: secrets.jwtKey,
		verify: {
			ignoreExpiration: true, // the services' own clock, below, decides that
			extractToken: ({ headers }) => {
				const [word, token] = (headers.authorization ?? '').split(' ');
				return word.toLowerCase() === scheme.toLowerCase() ? token : undefined;
			},
		},
	});

	const sign = (use: Claims['use'], seconds?: number) => {
		const iat = Math.floor(clock.now() / 1000);
		const claims: Claims = { use, iat, ...(seconds !== undefined && { exp: iat + seconds }) };
		return app.jwt.sign(claims);
	};
	const isValid = (claims: Claims | undefined, use: Claims['use']) =>
		claims?.use === use && (claims.exp === undefined || claims.exp * 1000 > clock.now());

	app.post<{ Body: Record<string, unknown> }>(
		path,
		{
			schema: {
				tags: ['Token'],
				summary: 'Create or refresh an access token',
				body: tokenBody(wanted),
				response: {
					200: withResponseMapper(TokenResponse, (token) => tokenResponse(token, options)),
				},
			},
		},
		async (request) => {
			const { grant_type, refresh_token, ...client } = readToken(request, wanted);
			if (client.client_id !== secrets.clientId || client.client_secret !== secrets.clientSecret) {
				throw new HttpError(401, 'The client ID or the client secret is wrong');
			}
			if (grant_type === 'refresh_token' && !isValid(decode(app, refresh_token), 'refresh')) {
				throw new HttpError(401, 'The refresh token is wrong or expired', 'refresh_token');
			}
			return {
				access_token: sign('access', options.tokenLifetime),
				token_type: scheme,
				expires_in: options.tokenLifetime,
				refresh_token: sign('refresh'),
			};
		},
	);

	app.addHook('onRequest', async (request) => {
		if (request.is404 || request.routeOptions.url?.endsWith(path)) return;
		const claims = await request.jwtVerify<Claims>().catch(() => undefined);
		if (isValid(claims, 'access')) return;
		throw new HttpError(
			401,
			`The access token is missing, wrong or expired; the header is "${scheme} <ACCESS_TOKEN>"`,
		);
	});
}

const nameOf = ({ fields = {} }: TokenRequest, field: Field) => fields[field] ?? field;

/** The request's schema under the environment's names; one that has a name of its own for grant_type wants it. */
function tokenBody(wanted: TokenRequest) {
	const { grantType = CLIENT_CREDENTIALS, fields = {} } = wanted;
	const grants = Type.Union([Type.Literal(grantType), Type.Literal('refresh_token')]);
	const grant = fields.grant_type ? grants : Type.Optional(grants);
	const properties = Object.entries(TokenBody.properties).flatMap(([field, schema]) => {
		const name = nameOf(wanted, field as Field);
		if (name === '') return [];
		return [[name, field === 'grant_type' ? grant : schema] as const];
	});
	return Type.Object(Object.fromEntries(properties));
}

/** Throws an HttpError if the request deviates from the agreement. */
function readToken(request: FastifyRequest, wanted: TokenRequest): TokenBody {
	const body = request.body as Record<string, unknown>;
	const isForm = /urlencoded/.test(request.headers['content-type'] ?? '');
	if (wanted.body && isForm !== (wanted.body === 'form')) {
		throw new HttpError(
			415,
			`The body must be ${wanted.body === 'form' ? 'form-encoded' : 'JSON'}`,
		);
	}
	for (const [name, value] of Object.entries(wanted.additional ?? {})) {
		if (String(body[name]) === String(value)) continue;
		throw new HttpError(400, `"${name}" in the body: must be "${String(value)}"`, name);
	}
	const read = Object.fromEntries(
		Object.keys(TokenBody.properties).map((field) => [field, body[nameOf(wanted, field as Field)]]),
	) as Static<typeof TokenBody>;
	if (wanted.clientAuthentication !== 'basic') return read;
	if (read.client_secret !== undefined) {
		throw new HttpError(400, 'The client authenticates by the Authorization header, not the body');
	}
	const [, login = ''] = /^Basic (.+)$/i.exec(request.headers.authorization ?? '') ?? [];
	const [id, secret] = Buffer.from(login, 'base64').toString().split(':').map(decodeURIComponent);
	return { ...read, client_id: id, client_secret: secret };
}

function decode(app: FastifyInstance, token = ''): Claims | undefined {
	try {
		return app.jwt.verify<Claims>(token);
	} catch {
		return undefined; // not a token of ours
	}
}

function tokenResponse(
	token: Static<typeof TokenResponse>,
	{ tokenShape, tokenExpiresIn, noRefreshToken }: SandboxOptions,
): object {
	const { expires_in: seconds, refresh_token, ...others } = token;
	const expires = {
		number: seconds,
		text: String(seconds),
		zero: 0,
		negative: -1,
		absent: undefined,
	};
	const response = {
		...others,
		...(tokenExpiresIn !== 'absent' && { expires_in: expires[tokenExpiresIn] }),
		...(!noRefreshToken && { refresh_token }),
	};
	if (tokenShape === 'data') return { data: response };
	if (tokenShape === 'snake') return response;
	const camel = (name: string) =>
		name.replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase());
	return Object.fromEntries(Object.entries(response).map(([name, value]) => [camel(name), value]));
}
