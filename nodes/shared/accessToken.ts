import { createHash } from 'node:crypto';
import {
	sleep,
	UserError,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
} from 'n8n-workflow';
import { taxQueryBaseUrl } from './baseUrl';
import { messageOfService } from './errors';

/** How long a refused login is not tried again, so that a long list of items cannot lock the client out. */
const REFUSAL_MS = 30_000;
/** The same after a login that failed for a reason that may pass. */
const FAILURE_MS = 5_000;
const TIMEOUT_MS = 30_000;
/** How often a login is tried at most; it costs nothing. */
const MAX_ATTEMPTS = 3;
const FIRST_BACKOFF_MS = 400;

interface Login {
	token?: string;
	/** By this machine's clock; the service's own clock may differ. */
	renewAt?: number;
	pending?: Promise<string>;
	refused?: { until: number; error: UserError };
}

/** One entry for each client of the query service in this process: concurrent items share one login. */
const logins = new Map<string, Login>();
const MAX_LOGINS = 500;

/** Ties a stored token to the base URL and client that it was issued for, without revealing the secret. */
function fingerprint(credentials: ICredentialDataDecryptedObject): string {
	const { baseUrl, clientId, clientSecret, bodyFormat, additionalFields } = credentials;
	return createHash('sha256')
		.update(JSON.stringify([baseUrl, clientId, clientSecret, bodyFormat, additionalFields]))
		.digest('hex');
}

/**
 * The access token to send, from what is stored in the credential.
 * Undefined if a new one is due: none is stored, it was issued to another client or secret (the credential was
 * edited since), or its lifetime is nearly over.
 */
export function usableToken(credentials: ICredentialDataDecryptedObject): string | undefined {
	const [issuedTo, token] = String(credentials.accessToken ?? '').split(' ');
	if (!token || issuedTo !== fingerprint(credentials)) return undefined;
	const login = logins.get(issuedTo);
	const isDue =
		login?.token === token && login.renewAt !== undefined && login.renewAt <= Date.now();
	return isDue ? undefined : token;
}

/**
 * Exchanges the client credentials for an access token at POST /oauth/token (§4.1, §5 of the query service's
 * document; request and response are not shown there, so OAuth 2.0 client credentials are the default).
 * Concurrent calls share one request. Returns what n8n stores in the credential's hidden `accessToken`.
 * Throws a UserError without `response`, because n8n would log in a second time on a 401.
 */
export async function logIn(
	http: IHttpRequestHelper,
	credentials: ICredentialDataDecryptedObject,
): Promise<string> {
	const client = fingerprint(credentials);
	const stored = `${client} `;
	const login = logins.get(client) ?? {};
	if (logins.size >= MAX_LOGINS) logins.clear();
	logins.set(client, login);

	if (login.refused && login.refused.until > Date.now()) throw login.refused.error;
	const fresh = login.renewAt === undefined || login.renewAt > Date.now();
	if (login.token && fresh && stored + login.token !== credentials.accessToken) {
		return stored + login.token; // another item has just renewed it
	}
	login.pending ??= requestToken(http, credentials, login).finally(() => {
		login.pending = undefined;
	});
	return stored + (await login.pending);
}

async function requestToken(
	http: IHttpRequestHelper,
	credentials: ICredentialDataDecryptedObject,
	login: Login,
): Promise<string> {
	const fields: IDataObject = {
		grant_type: 'client_credentials',
		client_id: credentials.clientId as string,
		client_secret: credentials.clientSecret as string,
		...additionalFields(credentials.additionalFields),
	};
	const isForm = credentials.bodyFormat === 'form';
	const request: IHttpRequestOptions = {
		method: 'POST',
		url: `${taxQueryBaseUrl(credentials.baseUrl)}/oauth/token`,
		headers: isForm ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {},
		body: fields, // n8n encodes it by the content type
		json: true,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		timeout: TIMEOUT_MS,
	};
	const fail = (message: string, description: string, ms: number): never => {
		const error = new UserError(`No access token: ${message}`, { description });
		login.refused = { until: Date.now() + ms, error };
		throw error;
	};
	const answer = await persist(async () => await http.helpers.httpRequest(request));
	if (!answer) {
		return fail(
			'the query service could not be reached at POST /oauth/token',
			'Check the base URL in the Tax Query credential, and the network.',
			FAILURE_MS,
		);
	}
	const body = parseBody(answer.body);
	const token = findToken(body);
	if (answer.statusCode >= 200 && answer.statusCode < 300 && token) {
		const seconds = lifetime(body, token);
		login.token = token;
		login.refused = undefined;
		login.renewAt =
			seconds === undefined
				? undefined
				: Date.now() + 1000 * (seconds - Math.min(30, seconds / 10));
		return token;
	}
	const { statusCode } = answer;
	const said = messageOfService(body, [String(credentials.clientSecret)]);
	const isPassing = statusCode === 429 || statusCode >= 500;
	return fail(
		token || statusCode >= 300
			? `the query service answered POST /oauth/token with status ${statusCode}`
			: 'the answer of POST /oauth/token holds none',
		isPassing
			? `Try again later.${said}`
			: `Check client ID, client secret and body format in the Tax Query credential.${said}`,
		isPassing ? FAILURE_MS : REFUSAL_MS,
	);
}

/** Tries until there is an answer that does not ask to come again; undefined if there was none at last. */
async function persist(
	send: () => Promise<IN8nHttpFullResponse>,
): Promise<IN8nHttpFullResponse | undefined> {
	const until = Date.now() + TIMEOUT_MS;
	for (let attempt = 1; ; attempt++) {
		const answer = await send().catch(() => undefined);
		const isToRepeat = !answer || answer.statusCode === 429 || answer.statusCode >= 500;
		if (!isToRepeat || attempt >= MAX_ATTEMPTS || Date.now() >= until) return answer;
		await sleep(FIRST_BACKOFF_MS * 2 ** (attempt - 1) * (0.75 + Math.random() / 2));
	}
}

/** Extra fields of the token request, entered as a JSON object. */
function additionalFields(value: unknown): IDataObject {
	if (value === undefined || value === '') return {};
	let fields: unknown = value;
	if (typeof value === 'string') fields = parseBody(value);
	if (typeof fields === 'object' && fields !== null && !Array.isArray(fields))
		return fields as IDataObject;
	throw new UserError('"Additional Fields" of the Tax Query credential must be a JSON object', {
		description: 'For example {"audience": "query"}, or {} for none.',
	});
}

function parseBody(body: unknown): unknown {
	if (typeof body !== 'string') return body;
	try {
		return JSON.parse(body);
	} catch {
		return body;
	}
}

/** The response is not shown (§4.1): the usual names are tried, on top or one level down. */
function findToken(body: unknown): string | undefined {
	if (typeof body !== 'object' || body === null) return undefined;
	const fields = body as IDataObject;
	const token = fields.access_token ?? fields.accessToken ?? fields.token ?? fields.jwt;
	return typeof token === 'string' && token !== '' ? token : findToken(fields.data);
}

/** Seconds that the token lives: by the answer, else by the JWT's own times; undefined if neither tells. */
function lifetime(body: unknown, token: string): number | undefined {
	const { expires_in, expiresIn } = body as IDataObject;
	const told = Number(expires_in ?? expiresIn);
	if (Number.isFinite(told) && told > 0) return told;
	const claims = parseBody(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
	if (typeof claims !== 'object' || claims === null) return undefined;
	const { exp, iat } = claims as IDataObject;
	return typeof exp === 'number' && typeof iat === 'number' && exp > iat ? exp - iat : undefined;
}
