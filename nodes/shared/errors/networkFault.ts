import { UserError } from 'n8n-workflow';

const NOT_REACHABLE = 'is not reachable from here';
const UNREACHED: Record<string, string> = {
	ECONNREFUSED: 'refused the connection',
	ENOTFOUND: 'was not found: its host name is unknown',
	EAI_AGAIN: 'was not found: its host name could not be resolved',
	EHOSTUNREACH: NOT_REACHABLE,
	ENETUNREACH: NOT_REACHABLE,
};
/** The route to a host can also be lost after a request was sent to it. */
const NEVER_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];
/** The handshake failed: no byte of the request was sent. */
const NO_HANDSHAKE = /CERT|ERR_TLS|EPROTO|SELF_SIGNED|UNABLE_TO_/;
/**
 * Matches OpenSSL's errors for plain text instead of a handshake; a connection that breaks later may cause them, too.
 */
const NOT_TLS = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/;

export interface NetworkFault {
	/** ECONNREFUSED, ETIMEDOUT, …; '' if the error has none. */
	code: string;
	/** No connection was ever open, so that nothing was sent. */
	isUnsent?: true;
}

/** What does not prove that nothing was sent leaves it open. */
export function toNetworkFault(error: unknown): NetworkFault {
	const code = faultCode(error);
	return wasNeverSent(code) || causesOf(error).some(isOfConnecting)
		? { code, isUnsent: true }
		: { code };
}

function causesOf(error: unknown): Error[] {
	const causes: Error[] = [];
	for (let cause = error; cause instanceof Error && !causes.includes(cause); cause = cause.cause) {
		causes.push(cause);
	}
	return causes;
}

/** A host with several addresses fails with one error for each. */
function isOfConnecting(error: Error): boolean {
	const { syscall, errors } = error as Failed;
	if (Array.isArray(errors) && errors.length > 0) {
		return errors.every((one) => CONNECTING.includes((one as Failed).syscall ?? ''));
	}
	return CONNECTING.includes(syscall ?? '');
}

interface Failed extends Error {
	syscall?: string;
	errors?: unknown;
}

const CONNECTING = ['connect', 'getaddrinfo'];

/**
 * Is ECONNREFUSED, ETIMEDOUT, …, or '' if there is none. A code of this package is no fault of the network. Hosts
 * up to n8n 2.33 keep no cause, but the code in the place of the HTTP status.
 */
export function faultCode(error: unknown): string {
	for (let cause = error; cause instanceof Error; cause = cause.cause) {
		if (cause instanceof UserError) return '';
		const { code } = cause as Error & { code?: unknown };
		if (typeof code === 'string') return code;
	}
	const { httpCode } = (error ?? {}) as { httpCode?: unknown };
	return typeof httpCode === 'string' && !/^\d{3}$/.test(httpCode) ? httpCode : '';
}

export const wasNeverSent = (code: string): boolean =>
	NEVER_SENT.includes(code) || NO_HANDSHAKE.test(code);

/** Such a fault is permanent. */
export const isTlsFault = (code: string): boolean => NO_HANDSHAKE.test(code) || NOT_TLS.test(code);

export function describeFault(name: string, { code, isUnsent }: NetworkFault): string {
	if (isTlsFault(code)) return `No safe TLS connection to the ${name} could be made`;
	const isLate = /TIMEDOUT|ECONNABORTED|TIMEOUT/.test(code);
	const what = isLate && !isUnsent ? 'did not answer in time' : UNREACHED[code];
	if (isUnsent && !what) return `The ${name} was not reached: no connection could be opened`;
	return what
		? `The ${name} ${what}`
		: `The connection to the ${name} broke before the response was complete`;
}
