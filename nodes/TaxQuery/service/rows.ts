import { BoundedMap } from '../../shared/utils/boundedMap';
import { findQuery, type How, type QueryService } from './client';
import { isLean } from './record';
import type { QueryRecord } from './types';

/** A row of the list by its ID; as it is listed where the service has nothing under that. */
export const readRow = async (
	service: QueryService,
	row: QueryRecord,
	how: How = {},
): Promise<QueryRecord> => (await findQuery(service, row.id, how)) ?? row;

/** A row with its result: what a row holds of a record is not shown (TQ §4.12). */
export async function completeRow(service: QueryService, row: QueryRecord): Promise<QueryRecord> {
	return (await isWhole(service, row)) ? row : await readRow(service, row);
}

/** By client and query type, for the whole process. */
const comparisons = new BoundedMap<string, Promise<boolean>>(1000);

/**
 * Whether a row holds all of its result: the first one of each query type that has a result is compared with its record
 * by ID, and the others are taken for whole, or not.
 */
export async function isWhole(service: QueryService, row: QueryRecord): Promise<boolean> {
	if (isLean(row)) return false;
	if (row.state !== 'success') return true;
	const key = JSON.stringify([service.client, row.code]);
	const comparing =
		comparisons.get(key) ??
		readRow(service, row).then((record) => lengthOf(record) <= lengthOf(row));
	comparisons.set(key, comparing);
	return await comparing.catch(() => {
		comparisons.delete(key); // the next one tells
		return true;
	});
}

const lengthOf = ({ raw: { response, state } }: QueryRecord) =>
	JSON.stringify([response, state]).length;

/** So many rows that do not say what was asked are read by their ID. */
const MAX_READ = 1000;
/** So many of them at a time. */
const READERS = 20;

/** The rows; the newest thousand of those that `isToRead` picks as their IDs give them. */
export async function readRows(
	service: QueryService,
	rows: QueryRecord[],
	isToRead: (row: QueryRecord) => boolean,
): Promise<QueryRecord[]> {
	const age = ({ createdAt = Infinity }: QueryRecord) => -createdAt;
	const wanted = rows.filter(isToRead).sort((a, b) => age(a) - age(b));
	const left = wanted.slice(0, MAX_READ).values();
	const read = new Map<QueryRecord, QueryRecord>();
	const reader = async () => {
		for (const row of left) read.set(row, await readRow(service, row));
	};
	await Promise.all(Array.from({ length: READERS }, reader));
	return rows.map((row) => read.get(row) ?? row);
}
