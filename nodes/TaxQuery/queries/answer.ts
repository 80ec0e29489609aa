import { UserError, type IDataObject } from 'n8n-workflow';
import { findList, findMarks, findOne, type PageMarks } from '../../shared/http/envelope';
import { tellsFailure } from '../../shared/http/failure';
import { sentences } from '../../shared/utils/sentences';
import { messageOfService } from '../../shared/utils/serviceMessage';
import { ID_NAME, queryIdOf } from './record';

/** Where services usually put one record. */
const RECORD_KEYS = ['data', 'query', 'record', 'result'];

/** The error of an answer in which there is no such thing, with the service's own words if it has any. */
const holdsNo = (what: string, expected: string, body: unknown) =>
	new UserError(`The answer of the query service holds no ${what}`, {
		description: sentences(
			messageOfService(body, []),
			`Expected ${expected}, by itself or under one key`,
			'Check the base URL of the credential, and run Connection → Diagnose',
		),
	});

/** Whether an object is a query record (TQ §2.1), as far as can be told. */
export const isQueryRecord = (body: IDataObject): boolean =>
	queryIdOf(body) !== undefined && ('status' in body || 'service' in body);

const findQueries = (body: unknown) => findList(body, isQueryRecord);

/**
 * The query records in the answer of GET /query (TQ §4.12, whose shape is not shown). Throws a UserError if it is none,
 * or says that it is an error: that is no empty list.
 */
export function readQueryList(body: unknown): IDataObject[] {
	const list = findQueries(body);
	if (list && (!tellsFailure(body) || list.some(isQueryRecord))) return list;
	throw holdsNo('list of queries', 'an array of objects', body);
}

export type { PageMarks } from '../../shared/http/envelope';

/** What that answer tells of further pages. */
export const pageMarksOf = (body: unknown): PageMarks =>
	findMarks(body, isQueryRecord, findQueries(body)?.length ?? 0);

/** Whether an object is a record that names no ID: what was asked for by it need not. An error may look like one. */
function isUnnamed(body: IDataObject): boolean {
	if (typeof body.status !== 'string') return false;
	if (Object.keys(body).some((name) => ID_NAME.test(name))) return false;
	const [isOne, isOther] = ['response' in body, 'service' in body];
	return tellsFailure(body) ? isOne && isOther : isOne || isOther;
}

/**
 * The query record (TQ §2.1) in the answer of GET /query/{queryId} (TQ §4.13, whose shape is not shown), with the ID
 * that was asked for where it has none. Throws a UserError if there is none.
 */
export function readQueryRecord(body: unknown, _id: string): IDataObject {
	const record = findOne(body, isQueryRecord, RECORD_KEYS);
	if (record) return record;
	const unnamed = findOne(body, isUnnamed, RECORD_KEYS);
	if (unnamed) return { _id, ...unnamed };
	throw holdsNo('query record', 'an object with an ID and a status', body);
}
