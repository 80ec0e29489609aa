import vectors from '../../fixtures/identifier-vectors.json';
import { People } from '../../../sandbox/data/people/generatePeople';
import { addReservedIdentities } from '../../../sandbox/data/people/reserved';
import { defaultOptions } from '../../../sandbox/optionTypesAndDefaults';
import { until } from '../../support/until';
import { violationsOf } from '../support/accessibilityViolations';
import { describeIfChromium } from '../support/describeIfChromium';
import { newContext, takeScreenshot } from '../support/launchBrowser';
import {
	Onboarding,
	TABLES,
	type Applicant,
	type CaseDossier,
} from '../support/applicantOnboardingDriver';
import { startDemoOncePerFile, openEditorOncePerFile } from '../support/demoOncePerTestFile';
import { writeMarkdownRows } from '../support/testArtifacts';

const MINUTES = 60_000;
/** Defines what n8n says of itself, and no page of the flow may. */
const ENGLISH =
	/\b(the|please|problem|required|submit|submitted|invalid|error|try again|form|response)\b/i;

const people = new People(defaultOptions.seed);
const reserved = addReservedIdentities(people).map((one) => ({ ...one, name: one.givenNames }));
const [elena, nadia, paula, fatima] = reserved as Applicant[];
/** Whom the registry of the sandbox has under a CURP. */
const registered = (curp: string): Applicant => people.byCurp(curp);
const LOST = registered('GOEL901231MDFDSR07');
const DOWN = registered('PELP900821HDFRND07');
const TWICE = registered('MASA880505MJCRLN00');
const GONE = registered('PEXL990821HSRRXS05');
const others = (vectors.curpValid as Array<{ value: string }>)
	.map(({ value }) => value)
	.filter((curp) => /^[A-Z]{4}[5-9]\d{5}[HM]/.test(curp) && curp !== GONE.curp)
	.map(registered);
const [SOMEBODY] = others;

const ALL = ['CURP', 'RFC_CALCULATOR', 'CRF'];

