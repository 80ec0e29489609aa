/** In which order a service lists queries, by their creation. */
export type Order = 'newestFirst' | 'oldestFirst';

/** So many neighbours of different dates show an order, whatever was known before. */
const CLEAR = 5;
/** A list that mostly falls is in order: clocks differ, and queries are made at the same moment. */
const TIMES_MORE = 3;

/**
 * The order of rows by their dates of creation. A few rows do not show another order than the one that is `known`.
 * Undefined if it cannot be told.
 */
export function orderOf(
	records: Array<{ createdAt?: number }>,
	known: Order | undefined,
): Order | undefined {
	const dates = records.map(({ createdAt }) => createdAt).filter((date) => date !== undefined);
	const falls = dates.filter((date, index) => date < dates[index - 1]).length;
	const rises = dates.filter((date, index) => date > dates[index - 1]).length;
	const shown =
		falls > TIMES_MORE * rises
			? 'newestFirst'
			: rises > TIMES_MORE * falls
				? 'oldestFirst'
				: undefined;
	return falls + rises >= CLEAR ? shown : (known ?? shown);
}
