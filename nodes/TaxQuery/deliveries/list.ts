import { OperationalError, type ITriggerFunctions } from 'n8n-workflow';
import { msLeft, timeOf } from '../../shared/utils/time';
import { queryIdOf } from '../queries';
import { hasList, queryPages, type QueryConnection } from '../queries/client';
import { readById, readQuery, triedInVain } from './byId';
import type { Cursor } from './cursor';
import { nodeKey } from './emitter';
import { isVague, resultOf, type Result } from './result';
import type { Settings } from './settings';

/** Requests for a look at a list that is up to date. */
const MAX_REQUESTS = 3;
/** A list of so many rows may be one that shows its newest alone, and tells nobody. */
const CAPS = [10, 20, 25, 50, 100, 200, 250, 500, 1000];
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

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
 * Reads what is new in the list of queries (TQ §4.12): from the newest on until a page brings nothing unknown, and to
 * the end once a day, an hour after that could not be reached, or where it `mustBeWhole`. In what order a service lists
 * is not shown: where it is not from the newest on, or rows have no dates, the whole is read each time. `asked` are IDs
 * that a delivery named.
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
	const order = new Order();
	const sought = new Set([...asked].filter((id) => cursor.isPendingQuery(id)));
	for await (const { records, cutOff, isLast } of queryPages(connection)) {
		const page = records.map((row) => resultOf(row, connection.mapping));
		listed.results.push(...page);
		listed.requests++;
		if (cutOff !== undefined) {
			Object.assign(listed, { isWhole: false, cutOff });
			cursor.saved.readWholeAt = Date.now() - DAY_MS + HOUR_MS;
		}
		if (isLast || cutOff !== undefined) break;
		order.read(page);
		for (const { record } of page) sought.delete(queryIdOf(record) ?? '');
		const mayHoldNews = isDue || !order.isFromNewestOn || page.some((row) => cursor.isNews(row));
		// by their IDs, those that are sought would cost a request each
		if (mayHoldNews || sought.size > listed.requests) continue;
		listed.isWhole = false;
		break;
	}
	listed.isDaily = isDue && order.isFromNewestOn;
	await readPending(context, connection, cursor, asked, listed);
	return listed;
}

const GONE = 'The service neither lists it nor has it by its ID';

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
			else if (listed.isWhole || listed.cutOff !== undefined) throw new OperationalError(GONE);
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
	const empty = { results: [], isWhole: false, requests: 0, isDaily: false };
	const listed: Listed = { ...empty, refused: [], unknown: [], failed: [], unread: [] };
	// the newest first: a sender that comes again is not to wait behind a flood
	const ids = [
		...[...asked].reverse(),
		...(pending !== undefined && !asked.has(pending) ? [pending] : []),
	];
	if (pending !== undefined) cursor.deferPending(pending);
	await addById(listed, context, connection, ids, asked);
	return listed;
}

/**
 * Of the queries that a delivery named, those that the list lacks, by their IDs: where nothing asks again, and where the
 * list was not read to its end, or that is not sure. There, what cannot be read holds up nothing.
 */
export async function addUnlisted(
	listed: Listed,
	{ context, settings }: { context: ITriggerFunctions; settings: Settings },
	connection: QueryConnection,
	asked: Set<string>,
): Promise<void> {
	const isByTimer = settings.receiveBy !== 'webhook';
	const mayBeCapped = CAPS.includes(listed.results.length);
	if (!hasList(connection.mapping) || (isByTimer && listed.isWhole && !mayBeCapped)) return;
	const ids = new Set(listed.results.map(({ record }) => queryIdOf(record)));
	const lacking = [...asked].filter((id) => !ids.has(id)).reverse();
	await addById(listed, context, connection, lacking, asked).catch((error: unknown) => {
		if (!isByTimer) throw error as Error;
		listed.failed.push(...lacking);
	});
}

async function addById(
	listed: Listed,
	context: ITriggerFunctions,
	connection: QueryConnection,
	ids: string[],
	asked: Set<string>,
): Promise<void> {
	const read = await readById(nodeKey(context), connection, ids);
	const records = [...read.values()].filter((record) => typeof record === 'object');
	listed.results.push(...records.map((record) => resultOf(record, connection.mapping)));
	listed.requests += records.length;
	const idsOf = (what: 'unknown' | 'failed' | 'later') =>
		ids.filter((id) => asked.has(id) && read.get(id) === what);
	listed.unknown.push(...idsOf('unknown'));
	listed.failed.push(...idsOf('failed'));
	listed.unread.push(...idsOf('later'));
}

/** In what order a list gives its rows, as far as it was read. */
class Order {
	private last: number | undefined;
	private descends = false;
	private rows = 0;
	private isBroken = false;

	/** Equal dates alone do not tell; a single row is in order. */
	get isFromNewestOn(): boolean {
		return !this.isBroken && (this.descends || this.rows < 2);
	}

	read(page: Result[]): void {
		for (const { record, updatedAt } of page) {
			this.rows++;
			const time = timeOf(record.createdAt) ?? updatedAt ?? NaN;
			if (this.last !== undefined && time < this.last) this.descends = true;
			else if (this.last !== undefined && !(time <= this.last)) this.isBroken = true;
			this.last = time;
		}
	}
}
