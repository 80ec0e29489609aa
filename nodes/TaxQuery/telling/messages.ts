import { DateTime } from 'luxon';
import { UserError, type IDataObject } from 'n8n-workflow';
import { sentences } from '../../shared/utils/sentences';
import { codeOf, dataOf, type Said } from '../../shared/http/problem';
import type { Problem } from '../../shared/transport/result';
import { RequestError } from '../../shared/transport/result';
import { render } from '../../shared/messages/request';
import { said } from '../../shared/messages/words';
import { taxQuery } from '../../shared/transport/service';
import type { Cost } from '../../shared/operations/operation';
import type { PaidQuery } from '../question/question';
import { keysOfPath } from '../service/names';
import type { Doubt, Extent, Id, Listing } from '../service/types';

/** For what the list of queries was needed. */
export type ListPurpose = 'reuse' | 'limit' | 'retry';

/** What a lost query was looked for in, and what was there. */
export type Search =
	| { found: Id[]; untold: Id[]; extent: Extent; listed: number; total?: number }
	/** The list could not be read. */
	| { unlisted: Words };

interface Words {
	message: string;
	description: string;
}

/** What can be wrong with a query that costs money: data; the sentences are below. */
export type Trouble =
	/** Surely not accepted. */
	| {
			kind: 'refused';
			problem: Problem;
			definition: PaidQuery;
			about?: 'rfc' | 'curp';
			/** Of the API Mapping: what may set it right. */
			mappingKeys?: string[];
	  }
	/** Nobody knows whether it was accepted. */
	| {
			kind: 'unsure';
			definition: PaidQuery;
			why: Doubt;
			/** As so many queries it is billed. */
			count: number;
			/** When it was sent, by our clock. */
			since: number;
			search: Search;
			problem?: Problem;
			/** Of a response without a query ID. */
			said?: Said;
	  }
	| { kind: 'limitOfExecution'; most: number }
	| { kind: 'limitOfDay'; most: number; made: number }
	/** Today's queries cannot be counted. */
	| { kind: 'uncounted'; undated: number }
	| { kind: 'uncounted'; listed: number; total?: number; extent: Extent }
	| { kind: 'unlisted'; purpose: ListPurpose; cause: unknown }
	/** The response is about somebody else, or of another query type. */
	| { kind: 'otherQuery'; name: string; id: Id; type?: string }
	| { kind: 'failed'; name: string; ids: Id[]; status: string; said: string }
	| { kind: 'cancelled' };

/** An error of a query that costs money. Its words are made of its trouble, and nobody reads them. */
export class QueryError extends UserError {
	/** `billed`: what was accepted for the item nevertheless. */
	constructor(
		readonly trouble: Trouble,
		readonly billed: Id[] = [],
	) {
		const { message, description } = tell(trouble);
		const named = 'ids' in trouble ? trouble.ids : 'id' in trouble ? [trouble.id] : [];
		const others = billed.filter((id) => !named.includes(id));
		super(message, { description: sentences(description, billedWords(others)) });
	}

	/** Stable, for programs and tests: "status.404", "unsure", "limitOfDay". */
	get code(): string {
		const { trouble } = this;
		return trouble.kind === 'refused' ? codeOf(trouble.problem) : trouble.kind;
	}

	/** What the description says of single queries. */
	get data(): IDataObject {
		const { trouble } = this;
		switch (trouble.kind) {
			case 'refused':
				return {
					...dataOf(trouble.problem),
					...(mayLackProfile(trouble) && { mayLackProfile: true }),
				};
			case 'unsure':
				return { ...dataOf(trouble.problem ?? trouble.said ?? {}), ...searchData(trouble) };
			case 'otherQuery':
				return { queryIds: [trouble.id], type: trouble.type };
			case 'failed':
				return { queryIds: trouble.ids, status: trouble.status, ...dataOf(trouble) };
			case 'uncounted':
				return 'extent' in trouble ? { list: trouble.extent } : {};
			case 'unlisted':
			case 'limitOfExecution':
			case 'limitOfDay':
			case 'cancelled':
				return {};
		}
	}

