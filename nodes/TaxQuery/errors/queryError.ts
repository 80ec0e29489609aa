import { UserError, type IDataObject } from 'n8n-workflow';
import { counted } from '../../shared/utils/counted';
import { joinSentences } from '../../shared/utils/joinSentences';
import {
	isNotFound,
	problemCode,
	toServiceMessageData,
	type ServiceMessage,
	type RequestProblem,
} from '../../shared/errors/requestProblem';
import { appendRequestIdToMessage } from '../../shared/errors/requestIds';
import { RequestError } from '../../shared/http/requestError';
import { renderRequestError } from '../../shared/errors/renderRequestError';
import { mappingHint, quoteServiceMessage } from '../../shared/errors/sentences';
import { taxQuery } from '../../shared/http/services';
import type { BillingSummary } from '../../shared/operations/operation';
import type { PaidQueryDefinition } from '../request/queryRequest';
import { moneyText } from '../spending/amounts';
import { pathKeysOfQueryType } from '../client/names';
import type {
	UncertaintyReason,
	ListCompleteness,
	QueryId,
	CollectedQueryList,
} from '../client/model';

export type ListPurpose = 'reuse' | 'limit' | 'retry';

export type RecoverySearchResult =
	| {
			found: QueryId[];
			possible: QueryId[];
			completeness: ListCompleteness;
			listed: number;
			total?: number;
	  }
	| { unlisted: QueryErrorText };

interface QueryErrorText {
	message: string;
	description: string;
}

/** `renderQueryError` writes the sentences. */
export type QueryProblem =
	/** Surely not accepted. */
	| {
			kind: 'refused';
			problem: RequestProblem;
			definition: PaidQueryDefinition;
			about: QuerySubject;
			mappingKeys?: string[];
	  }
	| {
			kind: 'unsure';
			definition: PaidQueryDefinition;
			reason: UncertaintyReason;
			/** The number of queries that the request is billed as. */
			count: number;
			/** The time of sending, in milliseconds by this machine's clock. */
			sentAt: number;
			search: RecoverySearchResult;
			problem?: RequestProblem;
			serviceMessage?: ServiceMessage;
	  }
	| { kind: 'limitOfExecution'; most: number }
	| { kind: 'limitOfDay'; most: number; made: number }
	/** Amounts are in ten-thousandths of the currency. */
	| { kind: 'budgetOfDay'; currency: string; most: number; spent: number }
	/** A limit by amount needs the price of these query types. */
	| { kind: 'unpriced'; labels: string[] }
	/** Today's queries cannot be counted. */
	| { kind: 'uncounted'; undated: number }
	| { kind: 'uncounted'; listed: number; total?: number; completeness: ListCompleteness }
	| { kind: 'unlisted'; purpose: ListPurpose; cause: unknown }
	/** The response is about somebody else, or of another query type. */
	| { kind: 'otherQuery'; name: string; id: QueryId; type?: string }
	| ({
			kind: 'failed';
			name: string;
			ids: QueryId[];
			status: string;
			/** Set if the status says that nobody was found. */
			notFound?: QuerySubject;
	  } & ServiceMessage)
	| { kind: 'cancelled' }
	/** Passes on another module's error with its code, data and status. */
	| { kind: 'passed'; cause: unknown };

/** An error of a billed query. Its text and data are rendered from its problem; no code reads the text. */
export class QueryError extends UserError {
	/** Stable, for programs and tests: "status.404", "unsure", "limitOfDay". */
	readonly code?: string;
	/** The single queries that the description mentions, as data. */
	readonly data: IDataObject;
	readonly mappingKeys: string[];
	readonly status?: number;

	/** `billed`: what was accepted for the item nevertheless. */
	constructor(
		readonly queryProblem: QueryProblem,
		readonly billed: QueryId[] = [],
	) {
		const text = { code: queryProblem.kind, ...renderQueryError(queryProblem) };
		const { message, description, code, status, data = {}, mappingKeys = [] } = text;
		const named = data.queryIds as QueryId[] | undefined;
		const others = billed.filter((id) => !named?.includes(id));
		super(message, { description: joinSentences(description, billedText(others)) });
		this.code = code;
		this.data = data;
		this.mappingKeys = mappingKeys;
		this.status = status;
	}

	/** The message may repeat personal data. */
	withoutServiceMessage(): QueryError {
		const { queryProblem, billed } = this;
		const silent = { ...queryProblem, ...NO_SERVICE_MESSAGE } as QueryProblem;
		if ('problem' in silent)
			silent.problem = silent.problem && { ...silent.problem, ...NO_SERVICE_MESSAGE };
		if ('cause' in silent) silent.cause = withoutServiceMessage(silent.cause);
		return new QueryError(silent, billed);
	}

