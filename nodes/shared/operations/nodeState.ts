import type { IDataObject, IHookFunctions } from 'n8n-workflow';

type Context = Pick<IHookFunctions, 'getNode' | 'getWorkflowStaticData'>;

/** What a node has kept under `key`; undefined if nothing. */
export function load<T>(context: Context, key: string): T | undefined {
	return entriesOf(context, key)[context.getNode().id] as T | undefined;
}

/**
 * Keeps a value for a node across restarts; undefined forgets it. By the node's id in the workflow's static data,
 * since n8n keeps a node's own static data by its name and loses it when the node is renamed. n8n writes static data to
 * its database when a trigger emits and when an execution ends that has changed it.
 */
export function save(
	context: Context,
	key: string,
	value: object | string | undefined,
	nodeId = context.getNode().id,
): void {
	const memory = context.getWorkflowStaticData('global');
	memory[key] = { ...entriesOf(context, key), [nodeId]: value as IDataObject };
}

const entriesOf = (context: Context, key: string) =>
	(context.getWorkflowStaticData('global')[key] ?? {}) as IDataObject;
