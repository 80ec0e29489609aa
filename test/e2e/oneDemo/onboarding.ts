import type { Browser, BrowserContext, Page } from 'playwright-core';
import { fetchUnpooled } from '../../../demo/http';
import type { Demo } from '../../../demo/demo';
import { OPERATOR } from '../../../demo/provision';
import { People } from '../../../sandbox/data/people';
import { reserve } from '../../../sandbox/data/people/reserved';
import { defaultOptions } from '../../../sandbox/options';
import { until } from '../../support/until';
import { describeWithBrowser } from '../support/browser';
import { newContext, takeScreenshot } from '../support/launch';
import { oneDemo, oneEditor } from '../support/oneDemo';
import { keepRows } from '../support/output';

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
const [elena, nadia, paula, fatima] = reserved as Applicant[];
/** Whom the registry of the sandbox has under a CURP. */
const registered = (curp: string): Applicant => people.byCurp(curp);
const LOST = registered('GOEL901231MDFDSR07');
const DOWN = registered('PELP900821HDFRND07');
const TWICE = registered('MASA880505MJCRLN00');
const GONE = registered('PEXL990821HSRRXS05');

const CURP = 'CURP';
const RFC = 'RFC_CALCULATOR';
const CRF = 'CRF';
const ALL = [CURP, RFC, CRF];

