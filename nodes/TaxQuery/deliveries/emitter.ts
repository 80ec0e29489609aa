import { createHash } from 'node:crypto';
import type { INodeExecutionData, IRun, ITriggerFunctions } from 'n8n-workflow';

/** What became of an emitted result: n8n runs it, had run it before, or could not start it. */
export type Outcome = 'started' | 'duplicate' | 'failed';

interface Emission {
	item: INodeExecutionData;
	deliveryId: string;
	/** How often this result is started, with this time. */
	times: number;
	/** Called when it is known whether another process runs the execution. */
	onPlace(isElsewhere: boolean): void;
	/** Called when the execution has ended, or had been started before. */
	onEnd(): void;
}

type Identity = Pick<ITriggerFunctions, 'getWorkflow' | 'getNode'>;

/** What tells a node from every other in this n8n. */
export const nodeKey = (context: Identity): string =>
	`${context.getWorkflow().id ?? ''} ${context.getNode().id}`;

/** Emitted in this process, and not begun yet: what to call when the execution begins. */
const beginnings = new Map<string, () => void>();

/** Tells that the execution of a result has reached this node; not so in queue mode, where a worker runs it. */
export function tellBeginning(context: Identity, deliveryId: unknown): void {
	beginnings.get(`${nodeKey(context)} ${String(deliveryId)}`)?.();
}

/**
 * Hands a result to n8n, which starts an execution unless there is one with this deduplication key already. Resolves as
 * soon as it is known what became of it: in queue mode when the execution ends. Never throws.
 */
export async function emit(context: ITriggerFunctions, emission: Emission): Promise<Outcome> {
	const { item, deliveryId, times, onPlace, onEnd } = emission;
	const name = `${nodeKey(context)} ${deliveryId}`;
	const done = context.helpers.createDeferredPromise<IRun>();
	let hasBegun = false;
	const begun = new Promise<Outcome>((resolve) =>
		beginnings.set(name, () => {
			hasBegun = true;
			onPlace(false);
			resolve('started');
		}),
	);
	const ended = done.promise.then(
		(run: IRun | undefined): Outcome => {
			if (run === undefined) return 'duplicate';
			if (!hasBegun) onPlace(true);
			return 'started';
		},
		// rejects also where a running execution was stopped, or had ended before n8n looked for it
		(error: Error): Outcome => (hasBegun || isCancellation(error) ? 'started' : 'failed'),
	);
	context.emit([[item]], undefined, done, deduplicationKey(name, times));
	void ended.then((outcome) => {
		beginnings.delete(name);
		if (outcome !== 'failed') onEnd();
	});
	return await Promise.race([begun, ended]);
}

const isCancellation = ({ name, constructor }: Error) =>
	/Cancelled/.test(`${name} ${constructor.name}`);

/** Unique in n8n's database, at most 255 characters. */
const deduplicationKey = (name: string, times: number) =>
	createHash('sha256').update(`${name} ${times}`).digest('hex');
