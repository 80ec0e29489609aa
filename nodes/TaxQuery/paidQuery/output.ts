import { UserError, type IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { redactValues } from '../../shared/utils/redact';
import { sentences } from '../../shared/utils/sentences';
import { textOf } from '../../shared/utils/text';
import { isOtherBirth, otherIdentifiers, type Warning } from '../fields/identifiers';
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

/** One item for each query. Throws a UserError if there is a result of none and never will be, or one of somebody else. */
export function output(shape: Shape, outcomes: Outcome[]): IDataObject[] {
	const { mapping, secrets, isSimple } = shape;
	const strange = outcomes.find(({ query }) => isOfAnother(query, shape));
	if (strange) throw ofAnother(shape, strange.query);
	if (outcomes.length > 0 && outcomes.every((one) => stateOf(one.query, mapping) === 'failed')) {
		throw failure(shape, outcomes);
	}
	return outcomes.map((outcome) => {
		const query = redactValues(outcome.query, secrets);
		const json = isSimple ? simplified(query, shape) : query;
		return { ...json, ...marksOf({ ...outcome, query }, shape, monthsAmiss(outcomes, shape)) };
	});
}

/**
 * Whether a record surely is that of another question: it echoes another whole identifier or birth date than what was
 * asked, or is of another service that is known. One that is masked or written otherwise may be the same.
 */
function isOfAnother(
	query: IDataObject,
	{ expected, mapping, echoed, definition }: Shape,
): boolean {
	const code = loosely(query.service);
	const isKnown = (row: QueryService) =>
		row.isCodeShown === true || mapping.services[row.operation] !== undefined;
	const isOther = (row: QueryService) => isKnown(row) && loosely(codeOf(row, mapping)) === code;
	if (code !== loosely(expected[0].service) && queryServices.some(isOther)) return true;
	const echo = echoOf(query);
	const [{ echo: asked }] = expected;
	if (Object.entries(asked).some(([name, value]) => areOthers(echo[name], value))) return true;
	return isOtherBirth(echoed, inDocumentNames(echo, definition.service.operation, mapping));
}

function ofAnother({ definition: { name } }: Shape, query: IDataObject): UserError {
	return new UserError('The service answered with another query than the one of this item', {
		description: sentences(
			`${name}, query ID ${queryIdOf(query) ?? 'unknown'}, is about somebody else or of another service, by its record; nothing of it was taken`,
			'Look at it with Query → Get, and tell the provider. Asking again may cost money',
		),
	});
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

const unknownService = ({ service }: IDataObject, { definition }: Shape): Warning => ({
	field: 'Service',
	code: 'unknownService',
	message: `The service calls this query "${textOf(service)}", by which it could neither be reused nor found again, nor does the trigger know it. Set services.${definition.service.operation} to that name in the credential's API Mapping.`,
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

/** Months that were asked for and are not there, or the reverse; by their count where the answer does not name all. */
function monthsAmiss(outcomes: Outcome[], { expected, definition, mapping }: Shape): Warning[] {
	const name = mapping.fields[definition.service.operation]?.period ?? 'period';
	const monthOf = (echo: IDataObject) =>
		/^(\d{4})\D?(\d\d)$/.exec(textOf(echo[name]))?.slice(1).join('-') ?? '';
	const asked = expected.map(({ echo }) => monthOf(echo));
	const given = outcomes.map(({ query }) => monthOf(echoOf(query)) || monthOf(query));
	const areNamed = ![...asked, ...given].includes('');
	const fewer = expected.length - outcomes.length;
	const missing = areNamed ? asked.filter((month) => !given.includes(month)) : [];
	const odd = areNamed
		? given.filter((month, at) => !asked.includes(month) || given.indexOf(month) < at)
		: [];
	if (fewer <= 0 && missing.length + odd.length === 0) return [];
	const message = sentences(
		fewer > 0 ? `The service accepted ${fewer} fewer of the months than were asked for` : '',
		missing.length > 0 ? `Not there: ${missing.join(', ')}` : '',
		odd.length > 0 ? `There twice, or not asked for: ${odd.join(', ')}` : '',
		'Compare the periods of these items before you ask again',
	);
	return [{ field: 'Answer', code: odd.length > 0 ? 'otherMonths' : 'fewerQueries', message }];
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
