import {
	chromium,
	type Browser,
	type BrowserContext,
	type BrowserContextOptions,
	type Page,
} from 'playwright-core';
import { findChromium } from './chromium';
import { artifactPath } from './artifacts';

/** `.ci/run` takes pictures only on demand, as on GitHub, which stores them; each takes the time of a few clicks. */
const WITH_PICTURES = !process.env.CI || process.env.PICTURES === 'true';

const FLAGS = [
	'--no-sandbox', // Chromium refuses to start as root with it
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
	'--js-flags=--no-opt', // the editor's scripts run too briefly to be worth optimizing
];

/** Starts a Chromium, headless unless a person is to see it. Throws when there is none. */
export async function launchBrowser(headless = true): Promise<Browser> {
	const executablePath = findChromium();
	if (!executablePath)
		throw new Error('There is no Chromium. Run: npx playwright-core install chromium');
	return await chromium.launch({ executablePath, headless, args: FLAGS });
}

/** For what a test waits in a page; playwright's own 30 s are too short for a busy machine. */
const PAGE_TIMEOUT_MS = 300_000;

/** Run in each page before its own scripts. */
const STAND_STILL = `document.addEventListener('DOMContentLoaded', () => {
	const style = document.createElement('style');
	style.textContent = '*, *::before, *::after { animation: none !important; transition: none !important }';
	document.head.append(style);
});`;

/** A browser context without motion and compression: on the loopback address they cost CPU time, and show nothing. */
export async function newContext(
	browser: Browser,
	options: BrowserContextOptions = {},
): Promise<BrowserContext> {
	const context = await browser.newContext({
		reducedMotion: 'reduce',
		extraHTTPHeaders: { 'accept-encoding': 'identity' },
		...options,
	});
	context.setDefaultTimeout(PAGE_TIMEOUT_MS);
	await context.addInitScript(STAND_STILL); // n8n's editor moves all the same
	return context;
}

export async function takeScreenshot(page: Page, name: string, fullPage = false): Promise<void> {
	if (!WITH_PICTURES) return;
	const path = artifactPath(`${name}.png`);
	await page.screenshot({ path, fullPage, animations: 'disabled' });
}
