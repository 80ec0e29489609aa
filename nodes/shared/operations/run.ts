import type { IExecuteFunctions } from 'n8n-workflow';
import type { AtEnd, FailedItems, Run } from './operation';

/** A run of a node, and what ends it. */
export function runOf(context: IExecuteFunctions) {
	const values = new Map<unknown, unknown>();
	const callbacks: AtEnd[] = [];
	const cancelled = context.getExecutionCancelSignal();
	const stop = new AbortController();
	/** Asked for at each step of each item; n8n evaluates an expression for it. */
	let index: number | undefined;
	const run: Run = {
		executionId: context.getExecutionId(),
		items: context.getInputData().length,
		get index() {
			return (index ??= Number(context.evaluateExpression('{{ $runIndex }}', 0)));
		},
		mode: context.getMode(),
		isTool: context.getNode().type.endsWith('Tool'),
		timeZone: context.getTimezone(),
		get memory() {
			return context.getContext('node');
		},
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
		end: (failure: { index: number } | undefined, failed: FailedItems) =>
			callbacks.map((callback) => callback(failure, failed) ?? ''),
	};
}

export type StartedRun = ReturnType<typeof runOf>;
