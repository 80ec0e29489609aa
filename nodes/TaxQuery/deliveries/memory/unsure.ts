import { queryIdOf } from '../../queries';
import { isPending, isVague, type Result } from '../result';

/** Of rows that tell no status, those that are read; one that was pending is among the newest. */
const MAX_VAGUE = 1_000;

/** A row without a date that may have its result. */
export const isUndated = (row: Result): boolean =>
	row.updatedAt === undefined && (!isPending(row) || isVague(row));

/**
 * Queries of which the list did not tell in the beginning whether they are old: rows without a status, and where results
 * are asked for from a moment on, rows without a date. Their records tell.
 */
export class Unsure {
	/** By ID, in what order they are to be read. */
	private readonly ranks: Map<string, number>;

	/** `rows` are old as far as they tell. */
	constructor(
		rows: Result[] = [],
		private readonly startAt?: number,
	) {
		const isDated = ({ updatedAt }: Result) => !startAt || updatedAt !== undefined;
		const vague = rows
			.filter((row) => isVague(row) && isDated(row))
			.sort((a, b) => (b.updatedAt ?? 0) - (a.updatedAt ?? 0));
		const all = [...rows.filter((row) => !isDated(row)), ...vague.slice(0, MAX_VAGUE)];
		this.ranks = new Map(all.map(({ record }, index) => [queryIdOf(record) ?? '', index + 1]));
	}

	get size(): number {
		return this.ranks.size;
	}

	/** 0 for what is none of them. */
	rankOf({ record }: Result): number {
		return this.ranks.get(queryIdOf(record) ?? '') ?? 0;
	}

	delete(id: string): void {
		this.ranks.delete(id);
	}

	/** By the record of one: whether it was done before the beginning, or before what is asked for. */
	isOld(row: Result, read: Result): boolean {
		if (isPending(read) || !this.startAt) return !isPending(read);
		return (read.updatedAt ?? row.updatedAt ?? Infinity) <= this.startAt;
	}
}
