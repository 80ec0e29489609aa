import type { Workflow, WorkflowNode } from './n8nClient';

/** A node as a test names it; what n8n wants beside that is added. */
export interface NodeSketch extends Partial<Omit<WorkflowNode, 'credentials'>> {
	name: string;
	type: string;
	credentials?: object;
	[setting: string]: unknown;
}

type Link = Array<{ node: string; type: string; index: number }>;

/** The connection from an output of a node to the next node. */
export const linkTo = (node: string, type = 'main'): Record<string, Link[]> => ({
	[type]: [[{ node, type, index: 0 }]],
});

/** A workflow of these nodes, one after the other unless `connections` says otherwise. */
export function buildWorkflow(
	name: string,
	nodes: NodeSketch[],
	more: { connections?: object; settings?: object } = {},
): Workflow {
	const chain = nodes.slice(1).map((next, index) => [nodes[index].name, linkTo(next.name)]);
	return {
		name,
		nodes: nodes.map((node, index) => ({
			id: `${name}-${index}`,
			position: [220 * index, 0],
			typeVersion: 1,
			parameters: {},
			...node,
		})) as WorkflowNode[],
		connections: more.connections ?? (Object.fromEntries(chain) as object),
		settings: { executionOrder: 'v1', ...more.settings },
	};
}
