import { OperationalError, type ITriggerFunctions } from 'n8n-workflow';
import { USUAL_SIZES } from '../../shared/http/envelope';
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
/** So long rows behind the first page are read that do not tell whether they are old. */
const BEGINNING_MS = 15 * 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface Listed {
	results: Result[];
	/** Whether the list was read to its end. */
	isWhole: boolean;
	requests: number;
	/** It was read to its end though there was no news: the next looks cost less. */
	isDaily: boolean;
	/** Why the end could not be reached; and whether that is where the newest queries are, or may be. */
	cutOff?: string;
	hidesNewest?: boolean;
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
	const isBeginning = cursor.unsure.size > 0 && msLeft(cursor.saved.beganAt ?? 0, BEGINNING_MS) > 0;
	const order = new Order();
	const sought = new Set([...asked].filter((id) => cursor.isPendingQuery(id)));
	for await (const { records, cutOff, isLast } of queryPages(connection)) {
		const page = records.map((row) => resultOf(row, connection.mapping));
		listed.results.push(...page);
		listed.requests++;
		if (cutOff !== undefined) {
			Object.assign(listed, { isWhole: false, cutOff, hidesNewest: order.isSurelyOther });
			cursor.saved.readWholeAt = Date.now() - DAY_MS + HOUR_MS;
		}
		if (isLast || cutOff !== undefined) break;
		order.read(page);
		for (const { record } of page) sought.delete(queryIdOf(record) ?? '');
		const mayHoldNews =
			isDue || isBeginning || !order.isFromNewestOn || page.some((row) => cursor.isNews(row));
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

/** Whether the list was read to its end, as far as that is sure. */
export const isAll = ({ isWhole, results }: Listed): boolean =>
	isWhole && !USUAL_SIZES.includes(results.length);

/**
 * Of the queries that a delivery named, those of which the list does not tell, by their IDs; and those that it lacks,
 * where nothing asks again, or where it was not read to its end, or that is not sure. What cannot be read there holds up
 * nothing.
 */
export async function addUnlisted(
	listed: Listed,
	{ context, settings }: { context: ITriggerFunctions; settings: Settings },
	connection: QueryConnection,
	asked: Set<string>,
): Promise<void> {
	const isByTimer = settings.receiveBy !== 'webhook';
	if (!hasList(connection.mapping) || asked.size === 0) return;
	const isSure = isByTimer && isAll(listed);
	const ids = new Map(listed.results.map((row) => [queryIdOf(row.record), isVague(row)]));
	const lacking = [...asked].filter((id) => ids.get(id) ?? !isSure).reverse();
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

/** How the dates of rows go on, as far as a list was read. */
interface Course {
	last?: number;
	ups: number;
	downs: number;
	gaps: number;
}

function follow(course: Course, time = NaN): void {
	const { last } = course;
	course.last = time;
	if (last === undefined || time === last) return;
	if (time < last) course.downs++;
	else if (time > last) course.ups++;
	else course.gaps++;
}

/** In what order a list gives its rows, by their creation or their update. */
class Order {
	private readonly created: Course = { ups: 0, downs: 0, gaps: 0 };
	private readonly updated: Course = { ups: 0, downs: 0, gaps: 0 };
	private rows = 0;

	/** Equal dates alone do not tell; a single row is in order. */
	get isFromNewestOn(): boolean {
		const falls = ({ ups, downs, gaps }: Course) => ups + gaps === 0 && downs > 0;
		const { created, updated } = this;
		return this.rows < 2 || falls(created) || (falls(updated) && created.downs > 0);
	}

	/** More than a few rows that were made or updated at the same time stand before older ones. */
	get isSurelyOther(): boolean {
		return [this.created, this.updated].every(({ ups }) => ups > this.rows / 4);
	}

	read(page: Result[]): void {
		this.rows += page.length;
		for (const { record, updatedAt } of page) {
			follow(this.created, timeOf(record.createdAt) ?? updatedAt);
			follow(this.updated, updatedAt);
		}
	}
}
