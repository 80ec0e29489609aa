import type { N8n } from '../../../demo/n8n';
import { oneDemo } from '../support/oneDemo';

const OURS = 'n8n-nodes-credit-profile';
const LOGIN = 'creditProfileProviderLoginApi';
const WEBHOOK = 'taxQueryWebhookApi';

describe('a credential that holds a secret of somebody else, in a real n8n', () => {
	let n8n: N8n;

	beforeAll(async () => {
		({ n8n } = await oneDemo());
	});

	const logins = { provider: 'taxAuthority', rfc: 'GODE561231GR8', ciec: 'Ciec_1234' };
	const secrets = {
		webhookVerification: 'header',
		webhookHeaderName: 'X-Secret',
		webhookSecret: 'Secret-of-the-webhook-1',
	};

	/** What n8n says to a workflow in which a node of this type uses the credential. */
	async function saved(type: string, credential: string, parameters: object): Promise<string> {
		const data = credential === LOGIN ? logins : secrets;
		const id = await n8n.client.createCredential(credential, credential, data);
		const node = {
			id: 'node-1',
			name: 'Node',
			type,
			typeVersion: 1,
			position: [0, 0],
			parameters,
			credentials: { [credential]: { id, name: credential } },
		};
		const workflow = { name: type, nodes: [node], connections: {}, settings: {} };
		return await n8n.client.createWorkflow(workflow).then(
			() => 'saved',
			(error: Error) => error.message,
		);
	}

	it.each([LOGIN, WEBHOOK])('is not handed to HTTP Request: %s', async (credential) => {
		const authentication = 'predefinedCredentialType';
		const told = await saved('n8n-nodes-base.httpRequest', credential, {
			url: 'http://127.0.0.1:9/',
			authentication,
			nodeCredentialType: credential,
		});
		expect(told).toContain(`cannot use credential type \\"${credential}\\"`);
	});

	it.each([
		[`${OURS}.taxQuery`, LOGIN],
		[`${OURS}.taxQueryTool`, LOGIN],
		[`${OURS}.creditProfile`, LOGIN],
		[`${OURS}.taxQueryTrigger`, WEBHOOK],
	])('is handed to %s: %s', async (type, credential) => {
		expect(await saved(type, credential, {})).toBe('saved');
	});
});