describeWithBrowser('applicants at the form of Onboard applicant, published', () => {
	let demo: Demo;
	let browser: Browser;
	let context: BrowserContext;
	/** One row for each submission: what happened, which page came, what was billed, the state of the case. */
	const table: string[][] = [['submission', 'page', 'billed', 'state of the case']];
	/** The folios that applicants have read. */
	const folios = new Set<string>();

	beforeAll(async () => {
		demo = await oneDemo();
		browser = (await oneEditor()).page.context().browser() as Browser;
		context = await newContext(browser, { locale: 'es-MX' });
	});
	afterAll(async () => {
		await context?.close();
		keepRows('onboarding-billed.md', table);
	});

	const control = async <T>(path: string, method = 'GET', body?: unknown): Promise<T> => {
		const answer = await fetchUnpooled(new URL(`sandbox/${path}`, demo.sandbox.page), {
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
	const complete = async (page: Page, applicant: Applicant) => {
		await type(page, applicant);
		await page.getByLabel('Correo electrónico').fill('solicitante@correo.mx');
		await page.getByLabel('Leí y acepto la autorización').check();
	};
	const fill = async (applicant: Applicant) => {
		const page = await open();
		await complete(page, applicant);
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
	/** The form's text with what its styles write below a field that is missing. */
	const missing = async (page: Page) => {
		const word = "getComputedStyle(document.querySelector('.error-show'), '::after').content";
		return `${await page.locator('body').innerText()} ${await page.evaluate<string>(word)}`;
	};

	const OPERATORS = `Basic ${Buffer.from(`${OPERATOR.user}:${OPERATOR.password}`).toString('base64')}`;
	/** The state of each case, by its folio, as the operator's list shows it. */
	const states = async (): Promise<Map<string, string>> => {
		const url = `${demo.n8n.url}/webhook/solicitudes`;
		const list = await (await fetchUnpooled(url, { headers: { authorization: OPERATORS } })).text();
		const rows = list.matchAll(/>(S-\d{6})<.*?<mark[^>]*>([^<]+)</g);
		return new Map([...rows].map(([, folio, state]) => [folio, state]));
	};

	/** Notes the page, what was billed since `from` and where the case is, and that no page spoke English. */
	const noted = async (what: string, from: number, ...pages: string[]) => {
		const services = (await billed()).slice(from);
		const last = pages.at(-1) ?? '';
		const [page = 'none'] = /Gracias|Corrija sus datos|Falta este dato/.exec(last) ?? [];
		const known = await states();
		const folio =
			/S-\d{6}/.exec(last)?.[0] ??
			(page.startsWith('Corrija') ? [...known.keys()].sort().at(-1) : '');
		const state = folio ? (known.get(folio) ?? 'lost') : 'none';
		if (folio) folios.add(folio);
		table.push([what, page, services.join(', ') || 'none', state]);
		expect(pages.filter((text) => ENGLISH.test(text))).toEqual([]);
		return { services, state };
	};
	const REVIEW = 'por revisar';
	const ASKED = 'consultada';

	it('a right one is thanked, and three queries are billed; the same one again is not billed', async () => {
		const page = await fill(elena);
		const thanks = await send(page);
		await takeScreenshot(page, 'onboarding-thank-you', true);
		expect(await noted('right', 0, thanks)).toEqual({ services: ALL, state: ASKED });
		expect(thanks).toContain('Gracias, Elena');
		const again = await noted('the same again', 3, await send(await fill(elena)));
		expect(again).toEqual({ services: [], state: ASKED });
	});

	it('small letters and blanks in the CURP are no mistake', async () => {
		const from = (await billed()).length;
		const typed = { ...elena, curp: ` ${elena.curp.toLowerCase()} ` };
		const thanks = await send(await fill(typed));
		expect(await noted('small letters, blanks', from, thanks)).toEqual({
			services: [],
			state: ASKED,
		});
	});

	const DIGIT = 'el último número no corresponde';
	const BIRTH = 'No es la fecha que lleva su CURP';
	const wrong: Array<[what: string, typed: Partial<Applicant>, told: string[]]> = [
		['wrong digit', { curp: 'EISE850314MDFXGL09' }, [DIGIT]],
		['letter O for zero', { curp: 'EISE85O314MDFXGL08' }, ['¿Quiso escribir el número 0?']],
		['a character too few', { curp: 'EISE850314MDFXGL0' }, ['Tiene 17 caracteres']],
		['a month that is none', { curp: 'EISE851314MDFXGL08' }, ['no existe']],
		['a state that is none', { curp: 'EISE850314MZZXGL08' }, ['ningún estado']],
		['another birth date', { birthDate: '1985-04-13' }, [BIRTH]],
		[
			'a wrong digit and another birth date',
			{ curp: 'EISE850314MDFXGL09', birthDate: '1985-04-13' },
			[DIGIT],
		],
	];
	it.each(wrong)(
		'%s: a page in Spanish names it, the correction goes on, and nothing is billed',
		async (what, typed, told) => {
			const from = (await billed()).length;
			const page = await fill({ ...elena, ...typed });
			const correct = await send(page);
			for (const text of told) expect(correct).toContain(text);
			await takeScreenshot(page, `onboarding-${what.replaceAll(' ', '-')}`, true);
			await page.reload();
			expect(await page.getByLabel('Nombre(s)').inputValue()).toBe('Elena');
			await noted(what, from, correct);
			await type(page, elena);
			const thanks = await send(page);
			expect(thanks).toContain('Gracias, Elena');
			const corrected = await noted(`${what}, corrected`, from, thanks);
			expect(corrected).toEqual({ services: [], state: ASKED });
		},
	);

	it('who cannot correct it in five times is thanked, and a person looks at the case', async () => {
		const from = (await billed()).length;
		const page = await fill({ ...elena, curp: 'EISE850314MDFXGL09' });
		for (let times = 1; times < 5; times++) expect(await send(page)).toContain(DIGIT);
		const thanks = await send(page);
		expect(await noted('wrong digit, five times', from, thanks)).toEqual({
			services: [],
			state: REVIEW,
		});
	});

	it('an unknown person is asked to correct; who confirms the CURP is kept for a person to look at', async () => {
		const from = (await billed()).length;
		const page = await fill(nadia);
		const correct = await send(page);
		expect(correct).toContain('no tiene esta CURP');
		await noted('unknown person', from, correct);
		const thanks = await send(page);
		expect(await noted('unknown person, who insists', from, thanks)).toEqual({
			services: [],
			state: REVIEW,
		});
	});

	it('another name than the registry has stops the case after the first query', async () => {
		const from = (await billed()).length;
		const other = { ...TWICE, firstLastName: 'Otroapellido' };
		expect(await noted('another name', from, await send(await fill(other)))).toEqual({
			services: [CURP],
			state: REVIEW,
		});
	});

	it.each([
		['a query that fails', () => fatima],
		['a result that never comes', () => paula],
	])('%s leaves the case to a person, and nothing is asked again by itself', async (what, whom) => {
		const from = (await billed()).length;
		const found = await noted(what, from, await send(await fill(whom())));
		expect(found).toEqual({ services: [CURP], state: REVIEW });
	});

	it('a lost answer of each query is found, and billed once', async () => {
		const from = (await billed()).length;
		await faults(
			...['curp-data', 'rfc-calculator', 'crf'].map((path) => {
				return { path: `/api/query/${path}`, times: 1, fault: 'resetAfter' };
			}),
		);
		const thanks = await send(await fill(LOST));
		await faults();
		expect(await noted('lost answers', from, thanks)).toEqual({ services: ALL, state: ASKED });
	});

	it('while the service is down the applicant is thanked and kept, and asked about later, once', async () => {
		const from = (await billed()).length;
		await faults({ path: '/api/query', fault: 'resetBefore' });
		const thanks = await send(await fill(DOWN));
		await faults();
		expect(await noted('service down', from, thanks)).toEqual({
			services: [],
			state: 'por consultar',
		});
		const editor = await oneEditor();
		await editor.open(demo.workflows.get('onboard-applicant')?.id as string);
		await editor.click('Every 15 minutes');
		await editor.succeeded();
		const later = await noted('(its case, asked about by the schedule)', from, thanks);
		expect(later).toEqual({ services: ALL, state: ASKED });
	});

	it('who closes the window after sending is kept, and asked about once', async () => {
		const from = (await billed()).length;
		const page = await fill(GONE);
		const taken = page.waitForResponse((answer) => answer.request().method() === 'POST');
		await button(page).click();
		await taken;
		await page.close();
		await until('all queries about who left', async () => (await billed()).length === from + 3);
		const found = await until('the case of who left', async () =>
			[...(await states())].find(([folio, state]) => !folios.has(folio) && state === ASKED),
		);
		const left = await noted('window closed after sending', from, `closed: ${found[0]}`);
		expect(left).toEqual({ services: ALL, state: ASKED });
	});

	it('a double click, two windows at once, and Back with a second submission are billed once', async () => {
		const from = (await billed()).length;
		const twice = await fill(TWICE);
		const clicked = await send(twice, async () => await button(twice).dblclick());
		const first = await noted('double click', from, clicked);
		expect(first).toEqual({ services: [RFC, CRF], state: ASKED }); // CURP data: of the name that was wrong
		const none = { services: [], state: ASKED };
		const [one, other] = [await fill(TWICE), await fill(TWICE)];
		const both = await Promise.all([send(one), send(other)]);
		expect(await noted('two windows at once, one', from + 2, both[0])).toEqual(none);
		expect(await noted('two windows at once, the other', from + 2, both[1])).toEqual(none);
		const back = await fill(elena);
		const before = await send(back);
		await back.goBack();
		await back.goForward();
		const again = await back.locator('body').innerText();
		expect(again).toContain('Gracias');
		expect(await noted('back button, and forward', from + 2, before, again)).toEqual(none);
		await back.goBack(); // to what was there before the form
		await back.goto(address());
		await complete(back, elena);
		expect(await noted('back button, and sent again', from + 2, await send(back))).toEqual(none);
		const correcting = await fill({ ...elena, curp: 'EISE850314MDFXGL09' });
		await send(correcting);
		await correcting.goBack();
		await correcting.goForward();
		await type(correcting, elena);
		const corrected = await noted('back button while correcting', from + 2, await send(correcting));
		expect(corrected).toEqual(none);
	});

	it('what is missing is said in Spanish, before anything is sent', async () => {
		const from = (await billed()).length;
		const empty = await open();
		await button(empty).click();
		await takeScreenshot(empty, 'onboarding-missing', true);
		const said = await missing(empty);
		await noted('empty form', from, said);
		const without = await fill(elena);
		await without.getByLabel('Leí y acepto la autorización').uncheck();
		await button(without).click();
		const told = await missing(without);
		expect(await noted('without the authorization', from, told)).toEqual({
			services: [],
			state: 'none',
		});
	});

	it('twenty submissions and more have each come to a page, and no case is lost', () => {
		const submissions = table.slice(1).filter(([what]) => !what.startsWith('('));
		expect(submissions.length).toBeGreaterThanOrEqual(20);
		expect(table.filter((row) => row.includes('lost'))).toEqual([]);
	});

	it('operators see the doubtful cases first, and the dossier; nobody else does', async () => {
		const url = `${demo.n8n.url}/webhook/solicitudes`;
		expect((await fetchUnpooled(url)).status).toBe(401);
		const operators = await newContext(browser, {
			httpCredentials: { username: OPERATOR.user, password: OPERATOR.password },
		});
		const page = await operators.newPage();
		await page.goto(url);
		await takeScreenshot(page, 'onboarding-list', true);
		const shown = await page.locator('tr mark').allTextContents();
		expect(shown[0]).toBe(REVIEW);
		const regimes = page.getByText(/Régimen|Sueldos|Personas Físicas/);
		await page.getByRole('row').filter({ hasText: 'consultada' }).getByRole('link').last().click();
		await regimes.first().waitFor();
		await takeScreenshot(page, 'onboarding-dossier', true);
		const dossier = await page.locator('body').innerText();
		await operators.close();
		expect(dossier).toContain(elena.curp);
		expect(dossier).toContain('Vigente');
		expect(dossier).toContain('Coincide con el calculado');
	});
});
