import { OperationalError, type INodeExecutionData, type ITriggerFunctions } from 'n8n-workflow';
import { validateWebhookFields } from '../../shared/credentials/webhookSecret';
import { connect } from '../../shared/transport/request';
import { taxQuery } from '../../shared/transport/service';
import { stateOfProcess } from '../../shared/processState';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { CodedError } from '../../shared/utils/codedError';
import { untilAfter } from '../../shared/utils/sleep';
import { msLeft } from '../../shared/utils/time';
import { isOpen } from '../service/record';
import { newTries } from './byId';
import { emit, nodeKey, saveByEmit } from './emitter';
import { look, type Look } from './look';
import { merged, type Asked } from './asked';
import type { PublishedTrigger } from './published';
import { save } from '../../shared/operations/nodeState';
import { askLater, KEY, MAX_ASKED, memoryOf, takeAskedEarly } from './memory';
import { reportNotStarted, reportRetriesFull } from './reports';
import { itemMaker, type TriggerResult } from './result';
import { MIN_CHECK_MS, startOf, type Settings } from './settings';

/** After a start of n8n, so that a leader that is just being replaced emits nothing at the same time. */
const FIRST_LOOK_MS = 10_000;
const SPREAD_MS = 5_000;
const MIN_REST_MS = 1_000;
/** Published again within this time, a trigger goes on where it was, so that nothing falls between. */
const PAUSE_MS = 15 * 60_000;
const MAX_RETRIES = 1_000;
/** Results come in streams: while they do, looks come so many times as often, and workers get no bursts. */
const TIMES_IN_STREAM = 6;
/** Ends are saved this long after the first of them, while other executions run. */
const SAVE_ENDS_MS = 200;
/** After an emission that failed, and where nothing asks at intervals after such a look. */
export const RETRY_MS = 60_000;

/** A result that n8n could not start, and why. */
interface Retry {
	result: TriggerResult;
	item: INodeExecutionData;
	starts?: number;
	error: Error;
}

/** Parameters of `emit` in hosts that know no deduplication key. */
const EMIT_WITHOUT_KEY = 3;

/** The published triggers of this process, by node. Only the leading main process has any. */
const newPublished = () => new Map<string, Watcher>();
const publishedTriggers = () => stateOfProcess().shared(newPublished);

type Identity = Parameters<typeof nodeKey>[0];
export const watcherOf = (context: Identity) => publishedTriggers().get(nodeKey(context));
export const watchersIn = (workflowId: string | undefined) =>
	[...publishedTriggers().values()].filter(
		({ context }) => context.getWorkflow().id === workflowId,
	);

/** A published trigger: it looks for new results at intervals and when a delivery rings, and emits each once. */
export interface Watcher extends PublishedTrigger {
	needsLooks: boolean;
	readonly isClosed: boolean;
	/** Looks for the first time, and then at intervals. Throws if the first look fails, where it `mustSucceed`. */
	open(mustSucceed: boolean): Promise<void>;
	close(): void;
	/** A look that begins from now on; those who ask meanwhile share it. Throws if the service cannot be asked. */
	lookSoon(asked?: Iterable<[id: string, Asked]>): Promise<Look>;
}

/**
 * The open triggers of the same workflow that one which is being published replaces: n8n leaves some open, such as those
 * of a workflow that was imported anew. They are the same node, or had its name.
 */
function replacedBy(context: ITriggerFunctions): Watcher[] {
	const { id, name } = context.getNode();
	return watchersIn(context.getWorkflow().id).filter((watcher) => {
		const node = watcher.context.getNode();
		return node.id === id || node.name === name;
	});
}

/** n8n itself starts, and publishes what was published before. */
const isStarting = (context: ITriggerFunctions): boolean =>
	['init', 'leadershipChange'].includes(context.getActivationMode());

/** A credential that verifies nothing would refuse every webhook call; who publishes is told. */
async function checkVerification(context: ITriggerFunctions, { isAuthenticated }: Settings) {
	if (!isAuthenticated) return;
	const flaw = validateWebhookFields(await context.getCredentials(taxQuery.credentialType));
	if (flaw === undefined) return;
	throw new CodedError('credential.webhook', `The credential verifies no webhook call: ${flaw}`, {
		description:
			"Correct it in the credential, or set 'Webhook Verification' of this node to None.",
	});
}

