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
/** What OpenSSL makes of plain text in place of a handshake; it may also be a connection that breaks later. */
const NOT_TLS = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/;

/**
 * The code of the network fault that an error of the host's helper is (ECONNREFUSED, ETIMEDOUT, …), '' if it has none.
 * A code of our own is no fault of the network. Hosts up to n8n 2.33 keep no cause, but the code in the place of the
 * HTTP status.
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

/** Whether a request that met this fault never reached the service. */
export const wasNeverSent = (code: string): boolean =>
	NEVER_SENT.includes(code) || NO_HANDSHAKE.test(code);

/** Whether no secure connection can be made, which stays so. */
export const isTlsFault = (code: string): boolean => NO_HANDSHAKE.test(code) || NOT_TLS.test(code);

/** What happened, as a sentence about the service of this name. */
export function describeFault(name: string, code: string): string {
	if (isTlsFault(code)) return `No safe TLS connection to the ${name} could be made`;
	const what = /TIMEDOUT|ECONNABORTED|TIMEOUT/.test(code)
		? 'did not answer in time'
		: UNREACHED[code];
	return what
		? `The ${name} ${what}`
		: `The connection to the ${name} broke before the response was complete`;
}
