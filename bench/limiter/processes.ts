// Capacity of many n8n processes with one token, in virtual time, by the pace that the nodes keep.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../demo/installPackage';
import {
	simulate,
	type Outcome,
	type OtherTrafficPattern,
	type SimulationInput,
} from './simulation';
import { round, type BenchOptions, type BenchResult, type MeasuredBound } from '../support/result';

const COUNTS = [1, 2, 4, 16, 64];
const LIMIT = 10;
const SEEDS = 31;
/** By how much clocks differ at most. */
const SKEWS_MS = [0, 50, 1000, 3000];
/** Without headers no clock matters, and an hour of many processes takes long. */
const SEEDS_WITHOUT_HEADERS = 5;
/** Uneven responses come up to so much later, one in ten up to four times as much. */
const UNEVEN_MS = 600;
const OTHER_PER_SECOND = 4;
const PATTERNS: OtherTrafficPattern[] = ['bursts', 'evenly', 'at the start of each window'];
const PICTURE = join(repositoryRoot, 'docs', 'scaling-limiter.svg');

/** Of the outcomes of all seeds; of all skews the worst. */
interface Spread {
	median: number;
	/** The 90th percentile. */
	most: number;
}

interface Measurement {
	processes: number;
	headers: boolean;
	answers: 'even' | 'uneven';
	ideal: Spread;
	refused: Spread;
	perSecond: number;
	wait: Spread;
}

type Conditions = Pick<Measurement, 'headers' | 'answers'>;

function spread(runs: Outcome[][], value: (outcome: Outcome) => number, digits = 3): Spread {
	const at = (part: number) =>
		Math.max(
			...runs.map((outcomes) => {
				const sorted = outcomes.map(value).sort((a, b) => a - b);
				return round(sorted[Math.floor(part * (sorted.length - 1) + 0.5)], digits);
			}),
		);
	return { median: at(0.5), most: at(0.9) };
}

/** All seeds, for each skew. */
function runAll(options: Omit<SimulationInput, 'seed' | 'skewMs'>): Outcome[][] {
	const [skews, seeds] = options.headers ? [SKEWS_MS, SEEDS] : [[0], SEEDS_WITHOUT_HEADERS];
	return skews.map((skewMs) =>
		Array.from({ length: seeds }, (_, seed) => simulate({ ...options, skewMs, seed: 1 + seed })),
	);
}

function measure(processes: number, { headers, answers }: Conditions): Measurement {
	const each = Math.max(50, Math.round(300 / processes));
	const total = processes * each;
	const runs = runAll({
		lookups: new Array<number>(processes).fill(each),
		limit: LIMIT,
		pointsPerSecond: LIMIT,
		headers,
		jitterMs: answers === 'even' ? 30 : UNEVEN_MS,
		...(!headers && { processes }),
	});
	const ms = spread(runs, (outcome) => outcome.ms).median;
	return {
		processes,
		headers,
		answers,
		ideal: spread(runs, (outcome) => outcome.ms / outcome.idealMs),
		refused: spread(runs, ({ refused }) => refused / total),
		perSecond: round((1000 * total) / ms, 1),
		wait: spread(runs, ({ longestWaitMs }) => longestWaitMs / 1000, 1),
	};
}

/** 200 lookups of one process beside another program. */
function measureBeside(pattern: OtherTrafficPattern): {
	pattern: OtherTrafficPattern;
	seconds: Spread;
	refused: Spread;
} {
	const runs = runAll({
		lookups: [200],
		limit: LIMIT,
		pointsPerSecond: LIMIT,
		headers: true,
		other: { perSecond: OTHER_PER_SECOND, pattern },
	});
	return {
		pattern,
		seconds: spread(runs, ({ ms }) => ms / 1000, 1),
		refused: spread(runs, ({ otherRefused, otherSent }) => otherRefused / otherSent, 2),
	};
}

/** The most time ÷ ideal, and the most responses 429 per lookup, by the number of processes. */
const TIME: Record<number, number> = { 1: 1.05, 2: 1.1, 4: 1.1, 16: 1.1 };
const REFUSED: Record<number, number> = { 1: 0.5, 2: 0.5, 4: 0.5 };
const UNEVEN_TIME = 1.15;
/** A program beside a process that gets its fair part needs at most this many times the fair time. */
const BESIDE = 1.5;

function bounds({ processes, answers, ideal, refused }: Measurement): MeasuredBound[] {
	const what = `${processes} process(es), ${answers} responses`;
	const time = { what: `${what}: time ÷ ideal`, value: ideal.median };
	if (answers === 'uneven') return processes > 4 ? [] : [{ ...time, atMost: UNEVEN_TIME }];
	const perLookup = { what: `${what}: responses 429 per lookup`, value: refused.median };
	return [
		...(processes in TIME ? [{ ...time, atMost: TIME[processes] }] : []),
		...(processes in REFUSED ? [{ ...perLookup, atMost: REFUSED[processes] }] : []),
	];
}