	/** If no query could be sent either, it is the error itself. */
	static unlisted(error: unknown, purpose: ListPurpose): unknown {
		const kind = error instanceof RequestError ? error.problem.kind : undefined;
		const isOwn = error instanceof QueryError || kind === 'login' || kind === 'cancelled';
		return isOwn ? error : new QueryError({ kind: 'unlisted', purpose, cause: error });
	}
}

/** Programs read these names. */
const LIST_DATA: Record<ListCompleteness, string> = {
	complete: 'whole',
	truncated: 'cut',
	unknown: 'untold',
};

const NO_SERVICE_MESSAGE = {
	serviceMessage: undefined,
	isWithheld: undefined,
	location: undefined,
};
const withoutServiceMessage = (error: unknown) =>
	error instanceof RequestError ? error.withoutServiceMessage() : error;

export function extractTextOfAnyError(error: unknown): QueryErrorText {
	const { message, description } = error as Partial<UserError>;
	return { message: message ?? String(error), description: description ?? '' };
}

/** Names the keys of the API Mapping that may set it right, and the request. */
export function describeReadFailure(error: unknown): string {
	const { mappingKeys = [], data } = error as Partial<RequestError>;
	const what = extractTextOfAnyError(error).message;
	const text = mappingKeys.length > 0 ? joinSentences(what, mappingHint(mappingKeys)) : what;
	return appendRequestIdToMessage(text, data?.requestIds as string[] | undefined);
}

export const withBilledIds = (error: unknown, billed: QueryId[]): QueryError =>
	new QueryError(
		error instanceof QueryError ? error.queryProblem : { kind: 'passed', cause: error },
		billed,
	);

const billedText = (ids: QueryId[]): string =>
	ids.length === 0
		? ''
		: `Already billed: ${ids.join(', ')}. Query → Get reads that, and so does retrying this execution`;

/** Ends every error and receipt of a billed operation. */
export function billedCountText({ billed }: Pick<BillingSummary, 'billed'>, amount = ''): string {
	if (billed === 'unknown' || billed === 0) return `Billed: ${billed || 'nothing'}`;
	const count = `Billed: ${counted(billed, 'query', 'queries')}`;
	return amount === '' ? count : `${count}, ${amount}`;
}

export const mappingKeysAdvice = (keys: string[]): string =>
	`set ${keys.join(' or ')} in the credential's API Mapping`;

interface RenderedError extends QueryErrorText {
	/** Replaces the problem's kind. */
	code?: string;
	status?: number;
	data?: IDataObject;
	mappingKeys?: string[];
}

