import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';
import { advanced } from '../nodes/shared/credentials/advanced';
import { apiMappingField } from '../nodes/shared/credentials/apiMapping';
import { creditProfileAuthorization } from '../nodes/shared/credentials/authorization';
import { depart } from '../nodes/shared/credentials/departure';
import { pseudonymKeyField } from '../nodes/shared/credentials/pseudonymKey';

export class CreditProfileApi implements ICredentialType {
	name = 'creditProfileApi';

	displayName = 'Credit Profile API';

	documentationUrl =
		'https://github.com/n8n-nodes-credit-profile/n8n-nodes-credit-profile/blob/main/docs/credentials.md#credit-profile-api';

	icon: Icon = {
		light: 'file:../icons/creditProfile.svg',
		dark: 'file:../icons/creditProfile.dark.svg',
	};

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://sandbox.example.com',
			description:
				'Host root of the environment, sandbox or production; each has its own API tokens. The node appends /api/v1 by itself.',
		},
		{
			displayName: 'API Token',
			name: 'apiToken',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description:
				"Created in the environment's settings panel: Configuration, then API, then create new token",
		},
		...advanced([apiMappingField('{"paths": {"bureau": "agency"}}'), pseudonymKeyField]),
	];

	/** CP §5.1. What cannot work is refused here, so that other nodes that use the credential say why. */
	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const Authorization = creditProfileAuthorization(credentials);
		return depart(request, Authorization);
	}
}
