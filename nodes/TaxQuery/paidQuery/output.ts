import { UserError, type IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { redactValues } from '../../shared/utils/redact';
import { sentences } from '../../shared/utils/sentences';
import { textOf } from '../../shared/utils/text';
import type { Warning } from '../fields/identifiers';
import { isAcknowledgement, isRemark } from './answer';
import { echoOf, isBare, queryIdOf, reasonOf, simplifyRecord, stateOf } from '../queries';
import { inDocumentNames } from '../queries/catalog';
import { loosely } from '../queries/echoIndex';
import type { PaidQuery } from './definition';

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
	service: string;
	/** What was asked, under the document's names, for an acknowledgement does not say it. */
	asked: IDataObject;
	/** What of it the record must echo. */
	echoed: IDataObject;
	isSimple: boolean;
	externalReference: unknown;
	warnings: Warning[];
	/** So many queries were asked for and are not in the answer. */
	missing: number;
	secrets: string[];
}

/** One item for each query. Throws a UserError if there is a result of none and never will be. */
export function output(shape: Shape, outcomes: Outcome[]): IDataObject[] {
	const { mapping, secrets, isSimple } = shape;
	if (outcomes.length > 0 && outcomes.every((one) => stateOf(one.query, mapping) === 'failed')) {
		throw failure(shape, outcomes);
	}
	return outcomes.map((outcome) => {
		const query = redactValues(outcome.query, secrets);
		const json = isSimple ? simplified(query, shape) : query;
		return { ...json, ...marksOf({ ...outcome, query }, shape) };
	});
}

function simplified(
	query: IDataObject,
	{ service, asked, definition, mapping }: Shape,
): IDataObject {
	if ('status' in query && 'service' in query) {
		return simplifyRecord(query, mapping, definition.service);
	}
	const queryId = queryIdOf(query);
	const { service: row } = definition;
	const isStateless = queryId !== undefined && !row.isImmediate && !('status' in query);
	const others = Object.entries(query).filter(
		([name, value]) => !['_id', 'queryId', 'id'].includes(name) || textOf(value) !== queryId,
	);
	return {
		...asked,
		...inDocumentNames(Object.fromEntries(others), row.operation, mapping),
		...((isStateless || isAcknowledgement(query, row)) && { pending: true }),
		service,
		...(queryId !== undefined && { queryId }),
	};
}

/** What the node knows beside what the service said. */
function marksOf({ query, how, ageMs = 0, overdue, unread }: Outcome, shape: Shape): IDataObject {
	const { externalReference, mapping } = shape;
	const state = stateOf(query, mapping);
	const isUnknown = 'status' in query && state === 'unknown';
	const warnings = [
		...shape.warnings,
		...(isUnknown ? [unknownStatus(query)] : []),
		...(isRemark(query) ? [UNCONFIRMED] : []),
		...(unread === undefined ? [] : [notRead(unread)]),
		...(shape.missing > 0 ? [fewer(shape.missing)] : []),
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
		...(overdue && { queryId: queryIdOf(query), ...(!isUnknown && { pending: true }) }),
		...(isUnknown && { statusUnknown: true }),
		...(overdue?.problem !== undefined && { lastProblem: overdue.problem }),
		...(warnings.length > 0 && { warnings }),
	};
}

const isCalledOtherwise = ({ service }: IDataObject, shape: Shape): boolean =>
	typeof service === 'string' && service.toUpperCase() !== shape.service.toUpperCase();

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

const fewer = (missing: number): Warning => ({
	field: 'Answer',
	code: 'fewerQueries',
	message: `The service accepted ${missing} fewer of the months than were asked for. Compare the periods of these items before you ask again.`,
});

function failure({ definition: { name }, secrets }: Shape, outcomes: Outcome[]): UserError {
	const [{ query }] = outcomes;
	const ids = outcomes.map((outcome) => queryIdOf(outcome.query) ?? 'unknown').join(', ');
	return new UserError(`The query ended without a result: its status is ${textOf(query.status)}`, {
		description: sentences(
			`${name}, query ID ${ids}`,
			reasonOf(query, secrets),
			'Check the fields of this item. Retrying this execution reads the same query again; a new execution asks, and pays, again',
		),
	});
}
