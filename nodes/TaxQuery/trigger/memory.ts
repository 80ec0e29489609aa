import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';
import { hasDeduplicationKeys } from '../../shared/host/trigger';
import { getNodeStaticValue } from '../../shared/operations/staticData';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { msUntilElapsed } from '../../shared/utils/sleep';
import { processStateOfNode, type EmitOutcome } from './emitter';
import { Ledger, mergeLedgers } from './ledger';
import { newOutageReporter } from './errorReporting';
import type { UnlistedPendingTotals } from './listing';

export const LEDGER_STATIC_DATA_KEY = 'taxQueryLedger';
const MAX_EMITTED = 5_000;
/**
 * After a start n8n itself runs what it had stored and not begun. A second emit of such an execution would run both, so
 * what another process gave to n8n is emitted again only after this time.
 */
const LEFT_TO_N8N_MS = 60_000;

/** Published again within this time, a trigger goes on where it was, so that nothing falls between. */
const PAUSE_MS = 15 * 60_000;
export const wasLongAgo = (at: number | undefined): boolean =>
	at === undefined || msUntilElapsed(at, PAUSE_MS) < 0;

/** This process's memory of a trigger, also while it is being published anew. */
export class NodeProcessMemory {
	ledger?: Ledger;
	/** Outcomes of the results that are being emitted, by deliveryId. */
	readonly outcomes = new Map<string, Promise<EmitOutcome>>();
	/** When each of them was given to n8n, by the monotonic clock. */
	readonly emittedAt = new Map<string, number>();
	/** Results that this process has emitted. */
	readonly emitted = new BoundedMap<string, true>(MAX_EMITTED);
	/** Results that n8n could not start: it may have stored an execution nevertheless. */
	readonly unstarted = new BoundedMap<string, true>(MAX_EMITTED);
	readonly outage = newOutageReporter();
	readonly unlisted: UnlistedPendingTotals = { last: 0, afterAudit: 0 };
	closedAt?: number;
	isPublished = false;
	/** When it was published without being able to begin, and when it could not begin the last time. */
	#waiting?: { since: number; lastAt: number };
	/** When this process took over what another one gave to n8n. */
	#adoptedAt = -Infinity;

	get isInUse(): boolean {
		return this.isPublished || this.outcomes.size > 0;
	}

	/** When it was published, where it could not begin since then. */
	get waitsSince(): number | undefined {
		return this.#waiting?.since;
	}

	/** It was published at this time, and cannot begin yet. */
	noteWaiting(publishedAt: number): void {
		this.#waiting = { since: this.waitsSince ?? publishedAt, lastAt: Date.now() };
	}

	/** It has begun, or is published anew after a pause. */
	endWaiting(isAfterPause = false): void {
		if (!isAfterPause || wasLongAgo(this.#waiting?.lastAt)) this.#waiting = undefined;
	}

	/** Takes over the ledger as it was last written. */
	adopt(context: ITriggerFunctions): Ledger {
		const saved = new Ledger(getNodeStaticValue<IDataObject>(context, LEDGER_STATIC_DATA_KEY));
		const before = new Set(this.ledger?.starting().map(([deliveryId]) => deliveryId));
		const ledger = (this.ledger = this.ledger ? mergeLedgers(this.ledger, saved) : saved);
		const adopted = ledger
			.starting()
			.filter(([id]) => !before.has(id) && !this.outcomes.has(id) && !this.emitted.has(id));
		if (adopted.length === 0) return ledger;
		this.#adoptedAt = Date.now();
		// without a key n8n would start each of them again
		if (!hasDeduplicationKeys(context)) for (const [id] of adopted) this.emitted.set(id, true);
		return ledger;
	}

	/** n8n may be about to start a result that another process gave to it. */
	isLeftToN8n(deliveryId: string): boolean {
		const isAdopted = this.ledger?.isStarting(deliveryId) && !this.outcomes.has(deliveryId);
		return isAdopted === true && msUntilElapsed(this.#adoptedAt, LEFT_TO_N8N_MS) > 0;
	}
}

const newMemory = () => new NodeProcessMemory();

export const triggerMemoryOf = (
	context: Parameters<typeof processStateOfNode>[0],
): NodeProcessMemory => processStateOfNode(context).shared(newMemory);
