import { DateTime } from 'luxon';
import {
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
} from 'n8n-workflow';
import { raceAbort, readBody } from '../http/answerBody';
import { describeFault, faultCode, isTlsFault } from '../http/faults';
import { isObject, parseJson, readObject } from '../utils/json';
import { MASK } from '../utils/redact';
import { sentences } from '../utils/sentences';
import { messageOfService } from '../utils/serviceMessage';
import { textOf } from '../utils/text';
import { readTaxQueryMapping } from './apiMapping';
import { taxQueryBaseUrl } from './baseUrl';
import { CredentialError } from './credentialError';

/** How long one token request may take in all. */
export const TOKEN_TIMEOUT_MS = 10_000;
const MAX_BYTES = 1_000_000;

/** What came of a token request. */
interface IssuedToken {
	token: string;
	refreshToken?: string;
	/** Unknown where neither the answer nor the token tells. */
	lifetimeMs?: number;
}

/** The token without the scheme word that was pasted or sent with it. */
export const bareToken = (value: unknown): string =>
	String(value ?? '')
		.trim()
		.replace(/^(bearer|token)(\s+|$)/i, '');

/** Further fields of the token request that are secret. Throws a CredentialError if they are no JSON object. */
export function additionalSecretFields({
	additionalSecretFields: value,
}: ICredentialDataDecryptedObject): IDataObject {
	const fields = readObject(value);
	if (fields) return fields;
	throw new CredentialError(
		'"Additional Secret Fields" of the Tax Query credential must be a JSON object',
		'For example {"api_key": "…"}, or {} for none.',
	);
}

/**
 * Asks for a token (TQ §4.1, §5: request and answer are not shown there, so both are as in OAuth 2.0 unless the API
 * Mapping says otherwise), by refresh token where there is one. One attempt. Throws a CredentialError.
 */
export async function requestToken(
	http: IHttpRequestHelper,
	credentials: ICredentialDataDecryptedObject,
	refreshToken?: string,
): Promise<IssuedToken> {
	const signal = AbortSignal.timeout(TOKEN_TIMEOUT_MS);
	const request = { ...requestOf(credentials, refreshToken), abortSignal: signal };
	const exchange = async () => {
		const answer = (await http.helpers.httpRequest(request)) as IN8nHttpFullResponse;
		return { ...answer, body: await readBody(answer.body, MAX_BYTES) };
	};
	const answer = await raceAbort(exchange(), signal).catch((error: unknown) => {
		throw faultError(signal.aborted ? 'ETIMEDOUT' : faultCode(error));
	});
	const issued = readToken(answer.body, answer.headers);
	if (answer.statusCode >= 200 && answer.statusCode < 300 && issued) return issued;
	const secrets = [...sentSecrets(credentials), refreshToken ?? '', issued?.token ?? ''];
	const said = messageOfService(answer.body, secrets);
	throw statusError(answer.statusCode, answer.statusCode < 300 ? withoutTokens(said) : said);
}

