import { People } from '../../../sandbox/data/people/people';
import { addReservedIdentities } from '../../../sandbox/data/people/reserved';
import { defaultOptions } from '../../../sandbox/options';
import { violationsOf } from '../support/accessibility';
import { describeIfChromium } from '../support/describeIfChromium';
import { newContext, takeScreenshot } from '../support/browser';
import { Onboarding, TABLES, type Applicant, type CaseDossier } from '../support/onboarding';
import { startDemoOncePerFile, openEditorOncePerFile } from '../support/sharedDemo';

const MINUTES = 60_000;
/** n8n says this of itself, and no page of the flow may. */
const ENGLISH =
	/\b(the|please|problem|required|submit|submitted|invalid|error|try again|form|response)\b/i;

const people = new People(defaultOptions.seed);
const [, nadia] = addReservedIdentities(people).map((one) => ({ ...one, name: one.givenNames }));
/** Whom the registry of the sandbox has under a CURP. No example queries them. */
const registered = (curp: string): Applicant => people.byCurp(curp);
const PATH = registered('ROXA750909HDFDNL07');
const DOWN = registered('PEXL990821HSRRXS05');
const TWICE = registered('MASA880505MJCRLN00');

const ALL = ['CURP', 'RFC_CALCULATOR', 'CRF'];

