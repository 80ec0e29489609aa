import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { getProcessState } from '../processState';
import { BoundedMap } from '../utils/boundedMap';

/** The root of each sub-execution that has run here. */
const newRoots = () => new BoundedMap<string, string>(10_000);

/** n8n's ID of an execution that has none yet. */
const UNKNOWN_ID = '__UNKNOWN__';

/**
 * Since n8n 2.x the execution context names the parent; without it, each sub-execution is a root, and shares
 * nothing with its parent.
 */
export function rootExecutionId(context: IExecuteFunctions): string | undefined {
	const id = context.getExecutionId();
	const parent = (context as Partial<IExecuteFunctions>).getExecutionContext?.()?.parentExecutionId;
	if (id === undefined) return undefined;
	const roots = getProcessState().shared(newRoots);
	if (parent !== undefined && parent !== UNKNOWN_ID && parent !== id) {
		roots.set(id, roots.get(parent) ?? parent);
	}
	return roots.get(id) ?? id;
}

/**
 * n8n stores it for the node with its execution, and hands it to a retry. Where a context has no such store, as
 * under n8n's MCP Server Trigger, it lasts for this run alone.
 */
export function nodeMemoryOf(context: IExecuteFunctions): IDataObject {
	try {
		return context.getContext('node');
	} catch {
		return {};
	}
}

/**
 * Counts the workflow's own setting, in milliseconds of the monotonic clock; Infinity where n8n does not report it
 * (before 2.x). n8n reports neither the limit of the whole n8n nor when a retry began.
 */
export function timeoutAtOf(context: IExecuteFunctions): number {
	const { getWorkflowSettings, getExecutionContext } = context as Partial<IExecuteFunctions>;
	const seconds = getWorkflowSettings?.call(context).executionTimeout;
	const startedAt = getExecutionContext?.call(context)?.establishedAt;
	if (typeof seconds !== 'number' || seconds <= 0 || startedAt === undefined) return Infinity;
	const leftMs = startedAt + 1000 * seconds - Date.now();
	return leftMs > 0 ? performance.now() + leftMs : Infinity;
}

const runIndexOf = (context: IExecuteFunctions) =>
	Number(context.evaluateExpression('{{ $runIndex }}', 0));

/** n8n hands the same object to each try of a tool call. */
export const argumentsOf = (context: IExecuteFunctions): object =>
	context.getInputData().at(0)?.json ?? {};

/** Run indexes of tool calls, by the arguments that n8n hands to each try of a call. */
const newRunIndexes = () => new WeakMap<object, number>();

/** n8n counts each try of a tool call as a run of its own: the first one's index names them all. */
export function runIndex(context: IExecuteFunctions, isTool: boolean): number {
	if (!isTool) return runIndexOf(context);
	const args = argumentsOf(context);
	const firstRunIndexes = getProcessState().shared(newRunIndexes);
	const index = firstRunIndexes.get(args) ?? runIndexOf(context);
	firstRunIndexes.set(args, index);
	return index;
}