	/** Keys of the API Mapping that may set it right. */
	get mappingKeys(): string[] {
		const { trouble } = this;
		if ('extent' in trouble) return LIST_KEYS;
		return 'mappingKeys' in trouble ? (trouble.mappingKeys ?? []) : [];
	}

	/** Of the response, where the service refused the query with one. */
	get status(): number | undefined {
		const { trouble } = this;
		if (trouble.kind !== 'refused' || trouble.problem.kind !== 'status') return undefined;
		return trouble.problem.status;
	}

	/** The same error without what the service said, which may repeat personal data. */
	withoutWords(): QueryError {
		const { trouble, billed } = this;
		return new QueryError(silent(trouble), billed);
	}

	/** Of a list that could not be read; where no query could be sent either, the error itself. */
	static unlisted(error: unknown, purpose: ListPurpose): unknown {
		if (error instanceof QueryError || isOfLogin(error) || isCancelled(error)) return error;
		return new QueryError({ kind: 'unlisted', purpose, cause: error });
	}
}

function silent(trouble: Trouble): Trouble {
	const wordless = { said: undefined, isWithheld: undefined, location: undefined };
	switch (trouble.kind) {
		case 'refused':
			return { ...trouble, problem: { ...trouble.problem, ...wordless } };
		case 'unsure': {
			const { problem } = trouble;
			return { ...trouble, said: undefined, problem: problem && { ...problem, ...wordless } };
		}
		case 'failed':
			return { ...trouble, said: '' };
		case 'unlisted': {
			const { cause } = trouble;
			return { ...trouble, cause: cause instanceof RequestError ? cause.withoutWords() : cause };
		}
		case 'limitOfExecution':
		case 'limitOfDay':
		case 'uncounted':
		case 'otherQuery':
		case 'cancelled':
			return trouble;
	}
}

const isOfLogin = (error: unknown) =>
	error instanceof RequestError && error.problem.kind === 'login';
const isCancelled = (error: unknown) =>
	error instanceof RequestError && error.problem.kind === 'cancelled';

/** The words of an error of another room, to be passed on. */
export function wordsOf(error: unknown): Words {
	const { message, description } = error as Partial<UserError>;
	return { message: message ?? String(error), description: description ?? '' };
}

/** Any error of an item for which something was accepted. */
export function withBilled(error: unknown, billed: Id[]): unknown {
	if (error instanceof QueryError) return new QueryError(error.trouble, billed);
	return new BilledError(error, billed);
}

/** An error of another room, with what was billed before it; it keeps its code and status. */
class BilledError extends UserError {
	constructor(
		readonly origin: unknown,
		readonly billed: Id[],
	) {
		const { message, description } = wordsOf(origin);
		super(message, { description: sentences(description, billedWords(billed)) });
	}

	get code(): string | undefined {
		return this.origin instanceof RequestError ? this.origin.code : undefined;
	}

	get data(): IDataObject {
		return this.origin instanceof RequestError ? this.origin.data : {};
	}

	get status(): number | undefined {
		return this.origin instanceof RequestError ? this.origin.status : undefined;
	}

	/** The same error without what the service said, which may repeat personal data. */
	withoutWords(): BilledError {
		const { origin, billed } = this;
		return new BilledError(origin instanceof RequestError ? origin.withoutWords() : origin, billed);
	}
}

const billedWords = (ids: Id[]): string =>
	ids.length === 0
		? ''
		: `Already billed: ${ids.join(', ')}. Query → Get reads that, and so does retrying this execution`;

/** With this every error and receipt of a billed operation ends. */
export const costWords = ({ billed, queries }: Pick<Cost, 'billed' | 'queries'>): string =>
	billed === 'unknown' ? 'Billed: unknown' : `Billed: ${billed} of ${queries}`;

