import { registerWebhook } from '../../../demo/sandbox';
import { buildWorkflow } from '../../../demo/workflow';
import type { Demo } from '../../../demo/startDemo';
import type { Execution } from '../../../demo/n8nClient';
import {
	postWithExactHeaders,
	signatureCredential,
	signatureHeaders,
} from '../../exhaustive/taxQuery/trigger/hostileCases';
import { sandboxQueryClient, type Query } from '../../support/sandboxQueryClient';
import { until } from '../../support/until';
import { redeliverWhile503 } from '../support/redeliver';
import { describeIfChromium } from '../support/describeIfChromium';
import type { Editor } from '../support/editor';
import { startDemoOncePerFile, openEditorOncePerFile } from '../support/sharedDemo';
import { waitForEndedExecutionOf, outOf } from '../support/executions';
import { TRIGGER_NODE_NAME, triggerNode } from '../support/triggerWorkflow';

/** The trigger itself saves one where the sandbox, on a busy machine, does not respond to two checks. */
const isFailedCheck = ({ status, data }: Execution) =>
	status === 'error' && /did not answer|not reach/.test(data?.resultData.error?.message ?? '');

describe('the triggers in a real n8n', () => {
	let demo: Demo;
	let queries: Awaited<ReturnType<typeof sandboxQueryClient>>;
	let record: Query;
	beforeAll(async () => {
		demo = await startDemoOncePerFile();
		queries = await sandboxQueryClient(demo.sandbox);
		record = await queries.result();
	});
	const published: string[] = [];
	afterAll(async () => {
		for (const workflow of published) await demo.n8n.client.unpublish(workflow);
	});

	const taxQueryApi = () =>
		demo.workflows
			.get('collect-query-results')
			?.nodes.find(({ credentials }) => credentials?.taxQueryApi)?.credentials?.taxQueryApi;
	/** Creates a workflow of one trigger. */
	const create = async (parameters: object, credentials: object) => {
		const webhookId = `e2e-${Math.random().toString(36).slice(2)}`;
		const node = triggerNode(webhookId, parameters, credentials);
		const workflow = buildWorkflow(TRIGGER_NODE_NAME, [node]);
		return { id: await demo.n8n.client.createWorkflow(workflow), webhookId };
	};
	const urlOf = (webhookId: string, kind = 'webhook') =>
		`${demo.n8n.url}/${kind}/${webhookId}/tax-query`;
	/** Publishes a workflow that begins with the webhook trigger. */
	const receiving = async (credential?: object) => {
		const { client } = demo.n8n;
		const { baseUrl, clientId, clientSecret } = demo.sandbox.taxQuery;
		const login = { baseUrl, grant: 'clientCredentials', clientId, clientSecret };
		const name = 'Verifying';
		const verifying = async (fields: object) => ({
			id: await client.createCredential('taxQueryApi', name, { ...login, ...fields }),
			name,
		});
		const credentials = { taxQueryApi: credential ? await verifying(credential) : taxQueryApi() };
		const parameters = { authenticity: credential ? 'credential' : 'none' };
		const { id, webhookId } = await create(parameters, credentials);
		await client.publish(id);
		published.push(id);
		return { id, url: urlOf(webhookId) };
	};
	const json = JSON.stringify;

	describeIfChromium('shown in its editor', () => {
		let editor: Editor;
		beforeAll(async () => {
			editor = await openEditorOncePerFile();
		});

		const open = async (parameters: object = {}) => {
			const credentials = { taxQueryApi: taxQueryApi() };
			const { id, webhookId } = await create(parameters, credentials);
			await editor.open(id);
			await editor.node(TRIGGER_NODE_NAME).dblclick();
			await editor.page.getByTestId('node-execute-button').waitFor();
			await editor.page.getByText('Start From', { exact: true }).waitFor();
			return webhookId;
		};
		const shown = async (text: string) => await editor.page.getByText(text).first().isVisible();

		it('the panel names the address to register as webhook', async () => {
			const webhookId = await open();
			await editor.page.getByText('Webhook URLs').click();
			await editor.page.getByTestId('radio-button-production').click();
			await editor.page.getByText(urlOf(webhookId)).waitFor();
			await editor.screenshot('trigger-panel');
			expect(await shown('single URL')).toBe(true);
		});

		it('verify by a signature with the one credential, once it is complete', async () => {
			const { page } = editor;
			await open({ authenticity: 'credential' });
			await page.getByTestId('credential-edit-button').click();
			const dialog = page.getByTestId('editCredential-modal');
			const fill = async (field: string, value: string) =>
				await dialog.getByTestId(`parameter-input-${field}`).locator('input').fill(value);

			const save = dialog.getByTestId('credential-save-button');
			await dialog.getByTestId('parameter-input-webhookVerification').click();
			await page.getByRole('option', { name: 'Signature (HMAC)' }).click();
			await fill('webhookSecret', 'whsec-1');
			await fill('signatureHeader', 'not a header');
			await save.click();
			await dialog.getByText('More details').click();
			await dialog.getByText(/not the name of a header/).waitFor();
			await editor.screenshot('trigger-credential-flaw');
			await fill('signatureHeader', 'X-Signature');
			await save.click();
			await dialog.getByText('Connection tested successfully').waitFor();
			await editor.screenshot('trigger-credential');
			await page.keyboard.press('Escape');
			await dialog.waitFor({ state: 'hidden' });
		});

		it('listen for a test event, which the page of the sandbox sends', async () => {
			const webhookId = await open();
			await registerWebhook(demo.sandbox, urlOf(webhookId, 'webhook-test'));
			await editor.page.getByTestId('node-execute-button').click();
			await editor.page.getByText('Stop Listening').first().waitFor();
			await editor.screenshot('trigger-listening');
			const page = await editor.page.context().newPage();
			await page.goto(demo.sandbox.page);
			await page
				.locator('#deliveries tr', { hasText: record._id })
				.getByRole('button', { name: 'Resend' })
				.click();
			await editor.page.getByText(record._id).first().waitFor();
			await page.close();
			await editor.screenshot('trigger-test-event');
			expect(await shown('GODE561231GR8')).toBe(true);
		});

		it('fetch the latest result as a test event', async () => {
			const latest = await queries.result('/query/rfc-data');
			const addresses = editor.page.getByText('Webhook URLs', { exact: true });
			await open();
			await addresses.first().waitFor();
			await open({ receiveBy: 'asking' });
			await editor.page.getByTestId('node-execute-button').waitFor();
			await addresses.first().waitFor({ state: 'hidden' });
			await editor.screenshot('trigger-asking');
			await editor.page.getByTestId('node-execute-button').click();
			await editor.page.getByText(latest._id).first().waitFor();
			await editor.screenshot('trigger-latest-result');
			expect(await editor.page.getByTestId('node-error-message').count()).toBe(0);
		});
	});

	it('refuse a wrong signature, which starts nothing, and take a genuine one', async () => {
		const { id, url } = await receiving(signatureCredential);
		const result = await queries.result();
		const content = json(result);
		const genuine = signatureHeaders()(content);
		const forged = json({ ...result, status: 'FAILED' });
		const refused = await redeliverWhile503(
			async () => await postWithExactHeaders(url, forged, genuine),
		);
		await redeliverWhile503(async () => await postWithExactHeaders(url, content, genuine));
		await waitForEndedExecutionOf(demo.n8n.client, id, { node: TRIGGER_NODE_NAME });
		const byCalls = (await demo.n8n.client.executions(id)).filter((one) => !isFailedCheck(one));
		expect([refused, byCalls.length]).toEqual([401, 1]);
	});

	it('emit the record of the service for a forged body with a real id', async () => {
		const { id, url } = await receiving();
		const record = await queries.result();
		const forged = json({ ...record, response: { RFC: 'XAXX010101000' } });
		await redeliverWhile503(async () => await postWithExactHeaders(url, forged, []));
		const execution = await waitForEndedExecutionOf(demo.n8n.client, id, {
			node: TRIGGER_NODE_NAME,
		});
		expect(outOf(execution, TRIGGER_NODE_NAME)).toEqual([
			expect.objectContaining({ queryId: record._id, rfc: 'GODE561231GR8', confirmed: true }),
		]);
	});

	it('start one execution for 100 copies that come at once', async () => {
		const { id, url } = await receiving();
		const record = await queries.result();
		const copies = Array.from(
			{ length: 100 },
			async () => await postWithExactHeaders(url, json(record), []),
		);
		const answers = await Promise.all(copies);
		const last = await queries.result();
		await redeliverWhile503(async () => await postWithExactHeaders(url, json(last), []));
		const arrived = async () =>
			(await demo.n8n.client.executions(id)).flatMap((each) =>
				outOf(each, TRIGGER_NODE_NAME).map(({ queryId }) => queryId),
			);
		// n8n lists an execution once it has ended
		await until('the last result', async () => (await arrived()).includes(last._id));
		// 202 or 503 where its start takes n8n longer than a sender is to wait
		expect(answers.filter((status) => ![200, 202, 503].includes(status))).toEqual([]);
		expect(await arrived()).toEqual([last._id, record._id]);
	});
});
