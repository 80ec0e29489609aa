import { openLedger, type SavedLedger } from '../../../../nodes/TaxQuery/deliveries/ledger';
import {
	isEnough,
	survey,
	takeIn,
	type Rules,
	type Sight,
} from '../../../../nodes/TaxQuery/deliveries/survey';

/** What happens around a trigger, in any order. `of` picks one of what there is. */
export type Step =
	| { do: 'make'; count: number; finished: boolean; depth: number }
	| { do: 'finish' | 'fail' | 'call' | 'copy' | 'end'; of: number }
	| { do: 'forge' | 'ask'; of: number }
	| { do: 'look'; during: Step[] }
	| { do: 'kill' | 'publish' | 'breakN8n' | 'mendN8n' | 'audit' | 'purge' }
	| { do: 'move'; old: number };

interface Query {
	id: string;
	createdAt: number;
	word: string;
	/** Made before the trigger began with its service. */
	isOld: boolean;
}
type Row = Sight & { deliveryId: string };

/**
 * A trigger over its ledger, a service, and n8n: what is left of them without requests, time and processes. It counts
 * what starts; the rules that it checks are in the tests.
 */
export class History {
	queries: Query[] = [];
	/** Executions by deliveryId, and of those what n8n was not asked to start once more. */
	readonly executions = new Map<string, number>();
	readonly emitted = new Map<string, number>();
	/** What the trigger has reported. */
	readonly errors: string[] = [];
	ledger = openLedger();
	saved: Partial<SavedLedger>;

	private readonly keys = new Set<string>();
	/** Executions that have not ended; where workers run them, nothing is known of them until then. */
	private running: string[] = [];
	private isBroken = false;
	private isDue = true;
	private account = 'first';
	private asked: string[] = [];
	private process = 0;
	private clock = 1_000;
	private made = 0;
	private called: Query[] = [];

	constructor(
		private readonly pageSize: number,
		old: number,
		private readonly hasWorkers = false,
	) {
		this.add(old, true, 0, true);
		this.saved = {};
		this.look([], true);
		this.save();
	}

	private readonly rules: Rules<Row> = {
		fateOf: ({ isPending }) => (isPending ? 'waits' : 'due'),
		isRunning: ({ deliveryId }) => this.isUnknown(deliveryId),
		triesOf: () => 0,
		maxResults: 7,
	};

	private isUnknown(deliveryId: string): boolean {
		return this.hasWorkers && this.running.includes(deliveryId);
	}

	/** Lists new queries, as far below the newest as a service's machines may differ. */
	private add(count: number, finished: boolean, depth: number, isOld = false): void {
		for (let each = 0; each < count; each++) {
			const id = `query-${++this.made}`;
			const word = finished ? 'SUCCESS' : 'PENDING';
			this.queries.splice(depth, 0, { id, createdAt: ++this.clock, word, isOld });
		}
	}

	private save(): void {
		this.saved = JSON.parse(JSON.stringify(this.ledger.saved)) as SavedLedger;
	}

	private readonly rowOf = ({ id, word, createdAt }: Query): Row => ({
		queryId: id,
		word,
		createdAt,
		isPending: word === 'PENDING',
		hasStatus: true,
		deliveryId: `${id} ${word}`,
	});

