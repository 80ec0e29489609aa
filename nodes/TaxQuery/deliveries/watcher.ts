import {
	OperationalError,
	type INodeExecutionData,
	type ITriggerFunctions,
	type ITriggerResponse,
} from 'n8n-workflow';
import { connect } from '../../shared/transport/request';
import { taxQuery } from '../../shared/transport/service';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { untilAfter } from '../../shared/utils/sleep';
import { msLeft } from '../../shared/utils/time';
import { isOpen } from '../service/record';
import { Tries } from './byId';
import { emit, nodeKey, type Outcome } from './emitter';
import type { Ledger } from './ledger';
import { look, type Look } from './look';
import { merged, type Asked } from './asked';
import type { PublishedTrigger } from './published';
import { save } from '../../shared/operations/nodeState';
import { askedEarly, KEY, MAX_ASKED, memoryOf, type NodeMemory } from './memory';
import { errorOf } from './outage';
import { itemMaker, type TriggerResult } from './result';
import { MIN_CHECK_MS, readSettings, startOf, type Settings } from './settings';

/** After a start of n8n, so that a leader that is just being replaced emits nothing at the same time. */
const FIRST_LOOK_MS = 10_000;
const SPREAD_MS = 5_000;
/** Looks must leave the rate limit to the lookups of executions, and the process to n8n. */
const MIN_REST_MS = 1_000;
const REST_PER_REQUEST_MS = 500;
const REST_PER_ROW_MS = 0.1;
/** So many IDs that nobody knows are a flood of forged calls, which must not take the rate limit. */
const FLOOD = 10;
const FLOOD_REST_MS = 2_000;
/** Published again within this time, a trigger goes on where it was, so that nothing falls between. */
const PAUSE_MS = 15 * 60_000;
const MAX_OWED = 1_000;
/** Results come in streams: while they do, looks come so many times as often, and workers get no bursts. */
const TIMES_IN_STREAM = 6;
/** After an emission that failed, and where nothing asks at intervals after such a look. */
const RETRY_MS = 60_000;

/** The published triggers of this process, by node. Only the leading main process has any. */
const published = new Map<string, ResultWatcher>();

/** What a published trigger does until it is unpublished. Throws what its first look throws. */
export async function openWatcher(context: ITriggerFunctions): Promise<ITriggerResponse> {
	if (context.getMode() === 'manual') return {}; // the editor's test goes by webhook() or execute()
	try {
		const watcher = new ResultWatcher(context, readSettings(context));
		await watcher.open().catch((error: unknown) => {
			watcher.close();
			throw error;
		});
		return { closeFunction: async () => watcher.close() };
	} catch (error) {
		throw errorOf(context, error);
	}
}

const UNPROVED: Asked = { isProved: false, hasResponse: false };
const entry = <K, V>(map: Map<K, V>, key: K): Array<[K, V]> => {
	const value = map.get(key);
	return value === undefined ? [] : [[key, value]];
};

type Identity = Parameters<typeof nodeKey>[0];
export const watcherOf = (context: Identity) => published.get(nodeKey(context));
export const watchersIn = (workflowId: string | undefined) =>
	[...published.values()].filter(({ context }) => context.getWorkflow().id === workflowId);

/** A published trigger: it looks for new results at intervals and when a delivery rings, and emits each once. */
export class ResultWatcher implements PublishedTrigger {
	readonly ledger: Ledger;
	readonly tries: Tries;
	private readonly memory: NodeMemory;
	private readonly key: string;
	private isClosed = false;
	/** The look that runs or was the last, and the one that waits for its end. */
	private last: Promise<unknown> = Promise.resolve();
	private waiting: Promise<Look> | undefined;
	private asked = new Map<string, Asked>();
	/** It has not run before, or so long ago that what came since is not asked for; until it has looked. */
	private isAnew: boolean;
	/** What n8n could not start, though its sender may have been told that it will come. */
	private readonly owed = new BoundedMap<string, () => Promise<Outcome>>(MAX_OWED);
	/** The next look waits so long after a moment. */
	private rest = { since: 0, ms: 0 };

	constructor(
		readonly context: ITriggerFunctions,
		readonly settings: Settings,
	) {
		this.key = nodeKey(context);
		this.tries = new Tries(context);
		this.memory = memoryOf(context);
		this.ledger = this.memory.ledger;
		save(context, KEY, this.ledger.saved);
		published.set(this.key, this);
		const { closedAt } = this.memory;
		const wasClosedLongAgo = closedAt === undefined || msLeft(closedAt, PAUSE_MS) < 0;
		this.isAnew = context.getActivationMode() === 'activate' && wasClosedLongAgo;
		this.askAgain(askedEarly(context).map((id) => [id, UNPROVED]));
	}

	get mustBegin(): boolean {
		return this.isAnew || this.ledger.saved.startedFrom !== startOf(this.context);
	}

	get isBusy(): boolean {
		return this.memory.outcomes.size > 0;
	}

	/** Looks for the first time, and then at intervals. Throws if the first look fails, unless n8n is just starting. */
	async open(): Promise<void> {
		if (!this.needsLooks) return await this.checkKey();
		const isStartOfN8n = ['init', 'leadershipChange'].includes(this.context.getActivationMode());
		if (isStartOfN8n) {
			this.rest = { since: Date.now(), ms: FIRST_LOOK_MS + Math.random() * SPREAD_MS };
			this.lookInBackground();
		} else {
			await this.lookSoon();
		}
		void this.keepLooking();
	}

	/** Where no look does: a trigger that cannot make its items must not be published. */
	private async checkKey(): Promise<void> {
		if (this.settings.personalData !== 'pseudonym') return;
		itemMaker(this.settings, await connect(this.context, taxQuery));
	}

