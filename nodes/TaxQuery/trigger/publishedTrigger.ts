import type { INodeExecutionData, ITriggerFunctions } from 'n8n-workflow';
import type { Tries } from './readById';
import type { EmitOutcome } from './emitter';
import type { Ledger } from './ledger';
import type { Unlisted } from './readListing';
import type { TriggerResult } from './triggerResult';
import type { TriggerSettings } from './triggerSettings';

/** The published trigger that looks: it may be unpublished meanwhile. */
export interface PublishedTrigger {
	context: ITriggerFunctions;
	ledger: Ledger;
	settings: TriggerSettings;
	/** What could not be read so far. */
	tries: Tries;
	/** How many pending queries checks do not show. */
	unlisted: Unlisted;
	/** Whether it is to begin by Start From. */
	mustBegin: boolean;
	/** Results are on their way. */
	isBusy: boolean;
	/** Throws if the workflow was unpublished: a look that began before must not change anything. */
	mustBeOpen(): void;
	/** Emits a result, unless it was emitted before; of an interrupted one, `starts` counts its starts. */
	emitOnce(result: TriggerResult, item: INodeExecutionData, starts?: number): Promise<EmitOutcome>;
	/** What becomes of a result that is on its way. */
	outcomeOf(result: TriggerResult): Promise<EmitOutcome> | undefined;
}
