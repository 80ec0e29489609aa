import type { ICredentialDataDecryptedObject, IHttpRequestHelper } from 'n8n-workflow';
import type { TokenRequestProblem } from '../errors/requestProblem';
import { backoffMs } from '../utils/backoff';
import { getClientState } from '../processState';
import { BoundedMap } from '../utils/boundedMap';
import { hash } from '../utils/hash';
import { isObject, parseJson } from '../utils/json';
import { bareToken, refuseUnusableFields } from './placeholders';
import { LoginError } from './loginError';
import { fetchAccessToken, tokenRequestSecrets } from './fetchAccessToken';

/** A refused login is not tried again for this long, so that a long list of items cannot lock the client out. */
const LOGIN_REFUSAL_MS = 30_000;
/** Items wait this long for a login that fails for a transient reason. */
const OUTAGE_MS = 45_000;
/** The longest pause between two attempts of such a login. */
const MAX_LOGIN_PAUSE_MS = 4_000;

/**
 * The data that n8n stores in the credential's hidden `accessToken`, as JSON. Times are by the clock of the n8n that
 * logged in.
 */
interface StoredToken {
	/** Ties the token to the base URL and client that it was issued to, without revealing the secret. */
	client: string;
	token: string;
	issuedAt: number;
	renewAt?: number;
	refreshToken?: string;
}

/** This process's state of one client of the query service: concurrent items share one login. */
interface Login {
	current?: StoredToken;
	/** Tokens in a row that the service refused without having taken them once. */
	neverTaken: number;
	/** The service has taken some token of this process, so that another new one may be taken, too. */
	hasTaken?: boolean;
	/** The service has taken the newest token at least once. */
	isAccepted?: boolean;
	/** The service refused the refresh token that came with the token before. */
	isRefreshRefused?: boolean;
	pending?: Promise<StoredToken>;
	failures: number;
	failingSince: number;
	/** The last failure, thrown again until this time of the monotonic clock. */
	failed?: { until: number; error: LoginError };
	/** Tokens that the service has refused. */
	refused: BoundedMap<string, true>;
}

/** Identifies a token: two logins within a second may bring the same text. */
const tokenIdOf = ({ client: clientKey, issuedAt, token }: StoredToken) =>
	`${clientKey} ${issuedAt} ${token}`;
const isSame = (a: StoredToken | undefined, b: StoredToken | undefined) =>
	a !== undefined && b !== undefined && tokenIdOf(a) === tokenIdOf(b);

const newLogin = (): Login => ({
	neverTaken: 0,
	failures: 0,
	failingSince: 0,
	refused: new BoundedMap(100),
});

const loginOf = (clientKey: string): Login => getClientState(clientKey).shared(newLogin);

function loginFingerprint(credentials: ICredentialDataDecryptedObject): string {
	const { baseUrl, clientId, clientSecret, apiMapping, additionalSecretFields } = credentials;
	return hash(
		JSON.stringify([baseUrl, clientId, clientSecret, apiMapping, additionalSecretFields]),
	);
}

function readStored(credentials: ICredentialDataDecryptedObject): StoredToken | undefined {
	const stored = parseJson(credentials.accessToken);
	const isOurs = isObject(stored) && stored.client === loginFingerprint(credentials);
	return isOurs ? (stored as unknown as StoredToken) : undefined;
}

const isGood = (stored: StoredToken): boolean =>
	(stored.renewAt ?? Infinity) > Date.now() &&
	!loginOf(stored.client).refused.has(tokenIdOf(stored));

const isPasted = ({ grant }: ICredentialDataDecryptedObject): boolean => grant === 'accessToken';

/**
 * Is undefined if a new token is due: none is stored, it belongs to another client or secret, it nearly ends, or
 * the service has refused it.
 */
export function findUsableToken(credentials: ICredentialDataDecryptedObject): string | undefined {
	if (isPasted(credentials)) return bareToken(credentials.pastedToken);
	const stored = readStored(credentials);
	return stored && isGood(stored) ? stored.token : undefined;
}

/** Tokens issued so far are among them. */
export function authSecrets(credentials: ICredentialDataDecryptedObject): string[] {
	const { pastedToken, pseudonymKey } = credentials;
	const issued = [readStored(credentials), loginOf(loginFingerprint(credentials)).current];
	return [
		...tokenRequestSecrets(credentials),
		bareToken(pastedToken),
		pseudonymKey,
		...issued.flatMap((stored) => [stored?.token, stored?.refreshToken]),
	].filter((secret): secret is string => typeof secret === 'string' && secret !== '');
}

/** It failed in this process, so that it logged in anew. */
export const wasRefreshTokenRefused = (credentials: ICredentialDataDecryptedObject): boolean =>
	loginOf(loginFingerprint(credentials)).isRefreshRefused === true;

