import type { ITriggerFunctions } from 'n8n-workflow';
import { setNodeStaticValue } from '../../shared/operations/staticDataByNodeId';
import { saveByEmit } from './emitter';
import type { Ledger } from './ledger';
import { LEDGER_STATIC_DATA_KEY } from './triggerProcessMemory';

/** Ends are saved this long after the first of them, while other executions run. */
const SAVE_ENDS_MS = 200;
/** Parameters of `emit` in hosts that know no deduplication key: they would start an execution for each save. */
const EMIT_WITHOUT_KEY = 3;

/** The published trigger, as saving its ledger needs it. */
interface Owner {
	context: ITriggerFunctions;
	ledger: Ledger;
	readonly isClosed: boolean;
	/** Waits `ms` milliseconds, or until the trigger is unpublished. */
	pause(ms: number): Promise<void>;
}

/** Has n8n save that executions have ended: at once if none runs, else a moment later, together with others. */
export class ExecutionEndSaver {
	readonly #owner: Owner;
	#isSaving = false;

	constructor(owner: Owner) {
		this.#owner = owner;
	}

	/** `key`: that of an execution that has ended. */
	async save(key: string): Promise<void> {
		const { context, ledger } = this.#owner;
		const hasKeys = context.emit.length > EMIT_WITHOUT_KEY;
		if (!hasKeys || this.#isSaving || !this.#maySave) return;
		this.#isSaving = true;
		await this.#owner.pause(ledger.startedCount() === 0 ? 0 : SAVE_ENDS_MS);
		this.#isSaving = false;
		if (!this.#maySave || !ledger.hasUnsavedEnds()) return;
		setNodeStaticValue(context, LEDGER_STATIC_DATA_KEY, ledger.saved);
		saveByEmit(context, key);
	}

	/**
	 * Returns whether this process may save. In queue mode another process may lead once this one has closed the
	 * trigger.
	 */
	get #maySave(): boolean {
		return !this.#owner.isClosed || this.#owner.ledger.state.runsElsewhere === false;
	}
}
