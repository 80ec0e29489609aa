import type { IDataObject } from 'n8n-workflow';
import type { NetworkFault } from '../errors/networkFault';
import type {
	JsonResponseBody,
	TokenRequestProblem,
	RequestProblem,
	StatusProblem,
} from '../errors/requestProblem';
import { extractRequestIds } from '../errors/requestIds';
import { isMarkup, extractRefusalMessage } from '../errors/serviceMessage';
import { isObject } from '../utils/json';
import { holdsSecret } from '../utils/secretDetector';
import { textOf } from '../utils/primitiveText';

export type ResponseOrExchangeFailure =
	| { response: HttpResponse }
	| { fault: NetworkFault }
	/** The response was not read to its end: it is larger. */
	| { tooLarge: { maxBytes: number; status: number } }
	/** No access token came. */
	| { login: TokenRequestProblem };

export interface HttpResponse {
	status: number;
	headers: IDataObject;
	/** A JSON value, or the text if it is none. */
	body: unknown;
}

interface ReadingRules {
	emptyAs?: IDataObject | [] | 'not found';
	/** A message of the service that repeats one of these is withheld. */
	secrets: string[];
}

export function toBodyOrProblem(
	outcome: ResponseOrExchangeFailure,
	reading: ReadingRules,
): { body: JsonResponseBody } | RequestProblem {
	if ('login' in outcome) return outcome.login;
	if ('fault' in outcome) return { kind: 'network', ...outcome.fault };
	if ('tooLarge' in outcome) return { kind: 'body', reason: 'tooLarge', ...outcome.tooLarge };
	const { status, headers } = outcome.response;
	const read =
		status >= 200 && status < 300
			? ofSuccess(outcome.response, reading)
			: ofStatus(outcome.response, reading.secrets);
	return 'body' in read ? read : { ...read, ...extractRequestIds(headers, reading.secrets) };
}

function ofSuccess(
	{ status, body }: HttpResponse,
	{ emptyAs }: ReadingRules,
): { body: JsonResponseBody } | RequestProblem {
	if (emptyAs === 'not found' && (status === 204 || body === null)) {
		return { kind: 'status', status: 404 };
	}
	if (Array.isArray(emptyAs) && body === null) return { body: emptyAs };
	if (typeof body === 'object' && body !== null) return { body: body as JsonResponseBody };
	const isEmpty = body === '' || body === undefined;
	const mayBeEmpty = typeof emptyAs === 'object' && (status === 204 || !Array.isArray(emptyAs));
	if (isEmpty && mayBeEmpty) return { body: emptyAs };
	if (isEmpty) return { kind: 'body', reason: 'empty', status };
	if (typeof body !== 'string') return { kind: 'body', reason: 'scalar', status };
	const reason = /^\s*[[{]/.test(body) ? 'truncated' : 'notJson';
	return { kind: 'body', reason, status, ...(isMarkup(body) && { isPage: true }) };
}

function ofStatus({ status, headers, body }: HttpResponse, secrets: string[]): StatusProblem {
	const location = status < 400 ? addressOf(headers.location, secrets) : '';
	const message = extractRefusalMessage(body, secrets);
	const isRefused = isTokenRefused(status, headers, body);
	const isForeign = !isObject(body) || ROUTE.test(message.serviceMessage ?? '');
	return {
		kind: 'status',
		status,
		...message,
		...(location !== '' && { location }),
		...(isForeign && !isRefused && isOfContent(status) && { isFromGateway: true }),
		...(isRefused && { isTokenRefused: true }),
	};
}

/** Gateways and frameworks that know no such route say so in JSON, too: Kong, Express, Nest, Fastify. */
const ROUTE = /\bno route\b|\broute \S+ not found\b|\bcannot (?:get|post) \//i;

/** Statuses of which it matters who sent them; the others say nothing of what was asked. */
const isOfContent = (status: number): boolean =>
	status >= 400 && status < 500 && ![402, 407, 408, 413, 425, 429].includes(status);

/** RFC 6750 §3.1: besides 401, an error `invalid_token`, in the challenge or in the body. */
function isTokenRefused(status: number, headers: IDataObject, body: unknown): boolean {
	if (status === 401) return true;
	const challenge = textOf([headers['www-authenticate']].flat()[0]);
	const isInChallenge = /\berror="?invalid_token\b/.test(challenge);
	return (
		(status === 400 || status === 403) && (isInChallenge || oauthErrorOf(body) === 'invalid_token')
	);
}

const oauthErrorOf = (body: unknown) => (isObject(body) ? body.error : undefined);

/** Without what may be secret in the address: often a slash is all that differs. */
function addressOf(location: unknown, secrets: string[]): string {
	const [address] = textOf(location)
		.replace(/\/\/[^/]*@/, '//')
		.split(/[?#]/);
	return holdsSecret(address, secrets) ? '' : address.slice(0, 200);
}
