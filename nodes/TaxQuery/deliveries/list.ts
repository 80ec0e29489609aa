import type { ITriggerFunctions } from 'n8n-workflow';
import { msLeft } from '../../shared/utils/time';
import { queryIdOf } from '../queries';
import { queryPages, type QueryConnection } from '../queries/client';
import { readById, readQuery, triedInVain } from './byId';
import type { Cursor } from './cursor';
import { nodeKey } from './emitter';
import { isVague, resultOf, type Result } from './result';

/** Requests for a look at a list that is up to date. */
const MAX_REQUESTS = 3;
const DAY_MS = 24 * 3_600_000;

export interface Listed {
	results: Result[];
	/** Whether the list was read to its end. */
	isWhole: boolean;
	requests: number;
	/** It was read to its end though there was no news: the next looks cost less. */
	isDaily: boolean;
	/** Why the end could not be reached. */
	cutOff?: string;
	/** IDs that the service has refused for good. */
	refused: string[];
	/** Of the IDs asked for: those that the service does not know, that could not be read, and that must wait. */
	unknown: string[];
	failed: string[];
	unread: string[];
}

/**
 * Reads what is new in the list of queries (TQ §4.12): from the newest on until a page brings nothing unknown, and
 * once a day, or where it `mustBeWhole`, to the end. In what order a service lists is not shown: where it is not from
 * the newest on, or rows have no dates, the whole is read each time. `asked` are IDs that a delivery named.
 */
export async function readList(
	context: ITriggerFunctions,
	connection: QueryConnection,
	cursor: Cursor,
	asked: Set<string>,
	mustBeWhole: boolean,
): Promise<Listed> {
	const isDue = mustBeWhole || msLeft(cursor.saved.readWholeAt, DAY_MS) < 0;
	const listed: Listed = {
		results: [],
		isWhole: true,
		requests: 0,
		isDaily: isDue,
		refused: [],
		unknown: [],
		failed: [],
		unread: [],
	};
	for await (const { records, cutOff, isLast } of queryPages(connection)) {
		const page = records.map((row) => resultOf(row, connection.mapping));
		listed.results.push(...page);
		listed.requests++;
		if (cutOff !== undefined) return { ...listed, isWhole: false, cutOff };
		if (isLast) break;
		if (!isFromNewestOn(page)) {
			listed.isDaily = false;
		} else if (!isDue && !page.some((result) => cursor.isNews(result))) {
			listed.isWhole = false;
			break;
		}
	}
	await readPending(context, connection, cursor, asked, listed);
	return listed;
}

/** Adds some of the pending queries that the list does not tell of; those that were asked for first. */
async function readPending(
	context: ITriggerFunctions,
	connection: QueryConnection,
	cursor: Cursor,
	asked: Set<string>,
	listed: Listed,
): Promise<void> {
	const telling = listed.results.filter((result) => !isVague(result));
	const ids = new Set(telling.map(({ record }) => queryIdOf(record)));
	const unseen = cursor.pendingQueries.filter((id) => !ids.has(id));
	const first = [...unseen.filter((id) => asked.has(id)), ...unseen.filter((id) => !asked.has(id))];
	for (const id of first.slice(0, Math.max(1, MAX_REQUESTS - listed.requests))) {
		listed.requests++;
		cursor.deferPending(id); // the others first, the next time
		try {
			const record = await readQuery(connection, id);
			if (record) listed.results.push(resultOf(record, connection.mapping));
		} catch (error) {
			if (triedInVain(context, id, error)) listed.refused.push(id);
		}
	}
}

/** Where there is no list: the queries that a delivery named, and those that had no result yet, by their IDs. */
export async function readAsked(
	context: ITriggerFunctions,
	connection: QueryConnection,
	cursor: Cursor,
	asked: Set<string>,
): Promise<Listed> {
	const [pending] = cursor.pendingQueries;
	// the newest first: a sender that comes again is not to wait behind a flood
	const ids = [
		...[...asked].reverse(),
		...(pending !== undefined && !asked.has(pending) ? [pending] : []),
	];
	if (pending !== undefined) cursor.deferPending(pending);
	const read = await readById(nodeKey(context), connection, ids);
	const idsOf = (what: 'unknown' | 'failed' | 'later') =>
		ids.filter((id) => asked.has(id) && read.get(id) === what);
	const records = [...read.values()].filter((record) => typeof record === 'object');
	return {
		results: records.map((record) => resultOf(record, connection.mapping)),
		isWhole: false,
		requests: records.length,
		isDaily: false,
		refused: [],
		unknown: idsOf('unknown'),
		failed: idsOf('failed'),
		unread: idsOf('later'),
	};
}

function isFromNewestOn(page: Result[]): boolean {
	const times = page.map(({ record: { createdAt }, updatedAt }) =>
		typeof createdAt === 'string' ? Date.parse(createdAt) : (updatedAt ?? NaN),
	);
	return times.every((time, index) => index === 0 || time <= times[index - 1]);
}
