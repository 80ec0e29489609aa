import type { IExecuteFunctions } from 'n8n-workflow';
import { BoundedMap } from '../utils/boundedMap';

/** A value that the runs of an execution share; `size` is how many entries it holds, where it holds some. */
type Shared = object & { readonly size?: number };

/**
 * What this process knows of one execution with all its sub-executions: their runs of nodes, loop rounds, tool calls and
 * tries share it.
 */
export class ExecutionState {
	/** Runs of nodes that go on at this moment. */
	running = 0;
	private readonly values = new Map<unknown, Shared>();

	/** One value for all runs of the execution, made by the first that needs it; `make` is its key. */
	shared<T extends Shared>(make: () => T): T {
		if (!this.values.has(make)) this.values.set(make, make());
		return this.values.get(make) as T;
	}

	get size(): number {
		return [...this.values.values()].reduce((sum, { size = 0 }) => sum + size, 1);
	}
}

/** Executions without a running node keep at most this many entries in memory. */
const MAX_IDLE_SIZE = 100_000;
const MAX_IDLE = 1000;

/** By root execution; the one that ended its last run longest ago comes first. */
const states = new Map<string, ExecutionState>();
/** The root of each sub-execution that has run here. */
const roots = new BoundedMap<string, string>(10_000);
/** Under the MCP Server Trigger a tool call has no execution, but its tries share the call's arguments. */
const statesOfCalls = new WeakMap<object, ExecutionState>();

/** n8n's ID of an execution that has none yet. */
const UNKNOWN_ID = '__UNKNOWN__';

/** The execution that started all others, as far as n8n tells (newer hosts know the parent). */
export function rootOf(context: IExecuteFunctions): string | undefined {
	const id = context.getExecutionId();
	// older hosts do not have it
	const parent = (context as Partial<IExecuteFunctions>).getExecutionContext?.()?.parentExecutionId;
	if (id === undefined) return undefined;
	if (parent !== undefined && parent !== UNKNOWN_ID && parent !== id) {
		roots.set(id, roots.get(parent) ?? parent);
	}
	return roots.get(id) ?? id;
}

/** The state of a root execution, or of a call without one; it is kept at least until `leave` is called. */
export function enterExecution(
	root: string | undefined,
	callArguments: object,
): { state: ExecutionState; leave(): void; succeed(): void } {
	const known = root === undefined ? statesOfCalls.get(callArguments) : states.get(root);
	const state = known ?? new ExecutionState();
	state.running++;
	if (root === undefined) statesOfCalls.set(callArguments, state);
	else states.set(root, state);
	return {
		state,
		/** A call that has succeeded is not tried again: whoever calls with the same arguments makes another one. */
		succeed: () => void statesOfCalls.delete(callArguments),
		leave() {
			state.running--;
			if (root === undefined || state.running > 0) return;
			states.delete(root);
			states.set(root, state);
			forgetIdle();
		},
	};
}

/** Only what no run needs is forgotten: the journal and the service's list have it, too. */
function forgetIdle(): void {
	const idle = [...states].filter(([, { running }]) => running === 0);
	let size = idle.reduce((sum, [, state]) => sum + state.size, 0);
	let count = idle.length;
	for (const [root, state] of idle) {
		if (count <= 1 || (count <= MAX_IDLE && size <= MAX_IDLE_SIZE)) return;
		states.delete(root);
		size -= state.size;
		count--;
	}
}
