import { isFinished, type Execution, type N8nClient } from '../../../demo/n8nClient';

/** The items that came out of a node. */
export const outOf = ({ data }: Execution, node: string): Array<Record<string, unknown>> =>
	(data?.resultData.runData[node] ?? []).flatMap((run) =>
		(run.data?.main?.[0] ?? []).map(({ json }) => json),
	);

/** The newest finished execution of a workflow that ran this node, once there is one. */
export async function executionWith(
	client: N8nClient,
	workflowId: string,
	node: string,
): Promise<Execution> {
	for (;;) {
		const found = (await client.executions(workflowId)).find(
			(execution) => isFinished(execution) && execution.data?.resultData.runData[node],
		);
		if (found) return found;
	}
}
