import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Demo } from '../../../demo/startDemo';
import { REVIEW_PAGES_BASIC_AUTH } from '../../../demo/provision';
import { applicantJsonFile } from '../../../demo/smokeTest';
import { until } from '../../support/until';
import { describeIfChromium } from '../support/describeIfChromium';
import { newContext, takeScreenshot } from '../support/browser';
import { startDemoOncePerFile, openEditorOncePerFile } from '../support/sharedDemo';

const OPERATORS = Buffer.from(
	`${REVIEW_PAGES_BASIC_AUTH.user}:${REVIEW_PAGES_BASIC_AUTH.password}`,
).toString('base64');

const applicant = JSON.parse(readFileSync(applicantJsonFile, 'utf8')) as Record<string, string>;

describeIfChromium('the five tasks of the tutorial, clicked as docs/tutorial.md says', () => {
	let demo: Demo;
	let context: BrowserContext;
	/** The tab of Start here, to which a person returns. */
	let start: Page;

	beforeAll(async () => {
		demo = await startDemoOncePerFile();
		const editor = await openEditorOncePerFile();
		context = await newContext(editor.page.context().browser() as Browser, {
			viewport: { width: 1600, height: 900 },
			permissions: ['clipboard-read', 'clipboard-write'],
		});
	});
	afterAll(async () => await context?.close());

	const node = (page: Page, name: string) =>
		page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	/** Follows a link in a note of Start here; it opens in a tab of its own. */
	const follow = async (name: string) => {
		const opened = context.waitForEvent('page');
		await start.getByTestId('sticky').locator('a').filter({ hasText: name }).first().click();
		const page = await opened;
		await page.bringToFront();
		return page;
	};

	it('make a first query', async () => {
		start = await context.newPage();
		await start.goto(`${demo.n8n.url}/workflow/${demo.workflows.get('start-here')?.id}`);
		await start.getByLabel('Email').fill(demo.n8n.login.email);
		await start.getByLabel('Password').fill(demo.n8n.login.password);
		await start.getByRole('button', { name: 'Sign in' }).click();
		await node(start, 'Found').waitFor();
		await start.getByTestId('execute-workflow-button').click();
		await start.getByText('Workflow executed successfully').waitFor();
		await node(start, 'Found').dblclick();
		const receipt = start.getByText(/Billed: /).first();
		await receipt.waitFor();
		expect(await receipt.textContent()).toContain('Billed: 1 query');
		await takeScreenshot(start, 'tutorial-receipt');
		await start.keyboard.press('Escape');
		const sandbox = await follow('page');
		await sandbox.locator('#queries tr').nth(3).waitFor(); // one person is not found
		await takeScreenshot(sandbox, 'tutorial-sandbox');
		await sandbox.close();
	});

	it('onboard one applicant', async () => {
		const workflow = await follow('onboard-applicant');
		await node(workflow, 'Application form').waitFor();
		const opened = context.waitForEvent('page');
		const link = workflow.getByTestId('sticky').locator('a').filter({ hasText: 'form' }).first();
		await link.dispatchEvent('click'); // n8n's own checklist may lie over it at the first visit
		const form = await opened;
		await form.getByLabel('Producto').selectOption('Crédito personal');
		await form.getByLabel('Monto que solicita').click();
		const [year, month, day] = applicant.birthDate.split('-');
		const { name, firstLastName, secondLastName, curp, email } = applicant;
		const birth = `${month}${day}${year}`;
		const typed = ['50000', name, firstLastName, secondLastName, birth, curp, email, '5512345678'];
		for (const text of typed) {
			await form.keyboard.type(text);
			await form.keyboard.press('Tab');
			if (text === birth) await form.keyboard.press('Tab'); // leaves the button of the calendar
		}
		await form.getByLabel('Leí y acepto la autorización').click();
		await takeScreenshot(form, 'tutorial-form', true);
		await form.getByRole('button', { name: 'Enviar solicitud' }).click();
		await form.getByText('Su folio es').waitFor();
		await takeScreenshot(form, 'tutorial-thank-you');
		await workflow.close();

		const page = await context.newPage();
		// The context's own credentials would consult the test at each request of the editor.
		await page.setExtraHTTPHeaders({ authorization: `Basic ${OPERATORS}` });
		await page.goto(`${demo.n8n.url}/webhook/solicitudes`);
		await page.getByRole('link', { name: /^S-/ }).first().click();
		await page.getByText(curp).first().waitFor();
		await takeScreenshot(page, 'tutorial-dossier', true);
		await page.close();
	});

	it('collect the result', async () => {
		const workflow = await follow('collect-query-results');
		await workflow.getByText('Executions', { exact: true }).first().click();
		await workflow
			.getByText(/^Succeeded/)
			.first()
			.waitFor();
		await takeScreenshot(workflow, 'tutorial-executions');
		await workflow.close();
	});

	it('connect the trigger', async () => {
		const workflow = await follow('collect-query-results');
		await node(workflow, 'Tax Query Trigger').dblclick();
		await workflow.getByText('Webhook URLs').click();
		await workflow.getByText('/webhook-test/').first().click();
		let testUrl = '';
		await until('the copied URL', async () => {
			testUrl = await workflow.evaluate<string>('navigator.clipboard.readText()');
			return testUrl.includes('/webhook-test/');
		});
		await workflow.getByTestId('node-execute-button').click();
		await workflow.getByRole('button', { name: 'Unpin and test' }).click();
		await workflow.getByText('Stop Listening').first().waitFor();
		const sandbox = await context.newPage();
		await sandbox.goto(demo.sandbox.page);
		await sandbox.getByRole('button', { name: 'Copy webhook address' }).click();
		await sandbox.getByRole('button', { name: 'Copied webhook address' }).waitFor();
		const stored = await sandbox.evaluate<string>('navigator.clipboard.readText()');
		const register = async (url: string) => {
			await sandbox.getByLabel('Send results to').click();
			await sandbox.keyboard.press('ControlOrMeta+A');
			await sandbox.keyboard.insertText(url);
			await sandbox.getByRole('button', { name: 'Save' }).click();
			await sandbox.locator('#acknowledgement').getByText('Saved.').waitFor();
		};
		await register(testUrl);
		await sandbox.getByRole('button', { name: 'Send test call' }).click();
		await workflow.bringToFront();
		await workflow.getByText('Node executed successfully').waitFor();
		await workflow.getByText('1 item', { exact: true }).first().waitFor();
		await takeScreenshot(workflow, 'tutorial-trigger');
		await sandbox.bringToFront();
		await register(stored);
		await takeScreenshot(sandbox, 'tutorial-address');
		await sandbox.close();
		await workflow.close();
	});

	it('list documents to a file', async () => {
		const workflow = await follow('list-documents');
		await node(workflow, 'Newest documents').dblclick();
		await workflow.getByTestId('parameter-input-output').click();
		await workflow.getByRole('option').filter({ hasText: 'Documents in a File' }).click();
		await workflow.getByTestId('parameter-input-returnAll').locator('.el-switch').click();
		await workflow.getByTestId('node-execute-button').click();
		await workflow.getByText('.csv').first().waitFor();
		await takeScreenshot(workflow, 'tutorial-file');
		await workflow.close();
	});
});
