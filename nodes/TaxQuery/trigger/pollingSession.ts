import { OperationalError, type INodeExecutionData, type ITriggerFunctions } from 'n8n-workflow';
import { findVerificationProblem } from '../../shared/credentials/webhookVerificationCredentialFields';
import { createServiceConnection } from '../../shared/http/retryingServiceConnection';
import { taxQuery } from '../../shared/http/serviceDefinitions';
import { getProcessState } from '../../shared/processStateByScope';
import { CodedError } from '../../shared/utils/codedError';
import {
	msUntilElapsed,
	sleepUntilElapsedOrCondition,
} from '../../shared/utils/interruptibleSleep';
import { mayStillEnd } from '../client/parseQueryRecord';
import { FailureCountingQueryReader } from './failureCountingQueryReader';
import { forgetCredential } from './cachedCredential';
import { decideEmission } from './decideEmission';
import { emitResult, nodeKey, executionDeduplicationKey, type EmitOutcome } from './emitter';
import { ExecutionEndSaver } from './executionEndSaver';
import { pollOnce, type PollReport } from './pollOnce';
import { mergeNotifications, type QueryNotification } from './queryNotification';
import type { PollingSessionInterface } from './pollingSessionInterface';
import { setNodeStaticValue } from '../../shared/operations/staticDataByNodeId';
import {
	storeNotificationsUntilPublished,
	LEDGER_STATIC_DATA_KEY,
	MAX_WAITING_NOTIFICATIONS,
	triggerMemoryOf,
	takeStoredNotifications,
	type NodeProcessMemory,
} from './triggerProcessMemory';
import type { Ledger } from './ledger';
import type { QueryIdWithStartCount } from './resultsToRestartAfterCrash';
import type { UnlistedPendingTotals } from './readListing';
import { RETRY_MS, FailedExecutionStartRetries } from './failedExecutionStartRetries';
import type { RecordWithDeliveryId } from './recordWithDeliveryId';
import { itemMaker } from './triggerItemMaker';
import { MIN_CHECK_MS, startFromKey, type TriggerSettings } from './triggerSettings';

/** Delays the first poll after a start of n8n, so that a leader being replaced emits nothing at the same time. */
const FIRST_POLL_MS = 10_000;
const SPREAD_MS = 5_000;
const MIN_REST_MS = 1_000;
/** Published again within this time, a trigger goes on where it was, so that nothing falls between. */
const PAUSE_MS = 15 * 60_000;
/** Results come in streams. During one, polls come this many times as often, so that workers get no bursts. */
const TIMES_IN_STREAM = 6;

/** The published triggers of this process, by node. Only the leading main process has any. */
const newPublished = () => new Map<string, PollingSession>();
const publishedTriggers = () => getProcessState().shared(newPublished);

type Identity = Parameters<typeof nodeKey>[0];
export const findPublishedSession = (context: Identity) =>
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
export class PollingSession implements PollingSessionInterface {
	readonly ledger: Ledger;
	readonly attempts: FailureCountingQueryReader;
	readonly unlisted: UnlistedPendingTotals;
	/** Polls bring results. */
	readonly needsPolls: boolean;
	readonly #key: string;
	readonly #published = publishedTriggers();
	readonly #memory: NodeProcessMemory;
	readonly #unstarted = new FailedExecutionStartRetries(this);
	readonly #ends = new ExecutionEndSaver(this);
	readonly #isByTimer: boolean;
	/** The trigger never ran, or too long ago to continue; true until its first poll. */
	#isAnew: boolean;
	#hasClosed = false;
	#hasDroppedCalls = false;
	/** The poll that runs or was the last, and the one that waits for its end. */
	#last: Promise<unknown> = Promise.resolve();
	#waiting: Promise<PollReport> | undefined;
	/** The queries that webhook calls named for the next poll. */
	#notifications = new Map<string, QueryNotification>();
	/** The next poll begins `ms` milliseconds after `since`. */
	#rest = { since: 0, ms: 0 };

