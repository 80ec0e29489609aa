import { createHmac } from 'node:crypto';
import axios from 'axios';
import type { Browser, Page } from 'playwright-core';
import { startSandbox, type Sandbox } from '../../sandbox';
import { startReceiver, type Receiver } from '../integration/sandbox/receiver';
import { queriesAt } from '../integration/support/queries';
import { describeWithBrowser, launchBrowser, takeScreenshot } from './support/browser';

describeWithBrowser("the sandbox's page", () => {
	let sandbox: Sandbox;
	let receiver: Receiver;
	let browser: Browser;
	let page: Page;
	let queryId: string;

	beforeAll(async () => {
		receiver = await startReceiver();
		sandbox = await startSandbox({ resultDelay: 10, documents: 10, webhookUrl: receiver.url });
		queryId = await (await queriesAt(sandbox)).ask();
		await receiver.arrived(1);
		browser = await launchBrowser();
		page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
		await page.goto(sandbox.page);
	});
	afterAll(async () => {
		await browser?.close();
		await sandbox?.close();
		await receiver?.close();
	});

	it('shows what an n8n credential needs', async () => {
		const { creditProfile, taxQuery } = sandbox;
		const shown = await page.locator('#services code').allTextContents();
		expect(shown).toEqual([
			creditProfile.baseUrl,
			creditProfile.token,
			taxQuery.baseUrl,
			taxQuery.clientId,
			taxQuery.clientSecret,
		]);
	});

	it('shows the query and its delivery', async () => {
		await page.locator('#queries tr', { hasText: queryId }).getByText('SUCCESS').waitFor();
		await page.locator('#deliveries tr', { hasText: queryId }).getByText('delivered').waitFor();
	});

	it('shows the payload on a click, and keeps it open while the table is refreshed', async () => {
		await page.locator('#deliveries summary').click();
		const refreshed = page.waitForResponse('**/sandbox/state');
		await refreshed;
		await page.locator('#deliveries pre').getByText('RazonSocial').waitFor();
	});

	it('sends a delivery again on a click', async () => {
		await page.getByRole('button', { name: 'Resend' }).click();
		const [first, second] = await receiver.arrived(2);
		expect(second.body).toBe(first.body);
	});

	it('switches a fault on and off', async () => {
		const list = async () =>
			(
				await axios.get(`${sandbox.creditProfile.baseUrl}/api/v1/credential`, {
					headers: { Authorization: `Token ${sandbox.creditProfile.token}` },
					validateStatus: () => true,
				})
			).status;
		const fault = page.getByLabel('Service failing (503)');
		const stored = () => page.waitForResponse('**/sandbox/faults');
		await Promise.all([stored(), fault.check()]);
		const failing = await list();
		await Promise.all([stored(), fault.uncheck()]);
		expect([failing, await list()]).toEqual([503, 200]);
	});

	it('tells how deliveries are signed, and the secret, once it is chosen', async () => {
		await page.getByLabel('signed').selectOption({ label: 'HMAC-SHA256 of time and body, hex' });
		await page.getByRole('button', { name: 'Save' }).click();
		await page.getByText('HMAC sha256 over').waitFor();
		const secret = await page.locator('#secret code').textContent();
		await page.getByRole('button', { name: 'Resend' }).click();
		const { headers, body } = (await receiver.arrived(3))[2];
		const signed = `${String(headers['x-webhook-timestamp'])}.${body}`;
		expect(headers['x-webhook-signature']).toBe(
			createHmac('sha256', String(secret)).update(signed).digest('hex'),
		);
	});

	it('switches a fault of the delivery on, and still shows it after a reload', async () => {
		const stored = page.waitForResponse('**/sandbox/webhook');
		await Promise.all([stored, page.getByLabel('Sent twice').check()]);
		await page.reload();
		await page.getByLabel('Sent twice').waitFor();
		expect(await page.getByLabel('Sent twice').isChecked()).toBe(true);
	});

	it('copies a reserved identity on a click', async () => {
		await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
		await page.getByRole('button', { name: 'FASF850314N67' }).click();
		await page.getByRole('button', { name: 'Copied' }).waitFor();
		expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe('FASF850314N67');
	});

	it.each([
		['desktop', 1280],
		['phone', 390],
	])('fits the width of a %s', async (name, width) => {
		await page.setViewportSize({ width, height: 900 });
		await takeScreenshot(page, `sandbox-page-${name}`, true);
		expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width);
	});
});