export function noteTokenAccepted(credentials: ICredentialDataDecryptedObject): void {
	if (isPasted(credentials)) return;
	const login = loginOf(loginFingerprint(credentials));
	if (isSame(login.current, readStored(credentials))) {
		Object.assign(login, { isAccepted: true, hasTaken: true, neverTaken: 0 });
	}
}

/**
 * Returns true if a new token is worth a try. Unless the service has ever taken one, that ends after two logins
 * whose tokens were never accepted. Otherwise each item would log in again.
 */
export function noteTokenRefused(credentials: ICredentialDataDecryptedObject): boolean {
	const stored = readStored(credentials);
	if (isPasted(credentials) || !stored) return false;
	const login = loginOf(stored.client);
	if (isSame(login.current, stored) && !login.isAccepted && !login.refused.has(tokenIdOf(stored))) {
		if (login.neverTaken > 0 && !login.hasTaken) return false;
		login.neverTaken++;
	}
	login.refused.set(tokenIdOf(stored), true);
	return true;
}

/** A service takes a token for longer than this. */
const FRESH_TOKEN_MS = 60_000;

/**
 * Has the next request log in, unless the token is new: then a 401 is about what the request says. Returns false for a
 * pasted token.
 */
export function renewOldToken(credentials: ICredentialDataDecryptedObject): boolean {
	if (isPasted(credentials)) return false;
	const login = loginOf(loginFingerprint(credentials));
	for (const stored of [readStored(credentials), login.current])
		if (stored && Date.now() - stored.issuedAt >= FRESH_TOKEN_MS)
			login.refused.set(tokenIdOf(stored), true);
	return true;
}

/**
 * Logs in once for all concurrent callers, by the refresh token if the last login brought one. Returns the value that
 * n8n stores in the credential's hidden `accessToken`. Throws a LoginError, which is repeated until the next attempt
 * is due. It is transient while an outage may still pass. A credential test always sends a new request.
 */
export async function renewStoredAccessToken(
	http: IHttpRequestHelper,
	credentials: ICredentialDataDecryptedObject,
	isTest = false,
): Promise<string> {
	refuseUnusableFields(credentials);
	const clientKey = loginFingerprint(credentials);
	const login = loginOf(clientKey);
	const { current, failed } = login;
	const stored = readStored(credentials);
	const isNewer =
		current &&
		!isSame(current, stored) &&
		current.issuedAt >= (stored?.issuedAt ?? 0) && // else another process has replaced it
		isGood(current);
	if (isNewer && !isTest) return JSON.stringify(current); // another item has just logged in
	if (failed && failed.until > performance.now() && !isTest) throw failed.error;
	login.pending ??= renew(http, credentials, clientKey, login).finally(() => {
		login.pending = undefined;
	});
	return JSON.stringify(await login.pending);
}

async function renew(
	http: IHttpRequestHelper,
	credentials: ICredentialDataDecryptedObject,
	clientKey: string,
	login: Login,
): Promise<StoredToken> {
	const refreshToken = readStored(credentials)?.refreshToken ?? login.current?.refreshToken;
	const { token, lifetimeMs, ...rest } = await fetchAccessToken(http, credentials, refreshToken)
		// a refresh token may have ended; the client itself may still log in
		.catch(async (error: unknown) => {
			const isRefused = error instanceof LoginError && !error.problem.isPassing;
			if (refreshToken === undefined || !isRefused) throw error as Error;
			login.isRefreshRefused = true;
			return await fetchAccessToken(http, credentials);
		})
		.catch((error: unknown) => {
			if (!(error instanceof LoginError)) throw error as Error;
			throw remember(login, error.problem);
		});
	const issuedAt = Date.now();
	const margin = Math.min(30_000, (lifetimeMs ?? 0) / 10);
	const renewAt = lifetimeMs === undefined ? undefined : issuedAt + lifetimeMs - margin;
	const stored = { client: clientKey, token, issuedAt, renewAt, ...rest };
	Object.assign(login, { current: stored, isAccepted: false, failed: undefined, failures: 0 });
	return stored;
}

/** The error is transient only while the outage is young. */
function remember(login: Login, problem: TokenRequestProblem): LoginError {
	const now = performance.now();
	const isNewOutage = !login.failed || now > login.failed.until + OUTAGE_MS;
	login.failures = isNewOutage ? 1 : login.failures + 1;
	if (isNewOutage) login.failingSince = now;
	const mayPass = problem.isPassing && now - login.failingSince < OUTAGE_MS;
	const error = new LoginError({ ...problem, isPassing: mayPass });
	const pause = problem.isPassing
		? backoffMs(login.failures, MAX_LOGIN_PAUSE_MS)
		: LOGIN_REFUSAL_MS;
	login.failed = { until: now + pause, error };
	return error;
}

/** Up to n8n 2.33 the error of a login does not reach the request that needed it, so the login stores its own. */
export const lastLoginError = (
	credentials: ICredentialDataDecryptedObject,
): LoginError | undefined => loginOf(loginFingerprint(credentials)).failed?.error;
