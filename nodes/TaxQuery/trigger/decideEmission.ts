/** The facts about a result that is about to be emitted. */
export interface EmissionFacts {
	/** The result is being emitted. */
	isRunning: boolean;
	/** An earlier process started it, and its end is not known. */
	isInterrupted: boolean;
	/** A check starts an interrupted result once more. */
	isRestart: boolean;
	/** Checks find interrupted results. */
	hasChecks: boolean;
	/** This process has emitted it, or it has settled in its status. */
	isDone: boolean;
	/** The trigger is published, and the ledger has room for one more result that runs. */
	canStart: boolean;
}

/**
 * Decides what to do with a result, so that each starts once. `join` awaits the one in flight; `duplicate` and
 * `refuse` emit nothing.
 */
export function decideEmission(state: EmissionFacts): 'join' | 'duplicate' | 'refuse' | 'emit' {
	const { isRunning, isInterrupted, isRestart, hasChecks, isDone, canStart } = state;
	if (isRunning) return 'join';
	const isLeftToCheck = isInterrupted && hasChecks;
	const isDuplicate = isRestart ? !isInterrupted : isLeftToCheck || isDone;
	if (isDuplicate) return 'duplicate';
	return canStart ? 'emit' : 'refuse';
}