	step(step: Step): void {
		const pick = (all: Query[], of: number) => all[of % Math.max(1, all.length)];
		const pending = () => this.queries.filter(({ word }) => word === 'PENDING');
		const done = () => this.queries.filter(({ word }) => word !== 'PENDING');
		switch (step.do) {
			case 'make':
				return this.add(step.count, step.finished, step.depth);
			case 'finish':
			case 'fail': {
				const query = pick(pending(), step.of);
				if (query) query.word = step.do === 'finish' ? 'SUCCESS' : 'FAILED';
				return;
			}
			case 'call':
			case 'copy': {
				// a webhook call that is proved, without confirmation; of a new query, or once more
				const fresh = done().filter(({ isOld }) => !isOld);
				const query = pick(step.do === 'call' ? fresh : this.called, step.of);
				if (!query || query.word === 'PENDING' || !this.queries.includes(query)) return;
				this.called.push(query);
				this.emit(this.rowOf(query));
				return;
			}
			case 'forge':
				for (let each = 0; each < 20; each++) this.asked.push(`forged-${step.of}-${each}`);
				return;
			case 'ask': {
				const query = pick(
					this.queries.filter(({ isOld }) => !isOld),
					step.of,
				);
				if (query) this.asked.push(query.id);
				return;
			}
			case 'look':
				return this.look(step.during, false);
			case 'end': {
				const [ended] = this.running.splice(step.of % Math.max(1, this.running.length), 1);
				if (ended === undefined) return;
				this.settle(ended);
				this.ledger.end(ended);
				this.save();
				return;
			}
			case 'kill':
				this.process++;
				this.running = [];
				this.asked = [];
				this.ledger = openLedger(this.saved);
				return;
			case 'publish':
				this.process++;
				this.save();
				return;
			case 'breakN8n':
			case 'mendN8n':
				this.isBroken = step.do === 'breakN8n';
				return;
			case 'audit':
				this.isDue = true;
				return;
			case 'purge': // the service forgets what is old, and what has been done
				this.queries = this.queries.filter(
					({ isOld, id, word }) => !isOld && !this.emitted.has(`${id} ${word}`),
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
	look(during: Step[], begins: boolean): void {
		const { process } = this;
		const rows: Row[] = [];
		let isWhole = false;
		while (!isWhole) {
			const page = this.queries.slice(rows.length, rows.length + this.pageSize).map(this.rowOf);
			rows.push(...page);
			isWhole = rows.length >= this.queries.length;
			if (!this.isDue && !begins && isEnough(rows, this.pageSize, this.ledger)) break;
		}
		const asked = this.asked.splice(0);
		const plan = survey(
			this.ledger,
			{ rows, isWhole },
			{
				account: this.account,
				begins,
				oldUntil: Infinity,
				asked,
				maxOwing: 2,
			},
			this.rules,
		);
		const byId = [...plan.asked.slice(0, 2), ...plan.owing]
			.map((id) => this.queries.find((query) => query.id === id))
			.filter((query) => query !== undefined)
			.map(this.rowOf);
		for (const step of during) if (step.do !== 'look') this.step(step);
		if (process !== this.process) return; // unpublished meanwhile: nothing of it is taken in
		this.isDue = false;
		if (plan.loss) this.errors.push(plan.loss);
		for (const [deliveryId, [, times]] of this.ledger.cutOff) this.emitAgain(deliveryId, times);
		takeIn(this.ledger, plan, this.rules, 'now');
		for (const row of plan.due) this.emit(row);
		for (const row of byId) {
			this.ledger.await(row.queryId); // the others first, the next time
			if (!row.isPending) this.emit(row);
		}
	}

	private emit(row: Row): void {
		const { deliveryId, queryId } = row;
		const { ledger } = this;
		if (ledger.isSettled(row) || ledger.cutOff.has(deliveryId)) return;
		if (this.isUnknown(deliveryId)) return;
		ledger.start(deliveryId, queryId, 1);
		this.save();
		if (this.isBroken) {
			ledger.giveBack(deliveryId);
			ledger.await(queryId);
			return;
		}
		this.emitted.set(deliveryId, (this.emitted.get(deliveryId) ?? 0) + 1);
		this.start(deliveryId, deliveryId);
	}

	/** A worker goes on with what was cut off: n8n knows it by its key. Otherwise it starts once more. */
	private emitAgain(deliveryId: string, times: number): void {
		const [queryId] = deliveryId.split(' ');
		this.ledger.start(deliveryId, queryId, this.hasWorkers ? times : 2);
		this.save();
		this.start(deliveryId, this.hasWorkers || times > 2 ? deliveryId : `${deliveryId} once more`);
	}

	private start(deliveryId: string, key: string): void {
		const isDuplicate = this.keys.has(key);
		this.keys.add(key);
		if (isDuplicate) this.ledger.end(deliveryId);
		else {
			this.executions.set(deliveryId, (this.executions.get(deliveryId) ?? 0) + 1);
			this.running.push(deliveryId);
		}
		if (isDuplicate || !this.hasWorkers) this.settle(deliveryId);
	}

	private settle(deliveryId: string): void {
		const [queryId, word] = deliveryId.split(' ');
		this.ledger.settle({ queryId, word });
	}

	/** Lets the trigger look until nothing comes any more, though each query that owes a result had its turn. */
	finish(): void {
		this.isBroken = false;
		let idle = 0;
		while (idle <= this.ledger.owing().length) {
			const before = this.executions.size;
			this.look([], false);
			idle = this.executions.size === before ? idle + 1 : 0;
		}
	}

	/** New results that did not start. */
	get lost(): string[] {
		return this.queries
			.filter(({ isOld, word }) => !isOld && word !== 'PENDING')
			.map(({ id, word }) => `${id} ${word}`)
			.filter((deliveryId) => !this.executions.has(deliveryId));
	}
}
