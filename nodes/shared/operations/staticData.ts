import type { IDataObject, IHookFunctions } from 'n8n-workflow';

type StaticDataContext = Pick<IHookFunctions, 'getNode' | 'getWorkflowStaticData'>;

export function getNodeStaticValue<T>(context: StaticDataContext, key: string): T | undefined {
	return entriesOf(context, key)[context.getNode().id] as T | undefined;
}

/**
 * `undefined` deletes it. It is stored by the node's ID in the workflow's static data. A node's own static data
 * goes by its name, and is lost when the node is renamed. n8n writes static data to its database when a trigger
 * emits, and when an execution that has changed it ends.
 */
export function setNodeStaticValue(
	context: StaticDataContext,
	key: string,
	value: object | string | undefined,
	nodeId = context.getNode().id,
): void {
	const memory = context.getWorkflowStaticData('global');
	memory[key] = { ...entriesOf(context, key), [nodeId]: value as IDataObject };
}

const entriesOf = (context: StaticDataContext, key: string) =>
	(context.getWorkflowStaticData('global')[key] ?? {}) as IDataObject;
