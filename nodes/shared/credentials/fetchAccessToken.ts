import { DateTime } from 'luxon';
import {
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
} from 'n8n-workflow';
import { raceAbort, readBody } from '../utils/responseBody';
import { faultCode, isTlsFault } from '../errors/networkFault';
import type { TokenRequestProblem } from '../errors/requestProblem';
import { extractRequestIds } from '../errors/requestIds';
import { isMarkup, extractRefusalMessage } from '../errors/serviceMessage';
import { isObject, parseJson, parseObjectBlankAsEmpty } from '../utils/json';
import { isFilledText, textOf } from '../utils/primitiveText';
import { readTaxQueryApiMapping } from './apiMapping';
import { readTaxQueryBaseUrl } from './baseUrl';
import { credentialError } from './fieldError';
import { LoginError } from './loginError';
import { bareToken, loginText } from './placeholders';

export const TOKEN_TIMEOUT_MS = 10_000;
const MAX_TOKEN_BYTES = 1_000_000;

interface IssuedToken {
	token: string;
	refreshToken?: string;
	/** Unknown where neither the response nor the token says it. */
	lifetimeMs?: number;
}

/** Additional secret fields of the token request. Throws a UserError if they are no JSON object. */
export function readAdditionalSecretFields({
	additionalSecretFields: value,
}: ICredentialDataDecryptedObject): IDataObject {
	const fields = parseObjectBlankAsEmpty(value);
	if (fields) return fields;
	throw credentialError(
		"'Additional Secret Fields' of the Tax Query credential must be a JSON object",
		'For example {"api_key": "…"}, or {} for none.',
	);
}

/**
 * Requests a token once, by the refresh token if there is one. TQ §4.1 and §5 show neither request nor response, so
 * both follow OAuth 2.0 unless the API Mapping differs. Throws a LoginError.
 */
export async function fetchAccessToken(
	http: IHttpRequestHelper,
	credentials: ICredentialDataDecryptedObject,
	refreshToken?: string,
): Promise<IssuedToken> {
	const signal = AbortSignal.timeout(TOKEN_TIMEOUT_MS);
	const request = { ...requestOf(credentials, refreshToken), abortSignal: signal };
	const exchange = async () => {
		const response = (await http.helpers.httpRequest(request)) as IN8nHttpFullResponse;
		return { ...response, body: await readBody(response.body, MAX_TOKEN_BYTES) };
	};
	const response = await raceAbort(exchange(), signal).catch((error: unknown) => {
		throw new LoginError(ofFault(signal.aborted ? 'ETIMEDOUT' : faultCode(error)));
	});
	const token = readToken(response.body, response.headers);
	if (response.statusCode >= 200 && response.statusCode < 300 && token) return token;
	const secrets = [...tokenRequestSecrets(credentials), refreshToken ?? '', token?.token ?? ''];
	throw new LoginError(tokenProblem(response, secrets));
}

type TokenResponse = Pick<IN8nHttpFullResponse, 'statusCode' | 'headers'> & { body: unknown };

/** Each secret is listed in every form in which it may be sent. */
export function tokenRequestSecrets(credentials: ICredentialDataDecryptedObject): string[] {
	const { clientId, clientSecret, additionalSecretFields: additional } = credentials;
	const login = [loginText(clientId), loginText(clientSecret)];
	if (login[1] === '') return leavesOf(parseObjectBlankAsEmpty(additional));
	return [
		login[1],
		login.join(':'),
		basicLogin(login),
		...leavesOf(parseObjectBlankAsEmpty(additional)),
	];
}

/** RFC 6749 §2.3.1: both are encoded before they are joined. */
const basicLogin = (login: string[]): string => login.map(encodeURIComponent).join(':');

/** The texts and numbers in a JSON value, at any depth. */
function leavesOf(value: unknown): string[] {
	if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leavesOf);
	return typeof value === 'boolean' ? [] : [textOf(value)];
}

