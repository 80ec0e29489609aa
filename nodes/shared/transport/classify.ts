import type { IDataObject, UserError } from 'n8n-workflow';
import { CredentialError } from '../credentials/credentialError';
import { describeFault, isTlsFault, wasNeverSent } from '../http/faults';
import { sentences } from '../utils/sentences';
import { redact } from '../utils/redact';
import { messageOfService, namedQueryOf, queryIdAt } from '../utils/serviceMessage';
import { textOf } from '../utils/text';
import type { Problem } from './errors';
import type { Service } from './service';

/** What became of one request. */
export type Outcome =
	| { answer: Answer }
	/** The connection failed, by its code; '' if it has none. */
	| { fault: string }
	/** The answer was not read to its end: it is larger. */
	| { tooLarge: { maxBytes: number } }
	/** The credential cannot be used now; nothing was sent. */
	| { refusal: UserError };

interface Answer {
	status: number;
	headers: IDataObject;
	body: unknown;
}

/** What to do then. */
type Verdict =
	| { body: IDataObject | IDataObject[] }
	/** Send it again; the problem is to be told where that may not be. */
	| {
			again: 'after the reset' | 'after a pause' | 'with a new token' | 'with a login';
			problem: Problem;
	  }
	| { problem: Problem };

/** What the verdict depends on beside the outcome. */
interface Asked {
	service: Service;
	method: string;
	emptyAs?: IDataObject | [] | 'not found';
	/** Blotted out of what the service says. */
	secrets: string[];
}

type Telling = (service: Service, status: number) => { message: string; todo: string };

const refusedValues: Telling = ({ displayName }) => ({
	message: `The ${displayName} did not accept the values sent`,
	todo: 'Check the fields of this item.',
});

const REFUSED_TOKEN: Telling = ({ displayName, tokenHint }) => ({
	message: `The ${displayName} refused the token`,
	todo: tokenHint,
});

/** What a status means, and what the operator can do. */
const STATUSES: Record<number, Telling | undefined> = {
	400: refusedValues,
	402: ({ displayName }) => ({
		message: `The ${displayName} asks for payment`,
		todo: 'Check the balance of the account.',
	}),
	403: ({ displayName }) => ({
		message: `The ${displayName} does not allow this operation`,
		todo: 'Check the permissions of the token and what the account has contracted.',
	}),
	404: ({ displayName }) => ({
		message: `The ${displayName} found nothing for this ID`,
		todo: 'Check the ID in this item, and that the base URL of the credential is right.',
	}),
	422: refusedValues,
	429: ({ displayName }) => ({
		message: `The ${displayName} kept answering that too many requests arrive`,
		todo: 'Other programs may be using the same token. Try again later.',
	}),
};
/** Of what was sent; what to do about it is for the operation to say. */
const NOT_FOUND: Telling = ({ displayName }) => ({
	message: `The ${displayName} found nothing for what was sent`,
	todo: '',
});
const REDIRECT: Telling = ({ displayName }) => ({
	message: `The ${displayName} answered with a redirect, which is not followed`,
	todo: 'Check the base URL of the credential: scheme, host and path.',
});
const SERVER_ERROR: Telling = ({ displayName }, status) => ({
	message: `The ${displayName} failed with status ${status}`,
	todo: 'Try again later.',
});
const ANY_OTHER: Telling = ({ displayName }, status) => ({
	message: `The ${displayName} answered with status ${status}`,
	todo: 'Check the fields of this item.',
});

function tellingOf(status: number): Telling {
	if (status >= 500) return SERVER_ERROR;
	return STATUSES[status] ?? (status >= 300 && status < 400 ? REDIRECT : ANY_OTHER);
}

/** Decides what to do about an outcome. A GET may always be sent again, a POST only if it surely was not accepted. */
export function classify(outcome: Outcome, asked: Asked): Verdict {
	if ('refusal' in outcome) return ofRefusal(outcome.refusal);
	if ('fault' in outcome) return ofFault(outcome.fault, asked);
	if ('tooLarge' in outcome) return { problem: ofTooLarge(outcome.tooLarge.maxBytes, asked) };
	const { status, body } = outcome.answer;
	if (status >= 200 && status < 300) {
		const isNothing = asked.emptyAs === 'not found' && (status === 204 || body === null);
		if (!isNothing) return ofSuccess(outcome.answer, asked);
		return classify({ answer: { ...outcome.answer, status: 404 } }, asked);
	}

	const { location, 'www-authenticate': challenge } = outcome.answer.headers;
	const { secrets } = asked;
	const leads = status < 400 ? leadsTo(location, secrets) : '';
	const words = messageOfService(body, secrets);
	const isOfToken =
		status === 401 || (status === 403 && OF_TOKEN.test(`${words} ${textOf(challenge)}`));
	const telling = status === 404 && asked.method !== 'GET' ? NOT_FOUND : tellingOf(status);
	const { message, todo } = (isOfToken ? REFUSED_TOKEN : telling)(asked.service, status);
	const said = sentences(leads, words, namedQueryOf(body, secrets));
	const problem = { message, description: sentences(todo, said), httpCode: String(status) };
	if (status === 429) return { again: 'after the reset', problem };
	if (isOfToken && asked.service.tokens) return { again: 'with a new token', problem };
	if (status >= 500 && asked.method === 'GET') return { again: 'after a pause', problem };
	if (asked.method === 'GET' || !mayFollowAcceptance(status)) return { problem };
	return { problem: ambiguous({ ...problem, description: '' }, asked, said) };
}