export async function run({ log, chart }: BenchOptions): Promise<BenchResult> {
	const all: Measurement[] = [];
	const conditions: Conditions[] = [
		{ headers: true, answers: 'even' },
		{ headers: true, answers: 'uneven' },
		{ headers: false, answers: 'even' },
	];
	for (const each of conditions) {
		for (const processes of COUNTS) {
			log(`${processes} process(es), ${JSON.stringify(each)}`);
			all.push(measure(processes, each));
		}
	}
	const beside = PATTERNS.map(measureBeside);
	if (chart) writeFileSync(PICTURE, picture(all.filter(({ answers }) => answers === 'even')));
	const both = ({ median, most }: Spread) => `${median} (${most})`;
	const mostSeconds = round((200 / (LIMIT - OTHER_PER_SECOND)) * BESIDE, 1);
	return await Promise.resolve({
		name: 'limiter',
		setting: `A simulation in virtual time: so many n8n processes share one token, each with its part of 300 lookups (at least 50), at a limiter of ${LIMIT} points per second. Responses take 285 to 345 ms, one in ten up to 435 ms; uneven ones up to 600 ms more, one in ten up to 2.4 s more. Medians of ${SEEDS} seeds, the 90th percentile in parentheses; of clock skews of 0, 50 ms, 1 s and 3 s, the worst. Without headers (${SEEDS_WITHOUT_HEADERS} seeds) the credential names the number of processes. The last rows: 200 lookups of one process beside a program that sends ${OTHER_PER_SECOND} requests a second with the same token; an even split would take 33.3 s.`,
		rows: [
			...all.map(({ processes, headers, answers, ideal, refused, perSecond, wait }) => ({
				who: `${processes} process(es)`,
				headers: headers ? 'yes' : 'no',
				responses: answers,
				'lookups/s': perSecond,
				'× ideal': both(ideal),
				'429s per lookup': both(refused),
				'longest wait of a process (s)': both(wait),
			})),
			...beside.map(({ pattern, seconds, refused }) => ({
				who: `beside a program, ${pattern}: ${both(seconds)} s`,
				headers: 'yes',
				responses: 'even',
				'lookups/s': round(200 / seconds.median, 1),
				'× ideal': '',
				'429s per lookup': `of the program's: ${both(refused)}`,
				'longest wait of a process (s)': '',
			})),
		],
		verdicts: [
			...all.filter(({ headers }) => headers).flatMap(bounds),
			...beside.map(({ pattern, seconds }) => ({
				what: `200 lookups beside a program, ${pattern} (s)`,
				value: seconds.median,
				atMost: mostSeconds,
			})),
		],
	});
}
/** Lookups per second over the number of processes, as a small drawing. */
function picture(all: Measurement[]): string {
	const [width, height, left, bottom] = [560, 260, 60, 40];
	const x = (processes: number) => left + (Math.log2(processes) / 6) * (width - left - 30);
	const y = (perSecond: number) => height - bottom - (perSecond / 12) * (height - bottom - 20);
	const line = (headers: boolean, colour: string) => {
		const points = all.filter((each) => each.headers === headers);
		const path = points.map((each) => `${x(each.processes)},${y(each.perSecond)}`).join(' ');
		const dots = points.map(
			(each) =>
				`<circle cx="${x(each.processes)}" cy="${y(each.perSecond)}" r="4" fill="${colour}"/>`,
		);
		return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join('')}`;
	};
	const text = (at: [number, number], words: string, anchor = 'middle', colour = '#444') =>
		`<text x="${at[0]}" y="${at[1]}" text-anchor="${anchor}" fill="${colour}">${words}</text>`;
	const legend = (line: number, words: string, colour: string) => {
		const [from, at] = [left + 20, 130 + 22 * line];
		return `<line x1="${from}" x2="${from + 28}" y1="${at}" y2="${at}" stroke="${colour}" stroke-width="2"/><circle cx="${from + 14}" cy="${at}" r="4" fill="${colour}"/>${text([from + 38, at + 4], words, 'start')}`;
	};
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif" font-size="12" role="img" aria-label="Lookups per second over the number of n8n processes">
<rect width="100%" height="100%" fill="#fff"/>
<line x1="${left}" x2="${width - 20}" y1="${y(LIMIT)}" y2="${y(LIMIT)}" stroke="#999" stroke-dasharray="4"/>
<line x1="${left}" x2="${width - 20}" y1="${y(0)}" y2="${y(0)}" stroke="#999"/>
${[0, 5, 10].map((value) => text([left - 10, y(value) + 4], String(value), 'end')).join('')}
${COUNTS.map((count) => text([x(count), height - bottom + 18], String(count))).join('')}
${text([width / 2, height - 6], 'n8n processes with one token')}
${text([left + 6, y(LIMIT) - 8], "the service's limit", 'start')}
${line(true, '#1d6fb8')}${line(false, '#d9822b')}
${legend(0, 'the service sends X-RateLimit headers', '#1d6fb8')}
${legend(1, "it sends none; the credential's Number of Processes divides the limit", '#d9822b')}
<text x="14" y="${height / 2}" transform="rotate(-90 14 ${height / 2})" text-anchor="middle" fill="#444">lookups per second</text>
</svg>
`;
}
