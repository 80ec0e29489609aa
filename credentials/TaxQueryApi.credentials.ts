import {
	type Icon,
	type ICredentialDataDecryptedObject,
	type ICredentialType,
	type IDataObject,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type INodeProperties,
} from 'n8n-workflow';
import { renewStoredAccessToken } from '../nodes/shared/credentials/accessToken';
import { hideBehindAdvanced } from '../nodes/shared/credentials/advanced';
import { apiMappingProperty } from '../nodes/shared/credentials/apiMapping';
import { taxQueryAuthHeader } from '../nodes/shared/credentials/authorization';
import { runBeforeSend } from '../nodes/shared/host/beforeSend';
import {
	maskedField,
	requiredTextInput,
	shownFor,
	textInput,
} from '../nodes/shared/credentials/inputBuilders';
import { LoginError } from '../nodes/shared/credentials/loginError';
import { pricesSwitch, priceFields } from '../nodes/shared/credentials/prices';
import { pseudonymKeyField } from '../nodes/shared/credentials/pseudonymKey';
import { storedCiecFields } from '../nodes/shared/credentials/providerFields';
import { advancedWebhookFields, webhookFields } from '../nodes/shared/credentials/webhookFields';

const withClient = shownFor('grant', 'clientCredentials');

export class TaxQueryApi implements ICredentialType {
	name = 'taxQueryApi';

	displayName = 'Tax Query API';

	documentationUrl =
		'https://github.com/n8n-nodes-credit-profile/n8n-nodes-credit-profile/blob/main/docs/credentials.md#tax-query-api';

	icon: Icon = { light: 'file:../icons/taxQuery.svg', dark: 'file:../icons/taxQuery.dark.svg' };

	properties: INodeProperties[] = [
		requiredTextInput('Base URL', 'baseUrl', {
			placeholder: 'e.g. https://solutions.example.com/api',
			description: 'Address of the query service. The production address ends with /api.',
		}),
		{
			displayName: 'Authentication',
			name: 'grant',
			type: 'options',
			options: [
				{
					name: 'Access Token',
					value: 'accessToken',
					description: 'Paste a token. It stops working when it expires.',
				},
				{
					name: 'Client Credentials',
					value: 'clientCredentials',
					description: 'Client ID and secret. The token is renewed by itself.',
				},
			],
			default: 'clientCredentials',
		},
		requiredTextInput('Client ID', 'clientId', withClient),
		maskedField(requiredTextInput('Client Secret', 'clientSecret', withClient)),
		maskedField(requiredTextInput('Access Token', 'pastedToken', shownFor('grant', 'accessToken'))),
		...webhookFields,
		...storedCiecFields,
		...hideBehindAdvanced([
			{
				displayName: 'Max Requests per Second',
				name: 'pointsPerSecond',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: 10,
				description:
					'The most requests that all processes of this n8n together send with this credential. 0: no limit.',
			},
			{
				displayName: 'Number of Processes',
				name: 'processes',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: 1,
				description:
					"How many processes of n8n share 'Max Requests per Second'. In queue mode: the workers, and the main if it runs triggers.",
			},
			maskedField(
				textInput('Additional Secret Fields', 'additionalSecretFields', {
					placeholder: 'e.g. {"api_key": "…"}',
					description:
						"More secret fields of the token request, as a JSON object. Others belong in 'API Mapping'.",
					...withClient,
				}),
			),
			apiMappingProperty('{"paths": {"tax": "authority"}}'),
			pseudonymKeyField,
			...advancedWebhookFields,
			pricesSwitch,
		]),
		...priceFields,
		{
			displayName: 'Issued Token',
			name: 'accessToken',
			type: 'hidden',
			typeOptions: { expirable: true, password: true },
			default: '',
		},
	];

	/**
	 * n8n calls it where no token is stored, and where `authenticate` needs a new one. A pasted token needs no login.
	 */
	async preAuthentication(
		this: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
	): Promise<IDataObject> {
		if (credentials.grant === 'accessToken') return {};
		return { accessToken: await renewStoredAccessToken(this, credentials) };
	}

	/** TQ §5.1. What cannot work is refused here, so that other nodes that use the credential say why. */
	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const Authorization = taxQueryAuthHeader(credentials);
		if (Authorization === undefined) {
			// n8n takes it for a response 401, calls preAuthentication and then sends the request. A token that was
			// refused to others meanwhile is due again: that passes with the next attempt.
			const error = new LoginError({ kind: 'login', reason: 'renewal', isPassing: true });
			throw Object.assign(error, { response: { status: 401 } });
		}
		return runBeforeSend(request, Authorization);
	}
}
