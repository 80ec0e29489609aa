import type { N8nClient } from '../../../demo/n8nClient';
import type { SandboxWithQueryHelpers } from '../../support/sandboxQueryClient';
import { buildWorkflow, type NodeSketch } from '../../../demo/workflow';

export const TRIGGER_NODE_NAME = 'Tax Query Trigger';

/** The trigger as a node of a workflow. Its webhook is at `<webhookId>/tax-query`. */
export const triggerNode = (
	webhookId: string,
	parameters: object,
	credentials: object,
): NodeSketch => ({
	id: webhookId,
	name: TRIGGER_NODE_NAME,
	type: 'n8n-nodes-credit-profile.taxQueryTrigger',
	webhookId,
	parameters,
	credentials,
});

/** A workflow of the trigger alone, which has the workflow's name as `webhookId`. */
export const triggerWorkflow = (name: string, parameters: object, credentials: object) =>
	buildWorkflow(name, [triggerNode(name, parameters, credentials)]);

/** Creates a credential for a sandbox, without a rate limit; returns what a node says of it. */
export async function createSandboxCredential(
	client: N8nClient,
	{ taxQuery: { baseUrl, clientId, clientSecret } }: SandboxWithQueryHelpers,
	name: string,
	more: object = {},
): Promise<{ taxQueryApi: { id: string; name: string } }> {
	const login = { baseUrl, grant: 'clientCredentials', clientId, clientSecret };
	const data = { ...login, pointsPerSecond: 0, ...more };
	return { taxQueryApi: { id: await client.createCredential('taxQueryApi', name, data), name } };
}
