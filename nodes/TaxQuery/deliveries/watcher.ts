import { OperationalError, type ITriggerFunctions, type ITriggerResponse } from 'n8n-workflow';
import { connect } from '../../shared/transport/request';
import { taxQuery } from '../../shared/transport/service';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { untilAfter } from '../../shared/utils/sleep';
import { msLeft } from '../../shared/utils/time';
import { isOpen } from '../service/record';
import { newTries } from './byId';
import { emit, nodeKey, type Outcome } from './emitter';
import { look, type Look } from './look';
import { merged, type Asked } from './asked';
import type { PublishedTrigger } from './published';
import { save } from '../../shared/operations/nodeState';
import { askedEarly, KEY, MAX_ASKED, memoryOf } from './memory';
import { errorOf } from './outage';
import { itemMaker } from './result';
import { MIN_CHECK_MS, readSettings, startOf, type Settings } from './settings';

/** After a start of n8n, so that a leader that is just being replaced emits nothing at the same time. */
const FIRST_LOOK_MS = 10_000;
const SPREAD_MS = 5_000;
const MIN_REST_MS = 1_000;
/** Published again within this time, a trigger goes on where it was, so that nothing falls between. */
const PAUSE_MS = 15 * 60_000;
const MAX_OWED = 1_000;
/** Results come in streams: while they do, looks come so many times as often, and workers get no bursts. */
const TIMES_IN_STREAM = 6;
/** After an emission that failed, and where nothing asks at intervals after such a look. */
const RETRY_MS = 60_000;

/** The published triggers of this process, by node. Only the leading main process has any. */
const published = new Map<string, Watcher>();

/** What a published trigger does until it is unpublished. Throws what its first look throws. */
export async function openWatcher(context: ITriggerFunctions): Promise<ITriggerResponse> {
	if (context.getMode() === 'manual') return {}; // the editor's test goes by webhook() or execute()
	try {
		const watcher = newWatcher(context, readSettings(context));
		await watcher.open().catch((error: unknown) => {
			watcher.close();
			throw error;
		});
		return { closeFunction: async () => watcher.close() };
	} catch (error) {
		throw errorOf(context, error);
	}
}

type Identity = Parameters<typeof nodeKey>[0];
export const watcherOf = (context: Identity) => published.get(nodeKey(context));
export const watchersIn = (workflowId: string | undefined) =>
	[...published.values()].filter(({ context }) => context.getWorkflow().id === workflowId);

/** A published trigger: it looks for new results at intervals and when a delivery rings, and emits each once. */
export interface Watcher extends PublishedTrigger {
	needsLooks: boolean;
	/** Looks for the first time, and then at intervals. Throws if the first look fails, unless n8n is just starting. */
	open(): Promise<void>;
	close(): void;
	/** A look that begins from now on; those who ask meanwhile share it. Throws if the service cannot be asked. */
	lookSoon(asked?: Iterable<[id: string, Asked]>): Promise<Look>;
}

