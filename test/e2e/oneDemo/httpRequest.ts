import type { IncomingHttpHeaders } from 'node:http';
import type { N8n } from '../../../demo/startN8n';
import { serve } from '../../support/testServer';
import { toN8nCredentialLoginFields } from '../../support/credentialFields';
import { waitForEndedExecutionOf } from '../support/executions';
import { startDemoOncePerFile } from '../support/sharedDemo';
import { buildWorkflow } from '../../../demo/workflow';

const LOGIN = { user: 'lender_1', password: 'Bureau_Secret_1' };
const CIEC = { rfc: 'GODE561231GR8', ciec: 'Ciec_Secret_9' };
const WEBHOOK = {
	...{ webhookVerification: 'header', webhookHeaderName: 'X-Secret' },
	webhookSecret: 'Secret-of-the-webhook-1',
};

describe('HTTP Request with a credential of the services, in a real n8n', () => {
	let n8n: N8n;

	beforeAll(async () => {
		({ n8n } = await startDemoOncePerFile());
	});

	it.each([
		[
			'creditProfileApi',
			{ apiToken: 'token-1', ...toN8nCredentialLoginFields('bureau/pm', LOGIN) },
			'Token token-1',
		],
		[
			'taxQueryApi',
			{
				grant: 'accessToken',
				pastedToken: 'token-2',
				...WEBHOOK,
				...toN8nCredentialLoginFields('taxAuthority', CIEC),
			},
			'Bearer token-2',
		],
	])('gets nothing of %s but the header Authorization', async (type, fields, Authorization) => {
		const received: Array<{ url?: string; headers: IncomingHttpHeaders; body: string }> = [];
		const server = await serve((request, response) => {
			let body = '';
			request.on('data', (chunk) => (body += String(chunk)));
			request.on('end', () => {
				received.push({ url: request.url, headers: request.headers, body });
				response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
			});
		});
		const id = await n8n.client.createCredential(type, type, { baseUrl: server.url, ...fields });
		const request = {
			...{ name: 'Node', type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2 },
			parameters: {
				...{ url: `${server.url}/reports`, method: 'POST', nodeCredentialType: type },
				authentication: 'predefinedCredentialType',
				...{ sendBody: true, specifyBody: 'json', jsonBody: '{"a": 1}' },
			},
			credentials: { [type]: { id, name: type } },
		};
		const webhookId = `http-${type.toLowerCase()}`;
		const trigger = {
			...{ name: 'Start', type: 'n8n-nodes-base.webhook', typeVersion: 2, webhookId },
			parameters: { path: webhookId, options: {} },
		};
		const workflow = await n8n.client.createWorkflow(buildWorkflow(type, [trigger, request]));
		await n8n.client.publish(workflow);
		await fetch(`${n8n.url}/webhook/${webhookId}`);
		await waitForEndedExecutionOf(n8n.client, workflow, { status: 'success' });
		await server.close();
		await n8n.client.unpublish(workflow);
		const { authorization, ...others } = received[0].headers;
		expect([received.length, authorization, received[0].url, received[0].body]).toEqual([
			1,
			Authorization,
			'/reports',
			'{"a":1}',
		]);
		const text = JSON.stringify([others, received[0].url, received[0].body]);
		for (const secret of ['token-', LOGIN.password, CIEC.ciec, CIEC.rfc, WEBHOOK.webhookSecret]) {
			expect(text).not.toContain(secret);
		}
	});
});
