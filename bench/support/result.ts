export interface BenchOptions {
	/** Medians are taken. */
	rounds: number;
	/** Without it, all of a benchmark runs. */
	part?: string;
	operation?: string;
	/** How many lookups, queries or runs one round has. */
	count?: number;
	/** With N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE. */
	lazy: boolean;
	/** They are for another sandbox than the default one. */
	sandbox: object;
	/** docs/scaling.md shows it. */
	chart: boolean;
	log: (line: string) => void;
}

/** A bound that the benchmark is held to, and what was measured. */
export interface MeasuredBound {
	what: string;
	value: number;
	/** The value must be at most (or at least) this. */
	atMost?: number;
	atLeast?: number;
}

export interface BenchResult {
	name: string;
	/** One sentence: what was run, on what. */
	setting: string;
	rows: Array<Record<string, string | number>>;
	verdicts: MeasuredBound[];
}

export const isBoundMet = ({ value, atMost, atLeast }: MeasuredBound): boolean =>
	(atMost === undefined || value <= atMost) && (atLeast === undefined || value >= atLeast);

export function median(values: number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = Math.floor(sorted.length / 2);
	return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export const round = (value: number, digits = 2): number => Number(value.toFixed(digits));

/** The result as a Markdown table with its verdicts below. */
export function toMarkdown({ name, setting, rows, verdicts }: BenchResult): string {
	const columns = Object.keys(rows[0] ?? {});
	const line = (cells: Array<string | number>) => `| ${cells.join(' | ')} |`;
	return [
		`### ${name}`,
		'',
		setting,
		'',
		line(columns),
		line(columns.map(() => '---')),
		...rows.map((row) => line(columns.map((column) => row[column]))),
		'',
		...verdicts.map((verdict) => {
			const { what, value, atMost, atLeast } = verdict;
			const bound = atMost === undefined ? `at least ${atLeast}` : `at most ${atMost}`;
			return `- ${what}: ${value} (${bound}): ${isBoundMet(verdict) ? 'holds' : 'missed'}`;
		}),
	].join('\n');
}