export function renderQueryError(queryProblem: QueryProblem): RenderedError {
	switch (queryProblem.kind) {
		case 'refused':
			return renderRejected(queryProblem);
		case 'unsure':
			return renderUncertain(queryProblem);
		case 'limitOfExecution':
			return {
				message: `This item would go beyond the ${counted(queryProblem.most, 'query', 'queries')} allowed per execution`,
				description:
					"Send fewer items, or raise 'Max Queries per Execution' under 'Spending Limits'.",
			};
		case 'limitOfDay':
			return {
				message: `This item would go beyond the ${counted(queryProblem.most, 'query', 'queries')} allowed per day: ${queryProblem.made} were made today, or planned`,
				description: "Go on tomorrow, or raise 'Max Queries per Day' under 'Spending Limits'.",
			};
		case 'budgetOfDay': {
			const { currency, most, spent } = queryProblem;
			return {
				message: `This item would go beyond the ${moneyText(currency, most)} allowed per day: ${moneyText(currency, spent)} are spent today, or planned`,
				description: "Go on tomorrow, or raise 'Max Amount per Day' under 'Spending Limits'.",
			};
		}
		case 'unpriced':
			return {
				message: `'Max Amount per Day' needs the price of each query of today, and has none for: ${queryProblem.labels.join(', ')}`,
				description:
					"Enter it in the credential, under 'Advanced', 'Prices'. Or limit the number instead: 'Max Queries per Day'.",
			};
		case 'uncounted':
			return {
				message: "Today's queries cannot be counted for the limit per day",
				...('undated' in queryProblem
					? {
							description: `${queryProblem.undated} of the queries listed show no creation date with a time zone (createdAt). Remove the limit, or ask your provider for the date.`,
						}
					: {
							description: incompleteQueryListSentences(queryProblem),
							data: { list: LIST_DATA[queryProblem.completeness] },
							mappingKeys: LIST_KEYS,
						}),
			};
		case 'unlisted': {
			const { message, description } = extractTextOfAnyError(queryProblem.cause);
			const { mappingKeys, data = {} } = (queryProblem.cause ?? {}) as Partial<RequestError>;
			return {
				message: `${UNLISTED}: ${message}`,
				description: joinSentences(PURPOSES[queryProblem.purpose], description),
				mappingKeys,
				data: data.requestIds === undefined ? {} : { requestIds: data.requestIds },
			};
		}
		case 'otherQuery': {
			const { name, id, type } = queryProblem;
			const what = type === undefined ? 'about somebody else' : `of another query type (${type})`;
			return {
				message: "The service answered with another query than this item's",
				description: joinSentences(
					`${name}, query ID ${id}, is ${what}, by its record. The node ignored it. Read it with Query → Get, and tell your provider`,
					'Your own query may have been accepted and billed',
					'A new query may be billed',
				),
				data: { queryIds: [id], type },
			};
		}
		case 'failed': {
			const { name, ids, status, notFound } = queryProblem;
			const data = { queryIds: ids, status, ...toServiceMessageData(queryProblem) };
			const named = [`${name}, query ID ${ids.join(', ')}`, quoteServiceMessage(queryProblem)];
			if (notFound) {
				return {
					code: 'notFound',
					message: NOBODY[notFound],
					description: joinSentences(...named, 'Compare it with an official document'),
					data: { ...data, outcome: 'notFound' },
				};
			}
			return {
				message: `The query ended without a result: its status is ${status}`,
				description: joinSentences(
					...named,
					'If the reason names the fields, correct them. Retrying this execution reads it again; a new execution sends another one, which is billed',
				),
				data: { ...data, outcome: 'failed' },
			};
		}
		case 'cancelled':
			return { message: 'The execution was cancelled', description: '' };
		case 'passed': {
			const { code, status, data, mappingKeys } = (queryProblem.cause ??
				{}) as Partial<RequestError>;
			return { ...extractTextOfAnyError(queryProblem.cause), code, status, data, mappingKeys };
		}
	}
}

const UNLISTED = 'The queries made could not be listed';

const PURPOSES: Record<ListPurpose, string> = {
	reuse: "Without the list no result can be reused. To send anyway, set 'Reuse Results' to Never",
	limit: "Try again later, or remove the limit per day under 'Spending Limits'",
	retry:
		'A retry first searches the list for what was sent. Retry later; a new execution sends all its queries',
};

function renderRejected({
	problem,
	definition,
	about,
	mappingKeys = [],
}: Extract<QueryProblem, { kind: 'refused' }>): RenderedError {
	const rendered = renderRequestError({ problem, accepted: 'no' }, taxQuery);
	const text = { code: problemCode(problem), data: toServiceMessageData(problem), mappingKeys };
	if (problem.kind !== 'status') return { ...rendered, ...text };
	const { status } = problem;
	if (problem.isTokenRefused) return { ...rendered, ...text, status };
	const isMissing = isNotFound(problem);
	const mayLackProfile =
		definition.needsProfile === true && PROFILE.includes(status) && !problem.isFromGateway;
	return {
		...text,
		status,
		message: isMissing ? NOBODY[about] : rendered.message,
		description: joinSentences(
			isMissing ? 'Compare it with an official document' : '',
			mayLackProfile
				? 'Run Tax Authority → Create Tax Profile for this RFC first, with its CIEC, if it has none yet'
				: '',
			isMissing || mayLackProfile ? quoteServiceMessage(problem) : rendered.description,
			mappingKeys.length > 0
				? `If every item fails so, ${isMissing ? 'a gateway answered instead of the service, or ' : ''}your environment uses other names: ${mappingKeysAdvice(mappingKeys)}`
				: '',
		),
		data: {
			...text.data,
			...(mayLackProfile && { mayLackProfile }),
			...(isMissing && { outcome: 'notFound' }),
		},
	};
}

const NOBODY = {
	rfc: 'No taxpayer was found for this RFC',
	curp: 'No person was found for this CURP',
	name: 'No taxpayer was found for this name and birth date',
};

/** What a query asks about. */
export type QuerySubject = keyof typeof NOBODY;

/** Returns what a request asks about. */
export const subjectOf = (fields: IDataObject): QuerySubject =>
	(['curp', 'rfc'] as const).find((name) => name in fields) ?? 'name';

/** A service may report a missing tax profile with these statuses. */
const PROFILE = [400, 403, 404, 409, 412, 422];

