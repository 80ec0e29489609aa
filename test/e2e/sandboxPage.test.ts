import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import axios from 'axios';
import type { Browser, Page } from 'playwright-core';
import { startSandbox, type Sandbox } from '../../sandbox';
import { startReceiver, type Receiver } from '../sandbox/support/receiver';
import { sandboxQueryClient } from '../support/sandboxQueryClient';
import { describeIfChromium } from './support/describeIfChromium';
import { launchBrowser, takeScreenshot } from './support/browser';

const folder = join(__dirname, '..', '..', 'examples');
const examples = readdirSync(folder).filter((name) => name.endsWith('.json'));

describeIfChromium("the sandbox's page", () => {
	let sandbox: Sandbox;
	let receiver: Receiver;
	let browser: Browser;
	let page: Page;
	let queries: Awaited<ReturnType<typeof sandboxQueryClient>>;
	let queryId: string;

	beforeAll(async () => {
		receiver = await startReceiver();
		sandbox = await startSandbox({ resultDelay: 10, documents: 10, webhookUrl: receiver.url });
		queries = await sandboxQueryClient(sandbox);
		queryId = await queries.ask();
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

	/** The page fills itself once it has read the sandbox's state. */
	const textsOf = async (selector: string) => {
		await page.locator(selector).first().waitFor();
		return await page.locator(selector).allTextContents();
	};

	it('shows what an n8n credential needs', async () => {
		const { creditProfile, taxQuery } = sandbox;
		const shown = await textsOf('#services code');
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

	it('shows where a webhook call was sent', async () => {
		await page.locator('#deliveries tr', { hasText: queryId }).getByText(receiver.url).waitFor();
	});

	it('counts how often each query is billed and each delivery is tried', async () => {
		const billed = page.locator('#queries tr', { hasText: queryId }).locator('td').nth(4);
		const attempts = page.locator('#deliveries tr', { hasText: queryId }).locator('td').nth(4);
		expect([await billed.textContent(), await attempts.textContent()]).toEqual(['1', '1 (200)']);
	});

	it('shows a query that the service refused, and that it is not billed', async () => {
		const options = { validateStatus: () => true };
		const body = { rfc: 'GODE561231GR8' }; // without a tax profile
		await queries.service.post('/query/tax/compliance-opinion', body, options);
		const row = page.locator('#queries tr', { hasText: 'COMPLIANCE_OPINION' });
		await row.getByText('Refused (409)').waitFor();
		const [, , query, , billed] = await row.locator('td').allTextContents();
		expect({ query, billed }).toEqual({ query: body.rfc, billed: '0' });
	});

	it('names the sandbox for n8n in a container', async () => {
		const { port } = new URL(sandbox.page);
		const shown = await textsOf('#fromContainer code');
		expect(shown).toEqual(['', '/api'].map((path) => `http://host.docker.internal:${port}${path}`));
	});

	it('gives each example workflow by a click: copied, and as a file', async () => {
		await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
		expect(await page.locator('#examples li').count()).toBe(examples.length);
		for (const file of ['start-here.json', 'onboard-applicant.json']) {
			const wanted = readFileSync(join(folder, file), 'utf8');
			const { name } = JSON.parse(wanted) as { name: string };
			await page.getByRole('button', { name: `Copy ${name}` }).click();
			await page.getByRole('button', { name: `Copied ${name}` }).waitFor();
			const downloaded = page.waitForEvent('download');
			await page.getByRole('link', { name: `Download ${name}` }).click();
			const download = await downloaded;
			expect([
				await page.evaluate<string>('navigator.clipboard.readText()'),
				readFileSync(await download.path(), 'utf8'),
				download.suggestedFilename(),
			]).toEqual([wanted, wanted, file]);
		}
	});

	it('links the guide in Spanish', async () => {
		const href = await page.getByRole('link', { name: 'Guía en español' }).getAttribute('href');
		const guide = await page.request.get(new URL(href as string, page.url()).href);
		expect(await guide.text()).toMatch(/<h1[^>]*>Guía/);
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

	it('shows the chosen signing of deliveries and its secret', async () => {
		await page.getByLabel('Signature').selectOption({ label: 'HMAC-SHA256 of time and body, hex' });
		await page.getByRole('button', { name: 'Save' }).click();
		await page.getByText('HMAC sha256 over').waitFor();
		await page.locator('#acknowledgement').getByText('Saved.').waitFor();
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

	it("copies a reserved person's query input on a click", async () => {
		await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
		for (const [label, value] of [
			['RFC', 'FASF850314N67'],
			['Given names', 'Fátima'],
			['Birth date', '1985-03-14'],
		]) {
			const name = `Copy ${label} of Fátima Falla Siempre`;
			await page.getByRole('button', { name, exact: true }).click();
			await page.getByRole('button', { name: name.replace('Copy', 'Copied') }).waitFor();
			expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(value);
		}
	});

	it('sends a test delivery that the service knows', async () => {
		const before = receiver.received.length;
		await page.getByLabel('Sent twice').uncheck();
		await page.getByRole('button', { name: 'Send test call' }).click();
		const { body } = (await receiver.arrived(before + 1))[before];
		const { _id: id } = JSON.parse(body) as { _id: string };
		expect((await queries.query(id)).status).toBe('SUCCESS');
		const billed = page.locator('#queries tr', { hasText: id }).locator('td').nth(4);
		expect(await billed.textContent()).toBe('0');
		const text = `to ${receiver.url}: delivered, 1 (200)`;
		await page.locator('#acknowledgement').getByText(text).waitFor();
	});

	it('sends a test call to the unsaved address in the field, and names it', async () => {
		const other = await startReceiver();
		const saved = receiver.received.length;
		await page.getByLabel('Send results to').fill(other.url);
		await page.getByLabel('Compression').selectOption('GZIP');
		await page.getByRole('button', { name: 'Send test call' }).click();
		const [{ headers }] = await other.arrived(1);
		await page.locator('#acknowledgement').getByText(`to ${other.url}: delivered`).waitFor();
		await other.close();
		expect([headers['content-encoding'], receiver.received.length]).toEqual(['GZIP', saved]);
		await page.getByLabel('Send results to').fill(receiver.url);
		await page.getByLabel('Compression').selectOption('');
	});

	it('copies the address to which results are delivered', async () => {
		await page.getByRole('button', { name: 'Copy webhook address' }).click();
		await page.getByRole('button', { name: 'Copied webhook address' }).waitFor();
		expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(receiver.url);
	});

	it('draws the cards of reserved people in even rows', async () => {
		const tops = await page.evaluate<number[][]>(
			`[...document.querySelectorAll('article')].map((card) =>
				[...card.querySelectorAll('dt')].map((name) => name.getBoundingClientRect().top))`,
		);
		expect(tops).toHaveLength(5);
		expect(new Set(tops.map(String)).size).toBe(1);
	});

	it('delivers a query now that would stay pending for ever', async () => {
		const pending = await queries.pending();
		await page.getByRole('button', { name: `Send now query ${pending}` }).click();
		await page.locator('#queries tr', { hasText: pending }).getByText('SUCCESS').waitFor();
	});

	it('lets the next queries end as a script says', async () => {
		await page.getByLabel('RFC or CURP').fill('GODE561231GR8');
		await page.getByLabel('Its next queries end as').fill('FAIL, SUCCESS');
		await page.getByRole('button', { name: 'Set outcomes' }).click();
		await page.locator('#scripts').getByText('GODE561231GR8: FAIL, SUCCESS').waitFor();
		const ends = [];
		for (let times = 0; times < 3; times++) ends.push((await queries.result()).status);
		expect(ends).toEqual(['FAILED', 'SUCCESS', 'SUCCESS']);
	});

	it('advances the clock of the services', async () => {
		await page.getByLabel('Minutes to advance').fill('90');
		await Promise.all([
			page.waitForResponse('**/sandbox/clock'),
			page.getByRole('button', { name: 'Advance clock' }).click(),
		]);
		const { headers } = await axios.get(`${sandbox.taxQuery.baseUrl}/query`, {
			validateStatus: () => true,
		});
		expect(Date.parse(String(headers.date)) - Date.now()).toBeGreaterThan(89 * 60_000);
	});

	it('takes a snapshot, resets, and restores the snapshot', async () => {
		const downloaded = page.waitForEvent('download');
		await page.getByRole('button', { name: 'Snapshot' }).click();
		const path = await (await downloaded).path();
		await page.getByRole('button', { name: 'Reset' }).click();
		await page.getByText('0 billed').waitFor();
		expect(await page.locator('#queries tr').count()).toBe(0);
		await page.getByLabel('Restore').setInputFiles(path);
		await page.locator('#queries tr', { hasText: queryId }).waitFor();
	});

	it('says which file is no snapshot', async () => {
		const buffer = Buffer.from('{"queries":{}}');
		await page
			.getByLabel('Restore')
			.setInputFiles({ name: 'x.json', mimeType: 'application/json', buffer });
		await page.getByRole('alert').getByText('No saved state: without clock').waitFor();
		await page.getByRole('button', { name: 'Send now' }).first().click();
		await page.getByRole('alert').waitFor({ state: 'hidden' });
	});

	it('gives each button a name of its own', async () => {
		const names = await page.locator('button, summary').allTextContents();
		expect(names.length).toBeGreaterThan(30);
		expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
	});

	describe.each([
		['desktop', 1280],
		['phone', 390],
	])('on a %s', (name, width) => {
		beforeAll(async () => await page.setViewportSize({ width, height: 900 }));

		it('fits the width', async () => {
			await takeScreenshot(page, `sandbox-page-${name}`, true);
			expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width);
		});

		it.each(['light', 'dark'] as const)('has no violation that axe finds, %s', async (scheme) => {
			await page.emulateMedia({ colorScheme: scheme });
			await page.addScriptTag({ path: require.resolve('axe-core/axe.min.js') });
			const { violations } = await page.evaluate<AxeResults>('axe.run()');
			expect(
				violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`),
			).toEqual([]);
		});
	});
});
