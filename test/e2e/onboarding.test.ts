import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startDemo, type Demo } from '../../demo/demo';
import { OPERATOR } from '../../demo/provision';
import { People } from '../../sandbox/data/people';
import { reserve } from '../../sandbox/data/people/reserved';
import { defaultOptions } from '../../sandbox/options';
import { until } from '../support/until';
import { describeWithBrowser } from './support/browser';
import { Editor } from './support/editor';
import { outOf } from './support/executions';
import { launchBrowser, takeScreenshot } from './support/launch';

const MINUTES = 60_000;
/** What n8n says of itself, and no page of the flow may. */
const ENGLISH =
	/\b(the|please|problem|required|submit|submitted|invalid|error|try again|form|response)\b/i;

interface Applicant {
	name: string;
	firstLastName: string;
	secondLastName: string;
	birthDate: string;
	curp: string;
}

const people = new People(defaultOptions.seed);
const reserved = reserve(people).map((one) => ({ ...one, name: one.givenNames }));
const [elena, nadia] = reserved as Applicant[];
/** Whom the registry of the sandbox has under a CURP. */
const registered = (curp: string): Applicant => people.byCurp(curp);
const LOST = registered('GOEL901231MDFDSR07');
const DOWN = registered('PELP900821HDFRND07');
const TWICE = registered('MASA880505MJCRLN00');

const CURP = 'CURP';
const RFC = 'RFC_CALCULATOR';
const CRF = 'CRF';
const ALL = [CURP, RFC, CRF];

