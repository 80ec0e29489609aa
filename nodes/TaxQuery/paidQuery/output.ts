import { UserError, type IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { redactValues } from '../../shared/utils/redact';
import { sentences } from '../../shared/utils/sentences';
import { textOf } from '../../shared/utils/text';
import { isOtherBirth, otherIdentifiers, type Warning } from '../fields/identifiers';
import { compareMonths } from '../fields/period';
import { areOthers } from '../../shared/identifiers';
import { isAcknowledgement, isRemark, senseOf } from './answer';
import {
	besideResult,
	echoOf,
	ID_NAME,
	isBare,
	isObject,
	queryIdOf,
	reasonOf,
	simplifyRecord,
	stateOf,
} from '../queries';
import { codeOf, inDocumentNames, queryServices, type QueryService } from '../queries/catalog';
import { loosely } from '../queries/echoIndex';
import type { PaidQuery } from './definition';
import type { ExpectedRecord } from './findQuery';

/** What became of a query. */
export interface Outcome {
	/** A record (TQ §2.1) or an acknowledgement (TQ §2.5). */
	query: IDataObject;
	/** kept: an earlier try of this execution paid for it. */
	how: 'sent' | 'recovered' | 'reused' | 'kept';
	/** How old what is reused is. */
	ageMs?: number;
	/** There was no result when the time to wait was over; why the last look failed, if it did. */
	overdue?: { problem?: string };
	/** Why its result could not be read, where it is said to be there. */
	unread?: string;
}

/** How an item's outcomes come out. */
export interface Shape {
	definition: PaidQuery;
	mapping: TaxQueryMapping;
	/** One for each query that is billed. */
	expected: ExpectedRecord[];
	/** What was asked, under the document's names, for an acknowledgement does not say it. */
	asked: IDataObject;
	/** What of it the record must echo. */
	echoed: IDataObject;
	isSimple: boolean;
	externalReference: unknown;
	warnings: Warning[];
	secrets: string[];
}

/**
 * One item for each query, but for a month of somebody else, which a warning names. Throws a UserError if there is a
 * result of none and never will be, or none that is this item's.
 */
export function output(shape: Shape, outcomes: Outcome[]): IDataObject[] {
	const { mapping, secrets, isSimple, expected } = shape;
	const told = outcomes.flatMap(({ query }) => strangeness(query, shape) ?? []);
	const own = outcomes.filter(({ query }) => strangeness(query, shape) === undefined);
	if (told.length > 0 && (own.length === 0 || expected.length === 1)) {
		const message = 'The service answered with another query than the one of this item';
		throw new UserError(message, { description: told[0] });
	}
	if (own.length > 0 && own.every(({ query }) => stateOf(query, mapping) === 'failed')) {
		throw failure(shape, own);
	}
	const ofMonths = [
		...told.map((message): Warning => ({ field: 'Answer', code: 'otherQuery', message })),
		...monthsAmiss(outcomes, shape),
	];
	return own.map((outcome) => {
		const query = redactValues(outcome.query, secrets);
		const json = isSimple ? simplified(query, shape) : query;
		return { ...json, ...marksOf({ ...outcome, query }, shape, ofMonths) };
	});
}

/** What records of a service are called, unless that is only guessed. */
const sureCode = (row: QueryService, mapping: TaxQueryMapping) =>
	(row.isCodeShown ?? mapping.services[row.operation]) ? loosely(codeOf(row, mapping)) : undefined;
const isSureCode = (code: unknown, mapping: TaxQueryMapping) =>
	queryServices.some((row) => sureCode(row, mapping) === loosely(code));

/**
 * What is to be said of a record that surely is that of another question: it echoes another whole identifier or birth
 * date than what was asked (one that is masked or written otherwise may be the same), or is of another service that is
 * known. Where the code of the own one is only guessed, it is enough that the record echoes who was asked about.
 */
function strangeness(query: IDataObject, shape: Shape): string | undefined {
	const { definition, expected, asked, echoed, mapping } = shape;
	const { name, service } = definition;
	const echo = echoOf(query);
	const isOfOther =
		Object.entries(expected[0].echo).some(([field, value]) => areOthers(echo[field], value)) ||
		isOtherBirth(echoed, inDocumentNames(echo, service.operation, mapping));
	const code = loosely(query.service);
	const who = loosely(asked.rfc ?? asked.curp);
	const isOfAsked = Object.values(echo).map(loosely).includes(who);
	const isEnough = isOfAsked && sureCode(service, mapping) === undefined;
	const isOwn = code === loosely(codeOf(service, mapping)) || isEnough;
	if (!isOfOther && (isOwn || !isSureCode(code, mapping))) return undefined;
	const whose = isOfOther ? 'about somebody else' : `of another service (${textOf(query.service)})`;
	return `${name}, query ID ${queryIdOf(query) ?? 'unknown'}, is ${whose}, by its record; nothing of it was taken. Look at it with Query → Get, and tell the provider. Asking again may cost money.`;
}

function simplified(
	query: IDataObject,
	{ expected: [{ service }], asked, definition, mapping }: Shape,
): IDataObject {
	if ('status' in query && 'service' in query) {
		return simplifyRecord(query, mapping, definition.service);
	}
	const queryId = queryIdOf(query);
	const { service: row } = definition;
	const isStateless = queryId !== undefined && !row.isImmediate && !('status' in query);
	const others = Object.entries(query).filter(
		([name, value]) => !ID_NAME.test(name) || textOf(value) !== queryId,
	);
	const isFailed = stateOf(query, mapping) === 'failed';
	return {
		...besideResult(asked, inDocumentNames(Object.fromEntries(others), row.operation, mapping)),
		...((isStateless || isAcknowledgement(query, row)) && {
			[isFailed ? 'failed' : 'pending']: true,
		}),
		service,
		...(queryId !== undefined && { queryId }),
	};
}

/** What the node knows beside what the service said. */
function marksOf(
	{ query, how, ageMs = 0, overdue, unread }: Outcome,
	shape: Shape,
	ofMonths: Warning[],
): IDataObject {
	const { definition, externalReference, mapping } = shape;
	const state = stateOf(query, mapping);
	const isUnknown = 'status' in query && state === 'unknown';
	const sense = senseOf(query, definition, mapping);
	const warnings = [
		...shape.warnings,
		...(isUnknown ? [unknownStatus(query)] : []),
		...(isRemark(query) && sense === undefined ? [UNCONFIRMED] : []),
		...(unread === undefined ? [] : [notRead(unread)]),
		...(sense === undefined ? [] : [NO_ID]),
		...otherIdentifiers(shape.asked, isObject(query.response) ? query.response : query),
		...ofMonths,
		...(isCalledOtherwise(query, shape) ? [unknownService(query, shape)] : []),
		...(how === 'reused' ? [] : unheard(query, shape)),
	];
	return {
		...(externalReference !== undefined && {
			externalReference: externalReference as IDataObject[string],
		}),
		...(how === 'reused' && {
			reused: true,
			ageHours: Math.round((100 * ageMs) / 3_600_000) / 100,
		}),
		...(how === 'recovered' && { recovered: true }),
		...(sense === 'accepted' && { pending: true }),
		...(overdue && { queryId: queryIdOf(query), ...(!isUnknown && { pending: true }) }),
		...(isUnknown && { statusUnknown: true }),
		...(overdue?.problem !== undefined && { lastProblem: overdue.problem }),
		...(warnings.length > 0 && { warnings }),
	};
}

const isCalledOtherwise = ({ service }: IDataObject, shape: Shape): boolean =>
	typeof service === 'string' && service.toUpperCase() !== shape.expected[0].service.toUpperCase();

const unknownService = ({ service }: IDataObject, { definition, mapping }: Shape): Warning => ({
	field: 'Service',
	code: 'unknownService',
	message: sentences(
		`The service calls this query "${textOf(service)}", by which it could neither be reused nor found again, nor does the trigger know it`,
		isSureCode(service, mapping)
			? 'Another kind of query is called so, too: compare the result with what was asked for'
			: `Set services.${definition.service.operation} to that name in the credential's API Mapping`,
	),
});

/** A field that the service does not know under this name may be ignored in silence, and a wrong result paid for. */
function unheard(query: IDataObject, { echoed, definition, mapping }: Shape): Warning[] {
	const heard = Object.values(echoOf(query)).map(loosely);
	const lost = Object.keys(echoed).filter((name) => !heard.includes(loosely(echoed[name])));
	if (isBare(query, mapping) || lost.length === 0) return [];
	const keys = lost.map((name) => `fields.${definition.service.operation}.${name}`).join(', ');
	return [
		{
			field: lost.join(', '),
			code: 'notEchoed',
			message: `The service's record does not repeat this field, so it may have been ignored. If the deployment calls it otherwise, set ${keys} in the credential's API Mapping.`,
		},
	];
}

const unknownStatus = ({ status }: IDataObject): Warning => ({
	field: 'Status',
	code: 'unknownStatus',
	message: `The status "${textOf(status)}" is not known, so this does not count as a result. If you know what it means, add it to statuses.success, statuses.pending or statuses.failed in the credential's API Mapping.`,
});

const UNCONFIRMED: Warning = {
	field: 'Answer',
	code: 'unconfirmed',
	message:
		'The service answered with its word only, not with a record. Whether it is so shows in the next query about this RFC.',
};

const notRead = (problem: string): Warning => ({
	field: 'Result',
	code: 'notRead',
	message: `The service says that the query has succeeded, but its answer held no result, and it could not be read by its ID: ${problem}. Read it later with Query → Get; do not ask again.`,
});

const NO_ID: Warning = {
	field: 'Answer',
	code: 'noId',
	message:
		'The answer holds no query ID by which its result could be read, and the list of queries does not show it. If what came is only the word that the query was accepted, look for it with Query → Get Many; do not ask again.',
};

function monthsAmiss(outcomes: Outcome[], { expected, definition, mapping }: Shape): Warning[] {
	const name = mapping.fields[definition.service.operation]?.period ?? 'period';
	const monthOf = (echo: IDataObject) =>
		/^(\d{4})\D?(\d\d)$/.exec(textOf(echo[name]))?.slice(1).join('-') ?? '';
	const asked = expected.map(({ echo }) => monthOf(echo));
	const given = outcomes.map(({ query }) => monthOf(echoOf(query)) || monthOf(query));
	return compareMonths(asked, given);
}

function failure({ definition: { name }, secrets }: Shape, outcomes: Outcome[]): UserError {
	const [{ query }] = outcomes;
	const ids = outcomes.map((outcome) => queryIdOf(outcome.query) ?? 'unknown').join(', ');
	return new UserError(`The query ended without a result: its status is ${textOf(query.status)}`, {
		description: sentences(
			`${name}, query ID ${ids}`,
			reasonOf(query, secrets),
			'If the reason speaks of the fields, correct them. Retrying this execution reads the same query again; a new execution asks, and pays, again',
		),
	});
}