/** What some services say with status 403 of a token that has ended. */
const OF_TOKEN =
	/^(?=.*(?:token|jwt))(?=.*(?:expir|inv[aá]lid|not valid|no es v[aá]lido|caduc|vencid|revo[ck]))/is;

/** Where a redirect leads, without what may be secret in it: often a slash is all that differs. */
const leadsTo = (location: unknown, secrets: string[]): string => {
	const [address] = textOf(location)
		.replace(/\/\/[^/]*@/, '//')
		.split(/[?#]/);
	return address && `It leads to ${redact(address, secrets).slice(0, 200)}`;
};

/**
 * Statuses that leave open whether a POST was done. A redirect leads to what was made, unless it says that the request
 * belongs elsewhere (301, 307, 308); 408 is what some gateways say when the service behind them takes too long.
 */
function mayFollowAcceptance(status: number): boolean {
	const isElsewhere = [301, 307, 308].includes(status);
	return status >= 500 || status === 408 || (status >= 300 && status < 400 && !isElsewhere);
}

function ofRefusal(error: UserError): Verdict {
	const problem = { message: error.message, description: error.description ?? '' };
	const mayPass = error instanceof CredentialError && error.isPassing;
	return mayPass ? { again: 'with a login', problem } : { problem };
}

function ofFault(code: string, asked: Asked): Verdict {
	const message = describeFault(asked.service.displayName, code);
	const where = 'Check the base URL of the credential, and the network of this n8n.';
	if (isTlsFault(code)) {
		const why = 'Its certificate was not accepted, or it does not speak https at this address.';
		return { problem: { message, description: sentences(why, where) } };
	}
	if (asked.method !== 'GET' && !wasNeverSent(code)) {
		return { problem: ambiguous({ message, description: '' }, asked) };
	}
	const description = sentences('Try again later', where);
	return { again: 'after a pause', problem: { message, description } };
}

function ofSuccess({ status, headers, body }: Answer, asked: Asked): Verdict {
	if (typeof body === 'object' && body !== null) return { body: body as IDataObject };
	const { emptyAs } = asked;
	const isEmpty = body === '' || body === undefined;
	const isFine = typeof emptyAs === 'object' && (status === 204 || !Array.isArray(emptyAs));
	if (isEmpty && isFine) return { body: emptyAs };
	// A body that claims to be JSON and is none was cut off; any other is some web page that comes again.
	const isText = typeof body === 'string';
	const isJson = isText && String(headers['content-type']).includes('json');
	if (isJson && (!isEmpty || asked.method === 'GET')) return ofFault('ECONNRESET', asked);
	const problem = {
		message: isEmpty
			? `The ${asked.service.displayName} gave an empty answer`
			: isText
				? `The ${asked.service.displayName} answered with something that is not JSON`
				: `The ${asked.service.displayName} answered with JSON that is neither an object nor a list`,
		description:
			'Check that the base URL of the credential points to the service itself, not to a web page or a proxy.',
		httpCode: String(status),
	};
	const id = isEmpty ? queryIdAt(headers.location) : undefined;
	const named = id === undefined ? '' : namedQueryOf({ queryId: id }, asked.secrets);
	return { problem: asked.method === 'GET' ? problem : ambiguous(problem, asked, named) };
}

function ofTooLarge(maxBytes: number, asked: Asked): Problem {
	const problem = {
		message: `The answer of the ${asked.service.displayName} is larger than ${Math.round(maxBytes / 1_048_576)} MB, which is as much as is read`,
		description: 'Ask for less: a shorter period, or fewer rows with what belongs to them.',
	};
	return asked.method === 'GET' ? { ...problem, httpCode: '413' } : ambiguous(problem, asked);
}

/** The problem of a POST that may have been accepted. */
const ambiguous = (problem: Problem, { service }: Asked, said = ''): Problem => ({
	...problem,
	description: sentences(problem.description, service.unsureHint, said),
	mayHaveBeenAccepted: true,
});
