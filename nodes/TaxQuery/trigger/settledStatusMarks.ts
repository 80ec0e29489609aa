import { getProcessState } from '../../shared/processStateByScope';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { hash } from '../../shared/utils/hash';
import { textOf } from '../../shared/utils/primitiveText';

const KEY_LENGTH = 8;
const MARK_LENGTH = 3;
/** Limits the remembered statuses of one query; the oldest is forgotten. */
const MAX_MARKS = 20;

/** Caches hashes, because a service may list the same tens of thousands of queries repeatedly. */
const newKeys = () => new BoundedMap<string, string>(50_000);
export function hashQueryId(id: string): string {
	const keys = getProcessState().shared(newKeys);
	const known = keys.get(id);
	if (known !== undefined) return known;
	const key = hash(id, KEY_LENGTH);
	keys.set(id, key);
	return key;
}
/** Returns the mark of a settled status. */
export const toStatusMark = (status: string) => hash(status, MARK_LENGTH);

/** Marks of a query's settled statuses, one behind the other. */
export type SettledMarksOfOneQuery = string;

export function hasStatusMark(marks: SettledMarksOfOneQuery, mark: string): boolean {
	for (let at = 0; at < marks.length; at += MARK_LENGTH)
		if (marks.startsWith(mark, at)) return true;
	return false;
}

/** The marks of both, each once; the oldest are forgotten where they are too many. */
export function uniteMarksOfOneQuery(
	marks: SettledMarksOfOneQuery,
	more: SettledMarksOfOneQuery,
): SettledMarksOfOneQuery {
	let joined = marks;
	for (let at = 0; at < more.length; at += MARK_LENGTH) {
		const mark = more.slice(at, at + MARK_LENGTH);
		if (!hasStatusMark(joined, mark)) joined += mark;
	}
	return joined.slice(-MAX_MARKS * MARK_LENGTH);
}

/** Queries by the hash of their ID, with the marks of their statuses, in order. */
export type SettledMarksByQueryKey = Map<string, SettledMarksOfOneQuery>;

export function serializeSettledMarks(queries: SettledMarksByQueryKey): string {
	const entries: string[] = [];
	for (const [key, marks] of queries) entries.push(key + marks);
	return entries.join(' ');
}

/** Reads queries as `serializeSettledMarks` writes them; anything else is none. */
export function parseSettledMarks(saved: unknown): SettledMarksByQueryKey {
	const entries = textOf(saved)
		.split(' ')
		.filter((entry) => entry.length >= KEY_LENGTH);
	return new Map(entries.map((entry) => [entry.slice(0, KEY_LENGTH), entry.slice(KEY_LENGTH)]));
}
