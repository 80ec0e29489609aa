import { OperationalError, type INodeExecutionData, type ITriggerFunctions } from 'n8n-workflow';
import { hasDeduplicationKeys } from '../../shared/host/trigger';
import { findVerificationProblem } from '../../shared/credentials/webhookFields';
import { createServiceConnection } from '../../shared/http/connection';
import { taxQuery } from '../../shared/http/services';
import { getProcessState } from '../../shared/processState';
import { setNodeStaticValue } from '../../shared/operations/staticData';
import { CodedError } from '../../shared/utils/codedError';
import { msUntilElapsed, sleepUntil } from '../../shared/utils/sleep';
import { mayStillEnd } from '../client/record';
import { forgetCredential } from './cachedCredential';
import { emitResult, nodeKey, saveByEmit, type EmitOutcome, type NodeIdentity } from './emitter';
import { RecordReader } from './recordReader';
import { reportStoredResult, reportUnstartedResult } from './reports';
import { pollOnce, type PollReport } from './pollOnce';
import { mergeNotifications, type QueryNotification } from './notification';
import type { PollingTrigger } from './pollingTrigger';
import {
	LEDGER_STATIC_DATA_KEY,
	triggerMemoryOf,
	wasLongAgo,
	type NodeProcessMemory,
} from './memory';
import type { Ledger } from './ledger';
import type { UnlistedPendingTotals } from './listing';
import type { TriggerResult } from './result';
import { itemMaker } from './item';
import { startFromKey, type TriggerSettings } from './settings';

/** Delays the first poll after a start of n8n, so that a leader being replaced emits nothing at the same time. */
const FIRST_POLL_MS = 10_000;
const SPREAD_MS = 5_000;
const MIN_REST_MS = 1_000;
/** After a failure, and while something is pending with Webhook Only, the next poll comes after this time. */
export const RETRY_MS = 60_000;
/** In queue mode the ends of executions are saved once none has ended for so long. */
const SAVE_ENDS_MS = 30_000;
/** In queue mode nobody says that an execution has begun; by then it has. */
const STARTING_MS = 30_000;
/** One poll looks up so many for webhook calls; the senders of others repeat them. */
const MAX_NOTIFIED = 1_000;

/** The published triggers of this process, by node. Only the leading main process has any. */
const newPublished = () => new Map<string, PollingSession>();
const publishedTriggers = () => getProcessState().shared(newPublished);

export const findPublishedSession = (context: NodeIdentity) =>
	publishedTriggers().get(nodeKey(context));
export const sessionsOfWorkflow = (workflowId: string | undefined) =>
	[...publishedTriggers().values()].filter(
		({ context }) => context.getWorkflow().id === workflowId,
	);

/**
 * Returns the open triggers of the workflow that this one replaces: those of this node, or with its name. n8n leaves
 * some open, such as those of a workflow that was imported again.
 */
function replacedBy(context: ITriggerFunctions): PollingSession[] {
	const { id, name } = context.getNode();
	return sessionsOfWorkflow(context.getWorkflow().id).filter((session) => {
		const node = session.context.getNode();
		return node.id === id || node.name === name;
	});
}

/** n8n itself starts, and publishes what was published before. */
const isN8nStarting = (context: ITriggerFunctions): boolean =>
	['init', 'leadershipChange'].includes(context.getActivationMode());

/** Refuses to publish with a credential that verifies nothing, because every webhook call would be refused. */
async function checkVerification(context: ITriggerFunctions, { isAuthenticated }: TriggerSettings) {
	if (!isAuthenticated) return;
	const problem = findVerificationProblem(await context.getCredentials(taxQuery.credentialType));
	if (problem === undefined) return;
	throw new CodedError(
		'credential.webhook',
		`The credential verifies no webhook call: ${problem}`,
		{
			description:
				"Correct it in the credential, or set 'Webhook Verification' of this node to None.",
		},
	);
}

/**
 * A published trigger. It polls at intervals and when a webhook call arrives, one poll after the other, and emits each
 * result once.
 */
export class PollingSession implements PollingTrigger {
	readonly ledger: Ledger;
	readonly reader: RecordReader;
	readonly unlisted: UnlistedPendingTotals;
	/** Polls bring results. */
	readonly needsPolls: boolean;
	readonly #key: string;
	readonly #published = publishedTriggers();
	readonly #memory: NodeProcessMemory;
	readonly #isByTimer: boolean;
	readonly #openedAt = Date.now();
	/** The trigger never ran, or too long ago to continue; true until its first poll. */
	#isAnew: boolean;
	#hasClosed = false;
	#isFlooded = false;
	/** The poll that runs or was the last, and the one that waits for its end. */
	#last: Promise<unknown> = Promise.resolve();
	#waiting: Promise<PollReport> | undefined;
	/** The queries that webhook calls named for the next poll. */
	#notifications = new Map<string, QueryNotification>();
	/** The next poll begins `ms` milliseconds after `since`. */
	#rest = { since: 0, ms: 0 };
	/** When an execution has ended in another process, and whether that waits to be saved. */
	#ended = { at: 0, isUnsaved: false };