/** What can be wrong in the form is in `test/repository/examples`; here is what needs n8n and a browser. */
describeIfChromium('applicants at the form of Onboard applicant, published', () => {
	let flow: Onboarding;

	beforeAll(async () => {
		flow = await Onboarding.in(await startDemoOncePerFile(), await openEditorOncePerFile());
	}, 5 * MINUTES);
	afterAll(async () => {
		await flow?.close();
	}, MINUTES);

	const since = async () => (await flow.billed()).length;
	/** The bill since `from`, and the state of the case, once it is complete. No page may speak English. */
	const outcome = async (from: number, page: string) => {
		expect(page).not.toMatch(ENGLISH);
		const [folio] = /S-\w{4}-\w{4}/.exec(page) ?? [];
		const found: Partial<CaseDossier> = folio ? await flow.complete(folio) : {};
		const services = (await flow.billed()).slice(from);
		return { services, state: found.estado, codes: found.findings?.map(({ code }) => code) };
	};
	const REVIEW = 'por revisar';
	const DONE = 'consultada';

	it(
		'bills a valid application three queries, and an equal one in small letters nothing',
		async () => {
			const from = await since();
			const page = await flow.fill(PATH);
			await takeScreenshot(page, 'onboarding-form', true);
			const thanks = await flow.send(page);
			await takeScreenshot(page, 'onboarding-thank-you', true);
			expect(await violationsOf(page)).toEqual([]);
			expect(thanks).toContain(`Gracias, ${PATH.name}`);
			expect(await outcome(from, thanks)).toEqual({ services: ALL, state: DONE, codes: [] });
			const again = await flow.fill({ ...PATH, curp: ` ${PATH.curp.toLowerCase()} ` });
			expect(await outcome(from + 3, await flow.send(again))).toEqual({
				...{ services: [], state: DONE, codes: ['DUPLICATE_CURP'] },
			});
		},
		5 * MINUTES,
	);

	it(
		'a page names a mistake and keeps the data; nothing is stored or billed until it is corrected',
		async () => {
			const [from, before] = [await since(), (await flow.rows(TABLES.cases)).length];
			const digit = (Number(PATH.curp.at(-1)) + 1) % 10;
			const page = await flow.fill({ ...PATH, curp: `${PATH.curp.slice(0, -1)}${digit}` });
			const correct = await flow.send(page);
			expect(correct).toContain('el último número no corresponde');
			expect(await page.getByLabel('Primer apellido').inputValue()).toBe(PATH.firstLastName);
			await takeScreenshot(page, 'onboarding-wrong-digit', true);
			expect(await violationsOf(page)).toEqual([]);
			expect(await outcome(from, correct)).toMatchObject({ services: [], state: undefined });
			expect((await flow.rows(TABLES.cases)).length).toBe(before);
			await flow.type(page, PATH);
			expect(await outcome(from, await flow.send(page))).toMatchObject({
				...{ services: [], state: DONE },
			});
		},
		4 * MINUTES,
	);

	it(
		'an unknown person reads the same page as a known one, and a person gets the case',
		async () => {
			const from = await since();
			const thanks = await flow.send(await flow.fill(nadia));
			expect(await outcome(from, thanks)).toEqual({
				...{ services: [], state: REVIEW, codes: ['CURP_QUERY_NOT_FOUND'] },
			});
			const known = await flow.send(await flow.fill(PATH));
			const neutral = (text: string) =>
				text
					.replace(/Gracias, .*?\. Recibimos/, 'Gracias. Recibimos')
					.replace(/S-\w{4}-\w{4}/, 'S')
					.replace(/\d+ de \w+ de \d+, \d\d:\d\d/, 'hoy');
			expect(neutral(known)).toBe(neutral(thanks));
		},
		4 * MINUTES,
	);

	it(
		'thanks the applicant during an outage, and queries later, once',
		async () => {
			const from = await since();
			await flow.faults({ path: '/api/query', fault: 'resetBefore' });
			const thanks = await flow.send(await flow.fill(DOWN));
			const down = await outcome(from, thanks);
			await flow.faults();
			expect(down).toMatchObject({ services: [], state: 'por consultar' });
			await flow.runInEditor('verify-applicant', 'Every 15 minutes');
			const later = await outcome(from, thanks);
			expect(later).toMatchObject({ services: ALL, state: DONE });
		},
		4 * MINUTES,
	);

	it(
		'bills a double click, two windows and a reload of a form once',
		async () => {
			const from = await since();
			const twice = await flow.fill(TWICE);
			const clicked = await flow.send(
				twice,
				async () => await twice.getByRole('button').dblclick(),
			);
			expect(await outcome(from, clicked)).toMatchObject({ services: ALL, state: DONE });
			const again = twice.waitForEvent('load');
			await twice.reload();
			await again;
			const [folio] = /S-\w{4}-\w{4}/.exec(clicked) ?? [];
			expect(await twice.locator('body').innerText()).toContain(folio);
			const windows = [await flow.fill(TWICE), await flow.fill(TWICE)];
			const both = await Promise.all(windows.map(async (page) => await flow.send(page)));
			for (const text of both) {
				expect(await outcome(from + 3, text)).toMatchObject({ services: [], state: DONE });
			}
			expect((await flow.dossier(String(folio))).duplicados.length).toBe(2);
		},
		5 * MINUTES,
	);

	it.each([
		['desktop', 1280, 800],
		['phone', 390, 844],
	])(
		'the pages are in Spanish, accessible, and no wider than a %s',
		async (name, width, height) => {
			const context = await flow.operator();
			const page = await context.newPage();
			await page.setViewportSize({ width, height });
			const list = `${flow.demo.n8n.url}/webhook/solicitudes`;
			expect((await fetch(list)).status).toBe(401); // without a login
			const folio = String((await flow.rows(TABLES.cases))[0].folio);
			const pages = { form: flow.formAddress, list, dossier: `${list}?folio=${folio}` };
			for (const [what, address] of Object.entries(pages)) {
				await page.goto(address);
				await takeScreenshot(page, `onboarding-${what}-${name}`, true);
				expect([what, await violationsOf(page)]).toEqual([what, []]);
				expect(await page.locator('html').getAttribute('lang')).toBe('es-MX');
				expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width);
			}
			await context.close();
		},
		3 * MINUTES,
	);

	it(
		'the form helps the browser to fill it in, sends nothing empty, and loads nothing from elsewhere',
		async () => {
			const requested: string[] = [];
			const context = await newContext(flow.browser, { locale: 'es-MX' });
			const page = await context.newPage();
			page.on('request', (request) => requested.push(request.url()));
			await page.goto(flow.formAddress);
			const hints = await page
				.locator('input[autocomplete]')
				.evaluateAll((all: Array<{ autocomplete: string }>) => all.map((one) => one.autocomplete));
			expect(hints).toEqual([
				...['off', 'given-name', 'family-name', 'off', 'bday', 'off'], // the amount first, the CURP last
				...['email', 'tel-national'],
			]);
			await page.getByRole('button').click();
			expect(await page.locator('input:invalid').count()).toBeGreaterThanOrEqual(6);
			expect(requested.filter((url) => !url.startsWith(flow.demo.n8n.url))).toEqual([]);
			await context.close();
		},
		MINUTES,
	);

	it(
		'the dossier of a case prints on one page, and times agree between the pages',
		async () => {
			const context = await flow.operator();
			const page = await context.newPage();
			const row = (await flow.rows(TABLES.cases)).find(({ curp }) => curp === PATH.curp);
			await page.goto(`${flow.demo.n8n.url}/webhook/solicitudes?folio=${String(row?.folio)}`);
			await page
				.getByText('605')
				.or(page.getByText(/Régimen/))
				.first()
				.waitFor();
			const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
			expect(pdf.match(/\/Type\s*\/Page\b(?!s)/g)?.length).toBe(1);
			await page.emulateMedia({ media: 'print' });
			await page.setViewportSize({ width: 724, height: 980 });
			await takeScreenshot(page, 'onboarding-dossier-print', true);
			const received = String(row?.recibida); // as on the thank-you page
			const shown = `${received.slice(8, 10)}/${received.slice(5, 7)}/${received.slice(0, 4)} ${received.slice(11, 16)}`;
			expect(await page.locator('body').innerText()).toContain(shown);
			await context.close();
		},
		3 * MINUTES,
	);
});
