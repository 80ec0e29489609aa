import { setTimeout as sleep } from 'node:timers/promises';
import { fakerFor } from '../random';
import type { QueryRecord } from '../../contract/taxQuery';
import type { SandboxContext } from '../context';

const SLOW_FACTOR = 10;

/** How a query ends, and when. */
export interface Outcome {
	status: 'SUCCESS' | 'FAILED' | 'PENDING';
	response: Record<string, unknown>;
	state: Record<string, unknown>;
	slow?: boolean;
}

/** Every query made, as GET /query shows it. */
export class QueryStore {
	private readonly records = new Map<string, QueryRecord>();
	private count = 0;

	constructor(
		private readonly context: Pick<SandboxContext, 'options' | 'ledger' | 'closing' | 'webhooks'>,
	) {}

	find(id: string): QueryRecord | undefined {
		return this.records.get(id);
	}

	/** Newest first. */
	list(): QueryRecord[] {
		return [...this.records.values()].reverse();
	}

	/** Records and bills a query that has its result at once. */
	answer(
		service: string,
		clientType: 'PF' | 'PM',
		query: Record<string, unknown>,
		outcome: Outcome,
	): QueryRecord {
		const record = this.open(service, clientType, query);
		const { status, response, state } = outcome;
		return Object.assign(record, { status, response, state });
	}

	/** Records and bills a query whose result comes later, and is then delivered to the webhook. */
	acknowledge(
		service: string,
		clientType: 'PF' | 'PM',
		query: Record<string, unknown>,
		outcome: Outcome,
	): QueryRecord {
		const record = this.open(service, clientType, query);
		if (outcome.status !== 'PENDING') void this.finishLater(record, outcome);
		return { ...record };
	}

	private open(
		service: string,
		clientType: 'PF' | 'PM',
		query: Record<string, unknown>,
	): QueryRecord {
		const { options, ledger } = this.context;
		const faker = fakerFor(options.seed, `query ${++this.count}`);
		const at = new Date().toISOString();
		const record: QueryRecord = {
			_id: faker.string.hexadecimal({ length: 24, casing: 'lower', prefix: '' }),
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
			createdAt: at,
			updatedAt: at,
		};
		this.records.set(record._id, record);
		ledger.add({ at, service, queryId: record._id, query });
		return record;
	}

	private async finishLater(record: QueryRecord, outcome: Outcome): Promise<void> {
		const { options, closing, webhooks } = this.context;
		const delay = options.resultDelay * (outcome.slow ? SLOW_FACTOR : 1);
		const isOver = await sleep(delay, undefined, { signal: closing }).catch(() => true);
		if (isOver) return; // the sandbox closes
		const { status, response, state } = outcome;
		Object.assign(record, { status, response, state, updatedAt: new Date().toISOString() });
		webhooks.deliver({ ...record });
	}
}