function newWatcher(context: ITriggerFunctions, settings: Settings): Watcher {
	const key = nodeKey(context);
	const memory = memoryOf(context);
	const { ledger, outcomes, emitted, outage, closedAt } = memory;
	const { receiveBy, checkEveryMs } = settings;
	const isByTimer = receiveBy !== 'webhook';
	const needsLooks = isByTimer || settings.confirm !== 'off';
	const wasClosedLongAgo = closedAt === undefined || msLeft(closedAt, PAUSE_MS) < 0;
	/** It has not run before, or so long ago that what came since is not asked for; until it has looked. */
	let isAnew = context.getActivationMode() === 'activate' && wasClosedLongAgo;
	let isClosed = false;
	/** The look that runs or was the last, and the one that waits for its end. */
	let last: Promise<unknown> = Promise.resolve();
	let waiting: Promise<Look> | undefined;
	let asked = new Map<string, Asked>();
	/** The next look waits so long after a moment. */
	let rest = { since: 0, ms: 0 };
	/** What n8n could not start, though its sender may have been told that it will come. */
	const owed = new BoundedMap<string, () => Promise<Outcome>>(MAX_OWED);

	/** Waits until so long after a moment, or until the trigger is unpublished. */
	const wait = async (since: number, ms: number) => await untilAfter(since, ms, () => isClosed);

	const ask = (id: string, said: Asked) => {
		const known = asked.get(id);
		asked.set(id, known ? merged(known, said) : said);
	};

	const askAgain = (all: Iterable<[id: string, Asked]>) => {
		for (const [id, said] of all) if (asked.size < MAX_ASKED) ask(id, { ...said, isAgain: true });
	};

	const watcher: Watcher = {
		context,
		settings,
		ledger,
		tries: newTries(context),
		needsLooks,

		get mustBegin() {
			return isAnew || ledger.saved.startedFrom !== startOf(context);
		},

		get isBusy() {
			return outcomes.size > 0;
		},

		async open() {
			if (!needsLooks) {
				// where no look does: a trigger that cannot make its items must not be published
				if (settings.personalData === 'pseudonym')
					itemMaker(settings, await connect(context, taxQuery));
				return;
			}
			if (['init', 'leadershipChange'].includes(context.getActivationMode())) {
				rest = { since: Date.now(), ms: FIRST_LOOK_MS + Math.random() * SPREAD_MS };
				lookInBackground();
			} else {
				await watcher.lookSoon();
			}
			void keepLooking();
		},

		close() {
			isClosed = true;
			memory.closedAt = Date.now();
			if (published.get(key) === watcher) published.delete(key);
		},

		async lookSoon(more = []) {
			for (const [id, said] of more) ask(id, said);
			waiting ??= last.then(async () => {
				await wait(rest.since, rest.ms);
				waiting = undefined;
				watcher.mustBeOpen();
				const running = lookNow();
				last = running.catch(() => {}); // whoever waits for it is told
				return await running;
			});
			return await waiting;
		},

		async emitOnce(result, item, cutOff) {
			const { deliveryId, queryId } = result;
			const running = outcomes.get(deliveryId);
			if (running) return await running;
			const before = ledger.cutOff.get(deliveryId);
			const isLeftToLook = before !== undefined && needsLooks;
			const isDone = emitted.has(deliveryId) || ledger.isSettled(result);
			if (cutOff === undefined ? isLeftToLook || isDone : !before) return 'duplicate';
			if (isClosed) return 'failed';
			const times = cutOff ?? 1;
			ledger.start(deliveryId, queryId, times);
			save(context, KEY, ledger.saved); // n8n saves it with the emit
			const outcome = emit(context, {
				item,
				result,
				times,
				onPlace: (isElsewhere) => (ledger.saved.runsElsewhere = isElsewhere),
				onEnd: () => ledger.end(deliveryId),
			}).then((what) => {
				outcomes.delete(deliveryId);
				if (what === 'failed') {
					ledger.giveBack(deliveryId, before);
					owe(deliveryId, async () => await watcher.emitOnce(result, item, cutOff));
					return what;
				}
				emitted.set(deliveryId, true);
				ledger.settle(result, isOpen(result.record.state));
				// the others that were cut off waited for what this one shows
				if (before && ledger.cutOff.size > 0) lookInBackground();
				return what;
			});
			outcomes.set(deliveryId, outcome);
			return await outcome;
		},

		outcomeOf: ({ deliveryId }) => outcomes.get(deliveryId),

		mustBeOpen() {
			if (isClosed) throw new OperationalError('The workflow was unpublished meanwhile');
		},
	};

	/** Starts it in a minute, and again until n8n can, unless another has brought it meanwhile. */
	function owe(deliveryId: string, start: () => Promise<Outcome>): void {
		const isFirst = owed.size === 0;
		owed.set(deliveryId, start);
		if (!isFirst) return;
		void wait(Date.now(), RETRY_MS).then(() => {
			const starts = isClosed ? [] : [...owed.values()];
			owed.clear();
			for (const again of starts) void again();
		});
	}

	async function lookNow(): Promise<Look> {
		const since = Date.now();
		const now = asked;
		asked = new Map();
		const looking = look(watcher, now);
		const restMs = await looking.then(
			(seen) => {
				isAnew = false;
				outage.end(context);
				askAgain(seen.unread);
				if (seen.isMore || seen.unread.length > 0) lookInBackground();
				return seen.restMs;
			},
			(error: unknown) => {
				askAgain(now);
				if (!isClosed) outage.count(context, error);
				return 0;
			},
		);
		rest = { since, ms: Math.max(MIN_REST_MS, restMs) };
		return await looking;
	}

	async function keepLooking(): Promise<void> {
		const inStreamMs = Math.max(MIN_CHECK_MS, checkEveryMs / TIMES_IN_STREAM);
		let ms = isByTimer ? checkEveryMs : RETRY_MS;
		while (!isClosed) {
			await wait(Date.now(), ms);
			const isOwed = outage.isOn() || ledger.cutOff.size > 0;
			if (isClosed || (!isByTimer && !isOwed)) continue;
			const seen = await watcher.lookSoon().catch(() => undefined); // the outage tells why
			if (isByTimer) ms = seen?.hasNews ? inStreamMs : checkEveryMs;
		}
	}

	function lookInBackground(): void {
		void watcher.lookSoon().catch(() => undefined); // the outage tells why
	}

	save(context, KEY, ledger.saved);
	published.set(key, watcher);
	const unproved: Asked = { isProved: false, hasResponse: false };
	askAgain(askedEarly(context).map((id) => [id, unproved]));
	return watcher;
}
