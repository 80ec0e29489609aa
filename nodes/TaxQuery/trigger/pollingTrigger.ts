import type { INodeExecutionData, ITriggerFunctions } from 'n8n-workflow';
import type { EmitOutcome } from './emitter';
import type { Ledger } from './ledger';
import type { UnlistedPendingTotals } from './listing';
import type { RecordReader } from './recordReader';
import type { TriggerResult } from './result';
import type { TriggerSettings } from './settings';

/** The published trigger as a poll sees it. It may be unpublished meanwhile. */
export interface PollingTrigger {
	context: ITriggerFunctions;
	ledger: Ledger;
	settings: TriggerSettings;
	reader: RecordReader;
	/** Numbers of pending queries that the last checks did not show. */
	unlisted: UnlistedPendingTotals;
	/** The trigger is to begin by Start From. */
	mustBegin: boolean;
	/** When it was published, where it could not begin since then. */
	waitsSince: number | undefined;
	/** These were given to n8n a moment ago and are not known to have begun. */
	readonly startingCount: number;
	/** Throws if the workflow was unpublished, because an older poll must not change anything. */
	mustBeOpen(): void;
	/**
	 * Emits a result, unless it was emitted before. Every execution with a result starts here: a poll and a trusted
	 * webhook call use it. In the editor n8n starts the execution itself. Three things refuse a second start: what this
	 * process has emitted, what the ledger has settled, and the deduplication key that n8n remembers.
	 */
	emitOnce(result: TriggerResult, item: INodeExecutionData): Promise<EmitOutcome>;
	isOver(result: Pick<TriggerResult, 'queryId' | 'status' | 'deliveryId'>): boolean;
	/** It is being emitted, or was given to n8n by another process a moment ago. */
	isRunning(result: TriggerResult): boolean;
	outcomeOf(result: TriggerResult): Promise<EmitOutcome> | undefined;
}