function tell(trouble: Trouble): Words {
	switch (trouble.kind) {
		case 'refused':
			return tellRefused(trouble);
		case 'unsure':
			return tellUnsure(trouble);
		case 'limitOfExecution':
			return {
				message: `This item would go beyond the ${trouble.most} queries allowed per execution`,
				description:
					"Send fewer items, or raise 'Max Queries per Execution' under 'Spending Limits'.",
			};
		case 'limitOfDay':
			return {
				message: `This item would go beyond the ${trouble.most} queries allowed per day: ${trouble.made} were made today`,
				description:
					"Go on tomorrow, or raise 'Max Queries per Day' under 'Spending Limits'. The service counts for all who use this credential.",
			};
		case 'uncounted':
			return tellUncounted(trouble);
		case 'unlisted': {
			const cause = wordsOf(trouble.cause);
			return {
				message: `The queries made could not be listed: ${cause.message}`,
				description: sentences(PURPOSES[trouble.purpose], cause.description),
			};
		}
		case 'otherQuery':
			return {
				message: "The service answered with another query than this item's",
				description: `${trouble.name}, query ID ${trouble.id}, is ${trouble.type === undefined ? 'about somebody else' : `of another query type (${trouble.type})`}, by its record. The node ignored it. Read it with Query → Get, and tell your provider. A new query may be billed.`,
			};
		case 'failed':
			return {
				message: `The query ended without a result: its status is ${trouble.status}`,
				description: sentences(
					`${trouble.name}, query ID ${trouble.ids.join(', ')}`,
					trouble.said,
					'If the reason names the fields, correct them. Retrying this execution reads the same query again; a new execution sends another one, which is billed',
				),
			};
		case 'cancelled':
			return { message: 'The execution was cancelled', description: '' };
	}
}

const PURPOSES: Record<ListPurpose, string> = {
	reuse: "Without the list no result can be reused. To send anyway, set 'Reuse Results' to Never",
	limit: "Try again later, or remove 'Max Queries per Day' under 'Spending Limits'",
	retry:
		'A retry first searches the list for the queries already sent. Retry later, or start a new execution, which sends all its queries',
};

type Refused = Extract<Trouble, { kind: 'refused' }>;

function tellRefused(trouble: Refused): Words {
	const { problem, about, mappingKeys = [] } = trouble;
	const { message, description } = render({ problem, accepted: 'no' }, taxQuery);
	if (problem.kind !== 'status' || problem.isTokenRefused) return { message, description };
	const { status } = problem;
	const lacksProfile = mayLackProfile(trouble);
	const who = {
		rfc: 'No taxpayer was found for this RFC',
		curp: 'No person was found for this CURP',
	};
	return {
		message: status === 404 && about ? who[about] : message,
		description: sentences(
			status === 404 ? 'Compare it with an official document' : '',
			lacksProfile
				? 'Run Tax Authority → Create Tax Profile for this RFC first, with its CIEC, if it has none yet'
				: '',
			status === 404 || lacksProfile ? said(problem) : description,
			mappingKeys.length > 0
				? `If every item fails so, your environment uses other names: set ${mappingKeys.join(' or ')} in the credential's API Mapping`
				: '',
		),
	};
}
/** With these a service may say that there is no tax profile. */
const PROFILE = [400, 403, 404, 409, 412, 422];

const mayLackProfile = ({ problem, definition }: Refused): boolean =>
	definition.needsProfile === true &&
	problem.kind === 'status' &&
	!problem.isTokenRefused &&
	PROFILE.includes(problem.status);

/** By so much the clocks of n8n and the service may differ. */
const CLOCKS_MS = 60_000;

const DOUBTS: Record<Doubt, string> = {
	noAnswer: 'there was no response',
	status: 'the service reported an error',
	unreadable: 'its response says nothing of it',
	noId: 'its response has no query ID',
	earlierTry: 'an earlier try sent it and got no response',
};

