import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';
import {
	loginFields,
	providerField,
	providers,
	taxAuthority,
} from '../nodes/CreditProfile/providers';

const all = [...providers, taxAuthority];

/** A provider's login, kept by n8n instead of in a workflow. It is checked offline by the nodes that use it. */
export class CreditProfileProviderLoginApi implements ICredentialType {
	name = 'creditProfileProviderLoginApi';

	displayName = 'Credit Profile Provider Login API';

	documentationUrl =
		'https://github.com/n8n-nodes-credit-profile/n8n-nodes-credit-profile#credit-profile-provider-login-api';

	icon: Icon = {
		light: 'file:../icons/creditProfile.svg',
		dark: 'file:../icons/creditProfile.dark.svg',
	};

	properties: INodeProperties[] = [providerField(all), ...loginFields(all)];
}
