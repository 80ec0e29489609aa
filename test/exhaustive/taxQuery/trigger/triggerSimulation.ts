import { adoptSavedLedgerIfNewer, Ledger } from '../../../../nodes/TaxQuery/trigger/ledger';
import type { SavedLedger } from '../../../../nodes/TaxQuery/trigger/savedLedgerFormat';
import {
	isReadFarEnough,
	planPoll,
	applyPlan,
	type RowRules,
	type ListedQuery,
} from '../../../../nodes/TaxQuery/trigger/planPoll';

/** Describes what happens around a trigger, in any order. `of` picks one of what there is. */
export type Step =
	| { do: 'make'; count: number; finished: boolean; depth: number }
	| { do: 'finish' | 'fail' | 'change' | 'call' | 'copy' | 'end' | 'hear'; of: number }
	| { do: 'forge' | 'ask'; of: number }
	| { do: 'poll'; during: Step[] }
	| { do: 'kill' | 'publish' | 'import' | 'breakN8n' | 'mendN8n' | 'audit' | 'purge' | 'prune' }
	| { do: 'lead' }
	| { do: 'move'; old: number };

interface Query {
	id: string;
	createdAt: number;
	status: string;
	/** Made before the trigger began with its service. */
	isOld: boolean;
	/** Every status that it has had. */
	had: Set<string>;
}
type Row = ListedQuery & { deliveryId: string };

/** An execution, and the ledger of the process that had it started. */
interface Execution {
	deliveryId: string;
	ledger: Ledger;
	/** Says what it saves at its end: nothing where a worker runs it. */
	saved: { toJSON(): unknown } | undefined;
}

const MAX_RESULTS = 7;

/**
 * A trigger over its ledger, a service, and n8n: what is left of them without requests, time and processes. It counts
 * what starts; the rules that it checks are in the tests.
 */
export class TriggerSimulation {
	queries: Query[] = [];
	/** Counts executions by deliveryId, and those that were not restarted. */
	readonly executions = new Map<string, number>();
	readonly emitted = new Map<string, number>();
	/** Results that started again though their execution had ended. */
	readonly repeated: string[] = [];
	/** Says what the trigger has reported. */
	readonly errors: string[] = [];
	ledger = new Ledger({}, 'main 0');
	/** The static data in n8n's database, and what they were a while ago. */
	saved: Partial<SavedLedger>;
	private exported: Partial<SavedLedger> = {};
	running: Execution[] = [];

	private keys = new Set<string>();
	/** Ended executions of which this process has not heard. */
	private unreported: Execution[] = [];
	private readonly ended = new Set<string>();
	private readonly mains: Ledger[] = [this.ledger];
	private leader = 0;
	private mainsMade = 1;
	private isBroken = false;
	private hasChanged = false;
	private isDue = true;
	private account = 'first';
	private notifiedIds: string[] = [];
	private process = 0;
	private clock = 1_000;
	private made = 0;
	private called: Query[] = [];

	constructor(
		private readonly pageSize: number,
		old: number,
		private readonly hasWorkers = false,
		/** A check that brings more saves once, and so do executions that end together. */
		private readonly maxResults = MAX_RESULTS,
	) {
		this.add(old, true, 0, true);
		this.saved = {};
		this.poll([], true);
		this.save();
	}

	private get rules(): RowRules<Row> {
		return {
			dispositionOf: ({ isPending }) => (isPending ? 'wait' : 'emit'),
			isRunning: ({ deliveryId }) => this.isUnknown(deliveryId),
			triesOf: () => 0,
			maxResults: Math.min(this.maxResults, this.ledger.remainingStarts()),
		};
	}

	private isUnknown(deliveryId: string): boolean {
		const all = [...this.running, ...this.unreported];
		return this.hasWorkers && all.some((each) => each.deliveryId === deliveryId);
	}

	/** Lists new queries, as far below the newest as a service's machines may differ. */
	private add(count: number, finished: boolean, depth: number, isOld = false): void {
		for (let each = 0; each < count; each++) {
			const id = `query-${++this.made}`;
			const status = finished ? 'SUCCESS' : 'PENDING';
			this.queries.splice(depth, 0, {
				id,
				createdAt: ++this.clock,
				status,
				isOld,
				had: new Set([status]),
			});
		}
	}

	private save(saved: object = this.ledger.saved): void {
		this.saved = JSON.parse(JSON.stringify(saved)) as SavedLedger;
	}

	/** A process opens the trigger over the database, and may have had it open before. */
	private open(known?: Ledger): void {
		this.process++;
		this.notifiedIds = [];
		const saved = new Ledger(this.saved, known?.process ?? `main ${this.mainsMade++}`);
		this.ledger = known ? adoptSavedLedgerIfNewer(known, saved) : saved;
		this.mains[this.leader] = this.ledger;
		if (!this.ledger.isEmpty()) this.save();
	}

