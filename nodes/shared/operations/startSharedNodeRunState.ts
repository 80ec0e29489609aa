import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { getProcessState } from '../processStateByScope';
import { enterExecution, rootExecutionId } from './workflowExecutionState';
import type { FinishRun, FailedItemCounts, SharedNodeRunState } from './operation';

/** A run of a node, and what ends it. */
export function startSharedNodeRunState(context: IExecuteFunctions) {
	const values = new Map<unknown, unknown>();
	const callbacks: FinishRun[] = [];
	const cancelled = context.getExecutionCancelSignal();
	const stop = new AbortController();
	const node = context.getNode();
	const isTool = node.type.endsWith('Tool');
	const root = rootExecutionId(context);
	// Without an execution (MCP Server Trigger) there is nothing to retry, and each call counts by itself.
	const memory = root === undefined ? {} : memoryOf(context);
	const { state, leave, succeed } = enterExecution(root, argumentsOf(context));
	/** It is read at each step of each item, and n8n evaluates an expression for it. */
	let index: number | undefined;
	const run: SharedNodeRunState = {
		executionId: context.getExecutionId(),
		root,
		execution: state,
		node: `${context.getWorkflow().id} ${node.id}`,
		items: context.getInputData().length,
		get index() {
			return (index ??= isTool ? firstRunIndex(context) : runIndexOf(context));
		},
		mode: context.getMode(),
		isTool,
		timeZone: context.getTimezone(),
		memory,
		timeoutAt: timeoutAtOf(context),
		cancelled,
		shared<T>(make: (run: SharedNodeRunState) => T) {
			if (!values.has(make)) values.set(make, make(run));
			return values.get(make) as T;
		},
		atEnd: (callback) => callbacks.push(callback),
		hint: (message) => context.addExecutionHints({ message, location: 'outputPane', type: 'info' }),
		metadata: context.customData,
	};
	return {
		run,
		/** Aborted when the execution is cancelled or an item has failed: nothing more is to be sent. */
		signal: cancelled ? AbortSignal.any([cancelled, stop.signal]) : stop.signal,
		/** An item has failed, and with it the run. */
		fail: () => stop.abort(),
		end(failure: { index: number } | undefined, failed: FailedItemCounts) {
			if (!failure) succeed();
			return callbacks.map((callback) => callback(failure, failed) ?? '');
		},
		/** The run needs nothing of its execution's state any more. */
		leave,
	};
}

export type NodeRunControl = ReturnType<typeof startSharedNodeRunState>;

/**
 * Returns the data that n8n stores for the node with its execution; without such a store a memory of this run alone.
 */
function memoryOf(context: IExecuteFunctions): IDataObject {
	try {
		return context.getContext('node');
	} catch {
		return {};
	}
}

/**
 * Returns the deadline by the workflow's own setting. n8n reports neither that of the whole n8n nor when a retry
 * began.
 */
function timeoutAtOf(context: IExecuteFunctions): number {
	const { getWorkflowSettings, getExecutionContext } = context as Partial<IExecuteFunctions>;
	const seconds = getWorkflowSettings?.call(context).executionTimeout;
	const startedAt = getExecutionContext?.call(context)?.establishedAt;
	if (typeof seconds !== 'number' || seconds <= 0 || startedAt === undefined) return Infinity;
	const leftMs = startedAt + 1000 * seconds - Date.now();
	return leftMs > 0 ? performance.now() + leftMs : Infinity;
}

const runIndexOf = (context: IExecuteFunctions) =>
	Number(context.evaluateExpression('{{ $runIndex }}', 0));

/** Returns the arguments of a tool call: n8n hands the same object to each try of a call. */
const argumentsOf = (context: IExecuteFunctions): object =>
	context.getInputData().at(0)?.json ?? {};

/** Run indexes of tool calls, by the arguments that n8n hands to each try of a call. */
const newRunIndexes = () => new WeakMap<object, number>();

/** n8n counts each try of a tool call as a run of its own: the first one's index names them all. */
function firstRunIndex(context: IExecuteFunctions): number {
	const args = argumentsOf(context);
	const firstRunIndexes = getProcessState().shared(newRunIndexes);
	const index = firstRunIndexes.get(args) ?? runIndexOf(context);
	firstRunIndexes.set(args, index);
	return index;
}
