import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchUnpooled } from '../../../demo/http';
import type { Demo } from '../../../demo/demo';
import { applicationOf, submitForm } from '../../../demo/form';
import { applicantFile } from '../../../demo/smokeTest';
import type { WorkflowNode } from '../../../demo/n8nClient';
import { root } from '../../../demo/package';
import { productionUrl, type Provisioned } from '../../../demo/provision';
import { registerWebhook } from '../../../demo/sandbox';
import { until } from '../../support/until';
import { describeWithBrowser } from '../support/browser';
import type { Editor } from '../support/editor';
import { outOf } from '../support/executions';
import { oneDemo, oneEditor, processes } from '../support/oneDemo';

const examples = readdirSync(join(root, 'examples')).map((file) => file.replace('.json', ''));

/** What a person clicks, and the node whose output shows that it worked. Those of AI agents: agents.ts. */
const clicks: Array<[example: string, last: string, trigger: string | undefined]> = [
	['ask-with-reference', 'Respond with query ID', 'Webhook'],
	['ask-with-reference', 'Result of the customer', 'Tax Query Trigger'],
	['check-identifiers', 'Respond with findings', undefined],
	['collect-query-results', 'Fiscal regimes', undefined],
	['list-documents', 'Respond with documents', undefined],
	['monthly-invoices', 'Month', 'Webhook'],
	['monthly-invoices', 'Month', 'First of the month'],
	['onboard-applicant', 'Thank you', 'Application form'],
	['reconcile-results', 'List of results', undefined],
	['reuse-results', 'Respond with regimes', undefined],
	['review-applicants', 'Keep result', 'Tax Query Trigger'],
	['review-applicants', 'Respond with page', "Operator's page"],
	['rotate-provider-credentials', 'Respond with logins', undefined],
	['start-here', 'Slow', undefined],
];
const applicant = JSON.parse(readFileSync(applicantFile, 'utf8')) as Record<string, string>;

const TAX_QUERY = 'Tax Query';
const CREDIT_PROFILE = 'Credit Profile';
/** What people call it, Spanish too, and which node they mean. */
const searches: Array<[text: string, node: string]> = [
	['CIEC', TAX_QUERY],
	['buró', CREDIT_PROFILE],
	['credit bureau', CREDIT_PROFILE],
	['invoice', TAX_QUERY],
	['CFDI', TAX_QUERY],
	['factura', TAX_QUERY],
	['identity', TAX_QUERY],
	['employment', TAX_QUERY],
	['shareholders', TAX_QUERY],
	['accionistas', TAX_QUERY],
	['constancia', TAX_QUERY],
	['opinión de cumplimiento', TAX_QUERY],
	['historial laboral', TAX_QUERY],
	['RFC', TAX_QUERY],
	['CURP', TAX_QUERY],
	['SAT', TAX_QUERY],
	['KYC', TAX_QUERY],
	['régimen fiscal', TAX_QUERY],
	['expediente', CREDIT_PROFILE],
	['listas negras', CREDIT_PROFILE],
];

describe('the examples in a real n8n', () => {
	let demo: Demo;
	beforeAll(async () => {
		demo = await oneDemo();
	});

	const idOf = (example: string) => demo.workflows.get(example)?.id as string;

	it('are all linked from the one to start with', () => {
		const notes = JSON.stringify(demo.workflows.get('start-here')?.nodes);
		const others = examples.filter((example) => example !== 'start-here');
		expect(others.filter((example) => !notes.includes(`/workflow/${idOf(example)}`))).toEqual([]);
	});

	it('link to the page of this sandbox', () => {
		expect(JSON.stringify(demo.workflows.get('start-here')?.nodes)).toContain(demo.sandbox.page);
	});

	/** Waits until the newest execution that was begun by a click stands so, and returns it. */
	const reaches = async (example: string, status: string) => {
		return await until(
			`${example} is ${status}`,
			async () => {
				const executions = await demo.n8n.client.executions(idOf(example));
				const clicked = executions.find(({ mode }) => mode === 'manual');
				return clicked?.status === status && clicked;
			},
			{ seconds: 240, pauseMs: 200 },
		);
	};

	describeWithBrowser('in the editor', () => {
		let editor: Editor;
		beforeAll(async () => {
			editor = await oneEditor();
		});

		// First, for they wait two minutes while the others run.
		it('wait without a slot, and n8n is killed and started again', async () => {
			for (const example of ['wait-without-a-slot', 'resume-by-webhook']) {
				await editor.open(idOf(example));
				await editor.click(
					example === 'resume-by-webhook' ? 'When you click Execute workflow' : undefined,
				);
				await reaches(example, 'waiting');
				await editor.screenshot(`example-${example}-waiting`);
			}
			await processes.kill();
			await processes.restart(demo.n8n.url);
			editor.forget();
		});

		/** As README says: the test URL of the trigger entered on the sandbox's page, and a test delivery sent there. */
		const deliverTest = async (example: string) => {
			const { nodes } = demo.workflows.get(example) as Provisioned;
			const node = nodes.find(({ name }) => name === 'Tax Query Trigger') as WorkflowNode;
			const page = await editor.page.context().newPage();
			const answered = async (path: string, button: string) => {
				const answer = page.waitForResponse((response) => response.url().endsWith(path));
				await page.getByRole('button', { name: button }).click();
				expect((await answer).status()).toBe(200);
			};
			await page.goto(demo.sandbox.page);
			const url = await productionUrl(demo.n8n, node);
			await page.getByLabel('Send results to').fill(url.replace('/webhook/', '/webhook-test/'));
			await answered('/sandbox/webhook', 'Save');
			await answered('/sandbox/deliveries/test', 'Send test call');
			await page.close();
		};
		const deliveredTo = async () => {
			const answer = await fetchUnpooled(new URL('sandbox/webhook', demo.sandbox.page));
			return ((await answer.json()) as { url: string }).url;
		};

		it.each(clicks)('run by one click: %s to %s, from %s', async (example, last, trigger) => {
			await editor.open(idOf(example));
			await editor.click(trigger);
			if (example === 'onboard-applicant') {
				await editor.listening();
				await submitForm(`${demo.n8n.url}/form-test/onboard-applicant`, applicationOf(applicant));
			}
			const before = await deliveredTo();
			const isDelivered = example === 'ask-with-reference' && trigger === 'Tax Query Trigger';
			if (isDelivered) await editor.listening();
			// n8n says that it has succeeded for some seconds only
			await Promise.all([editor.succeeded(), isDelivered && deliverTest(example)]);
			await registerWebhook(demo.sandbox, before);
			await editor.screenshot(`example-${example}-${last.toLowerCase().replaceAll(' ', '-')}`);
			expect(await editor.node(last).getByTestId('canvas-node-status-success').count()).toBe(1);
		});

		it.each(searches)('are about nodes that people find by "%s": %s', async (text, node) => {
			if (text === searches[0][0]) await editor.open(idOf('start-here'));
			expect((await editor.search(text)).slice(0, 3)).toContain(node);
		});

		it('that waited without a slot, through a restart of n8n, have their results', async () => {
			const resultOf = async (example: string, node: string) => {
				return outOf(await reaches(example, 'success'), node);
			};
			expect(await resultOf('resume-by-webhook', 'Go on with the result')).toEqual([
				expect.objectContaining({ legalName: 'ELENA ÉXITO SEGURO' }),
			]);
			expect(await resultOf('wait-without-a-slot', 'Result')).toEqual([
				expect.objectContaining({ legalName: 'ELENA ÉXITO SEGURO', pending: false }),
			]);
		});
	});
});