/** What of a token request is secret, in each of the ways in which it may be sent. */
export function sentSecrets(credentials: ICredentialDataDecryptedObject): string[] {
	const { clientId, clientSecret, additionalSecretFields: additional } = credentials;
	const login = [textOf(clientId), textOf(clientSecret)];
	if (login[1] === '') return leavesOf(readObject(additional));
	return [login[1], login.join(':'), basicLogin(login), ...leavesOf(readObject(additional))];
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
	const { token, paths } = readTaxQueryMapping(credentials);
	const { clientId, clientSecret } = credentials as Record<string, string>;
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
		url: `${taxQueryBaseUrl(credentials.baseUrl)}/${path}`,
		headers: {
			...(token.body === 'form' && { 'Content-Type': 'application/x-www-form-urlencoded' }),
			...(isBasic && { Authorization: `Basic ${basic}` }),
		},
		// n8n encodes it by the content type
		body: {
			...Object.fromEntries(fields.filter(([name]) => name !== '')),
			...token.additional,
			...additionalSecretFields(credentials),
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
const faultError = (code: string): CredentialError =>
	new CredentialError(
		describeFault('query service', code),
		'No access token could be had. Check the base URL in the Tax Query credential, and the network of this n8n.',
		!isTlsFault(code) && code !== 'ENOTFOUND',
	);

function statusError(status: number, said: string): CredentialError {
	const hint =
		'API Mapping says how this deployment wants to be asked: token.fields.client_id, token.fields.client_secret, token.fields.grant_type, token.grantType, token.body, token.clientAuthentication, token.additional.';
	if (status === 404) {
		return new CredentialError(
			'No query service at this base URL; it usually ends with /api.',
			sentences(
				'Check it in the Tax Query credential. If it is right, set paths.oauth/token in API Mapping',
				said,
			),
		);
	}
	if (status >= 300 && status < 400) {
		return new CredentialError(
			'The query service answered with a redirect, which is not followed',
			'Check the base URL in the Tax Query credential: it may begin with https, or the service has moved.',
		);
	}
	if (status === 429 || status >= 500) {
		return new CredentialError(
			`The query service gives no access token at present: status ${status}`,
			sentences('Try again later', said),
			true,
		);
	}
	if ([400, 401, 403].includes(status)) {
		return new CredentialError(
			'The service refused the client ID or secret.',
			sentences(`Check both in the Tax Query credential. If they are right: ${hint}`, said),
		);
	}
	return new CredentialError(
		status < 300
			? 'The answer of the token request holds no access token'
			: `The query service answered the token request with status ${status}`,
		sentences(`Check the base URL in the Tax Query credential. ${hint}`, said),
	);
}

/** What may be a token in an answer that grants one, under whatever name. */
const withoutTokens = (said: string): string =>
	said.replace(/[^\s"']{20,}|(?=[^\s"']*\d)[^\s"']{8,}/g, MASK);

/** In the order in which they are looked for; however they are spelled: access_token, accessToken. */
const TOKEN_NAMES = ['accesstoken', 'token', 'jwt', 'authtoken', 'idtoken'];
const JWT = /^eyJ[\w-]+(?:\.[\w-]*){2,4}$/;

/** The answer is not shown (TQ §4.1): a bare JWT, or the only object with one of the usual names, on top or inside. */
function readToken(body: unknown, headers: IDataObject): IssuedToken | undefined {
	if (typeof body === 'string') {
		const token = bareToken(body);
		return JWT.test(token) ? { token, lifetimeMs: lifetimeOf({}, token, headers) } : undefined;
	}
	const [fields, another] = tokensIn(body);
	if (!fields || another) return undefined;
	const token = bareToken(textUnder(fields, TOKEN_NAMES));
	const refreshToken = textUnder(fields, ['refreshtoken']);
	return { token, refreshToken, lifetimeMs: lifetimeOf(fields, token, headers) };
}

/** The objects that hold a token, none of them in another. */
function tokensIn(value: unknown, depth = 0): IDataObject[] {
	if (typeof value !== 'object' || value === null || depth > 4) return [];
	if (isObject(value) && textUnder(value, TOKEN_NAMES) !== undefined) return [value];
	return Object.values(value).flatMap((inner) => tokensIn(inner, depth + 1));
}

const textUnder = (fields: IDataObject, names: string[]): string | undefined => {
	const plain = Object.entries(fields).map(
		([name, value]) => [name.toLowerCase().replace(/[_-]/g, ''), value] as const,
	);
	return names
		.map((name) => plain.find(([own, value]) => own === name && isText(value))?.[1])
		.find(isText);
};

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** By the answer, else by the JWT's own times. A lifetime below a second, which would be over at once, tells nothing. */
function lifetimeOf(fields: IDataObject, token: string, headers: IDataObject): number | undefined {
	const told = Number(fields.expires_in ?? fields.expiresIn);
	if (told >= 1 && Number.isFinite(told)) return told * 1000;
	const claims = parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
	if (!isObject(claims) || typeof claims.exp !== 'number') return undefined;
	const date = DateTime.fromHTTP(String(headers.date));
	const now = date.isValid ? date.toSeconds() : DateTime.now().toSeconds();
	const seconds = claims.exp - (typeof claims.iat === 'number' ? claims.iat : now);
	return seconds >= 1 ? seconds * 1000 : undefined;
}