	constructor(
		readonly context: ITriggerFunctions,
		readonly settings: TriggerSettings,
	) {
		for (const replaced of replacedBy(context)) replaced.close();
		forgetCredential(context);
		this.#memory = triggerMemoryOf(context);
		this.ledger = this.#memory.adopt(context);
		const { unlisted, closedAt } = this.#memory;
		this.unlisted = unlisted;
		this.#key = nodeKey(context);
		this.reader = new RecordReader(context);
		this.#isByTimer = settings.receiveBy !== 'webhook';
		this.needsPolls = this.#isByTimer || settings.confirm !== 'off';
		this.#isAnew = context.getActivationMode() === 'activate' && wasLongAgo(closedAt);
		setNodeStaticValue(context, LEDGER_STATIC_DATA_KEY, this.ledger.saved);
		this.#published.set(this.#key, this);
		this.#memory.isPublished = true;
	}

	get isClosed(): boolean {
		return this.#hasClosed;
	}

	get mustBegin(): boolean {
		return this.#isAnew || this.ledger.state.startedFrom !== startFromKey(this.context);
	}

	get waitsSince(): number | undefined {
		return this.#memory.waitsSince;
	}

	/** Polls for the first time, and then at intervals. Throws if the first poll fails, where it `mustSucceed`. */
	async open(mustSucceed: boolean): Promise<void> {
		const { context, settings } = this;
		if (mustSucceed) await checkVerification(context, settings);
		if (!this.needsPolls) {
			this.#isAnew = false;
			// no poll does this: a trigger that cannot make its items must not be published
			if (settings.personalData === 'pseudonym')
				itemMaker(settings, await createServiceConnection(context, taxQuery));
			return;
		}
		if (isN8nStarting(context)) {
			this.#rest = { since: Date.now(), ms: FIRST_POLL_MS + Math.random() * SPREAD_MS };
			this.#pollInBackground();
		} else if (mustSucceed) {
			await this.pollSoon();
		} else {
			this.#pollInBackground();
		}
		void this.#pollAtIntervals();
	}