	constructor(
		readonly context: ITriggerFunctions,
		readonly settings: TriggerSettings,
	) {
		for (const replaced of replacedBy(context)) replaced.close();
		forgetCredential(context);
		const { ledger, unlisted, closedAt } = (this.#memory = triggerMemoryOf(context));
		this.ledger = ledger as Ledger;
		this.unlisted = unlisted;
		this.#key = nodeKey(context);
		this.attempts = new FailureCountingQueryReader(context);
		// several main processes need n8n's queue mode: the executions of the one before go on
		const mode = context.getActivationMode();
		if (mode === 'leadershipChange') this.ledger.state.runsElsewhere = true;
		this.#isByTimer = settings.receiveBy !== 'webhook';
		this.needsPolls = this.#isByTimer || settings.confirm !== 'off';
		const wasClosedLongAgo = closedAt === undefined || msUntilElapsed(closedAt, PAUSE_MS) < 0;
		this.#isAnew = mode === 'activate' && wasClosedLongAgo;
		setNodeStaticValue(context, LEDGER_STATIC_DATA_KEY, this.ledger.saved);
		this.#published.set(this.#key, this);
		this.#memory.isPublished = true;
		this.#retryNotifications(takeStoredNotifications(context));
	}

	get isClosed(): boolean {
		return this.#hasClosed;
	}

	/** Webhook calls named more queries than could be handed on; their senders must repeat them. */
	get hasDroppedCalls(): boolean {
		return this.#hasDroppedCalls;
	}

	get mustBegin(): boolean {
		return this.#isAnew || this.ledger.state.startedFrom !== startFromKey(this.context);
	}

	get isBusy(): boolean {
		return this.#memory.outcomes.size > 0;
	}

	/** Polls for the first time, and then at intervals. Throws if the first poll fails, where it `mustSucceed`. */
	async open(mustSucceed: boolean): Promise<void> {
		const { context, settings, ledger } = this;
		if (mustSucceed) await checkVerification(context, settings);
		if (!this.needsPolls) {
			this.#isAnew = false;
			// no poll does this: a trigger that cannot make its items must not be published
			if (settings.personalData === 'pseudonym')
				itemMaker(settings, await createServiceConnection(context, taxQuery));
			for (const deliveryId of ledger.interrupted.keys()) ledger.end(deliveryId); // left to Retry
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
		if (this.#published.get(this.#key) === this) {
			this.#published.delete(this.#key);
			this.#memory.isPublished = false;
		}
		this.#handOn(this.#notifications);
		this.#notifications = new Map();
	}

	/** Polls from now on; callers share the poll that waits. Throws if the service cannot be reached. */
	async pollSoon(more: Iterable<[id: string, QueryNotification]> = []): Promise<PollReport> {
		if (this.#hasClosed) this.#handOn(more);
		else for (const [id, notification] of more) this.#addNotification(id, notification);
		this.#waiting ??= this.#last.then(async () => {
			await sleepUntilElapsedOrCondition(this.#rest.since, this.#rest.ms, () => this.#hasClosed);
			this.#waiting = undefined;
			this.mustBeOpen();
			const running = this.#pollNow();
			this.#last = running.catch(() => {}); // whoever waits for it gets the error
			return await running;
		});
		return await this.#waiting;
	}

	async emitOnce(
		result: RecordWithDeliveryId,
		item: INodeExecutionData,
		starts?: number,
	): Promise<EmitOutcome> {
		const { ledger, context } = this;
		const { outcomes, emitted } = this.#memory;
		const { deliveryId, queryId } = result;
		const running = outcomes.get(deliveryId);
		const before = ledger.interrupted.get(deliveryId);
		const decision = decideEmission({
			isRunning: running !== undefined,
			isInterrupted: before !== undefined,
			isRestart: starts !== undefined,
			hasChecks: this.needsPolls,
			isDone: emitted.has(deliveryId) || ledger.isSettled(result),
			canStart:
				!this.#hasClosed &&
				ledger.canStart(deliveryId, queryId) &&
				this.#unstarted.hasRoomBeside(outcomes.size),
		});
		if (running) return await running;
		if (decision !== 'emit') return decision === 'refuse' ? 'failed' : 'duplicate';
		const times = starts ?? 1;
		const key = executionDeduplicationKey(
			context,
			deliveryId,
			times,
			ledger.failedStarts(deliveryId),
		);
		ledger.start(deliveryId, queryId, times);
		setNodeStaticValue(context, LEDGER_STATIC_DATA_KEY, ledger.saved); // n8n saves it with the emit
		const outcome = emitResult(context, {
			item,
			result,
			key,
			onPlace: (isElsewhere) => (ledger.state.runsElsewhere = isElsewhere),
			onEnd: () => this.#endExecution(deliveryId, key),
			onFailure: (error) => this.#unstarted.add({ result, item, starts, error }),
			...(this.settings.options.afterCrash !== 'leave' && { saved: ledger.saved }),
		}).then((what) => this.#settleEmission(result, what, before));
		outcomes.set(deliveryId, outcome);
		return await outcome;
	}

	outcomeOf({ deliveryId }: RecordWithDeliveryId): Promise<EmitOutcome> | undefined {
		return this.#memory.outcomes.get(deliveryId);
	}

	mustBeOpen(): void {
		if (this.#hasClosed) throw new OperationalError('The workflow was unpublished meanwhile');
	}

	/** Waits `ms` milliseconds, or until the trigger is unpublished. */
	async pause(ms: number): Promise<void> {
		await sleepUntilElapsedOrCondition(Date.now(), ms, () => this.#hasClosed);
	}

	/** `before`: how the result was started, if it was interrupted. */
	#settleEmission(
		result: RecordWithDeliveryId,
		outcome: EmitOutcome,
		before?: QueryIdWithStartCount,
	): EmitOutcome {
		const { ledger } = this;
		const { deliveryId } = result;
		this.#memory.outcomes.delete(deliveryId);
		if (outcome === 'failed') {
			ledger.undoStart(deliveryId, before);
			return outcome;
		}
		this.#memory.emitted.set(deliveryId, true);
		this.#unstarted.delete(deliveryId);
		ledger.settle(result, mayStillEnd(result.record.state));
		// the other interrupted ones waited for what this one shows
		if (before && ledger.interrupted.size > 0) this.#pollInBackground();
		return outcome;
	}

	/** Ends an execution. If the number of executions had reached its limit, this lets the next poll continue. */
	#endExecution(deliveryId: string, key: string): void {
		const { ledger } = this;
		const wasFull = ledger.remainingStarts() === 0;
		ledger.end(deliveryId);
		void this.#ends.save(key);
		if (wasFull && ledger.remainingStarts() > 0 && !this.#hasClosed && this.needsPolls)
			this.#pollInBackground();
	}

	#addNotification(id: string, notification: QueryNotification): void {
		const known = this.#notifications.get(id);
		this.#notifications.set(id, known ? mergeNotifications(known, notification) : notification);
	}

	#retryNotifications(all: Iterable<[id: string, QueryNotification]>): void {
		if (this.#hasClosed) return this.#handOn(all);
		for (const [id, notification] of all) {
			if (this.#notifications.size < MAX_WAITING_NOTIFICATIONS)
				this.#addNotification(id, { ...notification, isAgain: true });
		}
	}

	/** Passes notifications that this trigger can no longer read to the next one that is published. */
	#handOn(all: Iterable<[id: string, QueryNotification]>): void {
		const next = this.#published.get(this.#key);
		if (next && next !== this) void next.pollSoon(all).catch(() => undefined);
		else if (!storeNotificationsUntilPublished(this.context, all)) this.#hasDroppedCalls = true;
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
				outage.end(context);
				this.#retryNotifications([...seen.unread, ...seen.undecided]);
				if (seen.isMore || seen.unread.length > 0) this.#pollInBackground();
				return seen.restMs;
			},
			(error: unknown) => {
				this.#retryNotifications(now);
				if (!this.#hasClosed) outage.count(context, error);
				return 0;
			},
		);
		this.#rest = { since, ms: Math.max(MIN_REST_MS, restMs) };
		return await polling;
	}

	async #pollAtIntervals(): Promise<void> {
		const isByTimer = this.#isByTimer;
		const { checkEveryMs } = this.settings;
		const inStreamMs = Math.max(MIN_CHECK_MS, checkEveryMs / TIMES_IN_STREAM);
		let ms = isByTimer ? checkEveryMs : RETRY_MS;
		while (!this.#hasClosed) {
			await this.pause(ms);
			const isDue = this.#memory.outage.isOn() || this.ledger.interrupted.size > 0;
			if (this.#hasClosed || (!isByTimer && !isDue)) continue;
			const seen = await this.pollSoon().catch(() => undefined); // the outage reports why
			if (isByTimer) ms = seen?.hasNews ? inStreamMs : checkEveryMs;
		}
	}

	#pollInBackground(): void {
		void this.pollSoon().catch(() => undefined); // the outage reports why
	}
}
