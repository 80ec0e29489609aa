import axios from 'axios';
import { startSandbox, type Sandbox } from '../sandbox';
import type { FaultRule } from '../sandbox/plugins/faults';
import type { BilledQuery } from '../sandbox/services/taxQuery/ledger';
import { startBenchN8n, type BenchN8n } from './support/benchN8n';
import { companyRfcOf, curpOfIndex, birthDateOf, rfcOf } from './support/identifiers';
import type { BenchOptions, BenchResult } from './support/result';

/** Of each kind in each mode; of each list and upsert. */
const ITEMS = 24;
const OTHERS = 80;
const DOCUMENTS = 300;
/** So likely is each fault of a request. */
const LIKELY = 0.015;
const AT_ONCE = 8;

const POSTS: Array<FaultRule['fault']> = [
	{ status: 200, body: {} },
	{ status: 200, body: { message: 'Accepted' }, accepted: true },
	{ large: 6_000_000 },
];
const ALL: Array<FaultRule['fault']> = [
	'storm',
	'hang',
	'resetBefore',
	'resetAfter',
	'truncated',
	'nonJson',
	'expiredToken',
	{ trickle: 300 },
	{ latency: 500 },
	{ status: 503 },
	{ status: 502, accepted: true },
];

const likely = (path: string, fault: FaultRule['fault'], more: Partial<FaultRule> = {}) => ({
	path,
	probability: LIKELY,
	fault,
	...more,
});
const FAULTS: FaultRule[] = [
	...ALL.flatMap((fault) => [likely('/api/query', fault), likely('/api/v1', fault)]),
	...POSTS.map((fault) => likely('/api/query', fault, { method: 'POST' })),
	likely('/api/oauth/token', { status: 503 }, { probability: 0.2 }),
];

interface Kind {
	resource: string;
	operation: string;
	parameters: object;
	subject: (index: number) => string;
	keyOf: (query: Record<string, unknown>) => unknown;
	/** Queries of one item. */
	months?: number;
	isImmediate?: boolean;
	needsProfile?: boolean;
	hasNoReuse?: boolean;
}

const subject = '={{ $json.subject }}';
const rfcKind = (resource: string, operation: string, more: Partial<Kind> = {}): Kind => ({
	resource,
	operation,
	parameters: { rfc: subject },
	subject: rfcOf,
	keyOf: ({ rfc }) => rfc,
	...more,
});
const curpKind = (operation: string, isImmediate: boolean): Kind => ({
	resource: 'person',
	operation,
	parameters: { curp: subject },
	subject: curpOfIndex,
	keyOf: ({ curp }) => curp,
	isImmediate,
});
const login = { loginFrom: 'fields', ciec: 'Ciec_1234' };
const months = { period: 'months', firstMonth: '2026-01', lastMonth: '2026-02' };

const KINDS: Kind[] = [
	rfcKind('company', 'getShareholders', { subject: companyRfcOf }),
	{
		resource: 'taxpayer',
		operation: 'calculateRfc',
		parameters: { name: 'Emma', firstLastName: 'Gómez', birthDate: subject },
		subject: birthDateOf,
		keyOf: ({ year, month, day }) =>
			[year, month, day].map((part) => String(part).padStart(2, '0')).join('-'),
		isImmediate: true,
	},
	rfcKind('taxpayer', 'getCrf'),
	rfcKind('taxpayer', 'getRfcData'),
	curpKind('getCurpData', true),
	curpKind('getEmploymentHistory', false),
	rfcKind('taxAuthority', 'createTaxProfile', {
		parameters: { rfc: subject, ...login },
		hasNoReuse: true,
	}),
	rfcKind('taxAuthority', 'getCsf', { needsProfile: true }),
	rfcKind('taxAuthority', 'getComplianceOpinion', { needsProfile: true }),
	rfcKind('taxAuthority', 'getInvoices', {
		parameters: { rfc: subject, ...months },
		needsProfile: true,
		months: 2,
	}),
];

