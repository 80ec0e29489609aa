import type { IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { isNotFound } from '../../shared/transport/errors';
import type { Connection } from '../../shared/transport/request';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { getQuery, type How, type QueryConnection } from './client';
import { comparable } from './echoIndex';
import { createdAt, isBare, isLean, queryIdOf, stateOf } from './record';

type ListConnection = QueryConnection & Partial<Pick<Connection<TaxQueryMapping>, 'client'>>;

/**
 * A row of the list with its result: what it holds of a record is not shown (TQ §4.12), so one without a response, or
 * with a short form of it, is read by its ID, and stays as it is where the service has nothing under that.
 */
export async function completeRecord(
	connection: ListConnection,
	row: IDataObject,
	how: How = {},
): Promise<IDataObject> {
	return (await isWhole(connection, row, how)) ? row : await readRow(connection, row, how);
}

/** By client and service, for the whole process. */
const comparisons = new BoundedMap<string, Promise<boolean>>(1000);

/**
 * Whether a row that has ended holds all of its result: of each service the first one with a result is compared with its
 * record by ID, and the others are believed, or not.
 */
export async function isWhole(
	connection: ListConnection,
	row: IDataObject,
	how: How = {},
): Promise<boolean> {
	const { client, mapping } = connection;
	if (isLean(row, mapping)) return false;
	if (client === undefined || stateOf(row, mapping) !== 'success') return true;
	const key = JSON.stringify([client, comparable(row.service)]);
	const comparing =
		comparisons.get(key) ??
		readRow(connection, row, how).then((record) => lengthOf(record) <= lengthOf(row));
	comparisons.set(key, comparing);
	return await comparing.catch(() => {
		comparisons.delete(key); // the next one tells
		return true;
	});
}

const lengthOf = ({ response, state }: IDataObject) => JSON.stringify([response, state]).length;

/** So many rows of a list that does not echo queries are read by their ID. */
const MAX_READ = 1000;
/** So many of them at a time. */
const READERS = 20;

/** The rows; the first thousand of these as their IDs give them. */
export async function readRows(
	connection: QueryConnection,
	rows: IDataObject[],
	toRead: IDataObject[],
): Promise<IDataObject[]> {
	const byRow = new Map<IDataObject, IDataObject>();
	const left = toRead.slice(0, MAX_READ).values();
	const reader = async () => {
		for (const row of left) byRow.set(row, await readRow(connection, row));
	};
	await Promise.all(Array.from({ length: READERS }, reader));
	return rows.map((row) => byRow.get(row) ?? row);
}

/** The rows; those that are meant and lack service, date or what was asked are read by their ID, the newest of them. */
export async function withEchoes(
	connection: Connection<TaxQueryMapping>,
	rows: IDataObject[],
	isMeant: (row: IDataObject) => boolean,
): Promise<{ rows: IDataObject[]; unread: number }> {
	const isToRead = (row: IDataObject) =>
		isNameless(row) || isBare(row, connection.mapping) || Number.isNaN(createdAt(row));
	const bare = rows
		.filter((row) => isMeant(row) && queryIdOf(row) !== undefined && isToRead(row))
		.sort((a, b) => createdAt(b) - createdAt(a));
	const unread = Math.max(0, bare.length - MAX_READ);
	return { rows: await readRows(connection, rows, bare), unread };
}

/** Whether a row does not tell its service. */
const isNameless = ({ service }: IDataObject) => comparable(service) === '';

/** A row by its ID; as it is listed where the service has nothing under that. */
export async function readRow(
	connection: QueryConnection,
	row: IDataObject,
	how: How = {},
): Promise<IDataObject> {
	const id = queryIdOf(row);
	if (id === undefined) return row;
	return await getQuery(connection, id, how).catch((error: unknown) => {
		if (isNotFound(error)) return row;
		throw error as Error;
	});
}
