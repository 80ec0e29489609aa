import type { WorkflowNode } from '../../../demo/n8nClient';

export const TRIGGER = 'Tax Query Trigger';

/** The trigger as a node of a workflow. Its webhook is at `<webhookId>/tax-query`. */
export const triggerNode = (
	webhookId: string,
	parameters: object,
	credentials: object,
): WorkflowNode =>
	({
		id: webhookId,
		name: TRIGGER,
		type: 'n8n-nodes-credit-profile.taxQueryTrigger',
		typeVersion: 1,
		position: [0, 0],
		webhookId,
		parameters,
		credentials,
	}) as unknown as WorkflowNode;
