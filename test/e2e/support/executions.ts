import { isFinished, type Execution, type N8nClient } from '../../../demo/n8nClient';
import { until } from '../../support/until';

/** The items that came out of a node. */
export const outOf = ({ data }: Execution, node: string): Array<Record<string, unknown>> =>
	(data?.resultData.runData[node] ?? []).flatMap((run) =>
		(run.data?.main?.[0] ?? []).map(({ json }) => json),
	);

/** n8n has little to do beside its executions; each status request costs it some. */
const PAUSE_MS = 250;

interface Wanted {
	/** So many have ended, of those that are meant; 1 by default. */
	runs?: number;
	/** They must end so; in any way by default. */
	status?: string;
	/** Only those that ran this node are meant. */
	node?: string;
	/** Only those that began so are meant: "manual" by a click. */
	mode?: string;
	seconds?: number;
}

/**
 * The newest execution of a workflow, once so many have ended. Fails at once where one has ended otherwise than it must,
 * with its status and error.
 */
export async function waitForEndedExecutionOf(
	client: Pick<N8nClient, 'executions'>,
	workflowId: string,
	{ runs = 1, status, node, mode, seconds }: Wanted = {},
): Promise<Execution> {
	const what = `${runs} ${mode ?? ''} executions of workflow ${workflowId} that ended`;
	return await until(
		`${what}${node === undefined ? '' : ` and ran ${node}`}`,
		async () => {
			const isMeant = (execution: Execution) =>
				isFinished(execution) && (mode === undefined || execution.mode === mode);
			const isOther = (execution: Execution) => status !== undefined && execution.status !== status;
			const there = (await client.executions(workflowId, { withoutData: true })).filter(isMeant);
			if (there.length < runs && !there.some(isOther)) return false;
			const ended = (await client.executions(workflowId)).filter(
				(execution) =>
					isMeant(execution) &&
					(node === undefined || execution.data?.resultData.runData[node] !== undefined),
			);
			const other = ended.find(isOther);
			if (other) throw new Error(endOf(other));
			return ended.length >= runs && ended[0];
		},
		{ seconds, pauseMs: PAUSE_MS },
	);
}

const endOf = ({ id, status, data }: Execution) =>
	`Execution ${id} ended as ${status}: ${data?.resultData.error?.message ?? 'n8n shows no error'}`;
