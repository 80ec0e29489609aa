import { createHash } from 'node:crypto';
import type { INodeExecutionData, IRun, ITriggerFunctions } from 'n8n-workflow';
import { getNodeState, getProcessState, type ScopeState } from '../../shared/processStateByScope';
import type { RecordWithDeliveryId } from './recordWithDeliveryId';

/** The outcome of emitting a result: n8n runs it, had run it before, or could not start it. */
export type EmitOutcome = 'started' | 'duplicate' | 'failed';

interface Emission {
	item: INodeExecutionData;
	result: RecordWithDeliveryId;
	/** Distinguishes this start from every other; n8n refuses a second one. */
	key: string;
	/** Called when it is known whether another process runs the execution. */
	onPlace(isElsewhere: boolean): void;
	/** Called when the execution has ended, or had been started before. */
	onEnd(): void;
	/** Called with the reason where n8n could not start it. */
	onFailure(error: Error): void;
	saved?: object;
}

type Identity = Pick<ITriggerFunctions, 'getWorkflow' | 'getNode'>;

/** Returns a key that distinguishes a node from every other in this n8n. */
export const nodeKey = (context: Identity): string =>
	`${context.getWorkflow().id ?? ''} ${context.getNode().id}`;

/** Returns what this process knows of a trigger node. */
export const processStateOfNode = (context: Identity): ScopeState => getNodeState(nodeKey(context));

/** An execution that this process has started and that is not known to have ended. */
interface RunningExecution {
	/** The execution has reached the trigger node. */
	begin(): void;
	/** The data that the execution stores in its static data; undefined for none. */
	saved?: object;
	/** Marks its static data as changed. */
	markStaticDataChanged?(): void;
}
const newExecutions = () => new Map<string, RunningExecution>();
const runningExecutions = () => getProcessState().shared(newExecutions);

/**
 * Marks the static data of all running executions as changed. n8n forgets that mark when it starts another execution
 * of the same workflow, and would not write them at their ends.
 */
export function markStaticDataOfRunningExecutionsChanged(): void {
	for (const { markStaticDataChanged: touch } of runningExecutions().values()) touch?.();
}

/** The execution of a result that has reached this node; undefined in queue mode, where a worker runs it. */
export const findExecutionToMarkBegun = (context: Identity, deliveryId: string) =>
	runningExecutions().get(`${nodeKey(context)} ${deliveryId}`);

/**
 * Hands a result to n8n, which starts an execution unless there is one with this deduplication key already. Resolves
 * once the outcome is known: in queue mode when the execution ends. Never throws.
 */
export async function emitResult(
	context: ITriggerFunctions,
	emission: Emission,
): Promise<EmitOutcome> {
	const { item, result, key, onPlace, onEnd, onFailure, saved } = emission;
	const name = `${nodeKey(context)} ${result.deliveryId}`;
	const done = context.helpers.createDeferredPromise<IRun>();
	const begun = context.helpers.createDeferredPromise<EmitOutcome>();
	let hasBegun = false;
	const begin = () => {
		hasBegun = true;
		onPlace(false);
		begun.resolve('started');
	};
	const ended = done.promise.then(
		(run: IRun | undefined): EmitOutcome => {
			if (run === undefined) return 'duplicate';
			if (!hasBegun) onPlace(true);
			return 'started';
		},
		// also rejects when a running execution was stopped, or had ended before n8n's check
		(error: Error): EmitOutcome => {
			if (hasBegun || isCancellation(error)) return 'started';
			onFailure(error);
			return 'failed';
		},
	);
	const running = runningExecutions();
	running.set(name, { begin, saved });
	context.emit([[item]], undefined, done, key);
	void ended.then((outcome) => {
		markStaticDataOfRunningExecutionsChanged();
		running.delete(name);
		if (outcome !== 'failed') onEnd();
	});
	return await Promise.race([begun.promise, ended]);
}

const isCancellation = ({ name, constructor }: Error) =>
	/Cancelled/.test(`${name} ${constructor.name}`);

/** The only field of an item that has the ledger saved. */
export const SAVE_ONLY_FIELD = 'taxQuerySaveOnly';

/**
 * Makes n8n save the workflow's static data now. n8n does so with each emit. It then refuses this one, because an
 * execution that has ended has the same deduplication key. If that was deleted, an execution starts and ends at this
 * node.
 */
export function saveByEmit(context: ITriggerFunctions, key: string): void {
	const done = context.helpers.createDeferredPromise<IRun>();
	done.promise.catch(() => undefined); // the next emit saves it
	context.emit([[{ json: { [SAVE_ONLY_FIELD]: true } }]], undefined, done, key);
}

/**
 * Returns the deduplication key of a start: the result, its number among the starts, and how often n8n failed at it. n8n
 * may have stored an execution that it then failed to run; its key would have the next attempt refused. Unique in n8n's
 * database, at most 255 characters.
 */
export const executionDeduplicationKey = (
	context: Identity,
	deliveryId: string,
	times: number,
	failures: number,
): string => {
	const start = [nodeKey(context), deliveryId, times, failures].join(' ');
	return createHash('sha256').update(start).digest('hex');
};
