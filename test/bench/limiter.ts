// Capacity of many n8n processes with one token, in virtual time, by the limiter that the nodes use.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../demo/package';
import { simulate, type Outcome, type Simulated } from './limiter/simulation';
import { median, round, type BenchOptions, type BenchResult } from './result';

const COUNTS = [1, 2, 4, 16, 64];
const LIMIT = 10;
/** Uneven answers come up to so much later, one in ten up to four times as much. */
const UNEVEN_MS = 600;
const PICTURE = join(root, 'docs', 'scaling-limiter.svg');

interface Measured {
	processes: number;
	headers: boolean;
	answers: 'even' | 'uneven';
	ideal: number;
	refused: number;
	perSecond: number;
	pause: number;
}

type Conditions = Pick<Measured, 'headers' | 'answers'>;

async function measure(
	processes: number,
	{ headers, answers }: Conditions,
	rounds: number,
): Promise<Measured> {
	const each = Math.max(50, Math.round(300 / processes));
	const options: Simulated = {
		lookups: new Array<number>(processes).fill(each),
		limit: LIMIT,
		pointsPerSecond: LIMIT,
		headers,
		skewMs: 3000,
		jitterMs: answers === 'even' ? 0 : UNEVEN_MS,
		...(!headers && { processes }),
	};
	const outcomes: Outcome[] = [];
	for (let seed = 1; seed <= rounds; seed++) outcomes.push(await simulate({ ...options, seed }));
	const of = (value: (outcome: Outcome) => number) => median(outcomes.map(value));
	const total = processes * each;
	return {
		processes,
		headers,
		answers,
		ideal: round(
			of(({ ms, idealMs }) => ms / idealMs),
			3,
		),
		refused: round(
			of(({ refused }) => refused / total),
			3,
		),
		perSecond: round(
			of(({ ms }) => (1000 * total) / ms),
			1,
		),
		pause: round(
			of(({ longestPauseMs }) => longestPauseMs / 1000),
			1,
		),
	};
}

export async function run({ rounds, log }: BenchOptions): Promise<BenchResult> {
	const all: Measured[] = [];
	const conditions: Conditions[] = [
		{ headers: true, answers: 'even' },
		{ headers: true, answers: 'uneven' },
		{ headers: false, answers: 'even' },
	];
	for (const each of conditions) {
		for (const processes of COUNTS) {
			log(`${processes} process(es), ${JSON.stringify(each)}`);
			all.push(await measure(processes, each, Math.max(5, rounds)));
		}
	}
	writeFileSync(PICTURE, picture(all.filter(({ answers }) => answers === 'even')));
	const bounded = all.filter(
		({ headers, answers, processes }) => headers && answers === 'even' && processes <= 4,
	);
	return {
		name: 'limiter',
		setting: `A simulation: so many n8n processes with one token and clocks that differ by up to 3 s, each with its part of 300 lookups (at least 50), at a limiter of ${LIMIT} points per second, answers after 285 to 315 ms, uneven ones up to 600 ms later and one in ten of them up to 2.4 s; medians of ${Math.max(5, rounds)}. Where the service sends no headers, the credential names the number of processes.`,
		rows: all.map(({ processes, headers, answers, ideal, refused, perSecond, pause }) => ({
			processes,
			headers: headers ? 'yes' : 'no',
			answers,
			'lookups/s': perSecond,
			'× ideal': ideal,
			'429s per lookup': refused,
			'longest wait of a process (s)': pause,
		})),
		verdicts: bounded.flatMap(({ processes, ideal, refused }) => [
			{
				what: `${processes} process(es), time ÷ ideal`,
				value: ideal,
				atMost: processes === 1 ? 1.03 : 1.08,
			},
			{ what: `${processes} process(es), answers 429 per lookup`, value: refused, atMost: 0.1 },
		]),
	};
}

/** Lookups per second over the number of processes, as a small drawing. */
function picture(all: Measured[]): string {
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
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" role="img" aria-label="Lookups per second over the number of n8n processes">
<rect width="100%" height="100%" fill="#fff"/>
<line x1="${left}" x2="${width - 20}" y1="${y(LIMIT)}" y2="${y(LIMIT)}" stroke="#999" stroke-dasharray="4"/>
<line x1="${left}" x2="${width - 20}" y1="${y(0)}" y2="${y(0)}" stroke="#999"/>
${[0, 5, 10].map((value) => text([left - 10, y(value) + 4], String(value), 'end')).join('')}
${COUNTS.map((count) => text([x(count), height - bottom + 18], String(count))).join('')}
${text([width / 2, height - 6], 'n8n processes with one token')}
${text([left + 6, y(LIMIT) - 8], "the service's limit", 'start')}
${line(true, '#1d6fb8')}${line(false, '#d9822b')}
${text([width - 24, 150], 'with X-RateLimit headers', 'end', '#1d6fb8')}${text([width - 24, 168], 'without, told by the credential', 'end', '#d9822b')}
<text x="14" y="${height / 2}" transform="rotate(-90 14 ${height / 2})" text-anchor="middle" fill="#444">lookups per second</text>
</svg>
`;
}