/** Equal requests come in several notations. */
interface Mode {
	name: string;
	continues?: boolean;
	retries?: boolean;
	sendAgain?: boolean;
	waits?: boolean;
	executions?: number;
	reuse?: string;
}
const MODES: Mode[] = [
	{ name: 'Continue On Fail, Wait for Result', continues: true, waits: true },
	{ name: 'Continue On Fail, Send Again', continues: true, sendAgain: true },
	{ name: 'Continue On Fail and Retry On Fail', continues: true, retries: true },
	{ name: 'no Continue On Fail', waits: true },
	{
		name: 'no Continue On Fail, Retry On Fail, Send Again',
		retries: true,
		sendAgain: true,
	},
	{ name: 'two executions at once', continues: true, executions: 2 },
	{ name: 'two at once, with Reuse', continues: true, executions: 2, reuse: 'month', waits: true },
];

interface Cell {
	kind: Kind;
	mode: Mode;
	/** Some items ask the same. */
	subjects: string[];
	/** Each has its rows, its error, and how many queries that reports as uncertain. */
	runs: Array<{ rows: Row[]; failure: string; unsureQueries: number }>;
}

type Row = Record<string, unknown>;
const OUTCOMES = ['lost', 'paid twice', 'wrong', 'unexplained', '429 surfaced'];

const isUnsure = (text: unknown) => String(text).startsWith('The query may have been accepted');
const isExplained = (text: unknown) =>
	/may have been accepted|not known whether|Tax Query Service|Credit Profile Service/.test(
		String(text),
	);
/** A 2xx that names no query, and that no list explains: the row says so (docs/unspecified.md). */
const isUnconfirmed = ({ warnings }: Row) =>
	Array.isArray(warnings) && warnings.some(({ code }: Row) => code === 'unconfirmed');
const isThrottled = (text: unknown) => /too many requests|rate limit/i.test(String(text));

/** Compares what was billed with what came out. */
function count(cell: Cell, ledger: BilledQuery[], counts: Counts, log: Log): void {
	const { kind, mode, subjects, runs } = cell;
	const { keyOf } = kind;
	const billed = ledger.filter(({ query }) => subjects.includes(String(keyOf(query))));
	const byId = new Map(billed.map((entry) => [entry.queryId, entry]));
	const rows = runs.flatMap((run) => run.rows);
	const errors = [...rows.map(({ error }) => error), ...runs.map(({ failure }) => failure)].filter(
		Boolean,
	);
	const reported = errors.join('\n');
	// a failed item of several queries names them in one column
	const given = rows.flatMap(({ queryId }) => (queryId ? String(queryId).split(', ') : []));
	const requests = (key: unknown) => subjects.filter((one) => one === key).length * runs.length;
	const paysOnce = mode.reuse !== undefined && !kind.hasNoReuse;

	const missing = billed.filter(({ queryId }) => !given.includes(queryId));
	const unsure = new Set(rows.filter(({ error }) => isUnsure(error)).map(subjectOf));
	const onlyReported = missing.filter(
		({ queryId, query }) => reported.includes(queryId) || unsure.has(String(keyOf(query))),
	);
	counts.add('operations', subjects.length * runs.length);
	counts.add('billed', billed.length);
	counts.add('recovered', rows.filter(({ recovered }) => recovered).length);
	const unconfirmed = rows.filter((row) => row.queryId === undefined && isUnconfirmed(row));
	counts.add('reported as unsure', errors.filter(isUnsure).length + unconfirmed.length);
	counts.add('billed, ID in the error', onlyReported.length);
	const unsureInRuns = runs.reduce((sum, { unsureQueries }) => sum + unsureQueries, 0);
	counts.add('lost', Math.max(0, missing.length - onlyReported.length - unsureInRuns));
	for (const key of new Set(subjects)) {
		const paid = billed.filter(({ query }) => keyOf(query) === key).length;
		const allowed = (paysOnce ? 1 : requests(key)) * (kind.months ?? 1);
		counts.add('paid twice', Math.max(0, paid - allowed));
	}
	const unknown = rows.filter(
		(row) =>
			row.error === undefined &&
			!unconfirmed.includes(row) &&
			(row.queryId === undefined ||
				keyOf(byId.get(String(row.queryId))?.query ?? {}) !== subjectOf(row)),
	);
	const lost = missing.filter((entry) => !onlyReported.includes(entry));
	if (lost.length > unsureInRuns || unknown.length > 0) {
		const about = lost.map(({ query }) => keyOf(query));
		const came = rows.filter((row) => about.includes(subjectOf(row)));
		log(`${mode.name}, ${kind.operation}: ${JSON.stringify({ lost, unknown, came })}`);
	}
	const own = rows.flatMap(({ queryId, reused }) => (queryId && !reused ? [String(queryId)] : []));
	const shared = paysOnce ? 0 : own.length - new Set(own).size;
	const absent = runs.filter((run) => run.failure === '' && outOf(run.rows) < subjects.length);
	counts.add('wrong', unknown.length + shared + absent.length);
	const unexplained = errors.filter((error) => !isExplained(error));
	if (unexplained.length > 0) log(`${mode.name}, ${kind.operation}: ${String(unexplained[0])}`);
	counts.add('unexplained', unexplained.length);
	counts.add('429 surfaced', errors.filter(isThrottled).length);
}