function requestOf(
	credentials: ICredentialDataDecryptedObject,
	refreshToken: string | undefined,
): IHttpRequestOptions {
	const { token, paths } = readTaxQueryApiMapping(credentials);
	const [clientId, clientSecret] = [credentials.clientId, credentials.clientSecret].map(loginText);
	const isBasic = token.clientAuthentication === 'basic';
	const values: Record<string, string> = {
		grant_type: refreshToken === undefined ? token.grantType : 'refresh_token',
		...(refreshToken !== undefined && { refresh_token: refreshToken }),
		...(!isBasic && { client_id: clientId, client_secret: clientSecret }),
	};
	const fields = Object.entries(values).map(([name, value]) => [token.fields[name] ?? name, value]);
	const path = (paths['oauth/token'] ?? 'oauth/token').replace(/^\/+/, '');
	const basic = Buffer.from(basicLogin([clientId, clientSecret])).toString('base64');
	return {
		method: 'POST',
		url: `${readTaxQueryBaseUrl(credentials.baseUrl)}/${path}`,
		headers: {
			...(token.body === 'form' && { 'Content-Type': 'application/x-www-form-urlencoded' }),
			...(isBasic && { Authorization: `Basic ${basic}` }),
		},
		// n8n encodes it by the content type
		body: {
			...Object.fromEntries(fields.filter(([name]) => name !== '')),
			...token.additional,
			...readAdditionalSecretFields(credentials),
		},
		json: true,
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		timeout: TOKEN_TIMEOUT_MS,
	};
}

/** A host that does not exist will not do so in a moment; any other fault may pass. */
const ofFault = (code: string): TokenRequestProblem => ({
	kind: 'login',
	reason: 'network',
	code,
	isPassing: !isTlsFault(code) && code !== 'ENOTFOUND',
});

/** The body of a 2xx is not quoted, as it may be a token under another name. */
function tokenProblem(
	{ statusCode: status, headers, body }: TokenResponse,
	secrets: string[],
): TokenRequestProblem {
	const reason = reasonOf(status, body);
	const ids = extractRequestIds(headers, secrets);
	const message = { ...(status < 400 ? {} : extractRefusalMessage(body, secrets)), ...ids };
	return { kind: 'login', reason, status, isPassing: reason === 'outage', ...message };
}

function reasonOf(status: number, body: unknown): TokenRequestProblem['reason'] {
	if (status < 300) return 'noToken';
	if (status < 400) return 'redirect';
	if (status === 407 || (status === 403 && isMarkup(body))) return 'proxy';
	if (status === 404) return 'notFound';
	if (status === 408 || status === 429 || status >= 500) return 'outage';
	return [400, 401, 403].includes(status) ? 'refused' : 'status';
}

/** OAuth 2.0 calls it access_token, many services token; each in camel case, too. */
const TOKEN_NAMES = ['access_token', 'accessToken', 'token'];
const REFRESH_NAMES = ['refresh_token', 'refreshToken'];
const JWT = /^eyJ[\w-]+(?:\.[\w-]*){2,4}$/;

/**
 * Reads the token from a response. TQ §4.1 shows no response, and §5.1 says that the token is a JWT. It is the OAuth
 * 2.0 token at the top level or under one key, or the only JWT, or the whole response.
 */
function readToken(body: unknown, headers: IDataObject): IssuedToken | undefined {
	const levels = isObject(body)
		? [body, ...Object.values(body).filter(isObject)]
		: [{ body } as IDataObject];
	const named = levels.flatMap((fields) => {
		const text = textUnder(fields, TOKEN_NAMES);
		return text === undefined ? [] : [{ text, fields }];
	});
	const jwts = levels.flatMap((fields) =>
		Object.values(fields)
			.filter(isJwt)
			.map((text) => ({ text, fields })),
	);
	const [found, ...others] = named.length > 0 ? named : jwts;
	const token = bareToken(found?.text);
	if (token === '' || others.length > 0) return undefined;
	const refreshToken = textUnder(found.fields, REFRESH_NAMES);
	return { token, refreshToken, lifetimeMs: lifetimeOf(found.fields, token, headers) };
}

const isJwt = (value: unknown): value is string =>
	isFilledText(value) && JWT.test(bareToken(value));

const textUnder = (fields: IDataObject, names: string[]): string | undefined =>
	names.map((name) => fields[name]).find(isFilledText);

/** The response says it, or the JWT's own times. A lifetime below a second is unknown. */
function lifetimeOf(fields: IDataObject, token: string, headers: IDataObject): number | undefined {
	const seconds = Number(fields.expires_in ?? fields.expiresIn ?? lifetimeInside(token, headers));
	return seconds >= 1 && Number.isFinite(seconds) ? seconds * 1000 : undefined;
}

function lifetimeInside(token: string, headers: IDataObject): number | undefined {
	const claims = parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
	if (!isObject(claims) || typeof claims.exp !== 'number') return undefined;
	const date = DateTime.fromHTTP(String(headers.date));
	const now = date.isValid ? date.toSeconds() : DateTime.now().toSeconds();
	return claims.exp - (typeof claims.iat === 'number' ? claims.iat : now);
}
