import { fetchUnpooled } from '../../demo/fetchUnpooled';
import { buildWorkflow } from '../../demo/workflow';

/** A workflow that asks for the CRF of each item that is posted to its webhook, and pays for it. */
export function paidWorkflow(
	path: string,
	taxQueryApi: { id: string; name: string },
	{ parameters = {}, settings = {} }: { parameters?: object; settings?: object } = {},
) {
	const nodes = [
		{
			name: 'Webhook',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			webhookId: path,
			parameters: { httpMethod: 'POST', path, options: {} },
		},
		{
			name: 'Items',
			type: 'n8n-nodes-base.splitOut',
			typeVersion: 1,
			parameters: { fieldToSplitOut: 'body.items', options: {} },
		},
		{
			name: 'CRF',
			type: 'n8n-nodes-credit-profile.taxQuery',
			typeVersion: 1,
			credentials: { taxQueryApi },
			parameters: {
				resource: 'taxpayer',
				operation: 'getCrf',
				rfc: '={{ $json.rfc }}',
				...parameters,
			},
			...settings,
		},
	];
	return buildWorkflow(path, nodes);
}

interface Login {
	email: string;
	password: string;
}

/** The button Retry of the executions list does this. */
export const startExecutionRetry = async (url: string, login: Login, executionId: string) =>
	await click(url, login, `${executionId}/retry`, { loadWorkflow: false });

/** Its button Stop does this for all that run of a workflow. */
export const stopExecutions = async (url: string, login: Login, workflowId: string) =>
	await click(url, login, 'stopMany', { filter: { workflowId, status: ['running'] } });

async function post(url: string, body: object, headers: Record<string, string> = {}) {
	const response = await fetchUnpooled(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json', ...headers },
		body: JSON.stringify(body),
	});
	if (!response.ok) throw new Error(`n8n responded with ${response.status} to ${url}`);
	return response;
}

async function click(url: string, { email, password }: Login, path: string, body: object) {
	const credentials = { emailOrLdapLoginId: email, password };
	const login = await post(`${url}/rest/login`, credentials);
	const cookie = login.headers
		.getSetCookie()
		.map((one) => one.split(';')[0])
		.join('; ');
	await post(`${url}/rest/executions/${path}`, body, { cookie });
}
