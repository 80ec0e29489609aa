import { createHash } from 'node:crypto';
import { sleep, type INodeExecutionData, type IRun, type ITriggerFunctions } from 'n8n-workflow';

/** How long an execution waits for the end of the one before it. */
const APART_MS = 100;

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

/** Emitted in this process, and not known to have ended. */
const emitted = new Map<string, { begin(): void; ended: Promise<unknown> }>();
/** When the next execution of a workflow may go on, by its ID. */
const turns = new Map<string, Promise<unknown>>();

/** Tells that the execution of a result has reached this node; not so in queue mode, where a worker runs it. */
export function tellBeginning(context: Identity, deliveryId: string): void {
	emitted.get(`${nodeKey(context)} ${deliveryId}`)?.begin();
}

/**
 * Resolves when the workflow's execution before this one has ended, or has run for 100 ms. n8n saves static data at the
 * end of an execution, and tells of that end some milliseconds later: of two that end together, what is saved last
 * would count the other one as cut off.
 */
export async function turnOf(context: Identity, deliveryId: string): Promise<void> {
	const workflowId = context.getWorkflow().id ?? '';
	const ended = emitted.get(`${nodeKey(context)} ${deliveryId}`)?.ended;
	const before = turns.get(workflowId);
	const turn = Promise.resolve(before).then(async () => {
		await Promise.race([ended, sleep(APART_MS)]);
		if (turns.get(workflowId) === turn) turns.delete(workflowId);
	});
	turns.set(workflowId, turn);
	await before;
}

/**
 * Hands a result to n8n, which starts an execution unless there is one with this deduplication key already. Resolves as
 * soon as it is known what became of it: in queue mode when the execution ends. Never throws.
 */
export async function emit(context: ITriggerFunctions, emission: Emission): Promise<Outcome> {
	const { item, deliveryId, times, onPlace, onEnd } = emission;
	const name = `${nodeKey(context)} ${deliveryId}`;
	const done = context.helpers.createDeferredPromise<IRun>();
	const begun = context.helpers.createDeferredPromise<Outcome>();
	let hasBegun = false;
	const begin = () => {
		hasBegun = true;
		onPlace(false);
		begun.resolve('started');
	};
	const ended = done.promise.then(
		(run: IRun | undefined): Outcome => {
			if (run === undefined) return 'duplicate';
			if (!hasBegun) onPlace(true);
			return 'started';
		},
		// rejects also where a running execution was stopped, or had ended before n8n looked for it
		(error: Error): Outcome => (hasBegun || isCancellation(error) ? 'started' : 'failed'),
	);
	emitted.set(name, { begin, ended });
	context.emit([[item]], undefined, done, deduplicationKey(name, times));
	void ended.then((outcome) => {
		emitted.delete(name);
		if (outcome !== 'failed') onEnd();
	});
	return await Promise.race([begun.promise, ended]);
}

const isCancellation = ({ name, constructor }: Error) =>
	/Cancelled/.test(`${name} ${constructor.name}`);

/** Unique in n8n's database, at most 255 characters. */
const deduplicationKey = (name: string, times: number) =>
	createHash('sha256').update(`${name} ${times}`).digest('hex');
