import {
	UserError,
	type Icon,
	type ICredentialDataDecryptedObject,
	type ICredentialTestRequest,
	type ICredentialType,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type INodeProperties,
} from 'n8n-workflow';
import { logIn, usableToken } from '../nodes/shared/accessToken';
import { taxQueryBaseUrl } from '../nodes/shared/baseUrl';

export class TaxQueryApi implements ICredentialType {
	name = 'taxQueryApi';

	displayName = 'Tax Query API';

	documentationUrl =
		'https://github.com/n8n-nodes-credit-profile/n8n-nodes-credit-profile#tax-query-api';

	icon: Icon = { light: 'file:../icons/taxQuery.svg', dark: 'file:../icons/taxQuery.dark.svg' };

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://solutions.example.com/api',
			description: 'Address of the query service. The production address ends with /api.',
		},
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
					description: 'Client ID and secret, exchanged for a token that is renewed by itself',
				},
			],
			default: 'clientCredentials',
		},
		{
			displayName: 'Client ID',
			name: 'clientId',
			type: 'string',
			default: '',
			required: true,
			displayOptions: { show: { grant: ['clientCredentials'] } },
		},
		{
			displayName: 'Client Secret',
			name: 'clientSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			displayOptions: { show: { grant: ['clientCredentials'] } },
		},
		{
			displayName: 'Token Request Body',
			name: 'bodyFormat',
			type: 'options',
			options: [
				{ name: 'Form URL-Encoded', value: 'form' },
				{ name: 'JSON', value: 'json' },
			],
			default: 'json',
			description:
				"How POST /oauth/token receives its fields; the service's document does not show it",
			displayOptions: { show: { grant: ['clientCredentials'] } },
		},
		{
			displayName: 'Additional Fields',
			name: 'additionalFields',
			type: 'json',
			default: '{}',
			description:
				'More fields for the body of POST /oauth/token, as a JSON object, e.g. {"audience": "query"}. A field named here replaces one of the same name.',
			displayOptions: { show: { grant: ['clientCredentials'] } },
		},
		{
			displayName: 'Access Token',
			name: 'pastedToken',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			displayOptions: { show: { grant: ['accessToken'] } },
		},
		{
			displayName: 'Points per Second',
			name: 'pointsPerSecond',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 10,
			description:
				"The most requests that this n8n process sends in a second with this credential; 0 sends as fast as it can. The service's document shows no limit; 10 is that of the Credit Profile Service.",
		},
		{
			displayName: 'Issued Token',
			name: 'accessToken',
			type: 'hidden',
			typeOptions: { expirable: true, password: true },
			default: '',
		},
	];

	/** Called by n8n where no token is stored, and once more after a 401. */
	async preAuthentication(this: IHttpRequestHelper, credentials: ICredentialDataDecryptedObject) {
		if (credentials.grant !== 'accessToken') {
			return { accessToken: await logIn(this, credentials) };
		}
		if (credentials.accessToken === '') return { accessToken: 'pasted' };
		throw new UserError('The query service refused the access token', {
			description: 'It is wrong or has expired. Paste a new one into the Tax Query credential.',
		});
	}

	/** §5.1: HTTP bearer. */
	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		taxQueryBaseUrl(credentials.baseUrl);
		const token =
			credentials.grant === 'accessToken'
				? String(credentials.pastedToken).trim()
				: usableToken(credentials);
		if (token === undefined) {
			// Read by n8n as an answer 401, upon which it calls preAuthentication and then sends the request.
			throw Object.assign(new UserError('The access token is due for renewal'), {
				response: { status: 401 },
			});
		}
		return { ...request, headers: { ...request.headers, Authorization: `Bearer ${token}` } };
	}

	/** Listing the queries made is free of charge and needs a valid token. */
	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{ ($credentials.baseUrl || "").trim().replace(/\\/+$/, "") }}',
			url: '/query',
			disableFollowRedirect: true,
		},
		rules: [
			{
				type: 'responseCode',
				properties: {
					value: 404,
					message: 'There is no query service at this base URL. It usually ends with /api.',
				},
			},
		],
	};
}