describeIfChromium('applicants at the form of Onboard applicant, published', () => {
	let flow: Onboarding;
	/** One row for each submission: what happened, which page came, what was billed, the state of the case. */
	const table: string[][] = [['submission', 'page', 'billed', 'state of the case']];

	beforeAll(async () => {
		flow = await Onboarding.in(await startDemoOncePerFile(), await openEditorOncePerFile());
	}, 5 * MINUTES);
	afterAll(async () => {
		await flow?.close();
		writeMarkdownRows('onboarding-billed.md', table);
	}, MINUTES);

	/** Notes the page, the bill since `from` and the state of the case; no page may speak English. */
	const noted = async (what: string, from: number, ...pages: string[]) => {
		const last = pages.at(-1) ?? '';
		const [page = 'none'] = /Gracias|Corrija sus datos|Solicitud de crédito/.exec(last) ?? [];
		const [folio] = /S-\w{4}-\w{4}/.exec(last) ?? [];
		const found: Partial<CaseDossier> = folio ? await flow.verified(folio) : {};
		const services = (await flow.billed()).slice(from);
		const state = folio ? (found.estado ?? 'lost') : 'none';
		table.push([what, page, services.join(', ') || 'none', state]);
		expect(pages.filter((text) => ENGLISH.test(text))).toEqual([]);
		return { services, state, codes: found.findings?.map(({ code }) => code) ?? [] };
	};
	const since = async () => (await flow.billed()).length;
	const REVIEW = 'por revisar';
	const DONE = 'consultada';
	const NOTHING = { services: [], state: 'none' };

	it(
		'bills a valid application three queries, and an equal one nothing',
		async () => {
			const page = await flow.fill(elena);
			await takeScreenshot(page, 'onboarding-form', true);
			const thanks = await flow.send(page);
			await takeScreenshot(page, 'onboarding-thank-you', true);
			expect(await violationsOf(page)).toEqual([]);
			expect(await noted('right', 0, thanks)).toMatchObject({ services: ALL, state: DONE });
			expect(thanks).toContain('Gracias, Elena');
			const again = await noted('the same again', 3, await flow.send(await flow.fill(elena)));
			expect(again).toMatchObject({ services: [], state: DONE, codes: ['DUPLICATE_CURP'] });
		},
		5 * MINUTES,
	);

	it(
		'small letters and blanks in the CURP are no mistake',
		async () => {
			const from = await since();
			const typed = { ...elena, curp: ` ${elena.curp.toLowerCase()} ` };
			const thanks = await flow.send(await flow.fill(typed));
			expect(await noted('small letters, blanks', from, thanks)).toMatchObject({
				services: [],
				state: DONE,
			});
		},
		3 * MINUTES,
	);

	const wrong: Array<[what: string, typed: Partial<Applicant>, text: string]> = [
		['wrong digit', { curp: 'EISE850314MDFXGL09' }, 'el último número no corresponde'],
		['letter O for zero', { curp: 'EISE85O314MDFXGL08' }, '¿Quiso escribir el número 0?'],
		['a character too few', { curp: 'EISE850314MDFXGL0' }, 'Tiene 17 caracteres'],
		['an RFC', { curp: 'EISE850314BK8' }, 'Esto parece un RFC'],
		['a month that is none', { curp: 'EISE851314MDFXGL08' }, 'no existe'],
		['a state that is none', { curp: 'EISE850314MZZXGL08' }, 'ningún estado'],
		['another birth date', { birthDate: '1985-04-13' }, 'No es la fecha que lleva su CURP'],
		['a script', { name: '<script>alert(1)</script>' }, 'Escriba solo letras'],
		['names of somebody else', { name: 'Ricardo' }, 'no corresponden al nombre'],
	];
	it.each(wrong)(
		'%s: a page in Spanish names it, keeps the data, and nothing is stored or billed',
		async (what, typed, text) => {
			const [from, before] = [await since(), (await flow.rows(TABLES.cases)).length];
			const page = await flow.fill({ ...elena, ...typed });
			const correct = await flow.send(page);
			expect(correct).toContain(text);
			expect(await page.getByLabel('Primer apellido').inputValue()).toBe('Éxito');
			await takeScreenshot(page, `onboarding-${what.replaceAll(' ', '-')}`, true);
			expect(await violationsOf(page)).toEqual([]);
			expect(await noted(what, from, correct)).toMatchObject(NOTHING);
			expect((await flow.rows(TABLES.cases)).length).toBe(before);
			await page.close();
		},
		3 * MINUTES,
	);

	it(
		'a correction goes on, and is billed nothing that was billed before',
		async () => {
			const from = await since();
			const page = await flow.fill({ ...elena, curp: 'EISE850314MDFXGL09' });
			await flow.send(page);
			await flow.type(page, elena);
			const corrected = await noted('wrong digit, corrected', from, await flow.send(page));
			expect(corrected).toMatchObject({ services: [], state: DONE });
		},
		3 * MINUTES,
	);

	it(
		'the form truncates a name of 300 letters, and the server refuses it',
		async () => {
			const from = await since();
			const page = await flow.openForm();
			await page.getByLabel('Nombre(s)').fill('N'.repeat(300));
			expect((await page.getByLabel('Nombre(s)').inputValue()).length).toBe(256);
			const body = new URLSearchParams({ nombre: 'N'.repeat(300), envio: '' });
			const refused = await (await fetch(flow.formAddress, { method: 'POST', body })).text();
			expect(refused).toContain('Tiene más de 256 letras');
			const long = { ...others[1], name: `${others[1].name} ${'N'.repeat(200)}` };
			const typed = await flow.fill(long);
			const thanks = await flow.send(typed);
			await typed.setViewportSize({ width: 390, height: 844 });
			expect(await typed.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
			await takeScreenshot(typed, 'onboarding-long-name-phone', true);
			const found = await noted('a long name', from, thanks);
			expect(found).toMatchObject({ services: ['CURP'], state: REVIEW, codes: ['NAME_DIFFERS'] });
		},
		4 * MINUTES,
	);

	it(
		'who cannot correct it in five times is thanked, and a person gets the case',
		async () => {
			const from = await since();
			const page = await flow.fill({ ...elena, curp: 'EISE850314MDFXGL09' });
			for (let times = 1; times < 5; times++) await flow.send(page);
			const thanks = await flow.send(page);
			const found = await noted('wrong digit, five times', from, thanks);
			expect(found).toMatchObject({ services: [], state: REVIEW, codes: ['DATA_NOT_CORRECTED'] });
		},
		4 * MINUTES,
	);

	it(
		'an unknown person reads the same page as a known one, and a person gets the case',
		async () => {
			const from = await since();
			const page = await flow.fill(nadia);
			const thanks = await flow.send(page);
			const found = await noted('unknown person', from, thanks);
			expect(found).toMatchObject({ services: [], state: REVIEW, codes: ['CURP_QUERY_NOT_FOUND'] });
			const known = await flow.send(await flow.fill(others[2]));
			const neutral = (text: string) =>
				text
					.replace(/Gracias, .*?\. Recibimos/, 'Gracias. Recibimos')
					.replace(/S-\w{4}-\w{4}/, 'S')
					.replace(/\d+ de \w+ de \d+, \d\d:\d\d/, 'hoy');
			expect(neutral(known)).toBe(neutral(thanks));
			await noted('known person', from, known);
		},
		4 * MINUTES,
	);

	it(
		'another name than the registry has stops the case after the first query',
		async () => {
			const from = await since();
			const other = { ...TWICE, name: `${TWICE.name} Otro` };
			expect(await noted('another name', from, await flow.send(await flow.fill(other)))).toEqual({
				services: ['CURP'],
				state: REVIEW,
				codes: ['NAME_DIFFERS'],
			});
		},
		3 * MINUTES,
	);

	it.each([
		['a query that fails', () => fatima, 'CURP_QUERY_FAILED'],
		['a result that never comes', () => paula, 'CURP_QUERY_PENDING'],
	])(
		'%s leaves the case to a person, and nothing is queried again by itself',
		async (what, whom, code) => {
			const from = await since();
			const found = await noted(what, from, await flow.send(await flow.fill(whom())));
			expect(found).toEqual({ services: ['CURP'], state: REVIEW, codes: [code] });
		},
		3 * MINUTES,
	);

	it(
		'a lost response of each query is found, and billed once',
		async () => {
			const from = await since();
			await flow.faults(
				...['curp-data', 'rfc-calculator', 'crf'].map((path) => {
					return { path: `/api/query/${path}`, times: 1, fault: 'resetAfter' };
				}),
			);
			const found = await noted('lost responses', from, await flow.send(await flow.fill(LOST)));
			await flow.faults();
			expect(found).toMatchObject({ services: ALL, state: DONE });
		},
		3 * MINUTES,
	);

	it(
		'thanks the applicant during an outage, and queries later, once',
		async () => {
			const from = await since();
			await flow.faults({ path: '/api/query', fault: 'resetBefore' });
			const thanks = await flow.send(await flow.fill(DOWN));
			const down = await noted('service down', from, thanks);
			await flow.faults();
			expect(down).toMatchObject({ services: [], state: 'por consultar' });
			await flow.runInEditor('verify-applicant', 'Every 15 minutes');
			const later = await noted('(its case, by the schedule)', from, thanks);
			expect(later).toMatchObject({ services: ALL, state: DONE });
		},
		4 * MINUTES,
	);

	it(
		'who closes the window after sending has a case, queried once',
		async () => {
			const from = await since();
			const page = await flow.fill(GONE);
			const sent = page.waitForRequest((request) => request.method() === 'POST');
			await page.getByRole('button').click();
			await sent;
			await page.close();
			const folio = await until('the case of who left', async () => {
				const row = (await flow.rows(TABLES.cases)).find(({ curp }) => curp === GONE.curp);
				return row && String(row.folio);
			});
			expect(await noted('window closed', from, `Gracias ${folio}`)).toMatchObject({
				services: ALL,
				state: DONE,
			});
		},
		3 * MINUTES,
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
			const first = await noted('double click', from, clicked);
			expect(first).toMatchObject({ services: ['RFC_CALCULATOR', 'CRF'], state: DONE }); // CURP data: of the other name
			const again = twice.waitForEvent('load');
			await twice.reload();
			await again;
			const [folio] = /S-\w{4}-\w{4}/.exec(clicked) ?? [];
			const reloaded = await twice.locator('body').innerText();
			expect(reloaded).toContain(folio);
			const windows = [await flow.fill(TWICE), await flow.fill(TWICE)];
			const both = await Promise.all(windows.map(async (page) => await flow.send(page)));
			for (const text of both) {
				const found = await noted('two windows at once', from + 2, text);
				expect(found).toMatchObject({ services: [], state: DONE });
			}
			const { duplicados } = await flow.dossier(String(folio));
			expect(duplicados.length).toBe(3);
		},
		5 * MINUTES,
	);

	it(
		'an empty form sends nothing, and without the authorization nothing goes on',
		async () => {
			const from = await since();
			const empty = await flow.openForm();
			await empty.getByRole('button').click();
			expect(await empty.locator('input:invalid').count()).toBeGreaterThanOrEqual(6);
			await noted('empty form', from, await empty.locator('body').innerText());
			const page = await flow.fill(elena);
			await page.evaluate("document.querySelector('form').noValidate = true");
			await page.getByLabel('Leí y acepto la autorización').uncheck();
			const text = await flow.send(page);
			expect(text).toContain('Sin su autorización');
			expect(await noted('without the authorization', from, text)).toMatchObject(NOTHING);
		},
		2 * MINUTES,
	);

	it('twenty submissions and more have each come to a page, and no case is lost', () => {
		const submissions = table.slice(1).filter(([what]) => !what.startsWith('('));
		expect(submissions.length).toBeGreaterThanOrEqual(20);
		expect(table.filter((row) => row.includes('lost'))).toEqual([]);
	});

	it.each([
		['desktop', 1280, 800],
		['phone', 390, 844],
	])(
		'the pages are in Spanish, accessible, and no wider than a %s',
		async (name, width, height) => {
			const context = await flow.operator();
			const page = await context.newPage();
			await page.setViewportSize({ width, height });
			const folio = String((await flow.rows(TABLES.cases))[0].folio);
			const pages = {
				form: flow.formAddress,
				list: `${flow.demo.n8n.url}/webhook/solicitudes`,
				dossier: `${flow.demo.n8n.url}/webhook/solicitudes?folio=${folio}`,
			};
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
		'the form helps the browser to fill it in, and loads nothing from elsewhere',
		async () => {
			const requested: string[] = [];
			const context = await newContext(flow.browser, { locale: 'es-MX' });
			const page = await context.newPage();
			page.on('request', (request) => requested.push(request.url()));
			await page.goto(flow.formAddress);
			const hints = await page
				.locator('input[autocomplete]')
				.evaluateAll((all: Array<{ autocomplete: string }>) => all.map((one) => one.autocomplete));
			expect(hints).toEqual(['given-name', 'family-name', 'off', 'bday', 'off', 'email']);
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
			const row = (await flow.rows(TABLES.cases)).find(({ curp }) => curp === LOST.curp);
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

	it(
		'nobody opens the operators’ pages without their login',
		async () => {
			const address = `${flow.demo.n8n.url}/webhook/solicitudes`;
			const statuses = await Promise.all(
				['', '?folio=S-AAAA-AAAA', '?formato=json&folio=S-AAAA-AAAA'].map(
					async (query) => (await fetch(`${address}${query}`)).status,
				),
			);
			expect(statuses).toEqual([401, 401, 401]);
		},
		MINUTES,
	);

	it(
		'bills one applicant when somebody sends the form 100 times',
		async () => {
			const from = await since();
			const send = async (index: number) => {
				const body = new URLSearchParams({
					...{ nombre: SOMEBODY.name, primerApellido: SOMEBODY.firstLastName },
					...{ segundoApellido: SOMEBODY.secondLastName, nacimiento: SOMEBODY.birthDate },
					...{
						curp: SOMEBODY.curp,
						correo: 'x@correo.mx',
						acepto: 'si',
						intento: '1',
						comparado: '',
					},
					envio: `SOMEBODY-${index}`,
				});
				const response = await fetch(flow.formAddress, { method: 'POST', body });
				return /S-\w{4}-\w{4}/.exec(await response.text())?.[0];
			};
			const folios: Array<string | undefined> = [];
			for (let at = 0; at < 100; at += 4) {
				folios.push(...(await Promise.all([at, at + 1, at + 2, at + 3].map(send))));
			}
			expect(new Set(folios).size).toBe(100);
			const cases = await Promise.all(
				folios.slice(0, 8).map(async (folio) => await flow.verified(String(folio))),
			);
			expect(cases.filter(({ estado }) => estado === DONE).length).toBeGreaterThan(0);
			const closed = (await flow.rows(TABLES.cases)).filter(({ curp }) => curp === SOMEBODY.curp);
			expect(closed.filter(({ estado }) => estado !== 'cerrada').length).toBeLessThanOrEqual(8);
			expect((await flow.billed()).slice(from)).toEqual(ALL);
		},
		8 * MINUTES,
	);

	it(
		'lists 1,000 applications in pages, and accepts none above the daily limit',
		async () => {
			const from = await since();
			const today = String((await flow.rows(TABLES.cases)).at(-1)?.dia);
			const rows = Array.from({ length: 1000 }, (_, index) => ({
				...{
					folio: `S-M${index}`,
					envio: '',
					estado: 'cerrada',
					dia: today,
					revision: `M${index}`,
				},
				...{ nombre: index === 0 ? 'N'.repeat(256) : 'Muchos', curp: `M${index}`, paso: 'listo' },
				recibida: '2026-01-01T00:00:00.000-06:00',
			}));
			await flow.insert(TABLES.cases, rows);
			const { text } = await flow.operatorPage();
			const [, count] = /1 a 50 de (\d+)/.exec(text) ?? [];
			expect(Number(count)).toBeGreaterThan(1000);
			const context = await flow.operator();
			const page = await context.newPage();
			await page.goto(`${flow.demo.n8n.url}/webhook/solicitudes?q=${'N'.repeat(256)}`);
			await takeScreenshot(page, 'onboarding-list-long-name', true);
			expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(1280);
			await context.close();
			const refused = await flow.send(await flow.fill(others[3]));
			expect(refused).toContain('Por hoy ya no recibimos solicitudes');
			expect(await since()).toBe(from);
		},
		3 * MINUTES,
	);
});