	close(): void {
		this.isClosed = true;
		this.memory.closedAt = Date.now();
		if (published.get(this.key) === this) published.delete(this.key);
	}

	/** A look that begins from now on; those who ask meanwhile share it. Throws if the service cannot be asked. */
	async lookSoon(asked: Iterable<[id: string, Asked]> = []): Promise<Look> {
		for (const [id, said] of asked) this.ask(id, said);
		this.waiting ??= this.last.then(async () => {
			await this.untilAfter(this.rest.since, this.rest.ms);
			this.waiting = undefined;
			this.mustBeOpen();
			const asked = this.asked;
			this.asked = new Map();
			const running = this.look(asked);
			this.last = running.catch(() => {}); // whoever waits for it is told
			return await running;
		});
		return await this.waiting;
	}

	async emitOnce(
		result: TriggerResult,
		item: INodeExecutionData,
		cutOff?: number,
	): Promise<Outcome> {
		const { ledger } = this;
		const { outcomes, emitted } = this.memory;
		const { deliveryId, queryId } = result;
		const running = outcomes.get(deliveryId);
		if (running) return await running;
		const before = ledger.cutOff.get(deliveryId);
		const isLeftToLook = before !== undefined && this.needsLooks;
		const isDone = emitted.has(deliveryId) || ledger.isSettled(result);
		if (cutOff === undefined ? isLeftToLook || isDone : !before) return 'duplicate';
		if (this.isClosed) return 'failed';
		const times = cutOff ?? 1;
		ledger.start(deliveryId, queryId, times);
		save(this.context, KEY, ledger.saved); // n8n saves it with the emit
		const outcome = emit(this.context, {
			item,
			result,
			times,
			onPlace: (isElsewhere) => (ledger.saved.runsElsewhere = isElsewhere),
			onEnd: () => ledger.end(deliveryId),
		}).then((what) => {
			outcomes.delete(deliveryId);
			if (what === 'failed') {
				ledger.giveBack(deliveryId, before);
				this.owe(deliveryId, async () => await this.emitOnce(result, item, cutOff));
			} else {
				emitted.set(deliveryId, true);
				ledger.settle(result, isOpen(result.record.state));
			}
			const isOfOthers = before !== undefined && ledger.cutOff.size > 0;
			if (isOfOthers && what !== 'failed') this.lookInBackground(); // they waited for what this one shows
			return what;
		});
		outcomes.set(deliveryId, outcome);
		return await outcome;
	}

	/** Starts it in a minute, and again until n8n can, unless another has brought it meanwhile. */
	private owe(deliveryId: string, start: () => Promise<Outcome>): void {
		const isFirst = this.owed.size === 0;
		this.owed.set(deliveryId, start);
		if (!isFirst) return;
		void this.untilAfter(Date.now(), RETRY_MS).then(() => {
			const starts = this.isClosed ? [] : [...this.owed.values()];
			this.owed.clear();
			for (const again of starts) void again();
		});
	}

	outcomeOf({ deliveryId }: TriggerResult): Promise<Outcome> | undefined {
		return this.memory.outcomes.get(deliveryId);
	}

	mustBeOpen(): void {
		if (this.isClosed) throw new OperationalError('The workflow was unpublished meanwhile');
	}

	get needsLooks(): boolean {
		return this.settings.receiveBy !== 'webhook' || this.settings.confirm !== 'off';
	}

	private async look(asked: Map<string, Asked>): Promise<Look> {
		const since = Date.now();
		const looking = look(this, asked);
		const restMs = await looking.then(
			(seen) => {
				this.isAnew = false;
				this.memory.outage.end(this.context);
				this.askAgain(seen.unread.flatMap((id) => entry(asked, id)));
				if (seen.isMore || seen.unread.length > 0) this.lookInBackground();
				return Math.max(
					seen.requests * REST_PER_REQUEST_MS,
					seen.rows * REST_PER_ROW_MS,
					seen.strangers > FLOOD ? FLOOD_REST_MS : 0,
				);
			},
			(error: unknown) => {
				this.askAgain(asked);
				if (!this.isClosed) this.memory.outage.count(this.context, error);
				return 0;
			},
		);
		this.rest = { since, ms: Math.max(MIN_REST_MS, restMs) };
		return await looking;
	}

	private ask(id: string, said: Asked): void {
		const known = this.asked.get(id);
		this.asked.set(id, known ? merged(known, said) : said);
	}

	private askAgain(asked: Iterable<[id: string, Asked]>): void {
		for (const [id, said] of asked)
			if (this.asked.size < MAX_ASKED) this.ask(id, { ...said, isAgain: true });
	}

	private async keepLooking(): Promise<void> {
		const { receiveBy, checkEveryMs } = this.settings;
		const isByTimer = receiveBy !== 'webhook';
		const inStreamMs = Math.max(MIN_CHECK_MS, checkEveryMs / TIMES_IN_STREAM);
		let ms = isByTimer ? checkEveryMs : RETRY_MS;
		while (!this.isClosed) {
			await this.untilAfter(Date.now(), ms);
			const isOwed = this.memory.outage.isOn || this.ledger.cutOff.size > 0;
			if (this.isClosed || (!isByTimer && !isOwed)) continue;
			const seen = await this.lookSoon().catch(() => undefined); // the outage tells why
			if (isByTimer) ms = seen?.hasNews ? inStreamMs : checkEveryMs;
		}
	}

	private lookInBackground(): void {
		void this.lookSoon().catch(() => undefined); // the outage tells why
	}

	/** Waits until so long after a moment, or until the trigger is unpublished. */
	private async untilAfter(since: number, ms: number): Promise<void> {
		await untilAfter(since, ms, () => this.isClosed);
	}
}
