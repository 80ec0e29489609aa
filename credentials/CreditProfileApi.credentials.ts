import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';
import { hideBehindAdvanced } from '../nodes/shared/credentials/advanced';
import { apiMappingProperty } from '../nodes/shared/credentials/apiMapping';
import { creditProfileAuthHeader } from '../nodes/shared/credentials/authorization';
import { runBeforeSend } from '../nodes/shared/host/beforeSend';
import { maskedField, requiredTextInput } from '../nodes/shared/credentials/inputBuilders';
import { pseudonymKeyField } from '../nodes/shared/credentials/pseudonymKey';
import { providerLoginProperties } from '../nodes/shared/credentials/providerFields';

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
		requiredTextInput('Base URL', 'baseUrl', {
			placeholder: 'e.g. https://sandbox.example.com',
			description:
				'Host root of the environment, sandbox or production. The node appends /api/v1 by itself.',
		}),
		maskedField(
			requiredTextInput('API Token', 'apiToken', {
				description: "From the environment's settings panel: Configuration, API, create new token",
			}),
		),
		...providerLoginProperties,
		...hideBehindAdvanced([
			apiMappingProperty('{"paths": {"bureau": "agency"}}'),
			pseudonymKeyField,
		]),
	];

	/** CP §5.1. What cannot work is refused here, so that other nodes that use the credential say why. */
	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const Authorization = creditProfileAuthHeader(credentials);
		return runBeforeSend(request, Authorization);
	}
}