describeWithBrowser('applicants at the form of Onboard applicant, published', () => {
	let demo: Demo;
	let browser: Browser;
	let context: BrowserContext;
	/** One row for each submission: what happened, which page came, what was billed. */
	const table: Array<[what: string, page: string, billed: string]> = [];

	beforeAll(async () => {
		demo = await startDemo();
		browser = await launchBrowser();
		context = await browser.newContext({ locale: 'es-MX' });
		context.setDefaultTimeout(MINUTES);
	}, 5 * MINUTES);
	afterAll(async () => {
		await browser?.close();
		await demo?.stop();
		const file = join(__dirname, '..', '..', '.test-output', 'e2e', 'onboarding-billed.txt');
		await writeFile(file, table.map((row) => row.join(' | ') + '\n').join(''));
	}, MINUTES);

	const control = async <T>(path: string, method = 'GET', body?: unknown): Promise<T> => {
		const answer = await fetch(new URL(`sandbox/${path}`, demo.sandbox.page), {
			method,
			headers: body === undefined ? {} : { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
		return (await answer.json()) as T;
	};
	const billed = async () =>
		(await control<Array<{ service: string }>>('ledger')).map(({ service }) => service);
	const faults = async (...rules: object[]) => await control('faults', 'PUT', rules);

	const address = () => `${demo.n8n.url}/form/onboard-applicant`;
	const open = async () => {
		const page = await context.newPage();
		await page.goto(address());
		return page;
	};
	const type = async (page: Page, applicant: Partial<Applicant>) => {
		const labels: Array<[keyof Applicant, string]> = [
			['name', 'Nombre(s)'],
			['firstLastName', 'Primer apellido'],
			['secondLastName', 'Segundo apellido'],
			['birthDate', 'Fecha de nacimiento'],
			['curp', 'CURP'],
		];
		for (const [key, label] of labels) {
			const value = applicant[key];
			if (value !== undefined) await page.getByLabel(label, { exact: true }).fill(value);
		}
	};
	const fill = async (applicant: Applicant) => {
		const page = await open();
		await type(page, applicant);
		await page.getByLabel('Correo electrónico').fill('solicitante@correo.mx');
		await page.getByLabel('Leí y acepto la autorización').check();
		return page;
	};
	/** Sends the form and waits for the page that follows; returns what a person reads there. */
	const send = async (
		page: Page,
		click: () => Promise<void> = async () => await button(page).click(),
	) => {
		const followed = page.waitForEvent('load');
		await click();
		await followed;
		return await page.locator('body').innerText();
	};
	const button = (page: Page) => page.locator('#submit-btn');

	/** Notes the page and what was billed since `from`, and that no page spoke English. */
	const noted = async (what: string, from: number, ...pages: string[]) => {
		const services = (await billed()).slice(from);
		const last = pages.at(-1) ?? '';
		table.push([what, /Gracias|Corrija sus datos/.exec(last)?.[0] ?? last, services.join(' ')]);
		expect(pages.filter((text) => ENGLISH.test(text))).toEqual([]);
		return services;
	};

	const kept = async (): Promise<Array<Record<string, unknown>>> => {
		const runs = await demo.n8n.client.executions(
			demo.workflows.get('onboard-applicant')?.id as string,
		);
		return runs.flatMap((run) => outOf(run, 'Keep outcome'));
	};

	it(
		'a right one is thanked, and three queries are billed; the same one again is not billed',
		async () => {
			const page = await fill(elena);
			const thanks = await send(page);
			await takeScreenshot(page, 'onboarding-thank-you', true);
			expect(await noted('right', 0, thanks)).toEqual(ALL);
			expect(thanks).toContain('Gracias, Elena');
			expect(await noted('the same again', 3, await send(await fill(elena)))).toEqual([]);
		},
		3 * MINUTES,
	);

	const wrong: Array<[what: string, typed: Partial<Applicant>, told: string]> = [
		['wrong digit', { curp: 'EISE850314MDFXGL09' }, 'el último número no corresponde'],
		['letter O for zero', { curp: 'EISE85O314MDFXGL08' }, '¿Quiso escribir el número 0?'],
		['a character too few', { curp: 'EISE850314MDFXGL0' }, 'Tiene 17 caracteres'],
		['a month that is none', { curp: 'EISE851314MDFXGL08' }, 'no existe'],
		['a state that is none', { curp: 'EISE850314MZZXGL08' }, 'ningún estado'],
		['another birth date', { birthDate: '1985-04-13' }, 'No es la fecha que lleva su CURP'],
	];
	it.each(wrong)(
		'%s: a page in Spanish names it, the correction goes on, and nothing is billed',
		async (what, typed, told) => {
			const from = (await billed()).length;
			const page = await fill({ ...elena, ...typed });
			const correct = await send(page);
			expect(correct).toContain(told);
			await takeScreenshot(page, `onboarding-${what.replaceAll(' ', '-')}`, true);
			await page.reload();
			expect(await page.getByLabel('Nombre(s)').inputValue()).toBe('Elena');
			await type(page, elena);
			const thanks = await send(page);
			expect(thanks).toContain('Gracias, Elena');
			expect(await noted(what, from, correct, thanks)).toEqual([]);
		},
		3 * MINUTES,
	);

	it(
		'an unknown person is asked to correct; who confirms the CURP is kept for a person to look at',
		async () => {
			const from = (await billed()).length;
			const page = await fill(nadia);
			const correct = await send(page);
			expect(correct).toContain('no tiene esta CURP');
			const thanks = await send(page);
			expect(thanks).toContain('Gracias');
			expect(await noted('unknown person, who insists', from, correct, thanks)).toEqual([]);
		},
		3 * MINUTES,
	);

	it(
		'another name than the registry has stops the case after the first query',
		async () => {
			const from = (await billed()).length;
			const other = { ...TWICE, firstLastName: 'Otroapellido' };
			expect(await noted('another name', from, await send(await fill(other)))).toEqual([CURP]);
			// n8n lists an execution once it has ended, which is after the page
			const row = await until('the row of the case', async () =>
				(await kept()).find(({ primerApellido }) => primerApellido === 'Otroapellido'),
			);
			expect(row.estado).toBe('por revisar');
		},
		3 * MINUTES,
	);

	it(
		'a lost answer of each query is found, and billed once',
		async () => {
			const from = (await billed()).length;
			await faults(
				...['curp-data', 'rfc-calculator', 'crf'].map((path) => {
					return { path: `/api/query/${path}`, times: 1, fault: 'resetAfter' };
				}),
			);
			const thanks = await send(await fill(LOST));
			await faults();
			expect(await noted('lost answers', from, thanks)).toEqual(ALL);
		},
		3 * MINUTES,
	);

	it(
		'while the service is down the applicant is thanked and kept, and asked about later, once',
		async () => {
			const from = (await billed()).length;
			await faults({ path: '/api/query', fault: 'resetBefore' });
			const thanks = await send(await fill(DOWN));
			await faults();
			expect(await noted('service down', from, thanks)).toEqual([]);
			const editor = await Editor.signIn(demo.n8n);
			await editor.open(demo.workflows.get('onboard-applicant')?.id as string);
			await editor.click('Every 15 minutes');
			await editor.succeeded();
			await editor.close();
			expect((await noted('asked again by the schedule', from)).sort()).toEqual([...ALL].sort());
		},
		4 * MINUTES,
	);

	it(
		'a double click, two windows at once, and Back with a second submission are billed once',
		async () => {
			const from = (await billed()).length;
			const twice = await fill(TWICE);
			const clicked = await send(twice, async () => await button(twice).dblclick());
			const first = await noted('double click', from, clicked);
			expect(first).toEqual([RFC, CRF]); // its CURP data is reused from the name that was wrong
			const [one, other] = [await fill(TWICE), await fill(TWICE)];
			const both = await Promise.all([send(one), send(other)]);
			expect(await noted('two windows at once', from + 2, ...both)).toEqual([]);
			const back = await fill(elena);
			const before = await send(back);
			await back.goBack();
			await back.goForward();
			const again = await back.locator('body').innerText();
			expect(again).toContain('Gracias');
			expect(await noted('back and forward', from + 2, before, again)).toEqual([]);
		},
		5 * MINUTES,
	);

	it(
		'what is missing is said in Spanish, before anything is sent',
		async () => {
			const page = await open();
			await button(page).click();
			const seen = await page.locator('body').innerText();
			await takeScreenshot(page, 'onboarding-missing', true);
			expect(await noted('empty form', (await billed()).length, seen)).toEqual([]);
		},
		MINUTES,
	);

	it(
		'operators see the doubtful cases first, and the dossier; nobody else does',
		async () => {
			const url = `${demo.n8n.url}/webhook/solicitudes`;
			expect((await fetch(url)).status).toBe(401);
			const operators = await browser.newContext({
				httpCredentials: { username: OPERATOR.user, password: OPERATOR.password },
			});
			const page = await operators.newPage();
			await page.goto(url);
			await takeScreenshot(page, 'onboarding-list', true);
			const states = await page.locator('tr mark').allInnerTexts();
			expect(states[0]).toBe('por revisar');
			const regimes = page.getByText(/Régimen|Sueldos|Personas Físicas/);
			await page
				.getByRole('row')
				.filter({ hasText: 'consultada' })
				.getByRole('link')
				.last()
				.click();
			await regimes.first().waitFor();
			await takeScreenshot(page, 'onboarding-dossier', true);
			const dossier = await page.locator('body').innerText();
			expect(dossier).toContain(elena.curp);
			expect(dossier).toContain('Vigente');
			expect(dossier).toContain('Coincide con el calculado');
		},
		2 * MINUTES,
	);
});
