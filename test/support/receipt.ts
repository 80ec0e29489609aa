/** A receipt as an operator adds it up. */
export interface ReadReceipt {
	/** `undefined` for "unknown". */
	billed?: number;
	items?: number;
	withQuery?: number;
	/** Items of the run that have no query: they failed before sending, were refused, or were not reached. */
	withoutQuery: number;
	queries?: number;
	/** Different queries by what became of them. */
	parts: Record<string, number>;
	failed: number;
	failedBy: Record<string, number>;
	pending: number;
}

const countsIn = (text: string): Record<string, number> =>
	Object.fromEntries(
		text
			.replace(/ \([^)]*\)/g, '')
			.split(', ')
			.map((part) => /^(\d+) (.*)$/.exec(part))
			.filter((part) => part !== null)
			.map(([, count, kind]) => [kind, Number(count)]),
	);

/** Reads the numbers of a receipt. Throws if its words are not those of a receipt. */
export function readReceipt(text: string): ReadReceipt {
	const [, cost] = /^Billed: ([^.]+)\./.exec(text) ?? [];
	if (cost === undefined) throw new Error(`No receipt: ${text}`);
	const billed = cost === 'unknown' ? undefined : cost === 'nothing' ? 0 : parseInt(cost, 10);
	const sum = /(?:(\d+) of )?(\d+) items?, (\d+) (?:different )?quer(?:y|ies)(?:: ([^.]*))?\./.exec(
		text,
	);
	const alone = /^Billed: [^.]+\. (\d+ (?:billed|reused|unknown)[^.]*)\./.exec(text)?.[1];
	const parts = countsIn(sum?.[4] ?? alone ?? '');
	const failure = /(\d+) items? failed(?:: ([^.]*)| ([^.:]*))\./.exec(text);
	const failedBy = failure
		? failure[2] === undefined
			? { [failure[3]]: Number(failure[1]) }
			: countsIn(failure[2])
		: {};
	const left = Number(/(\d+) items? without a query, because/.exec(text)?.[1] ?? 0);
	const items = sum ? Number(sum[2]) : undefined;
	return {
		billed,
		items,
		withQuery: sum ? Number(sum[1] ?? sum[2]) : undefined,
		withoutQuery:
			left + (failedBy['before sending'] ?? 0) + (failedBy['when refused by the service'] ?? 0),
		queries: sum ? Number(sum[3]) : undefined,
		parts,
		failed: failure ? Number(failure[1]) : 0,
		failedBy,
		pending: Number(/(\d+) pending: /.exec(text)?.[1] ?? 0),
	};
}

export const sumOf = (counts: Record<string, number>): number =>
	Object.values(counts).reduce((sum, count) => sum + count, 0);
