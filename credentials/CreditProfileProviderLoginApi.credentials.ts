import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';
import { loginFields, providers, taxAuthority } from '../nodes/shared/credentials/providerLogin';

const all = [...providers, taxAuthority];

/** A provider's login, kept by n8n instead of in a workflow. It is checked offline by the nodes that use it. */
export class CreditProfileProviderLoginApi implements ICredentialType {
	name = 'creditProfileProviderLoginApi';

	displayName = 'Provider Login API';

	/** No other node, HTTP Request included, is handed its secrets; hosts before 2026-05 ignore it. */
	restrictToSupportedNodes = true as const;

	documentationUrl =
		'https://github.com/n8n-nodes-credit-profile/n8n-nodes-credit-profile/blob/main/docs/credentials.md#provider-or-ciec-login';

	icon: Icon = {
		light: 'file:../icons/creditProfile.svg',
		dark: 'file:../icons/creditProfile.dark.svg',
	};

	properties: INodeProperties[] = [
		{
			displayName: 'The test checks the shape only; nothing is sent.',
			name: 'testNotice',
			type: 'notice',
			default: '',
		},
		...loginFields(all),
	];
}
