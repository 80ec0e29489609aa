import type { IExecuteFunctions } from 'n8n-workflow';
import {
	argumentsOf,
	nodeMemoryOf,
	rootExecutionId,
	runIndex,
	timeoutAtOf,
} from '../host/execution';
import { enterExecution } from './execution';
import type { FinishRun, FailedItemCounts, Run } from './operation';

export function startRun(context: IExecuteFunctions) {
	const values = new Map<unknown, unknown>();
	const callbacks: FinishRun[] = [];
	const cancelled = context.getExecutionCancelSignal();
	const stop = new AbortController();
	const node = context.getNode();
	const isTool = node.type.endsWith('Tool');
	const root = rootExecutionId(context);
	// Without an execution (MCP Server Trigger) there is nothing to retry, and each call counts by itself.
	const memory = root === undefined ? {} : nodeMemoryOf(context);
	const { state, leave, succeed } = enterExecution(root, argumentsOf(context));
	/** It is read at each step of each item, and n8n evaluates an expression for it. */
	let index: number | undefined;
	const run: Run = {
		executionId: context.getExecutionId(),
		root,
		execution: state,
		node: `${context.getWorkflow().id} ${node.id}`,
		items: context.getInputData().length,
		get index() {
			return (index ??= runIndex(context, isTool));
		},
		mode: context.getMode(),
		isTool,
		timeZone: context.getTimezone(),
		memory,
		timeoutAt: timeoutAtOf(context),
		cancelled,
		shared<T>(make: (run: Run) => T) {
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

export type RunControl = ReturnType<typeof startRun>;