/** The clocks of n8n and the service may differ by this. */
const CLOCKS_MS = 60_000;

const UNCERTAINTY_TEXTS: Record<UncertaintyReason, string> = {
	noAnswer: 'there was no response',
	status: 'the service reported an error',
	unreadable: 'its response says nothing of it',
	noId: 'its response has no query ID',
	earlierTry: 'an earlier try sent it and got no response',
};

function renderUncertain(queryProblem: Extract<QueryProblem, { kind: 'unsure' }>): RenderedError {
	const { definition, reason: why, count, problem, search } = queryProblem;
	const { name, queryType } = definition;
	const { operation } = queryType;
	const what = problem
		? renderRequestError({ problem, accepted: 'no' }, taxQuery).message
		: UNCERTAINTY_TEXTS[why];
	const sentAfter = sentAfterOf(queryProblem);
	const rendered = problem ?? queryProblem.serviceMessage ?? {};
	const isListed = !('unlisted' in search);
	return {
		message: `The query may have been accepted and billed: ${what}`,
		description: joinSentences(
			`It was sent after ${sentAfter}`,
			isListed ? renderSearch(search, count) : `${UNLISTED}: ${search.unlisted.message}`,
			quoteServiceMessage(rendered),
			`Before you send it again, look for "${name}" with Query → Get Many (enter that time as 'Created After'). Retrying this execution looks for it and sends nothing`,
			isListed && search.possible.length > 0
				? `If the list has it, its record uses other names: ${mappingKeysAdvice([`services.${operation}`, `fields.${operation}`])}`
				: '',
			why === 'noId'
				? `If every item ends so, compare ${pathKeysOfQueryType(queryType).join(' and ')} of the API Mapping with your contract`
				: '',
		),
		data: {
			...toServiceMessageData(rendered),
			sentAfter,
			...(isListed
				? { list: LIST_DATA[search.completeness], found: search.found, possible: search.possible }
				: { list: 'unread' }),
		},
	};
}

const sentAfterOf = ({ sentAt }: { sentAt: number }): string =>
	new Date(sentAt - CLOCKS_MS).toISOString().replace(/\.\d+/, '');

const MAX_IDS_IN_ERROR = 10;

function renderSearch(
	search: Exclude<RecoverySearchResult, { unlisted: QueryErrorText }>,
	count: number,
): string {
	const { found, possible, completeness } = search;
	const more = possible.length > MAX_IDS_IN_ERROR ? ' …' : '';
	return joinSentences(
		found.length > 0 ? `Of its ${count} queries these were found: ${found.join(', ')}` : '',
		possible.length > 0
			? `These in the list may be it, though their query type, fields or date differ: ${possible.slice(0, MAX_IDS_IN_ERROR).join(', ')}${more}`
			: '',
		found.length + possible.length === 0 && completeness === 'complete'
			? 'It was looked for among the queries made and not found'
			: '',
		incompleteQueryListSentences(search),
	);
}

/** With these keys the node reads a list to its end. */
const LIST_KEYS = ['list.limit', 'list.offset', 'list.page'];

/** Is undefined if nothing is missing. */
export function incompleteQueryListText(
	list: Pick<CollectedQueryList, 'completeness' | 'total'> & { listed: number },
): QueryErrorText | undefined {
	const { completeness, listed, total } = list;
	if (completeness === 'complete') return undefined;
	const cut =
		total === undefined
			? `The list of queries was not read to its end: it has more than ${listed}`
			: `The service reports ${total} queries but lists only ${listed} of them`;
	const proposal =
		"Connection → Diagnose proposes what to set: list.limit, list.offset or list.page, in the credential's API Mapping";
	if (completeness === 'truncated') return { message: cut, description: proposal };
	return {
		message: `These ${listed} queries may not be all: the service does not say whether there are more`,
		description: `${proposal}. If these are always all, set list.paging to "none" there`,
	};
}

/** Says why others do not come out, where the service reports the number of its queries. */
export function outputRowsOfTotalHint(
	given: number,
	total: number,
	others?: 'limit' | 'filters',
): string {
	if (given > total) return `${given} queries returned; the service reports ${total}.`;
	return joinSentences(
		`${given} of ${total} queries returned`,
		others === 'limit' && given < total ? "Switch on 'Return All', or raise 'Limit', for more" : '',
		others === 'filters' ? 'The filters of this node left out the others' : '',
	);
}

export function incompleteQueryListSentences(
	list: Parameters<typeof incompleteQueryListText>[0],
): string {
	const rendered = incompleteQueryListText(list);
	return rendered ? joinSentences(rendered.message, rendered.description) : '';
}
