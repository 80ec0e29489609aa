import { mergeLedgers, Ledger, type SavedLedger } from '../../../../nodes/TaxQuery/trigger/ledger';
import {
	isReadFarEnough,
	planPoll,
	applyPlan,
	type RowRules,
	type ListedQuery,
} from '../../../../nodes/TaxQuery/trigger/planPoll';

/** Steps come in any order. `of` picks one of what there is. */
export type Step =
	| { do: 'make'; count: number; finished: boolean; depth: number }
	| { do: 'finish' | 'fail' | 'change' | 'call' | 'copy' | 'end' | 'hear'; of: number }
	| { do: 'forge' | 'ask'; of: number }
	| { do: 'poll'; during: Step[] }
	| { do: 'kill' | 'publish' | 'import' | 'breakN8n' | 'mendN8n' | 'audit' | 'purge' | 'prune' }
	| { do: 'lead' | 'slow' | 'minute' }
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

/** What a process knows of a trigger. */
interface Main {
	ledger: Ledger;
	/** Results that it has given to n8n and whose outcome it does not know. */
	inFlight: Set<string>;
	/** Results that have begun, or had begun before. */
	emitted: Set<string>;
	/** Results that another process gave to n8n less than a minute ago. */
	left: Set<string>;
}

/** An execution, and the process that had it started. */
interface Execution {
	deliveryId: string;
	main: Main;
}

/** A result that n8n is about to start. */
interface Given extends Execution {
	/** n8n has written it into its database. */
	isStored: boolean;
}

const newMain = (ledger = new Ledger()): Main => ({
	ledger,
	inFlight: new Set(),
	emitted: new Set(),
	left: new Set(),
});

const MAX_RESULTS = 7;

/**
 * A trigger over its ledger, a service, and n8n: what is left of them without requests, time and processes. It counts
 * what starts; the rules that it checks are in the tests.
 */
export class TriggerSimulation {
	queries: Query[] = [];
	/** Counts executions by deliveryId. */
	readonly executions = new Map<string, number>();
	/** Counts the emits that n8n refused. */
	refused = 0;
	readonly errors: string[] = [];
	main = newMain();
	/** The static data in n8n's database, and what they were a while ago. */
	saved: Partial<SavedLedger>;
	private exported: Partial<SavedLedger> = {};
	running: Execution[] = [];

	private keys = new Set<string>();
	/** Ended executions of which this process has not heard. */
	private unreported: Execution[] = [];
	private given: Given[] = [];
	private readonly mains: Main[] = [this.main];
	private leader = 0;
	private isBroken = false;
	/** n8n takes its time to begin executions. */
	private isSlow = false;
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
			isRunning: ({ deliveryId }) => this.isRunning(deliveryId),
			triesOf: () => 0,
			maxResults: this.maxResults,
		};
	}

	get ledger(): Ledger {
		return this.main.ledger;
	}

	private isRunning(deliveryId: string): boolean {
		return this.main.inFlight.has(deliveryId) || this.main.left.has(deliveryId);
	}

	/** They appear as far below the newest as a service's machines may differ. */
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
	private open(known?: Main): void {
		this.process++;
		this.notifiedIds = [];
		const saved = new Ledger(this.saved);
		const main = known ?? newMain(saved);
		const before = new Set(known?.ledger.starting().map(([id]) => id));
		if (known) main.ledger = mergeLedgers(known.ledger, saved);
		for (const [id] of main.ledger.starting())
			if (!before.has(id) && !main.inFlight.has(id) && !main.emitted.has(id)) main.left.add(id);
		this.main = this.mains[this.leader] = main;
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
			case 'kill': {
				this.running = [];
				this.unreported = [];
				const stored = this.given.splice(0).filter(({ isStored }) => isStored);
				this.open();
				// n8n starts what it had stored and not begun
				for (const { deliveryId } of stored) this.count(deliveryId);
				return;
			}
			case 'slow':
				this.isSlow = !this.isSlow;
				if (!this.isSlow) this.beginAll();
				return;
			case 'minute':
				return this.main.left.clear();
			case 'lead': // the other main: it keeps what it knew, and hears the ends of what it had started
				this.leader = 1 - this.leader;
				return this.open(this.mains[this.leader]);
			case 'publish':
				return this.open(this.main);
			case 'import': // of a file that was exported before, into the database of an n8n that runs
				this.saved = this.exported;
				return this.open(this.main);
			case 'breakN8n':
			case 'mendN8n':
				this.isBroken = step.do === 'breakN8n';
				return;
			case 'audit':
				this.exported = this.saved;
				this.isDue = true;
				return;
			case 'prune': // n8n deletes no execution that runs
				this.keys = new Set(
					[...this.running, ...this.given.filter(({ isStored }) => isStored)].map(
						({ deliveryId }) => deliveryId,
					),
				);
				return;
			case 'purge': // the service forgets what is old, and what has been done
				this.queries = this.queries.filter(
					({ isOld, id, status }) => !isOld && !this.executions.has(`${id} ${status}`),
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
		const forgotten = applyPlan(this.ledger, plan, this.rules, 'now');
		if (forgotten > 0) this.errors.push('forgotten');
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
		const { main } = this;
		const { ledger } = main;
		if (main.emitted.has(deliveryId) || ledger.isSettled(row)) return ledger.settle(row);
		if (this.isRunning(deliveryId)) return;
		ledger.start(deliveryId, queryId);
		if (!this.hasMasses) this.save();
		if (this.isBroken) return ledger.endStart(deliveryId);
		main.inFlight.add(deliveryId);
		const isStored = this.isSlow && deliveryId.length % 2 === 0;
		this.given.push({ deliveryId, main, isStored: isStored && !this.keys.has(deliveryId) });
		if (isStored) this.keys.add(deliveryId);
		if (!this.isSlow) this.beginAll();
	}

	/** n8n begins what it was given, unless it knows an execution with the same key. */
	private beginAll(): void {
		for (const { deliveryId, main, isStored } of this.given.splice(0)) {
			const isDuplicate = !isStored && this.keys.has(deliveryId);
			this.keys.add(deliveryId);
			if (isDuplicate) this.refused++;
			else {
				this.count(deliveryId);
				this.running.push({ deliveryId, main });
			}
			// in queue mode the outcome is known at the end
			if (isDuplicate || !this.hasWorkers) this.settle(deliveryId, main);
		}
	}

	private count(deliveryId: string): void {
		this.executions.set(deliveryId, (this.executions.get(deliveryId) ?? 0) + 1);
	}

	/** All executions end, and each is written. */
	endAll(): void {
		for (const each of this.running.splice(0)) this.end(each);
	}

	/** Where no worker runs it, n8n writes the static data of an execution at its end, and reports it later. */
	private end(execution: Execution): void {
		if (!this.hasWorkers) this.save(execution.main.ledger.saved);
		this.unreported.push(execution);
	}

	private hear({ deliveryId, main }: Execution): void {
		if (this.hasWorkers) this.settle(deliveryId, main);
	}

	private settle(deliveryId: string, { ledger, inFlight, emitted }: Main): void {
		const [queryId, status] = deliveryId.split(' ');
		inFlight.delete(deliveryId);
		emitted.add(deliveryId);
		ledger.endStart(deliveryId);
		ledger.settle({ queryId, status });
	}

	/** Polls until nothing comes any more, though each pending query had its turn. */
	finish(): void {
		this.isBroken = false;
		this.isSlow = false;
		this.beginAll();
		this.main.left.clear();
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
