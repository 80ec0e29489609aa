import { createHash } from 'node:crypto';
import { sleep, type INodeExecutionData, type IRun, type ITriggerFunctions } from 'n8n-workflow';
import type { TriggerResult } from './result';

/** How long the last execution of several waits for the ends of the others. */
const LAST_WAITS_MS = 2_000;

/** What became of an emitted result: n8n runs it, had run it before, or could not start it. */
export type Outcome = 'started' | 'duplicate' | 'failed';

interface Emission {
	item: INodeExecutionData;
	result: TriggerResult;
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
/** The ends of a workflow's executions that have begun, by its ID, and what lets the last of them go on. */
const running = new Map<string, { ends: Set<Promise<unknown>>; letLastGo(): void }>();

/** Tells that the execution of a result has reached this node; not so in queue mode, where a worker runs it. */
export function tellBeginning(context: Identity, deliveryId: string): void {
	emitted.get(`${nodeKey(context)} ${deliveryId}`)?.begin();
}

/**
 * Resolves when the workflow's executions that run have ended, when another one begins, or after two seconds. n8n saves
 * static data at the end of an execution, and tells of that end later: of several that end together, what is saved last
 * would count others as cut off. So the last one ends after them.
 */
export async function turnOf(context: Identity, deliveryId: string): Promise<void> {
	const ended = emitted.get(`${nodeKey(context)} ${deliveryId}`)?.ended;
	if (!ended) return;
	const workflowId = context.getWorkflow().id ?? '';
	const here = running.get(workflowId) ?? { ends: new Set(), letLastGo: () => {} };
	running.set(workflowId, here);
	here.letLastGo();
	const before = [...here.ends];
	here.ends.add(ended);
	void ended.then(() => {
		here.ends.delete(ended);
		if (here.ends.size === 0) running.delete(workflowId);
	});
	await new Promise<void>((resolve) => {
		here.letLastGo = resolve;
		void Promise.race([Promise.all(before), sleep(LAST_WAITS_MS)]).then(() => {
			for (const one of before) here.ends.delete(one); // nobody waits for a long one again
			resolve();
		});
	});
}

/**
 * Hands a result to n8n, which starts an execution unless there is one with this deduplication key already. Resolves as
 * soon as it is known what became of it: in queue mode when the execution ends. Never throws.
 */
export async function emit(context: ITriggerFunctions, emission: Emission): Promise<Outcome> {
	const { item, result, times, onPlace, onEnd } = emission;
	const name = `${nodeKey(context)} ${result.deliveryId}`;
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
