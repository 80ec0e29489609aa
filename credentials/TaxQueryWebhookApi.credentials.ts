import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';
import { advanced } from '../nodes/shared/credentials/advanced';
import { advancedWebhookFields, webhookFields } from '../nodes/shared/credentials/webhookSecret';

/** How a webhook call proves that it comes from the query service. Checked offline by the node that uses it. */
export class TaxQueryWebhookApi implements ICredentialType {
	name = 'taxQueryWebhookApi';

	displayName = 'Tax Query Webhook API';

	/** No other node, HTTP Request included, is handed its secrets; hosts before 2026-05 ignore it. */
	restrictToSupportedNodes = true as const;

	documentationUrl =
		'https://github.com/n8n-nodes-credit-profile/n8n-nodes-credit-profile/blob/main/docs/credentials.md#tax-query-webhook';

	icon: Icon = { light: 'file:../icons/taxQuery.svg', dark: 'file:../icons/taxQuery.dark.svg' };

	properties: INodeProperties[] = [
		...webhookFields.map((field) =>
			field.name === 'webhookVerification' ? { ...field, default: 'signature' } : field,
		),
		...advanced(advancedWebhookFields),
	];
}
