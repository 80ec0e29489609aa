import { NodeApiError, UserError, type IDataObject, type INode } from 'n8n-workflow';
import type { Service } from './service';

/** What an operator reads: what happened, and what to do about it. */
export interface Problem {
	message: string;
	description: string;
	httpCode?: string;
	/** A POST whose fate is unknown: the service may have accepted (and billed) it. */
	mayHaveBeenAccepted?: boolean;
}

const MAX_SAID = 300;

/**
 * The service's own words for an error, ready to be appended to a description, or ''. The error body is not
 * shown in either document (§7): the usual names are tried. `secrets` are blotted out.
 */
export function messageOfService(body: unknown, secrets: string[]): string {
	const said = findMessage(body);
	if (said === undefined) return '';
	const text = redact(said, secrets).replace(/\s+/g, ' ').trim();
	return ` The service says: "${text.length > MAX_SAID ? `${text.slice(0, MAX_SAID)}…` : text}"`;
}

function findMessage(body: unknown): string | undefined {
	if (typeof body !== 'object' || body === null) return undefined;
	const fields = body as IDataObject;
	for (const name of ['message', 'error_description', 'description', 'detail', 'title', 'error']) {
		const value = fields[name];
		if (typeof value === 'string' && value !== '') return value;
		if (Array.isArray(value) && value.every((entry) => typeof entry === 'string')) {
			return value.join('; ');
		}
	}
	return findMessage(fields.error) ?? findMessage(fields.data);
}

/** The forms in which an answer may echo a secret: as it is, in JSON, in a URL, a key without its line breaks. */
function formsOf(secret: string): string[] {
	const lines = secret.split(/\s*\n\s*/);
	return [
		secret,
		JSON.stringify(secret).slice(1, -1),
		encodeURIComponent(secret),
		lines.join(' '),
		...lines.filter(({ length }) => length >= 16),
	];
}

/** The text with every secret in it replaced by ***. */
export function redact(text: string, secrets: string[]): string {
	return secrets
		.flatMap(formsOf)
		.filter((secret) => secret.length > 0)
		.sort((a, b) => b.length - a.length)
		.reduce((blotted, secret) => blotted.split(secret).join('***'), text);
}

/** The problem that an answer with this status is; `said` is what `messageOfService` gave. */
export function problemOfStatus(
	service: Service,
	method: string,
	status: number,
	said: string,
): Problem {
	const problem = (message: string, todo: string): Problem => ({
		message,
		description: todo + said,
		httpCode: String(status),
	});
	const name = service.displayName;
	if (status === 400 || status === 422) {
		return problem(`The ${name} did not accept the values sent`, 'Check the fields of this item.');
	}
	if (status === 401) {
		return problem(`The ${name} refused the token`, service.tokenHint);
	}
	if (status === 402) {
		return problem(`The ${name} asks for payment`, 'Check the balance of the account.');
	}
	if (status === 403) {
		return problem(
			`The ${name} does not allow this operation`,
			'Check the permissions of the token and what the account has contracted.',
		);
	}
	if (status === 404) {
		return problem(
			`The ${name} does not know what was asked for`,
			'Check the ID in this item, and that the base URL of the credential is right.',
		);
	}
	if (status === 429) {
		return problem(
			`The ${name} kept answering that too many requests arrive`,
			'Other programs may be using the same token. Try again later.',
		);
	}
	if (status >= 300 && status < 400) {
		return problem(
			`The ${name} answered with a redirect, which is not followed`,
			'Check the base URL of the credential: scheme, host and path.',
		);
	}
	if (status >= 500 && method !== 'GET') {
		return {
			...problem(`The ${name} failed with status ${status}`, service.unsureHint),
			mayHaveBeenAccepted: true,
		};
	}
	if (status >= 500) {
		return problem(`The ${name} failed with status ${status}`, 'Try again later.');
	}
	return problem(`The ${name} answered with status ${status}`, 'Check the fields of this item.');
}

/** The problem that an answer is which is no JSON: a proxy's page, a truncated body. */
export function problemOfBody(service: Service, method: string, status: number): Problem {
	const problem = {
		message: `The ${service.displayName} answered with something that is not JSON`,
		description:
			'Check that the base URL of the credential points to the service itself, not to a web page or a proxy.',
		httpCode: String(status),
	};
	if (method === 'GET') return problem;
	return {
		...problem,
		description: `${problem.description} ${service.unsureHint}`,
		mayHaveBeenAccepted: true,
	};
}

const UNREACHED: Record<string, string> = {
	ECONNREFUSED: 'refused the connection',
	ENOTFOUND: 'was not found: its host name is unknown',
	EAI_AGAIN: 'was not found: its host name could not be resolved',
	EHOSTUNREACH: 'is not reachable from here',
	ENETUNREACH: 'is not reachable from here',
};
/** The route to a host can also be lost after a request was sent to it. */
const NEVER_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];

/**
 * Whether a request may be sent again after a network fault of this code: a GET always, a POST only if it never
 * reached the service. A certificate that was refused stays refused.
 */
export function mayRepeatAfter(code: string, method: string): boolean {
	return !isTlsFault(code) && (method === 'GET' || NEVER_SENT.includes(code));
}

function isTlsFault(code: string): boolean {
	return /CERT|TLS|SSL|EPROTO|SELF_SIGNED|UNABLE_TO_/.test(code);
}

/** The problem that a network fault is, by its code (ECONNREFUSED, ETIMEDOUT, …; '' if it has none). */
export function problemOfFault(service: Service, method: string, code: string): Problem {
	const name = service.displayName;
	const where = 'Check the base URL of the credential, and the network of this n8n.';
	if (isTlsFault(code)) {
		return {
			message: `No safe TLS connection to the ${name} could be made`,
			description: `Its certificate was not accepted, or it does not speak https at this address. ${where}`,
		};
	}
	const isTimeout = /TIMEDOUT|ECONNABORTED|TIMEOUT/.test(code);
	const what = isTimeout ? 'did not answer in time' : UNREACHED[code];
	const message = what
		? `The ${name} ${what}`
		: `The connection to the ${name} broke before the answer was complete`;
	return method === 'GET' || NEVER_SENT.includes(code)
		? { message, description: `Try again later. ${where}` }
		: { message, description: service.unsureHint, mayHaveBeenAccepted: true };
}

/** The node as an error may carry it into the execution data: a login typed into a parameter stays out of it. */
export const withoutParameters = (node: INode): INode => ({ ...node, parameters: {} });

/**
 * The error to throw for a problem. It is built from nothing but the problem, so that no header, token or body
 * of the request reaches the execution data.
 */
export function toNodeError(node: INode, problem: Problem, itemIndex?: number): NodeApiError {
	const { message, description, httpCode, mayHaveBeenAccepted } = problem;
	const error = new NodeApiError(
		withoutParameters(node),
		{ message },
		{ message, description, itemIndex, ...(httpCode && { httpCode }) },
	);
	error.message = message; // NodeApiError replaces some messages by its own
	error.messages = [];
	if (mayHaveBeenAccepted) error.context.mayHaveBeenAccepted = true;
	return error;
}

/** The message of a UserError among an error and its causes: a problem that our own code has already told. */
export function ownProblem(error: unknown): Problem | undefined {
	for (let cause = error; cause instanceof Error; cause = cause.cause) {
		if (cause instanceof UserError) {
			return { message: cause.message, description: cause.description ?? '' };
		}
	}
	return undefined;
}

/** Whether an error of a request says that the service has nothing there. */
export const isNotFound = (error: unknown): boolean =>
	error instanceof NodeApiError && error.httpCode === '404';
