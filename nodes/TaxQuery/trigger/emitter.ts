import { createHash } from 'node:crypto';
import type { INodeExecutionData, IRun, ITriggerFunctions } from 'n8n-workflow';
import { isCancellation } from '../../shared/host/trigger';
import { getNodeState, getProcessState, type ScopeState } from '../../shared/processState';
import type { TriggerResult } from './result';

/** `started`: n8n runs it; `duplicate`: it had run it before; `failed`: it could not start it. */
export type EmitOutcome = 'started' | 'duplicate' | 'failed';

interface Emission {
	item: INodeExecutionData;
	result: TriggerResult;
	/** Called when an execution that another process ran has ended. */
	onEndElsewhere(): void;
	onFailure(error: Error): void;
}

export type NodeIdentity = Pick<ITriggerFunctions, 'getWorkflow' | 'getNode'>;

/** The key is unique in this n8n. */
export const nodeKey = (context: NodeIdentity): string =>
	`${context.getWorkflow().id ?? ''} ${context.getNode().id}`;

export const processStateOfNode = (context: NodeIdentity): ScopeState =>
	getNodeState(nodeKey(context));

/** An execution that this process has started and that is not known to have ended. */
interface RunningExecution {
	begin(): void;
	/** Marks its static data as changed, so that n8n writes them at its end. */
	touch?(): void;
}
const newExecutions = () => new Map<string, RunningExecution>();
const runningExecutions = () => getProcessState().shared(newExecutions);

/**
 * Marks the static data of all running executions as changed. n8n forgets that mark when it starts another execution
 * of the same workflow, and would not write them at their ends.
 */
export function touchRunningExecutions(): void {
	for (const { touch } of runningExecutions().values()) touch?.();
}

/** The execution of a result that has reached this node; undefined in queue mode, where a worker runs it. */
export const findRunningExecution = (context: NodeIdentity, deliveryId: string) =>
	runningExecutions().get(`${nodeKey(context)} ${deliveryId}`);

/**
 * Hands a result to n8n, which starts an execution unless there is one with this deduplication key already. Resolves
 * once the outcome is known: in queue mode when the execution ends. Never throws.
 */
export async function emitResult(
	context: ITriggerFunctions,
	{ item, result, onEndElsewhere, onFailure }: Emission,
): Promise<EmitOutcome> {
	const name = `${nodeKey(context)} ${result.deliveryId}`;
	const done = context.helpers.createDeferredPromise<IRun>();
	const begun = context.helpers.createDeferredPromise<EmitOutcome>();
	let hasBegun = false;
	const begin = () => {
		hasBegun = true;
		begun.resolve('started');
	};
	const ended = done.promise.then(
		(run: IRun | undefined): EmitOutcome => {
			if (run === undefined) return 'duplicate';
			if (!hasBegun) onEndElsewhere();
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
	running.set(name, { begin });
	context.emit([[item]], undefined, done, deduplicationKeyOf(context, result.deliveryId));
	void ended.then(() => {
		running.delete(name);
		touchRunningExecutions();
	});
	return await Promise.race([begun.promise, ended]);
}

/** The only field of an item that has the ledger saved. */
export const SAVE_ONLY_FIELD = 'taxQuerySaveOnly';

/**
 * Makes n8n save the workflow's static data now, as with each emit. It then refuses this one, because there is an
 * execution of this result. If that was deleted, an execution starts and ends at this node.
 */
export function saveByEmit(context: ITriggerFunctions, deliveryId: string): void {
	const done = context.helpers.createDeferredPromise<IRun>();
	done.promise.catch(() => undefined); // the next emit saves it
	const key = deduplicationKeyOf(context, deliveryId);
	context.emit([[{ json: { [SAVE_ONLY_FIELD]: true } }]], undefined, done, key);
}

/**
 * A result never gets another key, so that n8n starts it once as long as it has the execution's row. The key is
 * unique in n8n's database, and at most 255 characters long.
 */
const deduplicationKeyOf = (context: NodeIdentity, deliveryId: string): string =>
	createHash('sha256')
		.update(`${nodeKey(context)} ${deliveryId}`)
		.digest('hex');