const subjectOf = (row: Row) => String(row.externalReference ?? row.subject);
/** Items that came out, whatever became of them. */
const outOf = (rows: Row[]) => new Set(rows.map(({ item }) => item)).size;

type Log = BenchOptions['log'];

class Counts {
	readonly values: Record<string, number> = {};
	add(what: string, count: number): void {
		this.values[what] = (this.values[what] ?? 0) + count;
	}
}

async function sendQuery(
	n8n: BenchN8n,
	cell: Cell,
	credentials: object,
	name: string,
): Promise<void> {
	const { kind, mode, subjects } = cell;
	const { resource, operation, parameters, isImmediate, hasNoReuse } = kind;
	const run = await n8n.workflow(name, {
		type: 'n8n-nodes-credit-profile.taxQuery',
		typeVersion: 1,
		credentials: credentials as never,
		...(mode.continues && { onError: 'continueRegularOutput' }),
		...(mode.retries && { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 }),
		parameters: {
			resource,
			operation,
			...parameters,
			...(!hasNoReuse && { reuse: mode.reuse ?? 'never' }),
			...(mode.waits && !isImmediate && { waitForResult: true, maxWait: 30 }),
			options: {
				timeout: 2,
				externalReference: subject,
				...(mode.sendAgain && { spendingLimits: { sendAgain: true } }),
			},
		},
	});
	const items = subjects.map((one) => ({ subject: one }));
	cell.runs = await Promise.all(
		Array.from({ length: mode.executions ?? 1 }, async () => {
			const { executionId } = await run(items);
			const { text: failure, unsureQueries } = mode.continues
				? { text: '', unsureQueries: 0 }
				: await n8n.failure(executionId);
			const rows = failure === '' ? await n8n.rows(executionId) : [];
			return {
				failure,
				unsureQueries: failure === '' ? 0 : unsureQueries,
				rows: rows.map(({ json, item }) => ({ ...json, item, subject: subjects[item] })),
			};
		}),
	);
}

/** Lists and upserts, which cost nothing, and what each item of them must bring. */
const LISTS = [
	{
		resource: 'dataDocument',
		operation: 'getAll',
		collection: { __rl: true, mode: 'id', value: '2' },
		returnAll: true,
		of: OTHERS,
	},
	{ resource: 'dataCollection', operation: 'getAll', returnAll: true, of: OTHERS },
	{ resource: 'providerLogin', operation: 'getAll', returnAll: true, of: OTHERS },
	{
		resource: 'providerLogin',
		operation: 'upsert',
		provider: 'legal-records',
		loginFrom: 'fields',
		username: 'expedientes',
		password: 'Secret_77',
		of: OTHERS,
	},
];

