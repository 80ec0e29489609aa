import type { IDataObject } from 'n8n-workflow';
import { isNotFound } from '../../shared/transport/errors';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { msLeft } from '../../shared/utils/time';
import { queryIdOf } from '../queries';
import { getQuery, queryPages, type QueryConnection } from '../queries/client';
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
	/** It was read to its end because a day has passed: the next looks cost less. */
	isDaily: boolean;
	/** Why the end could not be reached. */
	cutOff?: string;
	/** Of the IDs asked for: those that the service does not know, and those that must wait. */
	unknown: string[];
	unread: string[];
}

/**
 * Reads what is new in the list of queries (TQ §4.12): from the newest on until a page brings nothing unknown, and
 * once a day to the end. In what order a service lists is not shown: where it is not from the newest on, or rows have
 * no dates, the whole is read each time. `asked` are IDs that a delivery named.
 */
export async function readList(
	connection: QueryConnection,
	cursor: Cursor,
	asked: Set<string>,
): Promise<Listed> {
	const isDue = msLeft(cursor.saved.readWholeAt, DAY_MS) < 0;
	const listed: Listed = {
		results: [],
		isWhole: true,
		requests: 0,
		isDaily: isDue,
		unknown: [],
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
	const telling = listed.results.filter((result) => !isVague(result));
	const ids = new Set(telling.map(({ record }) => queryIdOf(record)));
	const unseen = cursor.pendingQueries.filter((id) => !ids.has(id));
	const first = [...unseen.filter((id) => asked.has(id)), ...unseen.filter((id) => !asked.has(id))];
	for (const id of first.slice(0, Math.max(1, MAX_REQUESTS - listed.requests))) {
		listed.requests++;
		const record = await readQuery(connection, id);
		if (record) listed.results.push(resultOf(record, connection.mapping));
		cursor.deferPending(id); // the others first, the next time
	}
	return listed;
}

/** Where there is no list: the queries that a delivery named, and those that had no result yet, by their IDs. */
export async function readAsked(
	context: Parameters<typeof nodeKey>[0],
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
	const read = await readById(nodeKey(context), connection, ids);
	if (pending !== undefined) cursor.deferPending(pending);
	const idsOf = (what: 'unknown' | 'later') => ids.filter((id) => read.get(id) === what);
	const records = [...read.values()].filter((record) => typeof record === 'object');
	return {
		results: records.map((record) => resultOf(record, connection.mapping)),
		isWhole: false,
		requests: records.length,
		isDaily: false,
		unknown: idsOf('unknown'),
		unread: idsOf('later').filter((id) => asked.has(id)),
	};
}

function isFromNewestOn(page: Result[]): boolean {
	const times = page.map(({ record: { createdAt }, updatedAt }) =>
		typeof createdAt === 'string' ? Date.parse(createdAt) : (updatedAt ?? NaN),
	);
	return times.every((time, index) => index === 0 || time <= times[index - 1]);
}

/** A sender waits for the answer, so that reading must not take long. */
const HOW = { timeoutMs: 5_000, patienceMs: 2_000 };
const PER_SECOND = 2;
const UNKNOWN_MS = 60_000;
const MAX_UNKNOWN = 1_000;
const MAX_NODES = 500;

/** When a node has read last, and the IDs that the service did not know. */
interface Readings {
	times: number[];
	unknown: BoundedMap<string, number>;
}
const readings = new BoundedMap<string, Readings>(MAX_NODES);

/** A query by its ID; undefined if the service has nothing under that. */
export async function readQuery(
	connection: QueryConnection,
	id: string,
): Promise<IDataObject | undefined> {
	return await getQuery(connection, id, HOW).catch((error: unknown) => {
		if (isNotFound(error)) return undefined;
		throw error;
	});
}

/**
 * Records by ID, where IDs come from deliveries that nothing proves: at most two a second for each node, and none that
 * the service did not know a minute ago. Throws if the service cannot be asked.
 */
export async function readById(
	node: string,
	connection: QueryConnection,
	ids: string[],
): Promise<Map<string, IDataObject | 'unknown' | 'later'>> {
	const { times, unknown } = readings.getOrMake(node, () => ({
		times: [],
		unknown: new BoundedMap(MAX_UNKNOWN),
	}));
	const read = new Map<string, IDataObject | 'unknown' | 'later'>();
	for (const id of ids) {
		const isKnownUnknown = msLeft(unknown.get(id) ?? 0, UNKNOWN_MS) > 0;
		const isTooSoon = msLeft(times.at(-PER_SECOND) ?? 0, 1_000) > 0;
		if (isKnownUnknown || isTooSoon) {
			read.set(id, isKnownUnknown ? 'unknown' : 'later');
			continue;
		}
		times.splice(0, times.length - PER_SECOND + 1);
		times.push(Date.now());
		const record = await readQuery(connection, id);
		if (!record) unknown.set(id, Date.now());
		read.set(id, record ?? 'unknown');
	}
	return read;
}