function tellUnsure(trouble: Extract<Trouble, { kind: 'unsure' }>): Words {
	const { definition, why, count, since, problem, search } = trouble;
	const { name, service } = definition;
	const what = problem ? render({ problem, accepted: 'no' }, taxQuery).message : DOUBTS[why];
	return {
		message: `The query may have been accepted and billed: ${what}`,
		description: sentences(
			`It was sent after ${sentAfter(since)}`,
			tellSearch(search, count),
			said(problem ?? trouble.said ?? {}),
			`Before you send it again, look for "${name}" with Query → Get Many (enter that time as 'Created After') or in the service. Retrying this execution looks for it and sends nothing`,
			'untold' in search && search.untold.length > 0
				? `If the list has it, its record uses other names: set services.${service.operation} or fields.${service.operation} in the credential's API Mapping`
				: '',
			why === 'noId'
				? `If every item ends so, compare ${keysOfPath(service).join(' and ')} of the API Mapping with your contract`
				: '',
		),
	};
}

/** What a lost query was looked for in, and from when on. */
const searchData = ({ search, since }: Extract<Trouble, { kind: 'unsure' }>): IDataObject => ({
	sentAfter: sentAfter(since),
	...('unlisted' in search
		? { list: 'unread' }
		: { list: search.extent, found: search.found, possible: search.untold }),
});

const sentAfter = (since: number): string =>
	DateTime.fromMillis(since - CLOCKS_MS)
		.toUTC()
		.toFormat("yyyy-MM-dd'T'HH:mm:ss'Z'");

const IDS_TOLD = 10;

function tellSearch(search: Search, count: number): string {
	if ('unlisted' in search) {
		return `The queries made could not be listed: ${search.unlisted.message}`;
	}
	const { found, untold, extent } = search;
	const some = untold.slice(0, IDS_TOLD).join(', ') + (untold.length > IDS_TOLD ? ' …' : '');
	return sentences(
		found.length > 0 ? `Of its ${count} queries these were found: ${found.join(', ')}` : '',
		untold.length > 0
			? `These in the list may be it, though their query type, fields or date differ: ${some}`
			: '',
		found.length + untold.length === 0 && extent === 'whole'
			? 'It was looked for among the queries made and not found'
			: '',
		cutSentences(search),
	);
}

/** Of the API Mapping: how a list comes whole. */
const LIST_KEYS = ['list.limit', 'list.offset', 'list.page'];

/** What is missing of a list, and how to have it; undefined if nothing is. */
export function cutWords(
	list: Pick<Listing, 'extent' | 'total'> & { listed: number },
): Words | undefined {
	const { extent, listed, total } = list;
	if (extent === 'whole') return undefined;
	const keys =
		"Set list.limit, and list.offset or list.page, in the credential's API Mapping (Connection → Diagnose tries them)";
	if (extent === 'cut') {
		const message =
			total === undefined
				? `The list of queries was not read to its end: it has more than ${listed}`
				: `The service reports ${total} queries but lists only ${listed} of them`;
		return { message, description: keys };
	}
	return {
		message: `The service lists ${listed} queries and does not say whether there are more`,
		description: `${keys}, or set list.paging to "none" if these are always all`,
	};
}

/** How many of the service's queries come out, where it reports their number, and why not the others. */
export function totalWords(given: number, total: number, others?: 'limit' | 'filters'): string {
	if (given > total) return `${given} queries returned, though the service reports ${total}.`;
	return sentences(
		`${given} of ${total} queries returned`,
		others === 'limit' && given < total ? "Switch on 'Return All', or raise 'Limit', for more" : '',
		others === 'filters' ? 'The filters of this node left out the others' : '',
	);
}

/** The same in one sentence after the other; '' if nothing is missing. */
export function cutSentences(list: Parameters<typeof cutWords>[0]): string {
	const words = cutWords(list);
	return words ? sentences(words.message, words.description) : '';
}

function tellUncounted(trouble: Extract<Trouble, { kind: 'uncounted' }>): Words {
	return {
		message: "Today's queries cannot be counted for 'Max Queries per Day'",
		description: sentences(
			'undated' in trouble
				? `${trouble.undated} of the queries listed show no creation date with a time zone (createdAt). Remove the limit, or ask your provider for the date`
				: cutSentences(trouble),
		),
	};
}