/** Runs so many of work at a time. */
async function inTurn(works: Array<() => Promise<void>>): Promise<void> {
	const queue = works.values();
	const worker = async () => {
		for (const work of queue) await work();
	};
	await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function runSeed(
	n8n: BenchN8n,
	sandbox: Sandbox,
	totals: Map<string, Counts>,
	{ seed, log, operation: only = '' }: { seed: number; log: Log; operation?: string },
) {
	const control = axios.create({ baseURL: `${sandbox.page}sandbox` });
	const noLimit = { pointsPerSecond: 0 };
	const { taxQueryApi, creditProfileApi } = await n8n.credentialsFor(sandbox, noLimit);
	const proving = { ...noLimit, apiMapping: PROVING_MAPPING };
	const { taxQueryApi: provingApi } = await n8n.credentialsFor(sandbox, proving);
	const kinds = KINDS.filter(({ operation }) => operation.includes(only));
	const cells = MODES.flatMap((mode, modeIndex) =>
		kinds.map((kind): Cell => {
			const { length } = Array.from({ length: ITEMS / (mode.executions ?? 1) });
			const own = Array.from({ length: length - 2 }, (_, index) =>
				kind.subject(index + ITEMS * modeIndex),
			);
			return { kind, mode, subjects: [...own, ...own.slice(0, 2)], runs: [] };
		}),
	);
	const service = await loggedIn(sandbox);
	for (const { kind, subjects } of cells) {
		if (!kind.needsProfile) continue;
		for (const rfc of new Set(subjects)) {
			await service.post('/query/tax/profile', { rfc, ciec: login.ciec });
		}
	}
	await control.delete('/ledger');
	await control.put('/faults', FAULTS);
	const others = new Counts();
	const works: Array<() => Promise<void>> = [
		...cells.map((cell, index) => async () => {
			const credentials = { taxQueryApi: cell.mode.sendAgain ? provingApi : taxQueryApi };
			await sendQuery(n8n, cell, credentials, `Cell ${seed} ${index}`);
		}),
		...LISTS.map(({ of, ...parameters }, index) => async () => {
			const run = await n8n.workflow(`List ${seed} ${index}`, {
				type: 'n8n-nodes-credit-profile.creditProfile',
				typeVersion: 1,
				onError: 'continueRegularOutput',
				credentials: { creditProfileApi },
				parameters: { ...parameters, options: { timeout: 5 } },
			});
			const { executionId } = await run(Array.from({ length: of }, () => ({})));
			const rows = await n8n.rows(executionId);
			const errors = rows.flatMap(({ json: { error } }) => (error ? [error] : []));
			const sizes = new Map<number, number>();
			for (const { item, json } of rows) {
				if (!json.error) sizes.set(item, (sizes.get(item) ?? 0) + 1);
			}
			others.add('operations', of);
			others.add('wrong', Math.max(0, new Set(sizes.values()).size - 1));
			others.add('lost', of - new Set(rows.map(({ item }) => item)).size);
			const unexplained = errors.filter((error) => !isExplained(error));
			if (unexplained.length > 0) log(`List ${index}: ${String(unexplained[0])}`);
			others.add('unexplained', unexplained.length);
			others.add('429 surfaced', errors.filter(isThrottled).length);
		}),
	];
	await inTurn(works);
	await control.delete('/faults');
	const { data: ledger } = await control.get<BilledQuery[]>('/ledger');
	const known = new Set<string>();
	for (const cell of cells) {
		const ofKind = ledger.filter(({ service: code }) => code === codes[cell.kind.operation]);
		const total = totals.get(cell.mode.name) ?? new Counts();
		totals.set(cell.mode.name, total);
		count(cell, ofKind, total, log);
		for (const { queryId, query } of ofKind) {
			if (cell.subjects.includes(String(cell.kind.keyOf(query)))) known.add(queryId);
		}
	}
	if (known.size !== ledger.length) {
		throw new Error(`${ledger.length - known.size} billed queries belong to nobody`);
	}
	const name = 'lists and upserts';
	const sum = totals.get(name) ?? new Counts();
	totals.set(name, sum);
	for (const [what, value] of Object.entries(others.values)) sum.add(what, value);
	const found = OUTCOMES.map((what) => {
		const all = [...totals.values()].map(({ values }) => values[what] ?? 0);
		return `${what}: ${all.reduce((a, b) => a + b, 0)}`;
	});
	log(`so far ${found.join(', ')}`);
}

const codes: Record<string, string> = {
	getShareholders: 'COMPANY_SHAREHOLDERS',
	calculateRfc: 'RFC_CALCULATOR',
	getCrf: 'CRF',
	getRfcData: 'RFC',
	getCurpData: 'CURP',
	getEmploymentHistory: 'JOB_HISTORY',
	createTaxProfile: 'TAX_PROFILE',
	getCsf: 'CSF',
	getComplianceOpinion: 'COMPLIANCE_OPINION',
	getInvoices: 'INVOICE',
};

/** With it the list proves that a query is missing: it is whole, and each record names its query type. */
const PROVING_MAPPING = JSON.stringify({ list: { paging: 'none' }, services: codes });

async function loggedIn({ taxQuery }: Sandbox) {
	const { baseUrl, clientId: client_id, clientSecret: client_secret } = taxQuery;
	const { data } = await axios.post<{ access_token: string }>(`${baseUrl}/oauth/token`, {
		client_id,
		client_secret,
	});
	const headers = { Authorization: `Bearer ${data.access_token}` };
	return axios.create({ baseURL: baseUrl, headers });
}

/** Every paid kind, lists and upserts under every fault that the sandbox has, counted against its ledger. */
export async function run({
	rounds,
	log,
	operation,
	sandbox: variant,
}: BenchOptions): Promise<BenchResult> {
	const n8n = await startBenchN8n(log);
	const totals = new Map<string, Counts>();
	try {
		for (let seed = 1; seed <= rounds; seed++) {
			log(`seed ${seed} of ${rounds}`);
			const sandbox = await startSandbox({
				rateLimit: 0,
				resultDelay: 500,
				documents: DOCUMENTS,
				seed,
				...variant,
			});
			try {
				await runSeed(n8n, sandbox, totals, { seed, log, operation });
			} finally {
				await sandbox.close();
			}
		}
	} finally {
		await n8n.stop();
	}
	const columns = [
		'operations',
		'billed',
		'recovered',
		'reported as unsure',
		'billed, ID in the error',
		...OUTCOMES,
	];
	const sum = (what: string) =>
		[...totals.values()].reduce((all, { values }) => all + (values[what] ?? 0), 0);
	return {
		name: 'faults',
		setting: `${sum('operations') / rounds} operations for each of ${rounds} seeds: all ${KINDS.length} billed query types in each way, and ${LISTS.length} kinds of lists and upserts; ${AT_ONCE} executions at a time in one n8n. ${ALL.length + POSTS.length} faults, each on ${LIKELY * 100} % of all requests, and a login that fails every fifth time. With Send Again, the API Mapping says where the list ends, and names each query type. Counted against the sandbox's bills.`,
		rows: [...totals].map(([mode, { values }]) => ({
			how: mode,
			...Object.fromEntries(columns.map((column) => [column, values[column] ?? 0])),
		})),
		verdicts: OUTCOMES.map((what) => ({ what, value: sum(what), atMost: 0 })),
	};
}
