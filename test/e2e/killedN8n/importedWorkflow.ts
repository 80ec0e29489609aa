import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runN8nCommand, type N8n } from '../../../demo/startN8n';
import {
	startSandboxWithQueryHelpers,
	type SandboxWithQueryHelpers,
} from '../../support/sandboxQueryClient';
import { until } from '../../support/until';
import {
	startHeadlessN8nOncePerFile,
	headlessN8nUserFolder,
	restartableHeadlessN8n,
} from '../support/sharedN8n';
import { outOf } from '../support/executions';
import {
	createSandboxCredential,
	TRIGGER_NODE_NAME,
	triggerWorkflow,
} from '../support/triggerWorkflow';

const RFC_DATA = '/query/rfc-data';

/**
 * The command writes to the database alone, and the process goes on with the old trigger. By its publication service,
 * n8n 2.41 closes that one within 15 s, or when the workflow is published. Without the service, as in older versions,
 * n8n forgets the old trigger when it publishes the imported workflow, and never closes it.
 */
describe('a workflow that n8n import:workflow replaces while n8n runs', () => {
	let sandbox: SandboxWithQueryHelpers;
	let n8n: N8n;
	let credentials: object;

	beforeAll(async () => {
		sandbox = await startSandboxWithQueryHelpers();
		n8n = await startHeadlessN8nOncePerFile();
		credentials = await createSandboxCredential(n8n.client, sandbox, 'Sandbox of the import');
	});
	afterAll(async () => await sandbox?.close());

	/** A workflow of a trigger on these query types. */
	const workflowOn = (name: string, services: string[]) => {
		const parameters = { receiveBy: 'asking', services, settings: { checkEvery: 5 } };
		return triggerWorkflow(name, parameters, credentials);
	};
	const importWorkflow = async (workflow: { id: string; name: string }) => {
		const userFolder = await headlessN8nUserFolder();
		const file = join(userFolder, `${workflow.name}.json`);
		await writeFile(file, JSON.stringify(workflow));
		const command = ['import:workflow', `--input=${file}`];
		const output = await runN8nCommand(restartableHeadlessN8n, userFolder, command);
		if (!output.includes('Successfully imported 1 workflow')) throw new Error(output);
	};

	it.each([
		['with', 'true'],
		['without', 'false'],
	])('starts each result once, %s publication service', async (_, isUsed) => {
		if (isUsed === 'false') {
			await restartableHeadlessN8n.terminate();
			await restartableHeadlessN8n.restart(n8n.url, {
				N8N_USE_WORKFLOW_PUBLICATION_SERVICE: isUsed,
			});
		}
		const name = `imported-${isUsed}`;
		const id = await n8n.client.createWorkflow(workflowOn(name, ['getCrf', 'getRfcData']));
		/** Query IDs of the results that have started, once this one is among them. */
		const started = async (queryId: string) =>
			await until(
				`the result of query ${queryId}`,
				async () => {
					const executions = await n8n.client.executions(id);
					const all = executions.flatMap((each) =>
						outOf(each, TRIGGER_NODE_NAME).map((item) => item.queryId),
					);
					return all.includes(queryId) && all;
				},
				{ pauseMs: 250 },
			);
		await n8n.client.publish(id);
		const wanted = [(await sandbox.result())._id];
		await started(wanted[0]);
		await importWorkflow({ id, ...workflowOn(name, ['getRfcData']) });
		wanted.push((await sandbox.result(RFC_DATA))._id);
		await n8n.client.publish(id);
		// the old trigger would check as often as the new one, and start results of both types
		for (let check = 1; check <= 2; check++) {
			await sandbox.result();
			wanted.push((await sandbox.result(RFC_DATA))._id);
			await started(wanted[wanted.length - 1]);
		}
		expect((await started(wanted[1])).sort()).toEqual(wanted.sort());
		await n8n.client.unpublish(id);
	});
});