export function newWatcher(context: ITriggerFunctions, settings: Settings): Watcher {
	for (const replaced of replacedBy(context)) replaced.close();
	const published = publishedTriggers();
	const key = nodeKey(context);
	const memory = memoryOf(context);
	const { ledger, outcomes, emitted, outage, closedAt } = memory;
	// several main processes need n8n's queue mode: the executions of the one before go on
	if (context.getActivationMode() === 'leadershipChange') ledger.state.runsElsewhere = true;
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
	/** Results that n8n could not start, though their senders may have been told that they will come. */
	const retries = new BoundedMap<string, Retry>(MAX_RETRIES);
	let isSavingEnds = false;
	/** Older hosts would start an execution for each save. */
	const hasKeys = context.emit.length > EMIT_WITHOUT_KEY;

	/** Waits until so long after a moment, or until the trigger is unpublished. */
	const wait = async (since: number, ms: number) => await untilAfter(since, ms, () => isClosed);

	const ask = (id: string, said: Asked) => {
		const known = asked.get(id);
		asked.set(id, known ? merged(known, said) : said);
	};

	const askAgain = (all: Iterable<[id: string, Asked]>) => {
		if (isClosed) return handOn(all);
		for (const [id, said] of all) if (asked.size < MAX_ASKED) ask(id, { ...said, isAgain: true });
	};

	const watcher: Watcher = {
		context,
		settings,
		ledger,
		tries: newTries(context),
		needsLooks,
		unlisted: memory.unlisted,

		get isClosed() {
			return isClosed;
		},

		get mustBegin() {
			return isAnew || ledger.state.startedFrom !== startOf(context);
		},

		get isBusy() {
			return outcomes.size > 0;
		},

		async open(mustSucceed) {
			if (mustSucceed) await checkVerification(context, settings);
			if (!needsLooks) {
				isAnew = false;
				// where no look does: a trigger that cannot make its items must not be published
				if (settings.personalData === 'pseudonym')
					itemMaker(settings, await connect(context, taxQuery));
				for (const deliveryId of ledger.interrupted.keys()) ledger.end(deliveryId); // left to Retry
				return;
			}
			if (isStarting(context)) {
				rest = { since: Date.now(), ms: FIRST_LOOK_MS + Math.random() * SPREAD_MS };
				lookInBackground();
			} else if (mustSucceed) {
				await watcher.lookSoon();
			} else {
				lookInBackground();
			}
			void keepLooking();
		},

		close() {
			if (isClosed) return;
			isClosed = true;
			if (!isAnew) memory.closedAt = Date.now(); // one that never began does not count as published
			if (published.get(key) === watcher) {
				published.delete(key);
				memory.isPublished = false;
			}
			handOn(asked);
			asked = new Map();
		},

		async lookSoon(more = []) {
			if (isClosed) handOn(more);
			else for (const [id, said] of more) ask(id, said);
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

		async emitOnce(result, item, starts) {
			const { deliveryId, queryId } = result;
			const running = outcomes.get(deliveryId);
			if (running) return await running;
			const before = ledger.interrupted.get(deliveryId);
			const isLeftToLook = before !== undefined && needsLooks;
			const isDone = emitted.has(deliveryId) || ledger.isSettled(result);
			if (starts === undefined ? isLeftToLook || isDone : !before) return 'duplicate';
			if (isClosed || !ledger.canStart(deliveryId, queryId)) return 'failed';
			const times = starts ?? 1;
			ledger.start(deliveryId, queryId, times);
			save(context, KEY, ledger.saved); // n8n saves it with the emit
			const outcome = emit(context, {
				item,
				result,
				times,
				onPlace: (isElsewhere) => (ledger.state.runsElsewhere = isElsewhere),
				onEnd: () => endExecution(deliveryId, times),
				onFailure: (error) => retryLater({ result, item, starts, error }),
				...(settings.options.afterCrash !== 'leave' && { saved: ledger.saved }),
			}).then((what) => {
				outcomes.delete(deliveryId);
				if (what === 'failed') {
					ledger.undoStart(deliveryId, before);
					return what;
				}
				emitted.set(deliveryId, true);
				retries.delete(deliveryId);
				ledger.settle(result, isOpen(result.record.state));
				// the other interrupted ones waited for what this one shows
				if (before && ledger.interrupted.size > 0) lookInBackground();
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

	/** What this trigger can no longer read is left to the one that was published after it, now or later. */
	function handOn(all: Iterable<[id: string, Asked]>): void {
		const next = published.get(key);
		if (next && next !== watcher) void next.lookSoon(all).catch(() => undefined);
		else askLater(context, all);
	}

	/** In queue mode, another process may lead once this one has closed the trigger, and its ledger counts. */
	const maySave = () => !isClosed || ledger.state.runsElsewhere === false;

	/** Saves that executions have ended: at once if none runs, else a moment later, together with others. */
	function saveEnds(deliveryId: string, times: number): void {
		if (!hasKeys || isSavingEnds || !maySave()) return;
		isSavingEnds = true;
		const isLast = ledger.startedCount() === 0;
		void wait(Date.now(), isLast ? 0 : SAVE_ENDS_MS).then(() => {
			isSavingEnds = false;
			if (!maySave() || !ledger.hasUnsavedEnds()) return;
			save(context, KEY, ledger.saved);
			saveByEmit(context, deliveryId, times);
		});
	}

	/** Where so many ran that no more could be started, the end of one lets the next check go on. */
	function endExecution(deliveryId: string, times: number): void {
		const wasFull = ledger.room() === 0;
		ledger.end(deliveryId);
		saveEnds(deliveryId, times);
		if (wasFull && ledger.room() > 0 && !isClosed && needsLooks) lookInBackground();
	}

	/** Starts a result in a minute, and again until n8n can, unless another has brought it meanwhile. */
	function retryLater(retry: Retry): void {
		const isFirst = retries.size === 0;
		if (retries.size === MAX_RETRIES) reportRetriesFull(context, retry.result.queryId, MAX_RETRIES);
		retries.set(retry.result.deliveryId, retry);
		if (!isFirst) return;
		void wait(Date.now(), RETRY_MS).then(() => {
			const all = isClosed ? [] : [...retries.values()];
			retries.clear();
			for (const { result, item, starts } of all) void watcher.emitOnce(result, item, starts);
		});
		// others that n8n could not start fail at the same time
		void wait(Date.now(), MIN_REST_MS).then(() => {
			if (isClosed || retries.size === 0) return;
			const ids = [...retries.values()].map(({ result }) => result.queryId);
			reportNotStarted(context, ids, retry.error);
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
			const isDue = outage.isOn() || ledger.interrupted.size > 0;
			if (isClosed || (!isByTimer && !isDue)) continue;
			const seen = await watcher.lookSoon().catch(() => undefined); // the outage tells why
			if (isByTimer) ms = seen?.hasNews ? inStreamMs : checkEveryMs;
		}
	}

	function lookInBackground(): void {
		void watcher.lookSoon().catch(() => undefined); // the outage tells why
	}

	save(context, KEY, ledger.saved);
	published.set(key, watcher);
	memory.isPublished = true;
	askAgain(takeAskedEarly(context));
	return watcher;
}
