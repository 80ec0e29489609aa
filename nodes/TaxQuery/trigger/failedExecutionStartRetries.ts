import type { INodeExecutionData, ITriggerFunctions } from 'n8n-workflow';
import { reportUnstartedResults } from './missedResultReports';
import type { RecordWithDeliveryId } from './recordWithDeliveryId';

/** Limits the results that wait; others are not started, and come again with a check or a webhook call. */
const MAX_WAITING = 1_000;
export const RETRY_MS = 60_000;
/** Others that n8n could not start fail within this time: one report names them all. */
const REPORT_MS = 1_000;

/** A result that n8n could not start, and why. */
export interface FailedExecutionStart {
	result: RecordWithDeliveryId;
	item: INodeExecutionData;
	starts?: number;
	error: Error;
}

/** The published trigger, as retries need it. */
interface Owner {
	context: ITriggerFunctions;
	readonly isClosed: boolean;
	/** Waits `ms` milliseconds, or until the trigger is unpublished. */
	pause(ms: number): Promise<void>;
	emitOnce(
		result: RecordWithDeliveryId,
		item: INodeExecutionData,
		starts?: number,
	): Promise<unknown>;
}

/** Results that n8n could not start: each is tried again in a minute, unless another check has brought it meanwhile. */
export class FailedExecutionStartRetries {
	readonly #owner: Owner;
	readonly #waiting = new Map<string, FailedExecutionStart>();

	constructor(owner: Owner) {
		this.#owner = owner;
	}

	/** Returns whether one more result, and so many that are being emitted, could all wait. */
	hasRoomBeside(emitting: number): boolean {
		return this.#waiting.size + emitting < MAX_WAITING;
	}

	add(unstarted: FailedExecutionStart): void {
		const isFirst = this.#waiting.size === 0;
		this.#waiting.set(unstarted.result.deliveryId, unstarted);
		if (!isFirst) return;
		void this.#emitLater();
		void this.#reportLater(unstarted.error);
	}

	delete(deliveryId: string): void {
		this.#waiting.delete(deliveryId);
	}

	async #emitLater(): Promise<void> {
		const owner = this.#owner;
		await owner.pause(RETRY_MS);
		const all = owner.isClosed ? [] : [...this.#waiting.values()];
		this.#waiting.clear();
		for (const { result, item, starts } of all) void owner.emitOnce(result, item, starts);
	}

	async #reportLater(error: Error): Promise<void> {
		const owner = this.#owner;
		await owner.pause(REPORT_MS);
		if (owner.isClosed || this.#waiting.size === 0) return;
		const ids = [...this.#waiting.values()].map(({ result }) => result.queryId);
		reportUnstartedResults(owner.context, ids, error);
	}
}
