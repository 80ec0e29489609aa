/** Says how many there are: "1 query", "2 queries". */
export const counted = (count: number, one: string, many = one): string =>
	`${count} ${count === 1 ? one : many}`;

/** The same; empty where there are none. */
export const countedIfAny = (count: number, one: string, many = one): string =>
	count === 0 ? '' : counted(count, one, many);
