import type { IExecuteFunctions } from 'n8n-workflow';
import {
	ScopeState,
	getExecutionState,
	getProcessState,
	trimExecutions,
} from '../processStateByScope';
import { BoundedMap } from '../utils/boundedMap';

/**
 * This process's state of one execution with all its sub-executions: their runs of nodes, loop rounds, tool calls and
 * tries share it.
 */
export type ExecutionState = ScopeState;

/** The root of each sub-execution that has run here. */
const newRoots = () => new BoundedMap<string, string>(10_000);
/** States of tool calls under the MCP Server Trigger, which have no execution; tries of a call share its arguments. */
const newCalls = () => new WeakMap<object, ExecutionState>();

/** n8n's ID of an execution that has none yet. */
const UNKNOWN_ID = '__UNKNOWN__';

/** Returns the root execution, as far as n8n reports it (newer hosts know the parent). */
export function rootExecutionId(context: IExecuteFunctions): string | undefined {
	const id = context.getExecutionId();
	// older hosts do not have it
	const parent = (context as Partial<IExecuteFunctions>).getExecutionContext?.()?.parentExecutionId;
	if (id === undefined) return undefined;
	const roots = getProcessState().shared(newRoots);
	if (parent !== undefined && parent !== UNKNOWN_ID && parent !== id) {
		roots.set(id, roots.get(parent) ?? parent);
	}
	return roots.get(id) ?? id;
}

/** Returns the state of a root execution, or of a call without one. It is stored at least until `leave` is called. */
export function enterExecution(
	root: string | undefined,
	callArguments: object,
): { state: ExecutionState; leave(): void; succeed(): void } {
	const calls = getProcessState().shared(newCalls);
	const state =
		root === undefined ? (calls.get(callArguments) ?? new ScopeState()) : getExecutionState(root);
	state.enter();
	if (root === undefined) calls.set(callArguments, state);
	return {
		state,
		/** Forgets a call that has succeeded: another call with equal arguments is a new one. */
		succeed: () => void calls.delete(callArguments),
		leave() {
			state.leave();
			if (root === undefined || state.isInUse) return;
			getExecutionState(root); // the one that ended its last run longest ago is forgotten first
			trimExecutions();
		},
	};
}