	private readonly rowOf = ({ id, status, createdAt }: Query): Row => ({
		queryId: id,
		status,
		createdAt,
		isPending: status === 'PENDING',
		isOpen: status === 'PENDING',
		hasStatus: true,
		deliveryId: `${id} ${status}`,
	});

	private give(query: Query | undefined, status: string): void {
		if (!query) return;
		query.status = status;
		query.had.add(status);
	}

	step(step: Step): void {
		const pick = (all: Query[], of: number) => all[of % Math.max(1, all.length)];
		const pending = () => this.queries.filter(({ status }) => status === 'PENDING');
		const done = () => this.queries.filter(({ status }) => status !== 'PENDING');
		switch (step.do) {
			case 'make':
				return this.add(step.count, step.finished, step.depth);
			case 'finish':
			case 'fail':
				return this.give(pick(pending(), step.of), step.do === 'finish' ? 'SUCCESS' : 'FAILED');
			case 'change': {
				// of a query that the trigger has followed: what was old stays as it was
				const query = pick(
					done().filter(({ isOld }) => !isOld),
					step.of,
				);
				this.hasChanged ||= query !== undefined;
				return this.give(query, query?.status === 'SUCCESS' ? 'FAILED' : 'SUCCESS');
			}
			case 'call':
			case 'copy': {
				// a webhook call that is proved, without confirmation; of a new query, or once more
				const fresh = done().filter(({ isOld }) => !isOld);
				const query = pick(step.do === 'call' ? fresh : this.called, step.of);
				if (!query || query.status === 'PENDING' || !this.queries.includes(query)) return;
				this.called.push(query);
				this.emit(this.rowOf(query));
				return;
			}
			case 'forge':
				for (let each = 0; each < 20; each++) this.notifiedIds.push(`forged-${step.of}-${each}`);
				return;
			case 'ask': {
				const query = pick(
					this.queries.filter(({ isOld }) => !isOld),
					step.of,
				);
				if (query) this.notifiedIds.push(query.id);
				return;
			}
			case 'poll':
				return this.poll(step.during, false);
			case 'end': {
				const [execution] = this.running.splice(step.of % Math.max(1, this.running.length), 1);
				if (execution) this.end(execution);
				return;
			}
			case 'hear': {
				const [execution] = this.unreported.splice(
					step.of % Math.max(1, this.unreported.length),
					1,
				);
				if (execution) this.hear(execution);
				return;
			}
			case 'kill':
				this.running = [];
				this.unreported = [];
				return this.open();
			case 'lead': // the other main: it keeps what it knew, and hears the ends of what it had started
				this.leader = 1 - this.leader;
				return this.open(this.mains[this.leader]);
			case 'publish':
				return this.open(this.ledger);
			case 'import': // of a file that was exported before, into the database of an n8n that runs
				this.saved = this.exported;
				return this.open(this.ledger);
			case 'breakN8n':
			case 'mendN8n':
				this.isBroken = step.do === 'breakN8n';
				return;
			case 'audit':
				this.exported = this.saved;
				this.isDue = true;
				return;
			case 'prune':
				this.keys.clear();
				return;
			case 'purge': // the service forgets what is old, and what has been done
				this.queries = this.queries.filter(
					({ isOld, id, status }) => !isOld && !this.emitted.has(`${id} ${status}`),
				);
				return;
			case 'move':
				this.account += '+';
				this.queries = [];
				this.called = [];
				this.add(step.old, true, 0, true);
				return;
		}
	}

	/** Reads pages until it is enough, does what happens meanwhile, and takes in what it has found. */
	poll(during: Step[], isStarting: boolean): void {
		const { process } = this;
		const rows: Row[] = [];
		let isWhole = false;
		while (!isWhole) {
			const page = this.queries.slice(rows.length, rows.length + this.pageSize).map(this.rowOf);
			for (const row of page) rows.push(row);
			isWhole = rows.length >= this.queries.length;
			if (!this.isDue && !isStarting && isReadFarEnough(rows, this.pageSize, this.ledger)) break;
		}
		const notifiedIds = this.notifiedIds.splice(0);
		const plan = planPoll(
			this.ledger,
			{ rows, isWhole },
			{
				account: this.account,
				mustBegin: isStarting,
				oldUntil: Infinity,
				now: Date.now(),
				notifiedIds,
				maxPendingReads: 2,
			},
			this.rules,
		);
		const byId = [...plan.notifiedIds.slice(0, 2), ...plan.pendingIds]
			.map((id) => this.queries.find((query) => query.id === id))
			.filter((query) => query !== undefined)
			.map(this.rowOf);
		for (const step of during) if (step.do !== 'poll') this.step(step);
		if (process !== this.process) return; // unpublished meanwhile: nothing of it is taken in
		this.isDue = false;
		if (plan.loss) this.errors.push(plan.loss);
		const { forgotten } = applyPlan(this.ledger, plan, this.rules, 'now');
		if (forgotten > 0) this.errors.push('forgotten');
		for (const [deliveryId, [, times]] of this.ledger.interrupted)
			this.emitAgain(deliveryId, times);
		for (const row of plan.due) this.emit(row);
		for (const row of byId) {
			this.ledger.addPending([row.queryId]); // the others first, the next time
			if (!row.isPending) this.emit(row);
		}
		if (this.hasMasses) this.save();
	}

