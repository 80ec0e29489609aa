import type { INodeExecutionData, ITriggerFunctions } from 'n8n-workflow';
import type { ReadAttempts } from './readAttempts';
import type { EmitOutcome } from './emitter';
import type { Ledger } from './ledger';
import type { Unlisted } from './readListing';
import type { TriggerResult } from './triggerResult';
import type { TriggerSettings } from './triggerSettings';

/** Describes the published trigger as a poll sees it. It may be unpublished meanwhile. */
export interface PublishedTrigger {
	context: ITriggerFunctions;
	ledger: Ledger;
	settings: TriggerSettings;
	/** Says what could not be read so far. */
	attempts: ReadAttempts;
	/** Says how many pending queries checks do not show. */
	unlisted: Unlisted;
	/** Says whether it is to begin by Start From. */
	mustBegin: boolean;
	/** Results are on their way. */
	isBusy: boolean;
	/** Throws if the workflow was unpublished, because an older poll must not change anything. */
	mustBeOpen(): void;
	/** Emits a result, unless it was emitted before; of an interrupted one, `starts` counts its starts. */
	emitOnce(result: TriggerResult, item: INodeExecutionData, starts?: number): Promise<EmitOutcome>;
	/** Returns what becomes of a result that is on its way. */
	outcomeOf(result: TriggerResult): Promise<EmitOutcome> | undefined;
}