	close(): void {
		if (this.#hasClosed) return;
		this.#hasClosed = true;
		if (!this.#isAnew) this.#memory.closedAt = Date.now(); // one that never began does not count as published
		if (this.#published.get(this.#key) !== this) return;
		this.#published.delete(this.#key);
		this.#memory.isPublished = false;
	}

	/** The latest poll was one for a flood of webhook calls, so that the next comes late. */
	get isFlooded(): boolean {
		return this.#isFlooded;
	}

	/** A poll would show nothing else. */
	isOver(result: Pick<TriggerResult, 'queryId' | 'status' | 'deliveryId'>): boolean {
		return this.#memory.emitted.has(result.deliveryId) || this.ledger.isSettled(result);
	}

	/** The next poll can look it up for a webhook call. */
	hasRoomFor(queryId: string): boolean {
		return this.#notifications.has(queryId) || this.#notifications.size < MAX_NOTIFIED;
	}

	/** Polls from now on; callers share the poll that waits. Throws if the service cannot be reached. */
	async pollSoon(more: Iterable<[id: string, QueryNotification]> = []): Promise<PollReport> {
		for (const [id, notification] of more) {
			const known = this.#notifications.get(id);
			if (known) this.#notifications.set(id, mergeNotifications(known, notification));
			else if (this.hasRoomFor(id)) this.#notifications.set(id, notification);
		}
		this.#waiting ??= this.#last.then(async () => {
			await sleepUntil(this.#rest.since, this.#rest.ms, () => this.#hasClosed);
			this.#waiting = undefined;
			this.mustBeOpen();
			const running = this.#pollNow();
			this.#last = running.catch(() => {}); // whoever waits for it gets the error
			return await running;
		});
		return await this.#waiting;
	}

	async emitOnce(result: TriggerResult, item: INodeExecutionData): Promise<EmitOutcome> {
		const { ledger, context } = this;
		const { outcomes, emitted } = this.#memory;
		const { deliveryId, queryId } = result;
		const running = outcomes.get(deliveryId);
		if (running) return await running;
		if (emitted.has(deliveryId) || ledger.isSettled(result)) return 'duplicate';
		if (this.#hasClosed || this.#memory.isLeftToN8n(deliveryId)) return 'failed';
		ledger.start(deliveryId, queryId);
		setNodeStaticValue(context, LEDGER_STATIC_DATA_KEY, ledger.saved); // n8n saves it with the emit
		this.#ended.isUnsaved = false;
		const outcome = emitResult(context, {
			item,
			result,
			onEndElsewhere: () => void this.#saveEndLater(deliveryId),
			onFailure: (error) => reportUnstartedResult(context, queryId, error),
		}).then((what) => this.#settleEmission(result, what));
		outcomes.set(deliveryId, outcome);
		this.#memory.emittedAt.set(deliveryId, performance.now());
		return await outcome;
	}

	get startingCount(): number {
		const since = performance.now() - STARTING_MS;
		return [...this.#memory.emittedAt.values()].filter((at) => at > since).length;
	}

	outcomeOf({ deliveryId }: TriggerResult): Promise<EmitOutcome> | undefined {
		return this.#memory.outcomes.get(deliveryId);
	}

	isRunning(result: TriggerResult): boolean {
		return this.outcomeOf(result) !== undefined || this.#memory.isLeftToN8n(result.deliveryId);
	}

	mustBeOpen(): void {
		if (this.#hasClosed) throw new OperationalError('The workflow was unpublished meanwhile');
	}

	/** Waits `ms` milliseconds, or until the trigger is unpublished. */
	async #pause(ms: number): Promise<void> {
		await sleepUntil(Date.now(), ms, () => this.#hasClosed);
	}

	#settleEmission(result: TriggerResult, outcome: EmitOutcome): EmitOutcome {
		const { ledger } = this;
		const { deliveryId } = result;
		this.#memory.outcomes.delete(deliveryId);
		this.#memory.emittedAt.delete(deliveryId);
		ledger.endStart(deliveryId);
		if (outcome === 'failed') {
			this.#memory.unstarted.set(deliveryId, true);
			return outcome; // the next check or webhook call brings it again
		}
		if (outcome === 'duplicate' && this.#memory.unstarted.has(deliveryId))
			reportStoredResult(this.context, result.queryId);
		this.#memory.emitted.set(deliveryId, true);
		ledger.settle(result, mayStillEnd(result.record.state));
		return outcome;
	}

	/**
	 * Has n8n save that the executions of other processes have ended, once they come no more. In queue mode a worker
	 * saves nothing of this process; elsewhere n8n saves the ledger at the end of each execution.
	 */
	async #saveEndLater(deliveryId: string): Promise<void> {
		const isWaiting = this.#ended.isUnsaved;
		this.#ended = { at: Date.now(), isUnsaved: true };
		if (isWaiting || !hasDeduplicationKeys(this.context)) return;
		while (!this.#hasClosed && msUntilElapsed(this.#ended.at, SAVE_ENDS_MS) > 0)
			await this.#pause(msUntilElapsed(this.#ended.at, SAVE_ENDS_MS));
		if (this.#hasClosed || !this.#ended.isUnsaved) return;
		this.#ended.isUnsaved = false;
		setNodeStaticValue(this.context, LEDGER_STATIC_DATA_KEY, this.ledger.saved);
		saveByEmit(this.context, deliveryId);
	}

	async #pollNow(): Promise<PollReport> {
		const { context } = this;
		const { outage } = this.#memory;
		const since = Date.now();
		const now = this.#notifications;
		this.#notifications = new Map();
		const polling = pollOnce(this, now);
		const restMs = await polling.then(
			(seen) => {
				this.#isAnew = false;
				this.#memory.endWaiting();
				outage.end(context);
				this.#isFlooded = seen.isFlood;
				if (seen.isMore) this.#pollInBackground();
				return seen.restMs;
			},
			(error: unknown) => {
				if (this.#hasClosed) return 0;
				outage.count(context, error);
				if (this.mustBegin) this.#memory.noteWaiting(this.#openedAt);
				return 0;
			},
		);
		this.#rest = { since, ms: Math.max(MIN_REST_MS, restMs) };
		return await polling;
	}

	async #pollAtIntervals(): Promise<void> {
		while (!this.#hasClosed) {
			await this.#pause(this.#isByTimer ? this.settings.checkEveryMs : RETRY_MS);
			const isDue = this.#isByTimer || this.#memory.outage.isOn() || this.ledger.pendingCount() > 0;
			if (!this.#hasClosed && isDue) await this.pollSoon().catch(() => undefined); // the outage reports why
		}
	}

	#pollInBackground(): void {
		void this.pollSoon().catch(() => undefined); // the outage reports why
	}
}