	private get hasMasses(): boolean {
		return this.maxResults > MAX_RESULTS;
	}

	private emit(row: Row): void {
		const { deliveryId, queryId } = row;
		const { ledger } = this;
		if (ledger.isSettled(row)) return ledger.drop(queryId);
		if (ledger.interrupted.has(deliveryId) || this.isUnknown(deliveryId)) return;
		if (!ledger.canStart(deliveryId, queryId)) return;
		ledger.start(deliveryId, queryId, 1);
		if (!this.hasMasses) this.save();
		if (this.isBroken) {
			ledger.undoStart(deliveryId);
			ledger.addPending([queryId]);
			return;
		}
		this.emitted.set(deliveryId, (this.emitted.get(deliveryId) ?? 0) + 1);
		this.start(deliveryId, deliveryId);
	}

	/** A worker goes on with what was interrupted: n8n knows it by its key. Otherwise it starts once more. */
	private emitAgain(deliveryId: string, times: number): void {
		const [queryId] = deliveryId.split(' ');
		this.ledger.start(deliveryId, queryId, this.hasWorkers ? times : 2);
		if (!this.hasMasses) this.save();
		this.start(deliveryId, this.hasWorkers || times > 2 ? deliveryId : `${deliveryId} once more`);
	}

	private start(deliveryId: string, key: string): void {
		const { ledger } = this;
		const isDuplicate = this.keys.has(key);
		this.keys.add(key);
		if (isDuplicate) ledger.end(deliveryId);
		else {
			if (this.ended.has(deliveryId)) this.repeated.push(deliveryId);
			this.executions.set(deliveryId, (this.executions.get(deliveryId) ?? 0) + 1);
			const saved = this.hasWorkers ? undefined : ledger.saved;
			this.running.push({ deliveryId, ledger, saved });
		}
		if (isDuplicate || !this.hasWorkers) this.settle(deliveryId, ledger);
	}

	/** All executions end, and each is written. */
	endAll(): void {
		const all = this.running.splice(0);
		for (const { deliveryId, ledger } of all.slice(0, -1)) {
			this.ended.add(deliveryId);
			ledger.end(deliveryId);
		}
		for (const last of all.slice(-1)) this.end(last);
	}

	/** n8n writes the static data of an execution at its end, and reports it later. */
	private end(execution: Execution): void {
		if (execution.saved) this.save(execution.saved);
		this.unreported.push(execution);
	}

	private hear({ deliveryId, ledger }: Execution): void {
		this.settle(deliveryId, ledger);
		ledger.end(deliveryId);
		this.ended.add(deliveryId);
		if (ledger === this.ledger) this.save(); // by an emit that n8n refuses
	}

	private settle(deliveryId: string, ledger: Ledger): void {
		const [queryId, status] = deliveryId.split(' ');
		ledger.settle({ queryId, status });
	}

	/** Polls until nothing comes any more, though each pending query had its turn. */
	finish(): void {
		this.isBroken = false;
		this.pollUntilIdle();
		if (!this.hasChanged) return;
		this.isDue = true; // only a check of the whole list shows another status deep in it
		this.pollUntilIdle();
	}

	private pollUntilIdle(): void {
		let idle = 0;
		while (idle <= this.ledger.pendingIds().length) {
			const before = this.executions.size;
			this.poll([], false);
			const hasEnded = this.running.length > 0;
			for (const execution of this.running.splice(0)) this.end(execution);
			for (const execution of this.unreported.splice(0)) this.hear(execution);
			idle = this.executions.size === before && !hasEnded ? idle + 1 : 0;
		}
	}

	/** New results that did not start. */
	get lost(): string[] {
		return this.queries
			.filter(({ isOld, status }) => !isOld && status !== 'PENDING')
			.map(({ id, status }) => `${id} ${status}`)
			.filter((deliveryId) => !this.executions.has(deliveryId));
	}
}
