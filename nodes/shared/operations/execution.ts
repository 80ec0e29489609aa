import { ScopeState, getExecutionState, getProcessState, trimExecutions } from '../processState';

/**
 * This process's state of one execution with all its sub-executions: their runs of nodes, loop rounds, tool calls and
 * tries share it.
 */
export type ExecutionState = ScopeState;

/** States of tool calls under the MCP Server Trigger, which have no execution; tries of a call share its arguments. */
const newCalls = () => new WeakMap<object, ExecutionState>();

/** Is that of a root execution, or of a call without one. It is stored at least until `leave` is called. */
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
