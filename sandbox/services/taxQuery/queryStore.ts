import { createHash } from 'node:crypto';
import type { QueryRecord } from '../../../contract/taxQuery';
import type { Clock } from '../../clock';
import type { SandboxOptions } from '../../options';
import type { WebhookSettings } from '../../webhook/settings';
import type { WebhookSender } from '../../webhook/delivery';
import type { BilledQueryLog } from './ledger';

const SLOW_FACTOR = 10;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface PlannedOutcome {
	status: 'SUCCESS' | 'FAILED' | 'NOT_FOUND';
	response: Record<string, unknown>;
	state: Record<string, unknown>;
	/** Never: it stays PENDING until somebody says "deliver now". */
	when: 'usual' | 'slow' | 'never';
}

/** A query that has no result yet. */
interface Waiting {
	outcome: PlannedOutcome;
	/** Milliseconds of the services' clock; null: never. */
	dueAt: number | null;
}

interface Saved {
	count: number;
	records: QueryRecord[];
	waiting: Array<[string, Waiting]>;
}

/** `GET /query` shows it. */
export class QueryStore {
	private readonly pastById: Map<string, QueryRecord>;
	private records = new Map<string, QueryRecord>();
	private waiting = new Map<string, Waiting>();
	private timers = new Map<string, NodeJS.Timeout>();
	private count = 0;

	constructor(
		private readonly parts: {
			options: SandboxOptions;
			clock: Clock;
			ledger: BilledQueryLog;
			webhooks: WebhookSender;
			closing: AbortSignal;
		},
		/** Old queries, oldest first. */
		private readonly past: QueryRecord[],
	) {
		this.pastById = new Map(past.map((record) => [record._id, record]));
		parts.clock.onChange(() => this.schedule());
		parts.closing.addEventListener('abort', () => this.stop());
	}

	find(id: string): QueryRecord | undefined {
		return this.records.get(id) ?? this.pastById.get(id);
	}

	/** Newest first. */
	list(): QueryRecord[] {
		return [...this.past, ...this.records.values()].reverse();
	}

	/** Records and bills a query that has its result at once. */
	answer(
		service: string,
		clientType: 'PF' | 'PM',
		query: Record<string, unknown>,
		outcome: PlannedOutcome,
	): QueryRecord {
		const record = this.open(service, clientType, query);
		this.bill(record);
		if (outcome.when === 'never') {
			this.waiting.set(record._id, { outcome, dueAt: null });
			return record;
		}
		return this.end(record, outcome);
	}

	/** Records and bills a query whose result comes later, and is then delivered to the webhook. */
	acknowledge(
		service: string,
		clientType: 'PF' | 'PM',
		query: Record<string, unknown>,
		outcome: PlannedOutcome,
	): QueryRecord {
		const { options, clock } = this.parts;
		const record = this.open(service, clientType, query);
		this.bill(record);
		const delay = options.resultDelay * (outcome.when === 'slow' ? SLOW_FACTOR : 1);
		const dueAt = outcome.when === 'never' ? null : clock.now() + delay;
		this.waiting.set(record._id, { outcome, dueAt });
		this.setTimer(record._id);
		return { ...record };
	}

	/** Records a finished query that nobody pays for, and delivers it. */
	test(
		service: string,
		query: Record<string, unknown>,
		response: object,
		settings?: WebhookSettings,
	): QueryRecord {
		const record = this.open(service, 'PF', query);
		this.end(record, { status: 'SUCCESS', response: { ...response }, state: {}, when: 'usual' });
		this.parts.webhooks.deliver({ ...record }, settings);
		return record;
	}

	/** Ends a query that waits, with the result that it would have had; delivers the record in any case. */
	deliverNow(record: QueryRecord): void {
		if (this.waiting.has(record._id)) this.finish(record._id);
		else this.parts.webhooks.deliver({ ...record });
	}

	save(): Saved {
		return { count: this.count, records: [...this.records.values()], waiting: [...this.waiting] };
	}

	load({ count, records, waiting }: Saved): void {
		this.stop();
		this.count = count;
		this.records = new Map(records.map((record) => [record._id, record]));
		this.waiting = new Map(waiting);
		this.schedule();
	}

	private open(
		service: string,
		clientType: 'PF' | 'PM',
		query: Record<string, unknown>,
	): QueryRecord {
		const id = queryId(this.parts.options.seed, `query ${++this.count}`);
		const record = buildPendingRecord(id, service, clientType, query, this.parts.clock.iso());
		this.records.set(id, record);
		return record;
	}

	private bill({ _id: queryId, createdAt: at, service, query }: QueryRecord): void {
		this.parts.ledger.add({ at, service, queryId, query });
	}

	private end(record: QueryRecord, { status, response, state }: PlannedOutcome): QueryRecord {
		return Object.assign(record, { status, response, state, updatedAt: this.parts.clock.iso() });
	}

	private finish(id: string): void {
		const record = this.records.get(id);
		const waiting = this.waiting.get(id);
		this.waiting.delete(id);
		clearTimeout(this.timers.get(id));
		this.timers.delete(id);
		if (!record || !waiting) return;
		this.parts.webhooks.deliver({ ...this.end(record, waiting.outcome) });
	}

	private setTimer(id: string): void {
		clearTimeout(this.timers.get(id));
		const dueAt = this.waiting.get(id)?.dueAt ?? null;
		if (dueAt === null || this.parts.closing.aborted) return;
		const delay = Math.min(Math.max(dueAt - this.parts.clock.now(), 0), LONGEST_TIMER_MS);
		this.timers.set(
			id,
			setTimeout(() => this.finish(id), delay),
		);
	}

	/** Sets every timer anew: the clock has moved. */
	private schedule(): void {
		for (const id of this.waiting.keys()) this.setTimer(id);
	}

	private stop(): void {
		for (const timer of this.timers.values()) clearTimeout(timer);
		this.timers.clear();
	}
}

/** 24 hexadecimal digits follow from seed and name. */
export const queryId = (seed: number, name: string): string =>
	createHash('sha256').update(`${seed} ${name}`).digest('hex').slice(0, 24);

/** A record without a result (TQ §2.1). */
export function buildPendingRecord(
	_id: string,
	service: string,
	clientType: 'PF' | 'PM',
	query: Record<string, unknown>,
	createdAt: string,
): QueryRecord {
	return {
		_id,
		service,
		status: 'PENDING',
		authentication: 'TOKEN',
		metadata: { clientType, query },
		query,
		response: {},
		state: {},
		organizationId: 1,
		organizationSlug: 'sandbox',
		profileId: 1,
		createdAt,
		updatedAt: createdAt,
	};
}
