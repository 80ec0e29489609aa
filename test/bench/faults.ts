import axios from 'axios';
import { startSandbox } from '../../sandbox';
import type { FaultRule } from '../../sandbox/plugins/faults';
import { startBenchN8n, type Run } from './n8n';
import { curpOfIndex, rfcOf } from './people';
import type { BenchOptions, BenchResult } from './result';

const ITEMS = 100;
/** So likely is each fault of a request. */
const LIKELY = 0.04;

const FAULTS: Array<FaultRule['fault']> = [
	'storm',
	'hang',
	'resetBefore',
	'resetAfter',
	'truncated',
	'nonJson',
	'expiredToken',
	{ status: 503 },
	{ status: 502, accepted: true },
	{ status: 200, body: {} },
	{ status: 200, body: { message: 'Accepted' }, accepted: true },
];

const KINDS = [
	{ resource: 'taxpayer', operation: 'getCrf', field: 'rfc', waits: true },
	{ resource: 'taxpayer', operation: 'getRfcData', field: 'rfc', waits: false },
	{ resource: 'person', operation: 'getCurpData', field: 'curp', waits: undefined },
	{ resource: 'person', operation: 'getEmploymentHistory', field: 'curp', waits: true },
] as const;

/** How the same questions are asked. */
const MODES = [
	{ name: 'one execution', executions: 1, reuse: 'never', retryOnFail: false },
	{ name: 'Retry On Fail, 3 tries', executions: 1, reuse: 'never', retryOnFail: true },
	{ name: 'two executions at once', executions: 2, reuse: 'never', retryOnFail: false },
	{ name: 'two at once, with Reuse', executions: 2, reuse: 'month', retryOnFail: false },
] as const;

const isNoAnswer = (fault: FaultRule['fault']) =>
	typeof fault === 'object' && 'status' in fault && fault.status === 200;

type Row = Record<string, unknown>;
type Entry = { queryId: string; query: Row };

const isUnsure = ({ error }: Row) => String(error).startsWith('The query may have been accepted');

/** Counts what went wrong between what was billed and what came out. */
function count(billed: Entry[], rows: Row[], field: string, allowed: number) {
	const given = new Set(rows.map(({ queryId }) => queryId));
	const subjectOf = (row: Row) => row.externalReference ?? row.asked;
	const unsure = rows.filter(isUnsure).length;
	const lost = billed.filter(({ queryId }) => !given.has(queryId)).length;
	const bySubject = new Map<unknown, number>();
	for (const { query } of billed) {
		bySubject.set(query[field], (bySubject.get(query[field]) ?? 0) + 1);
	}
	const failed = rows.filter(({ error }) => error !== undefined);
	return {
		queries: rows.length,
		billed: billed.length,
		'told as unsure': unsure,
		lost: Math.max(0, lost - unsure),
		'paid twice': [...bySubject.values()].reduce((sum, one) => sum + Math.max(0, one - allowed), 0),
		wrong: rows.filter((row) => row.error === undefined && row[field] !== subjectOf(row)).length,
		unexplained: failed.filter(
			(row) =>
				!isUnsure(row) && !/Tax Query Service|ended without a result/.test(String(row.error)),
		).length,
		'429 surfaced': failed.filter(({ error }) => /too many requests/.test(String(error))).length,
	};
}

/** Paid queries of four kinds under every fault that the sandbox has, counted against its ledger. */
export async function run({ rounds, log }: BenchOptions): Promise<BenchResult> {
	const n8n = await startBenchN8n(log);
	const rows: BenchResult['rows'] = [];
	const totals = new Map<string, Record<string, number>>();
	try {
		for (let seed = 1; seed <= rounds; seed++) {
			const sandbox = await startSandbox({ rateLimit: 0, resultDelay: 0, seed });
			const control = axios.create({ baseURL: `${sandbox.page}sandbox` });
			const { taxQueryApi } = await n8n.credentialsFor(sandbox);
			for (const [modeIndex, mode] of MODES.entries()) {
				for (const { resource, operation, field, waits } of KINDS) {
					log(`seed ${seed} of ${rounds}: ${mode.name}, ${operation}`);
					const ask = await n8n.workflow(`${operation} ${mode.name} ${seed}`, {
						type: 'n8n-nodes-credit-profile.taxQuery',
						typeVersion: 1,
						onError: 'continueRegularOutput',
						...(mode.retryOnFail && { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 }),
						credentials: { taxQueryApi },
						parameters: {
							resource,
							operation,
							[field]: '={{ $json.subject }}',
							reuse: mode.reuse,
							...(waits && { waitForResult: true, maxWait: 30 }),
							options: { timeout: 1, externalReference: '={{ $json.subject }}' },
						},
					});
					await control.delete('/ledger');
					await control.put(
						'/faults',
						FAULTS.map((fault) => ({
							path: '/api/query',
							...(isNoAnswer(fault) && { method: 'POST' }),
							probability: LIKELY,
							fault,
						})),
					);
					const subjectOf = field === 'rfc' ? rfcOf : curpOfIndex;
					const items = Array.from({ length: ITEMS }, (_, index) => ({
						subject: subjectOf(index + ITEMS * modeIndex),
					}));
					const runs: Run[] = await Promise.all(
						Array.from({ length: mode.executions }, async () => await ask(items)),
					);
					await control.delete('/faults');
					const outputs = await Promise.all(
						runs.map(async ({ executionId }) => await n8n.output(executionId)),
					);
					const { data: billed } = await control.get<Entry[]>('/ledger');
					const allowed = mode.reuse === 'never' ? mode.executions : 1;
					const counted = count(billed, outputs.flat(), field, allowed);
					const total = totals.get(mode.name) ?? {};
					for (const [what, value] of Object.entries(counted)) {
						total[what] = (total[what] ?? 0) + value;
					}
					totals.set(mode.name, total);
				}
			}
			await sandbox.close();
		}
	} finally {
		await n8n.stop();
	}
	for (const [mode, total] of totals) rows.push({ mode, ...total });
	const sum = (what: string) => [...totals.values()].reduce((all, one) => all + one[what], 0);
	return {
		name: 'faults',
		setting: `${KINDS.length} paid kinds, ${ITEMS} items each, ${FAULTS.length} faults of which each meets ${LIKELY * 100} % of all requests, ${rounds} seeds; counted against what the sandbox billed.`,
		rows,
		verdicts: ['lost', 'paid twice', 'wrong', 'unexplained', '429 surfaced'].map((what) => ({
			what,
			value: sum(what),
			atMost: 0,
		})),
	};
}
