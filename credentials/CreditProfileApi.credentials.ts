import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';
import { creditProfileBaseUrl } from '../nodes/shared/baseUrl';

export class CreditProfileApi implements ICredentialType {
	name = 'creditProfileApi';

	displayName = 'Credit Profile API';

	documentationUrl =
		'https://github.com/n8n-nodes-credit-profile/n8n-nodes-credit-profile#credit-profile-api';

	icon: Icon = {
		light: 'file:../icons/creditProfile.svg',
		dark: 'file:../icons/creditProfile.dark.svg',
	};

	properties: INodeProperties[] = [
		{
			displayName: 'Environment',
			name: 'environment',
			type: 'options',
			options: [
				{
					name: 'Production',
					value: 'production',
					description: 'Real connections, real provider logins, real data',
				},
				{
					name: 'Sandbox',
					value: 'sandbox',
					description: 'Everything is simulated, the data is invented',
				},
			],
			default: 'sandbox',
			description: 'Each environment has its own base URL and its own API tokens',
		},
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://sandbox.example.com',
			description: 'Host root of the environment. The node appends /api/v1 by itself.',
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
	];

	/** §5.1: the scheme word is Token. A base URL that cannot work is refused here, so that the test says why. */
	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		creditProfileBaseUrl(credentials.baseUrl);
		return {
			...request,
			headers: {
				...request.headers,
				Authorization: `Token ${String(credentials.apiToken).trim()}`,
			},
		};
	}

	/** Reading the list of credentials is free of charge and needs a valid token. */
	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{ ($credentials.baseUrl || "").trim().replace(/\\/+$/, "") }}',
			url: '/api/v1/credential',
			disableFollowRedirect: true,
		},
		rules: [
			{
				type: 'responseCode',
				properties: {
					value: 401,
					message: 'The service refused the API token. Tokens are per environment: check both.',
				},
			},
			{
				type: 'responseCode',
				properties: {
					value: 404,
					message: 'There is no Credit Profile Service at this base URL. It must be the host root.',
				},
			},
		],
	};
}
