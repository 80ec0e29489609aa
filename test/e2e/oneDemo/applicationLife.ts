import { readFile } from 'node:fs/promises';
import type { BrowserContext, Page } from 'playwright-core';
import type { Mail } from '../../../demo/mailServer';
import { People } from '../../../sandbox/data/people/people';
import { defaultOptions } from '../../../sandbox/options';
import { Onboarding, TABLES } from '../support/onboarding';
import { describeIfChromium } from '../support/describeIfChromium';
import { newContext, takeScreenshot } from '../support/browser';
import {
	openEditorOncePerFile,
	restartableN8n,
	startDemoOncePerFile,
	startMailServerOncePerFile,
} from '../support/sharedDemo';

const MINUTES = 60_000;
const people = new People(defaultOptions.seed);
const LIVES = people.byCurp('HEGM870615HDFRRR03');
const LATE = people.byCurp('ROCC910204MJCBRM08');
const EMAIL = 'solicitante@correo.mx';
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const ALL = ['CURP', 'RFC_CALCULATOR', 'CRF'];

describeIfChromium('the whole life of an application', () => {
	let flow: Onboarding;
	let phone: BrowserContext;
	let owner: BrowserContext;
	let page: Page;
	let from: number;
	let folio: string;
	let link: string;

	beforeAll(async () => {
		flow = await Onboarding.in(await startDemoOncePerFile(), await openEditorOncePerFile());
		phone = await newContext(flow.browser, { locale: 'es-MX', ...PHONE });
		phone.setDefaultTimeout(MINUTES);
		owner = await flow.operator();
		from = (await flow.billed()).length;
	}, 5 * MINUTES);
	afterAll(async () => {
		await Promise.all([phone?.close(), owner?.close(), flow?.close()]);
	}, MINUTES);

	const billed = async () => (await flow.billed()).slice(from);
	const folioIn = (text: string) => String(/S-\w{4}-\w{4}/.exec(text)?.[0]);
	/** The next letter to the applicant; other parts of this file leave letters, too. */
	const nextLetter = async (): Promise<Mail> => {
		const mailbox = await startMailServerOncePerFile();
		for (;;) {
			const mail = await mailbox.nextMail();
			if (mail.text.includes(folio)) return mail;
		}
	};
	const isAsWideAsThePhone = async () =>
		expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);

	it(
		'begins on a phone: errors are corrected, and nothing is billed before',
		async () => {
			page = await flow.openForm(phone);
			const digit = (Number(LIVES.curp.at(-1)) + 1) % 10;
			await flow.fill({ ...LIVES, curp: `${LIVES.curp.slice(0, -1)}${digit}` }, page);
			await page.getByLabel('Monto que solicita').fill('900');
			await page.getByLabel('Teléfono').fill('123');
			await takeScreenshot(page, 'life-1-form', true);
			const wrong = await flow.send(page);
			expect(wrong).toContain('Escriba un monto de $5,000 a $200,000.');
			expect(wrong).toContain('el último número no corresponde');
			expect(wrong).toContain('Escriba los 10 números de su teléfono.');
			await takeScreenshot(page, 'life-2-errors', true);
			await isAsWideAsThePhone();
			const stored = (await flow.rows(TABLES.cases)).map(({ curp }) => curp);
			expect([stored.includes(LIVES.curp), await billed()]).toEqual([false, []]);

			await flow.fill(LIVES, page);
			const thanks = await flow.send(page);
			folio = folioIn(thanks);
			expect(thanks).toContain('Le respondemos por correo en un día hábil.');
			await takeScreenshot(page, 'life-3-thanks', true);
			await isAsWideAsThePhone();
		},
		4 * MINUTES,
	);

	it(
		'goes on after a restart of n8n, billed three queries',
		async () => {
			await flow.verified(folio);
			await restartableN8n.terminate();
			await restartableN8n.restart(flow.demo.n8n.url);
			expect(await flow.complete(folio)).toMatchObject({ estado: 'consultada', findings: [] });
			expect(await billed()).toEqual(ALL);
		},
		5 * MINUTES,
	);

	it(
		'is listed by state and day, and exported with its zip code as text',
		async () => {
			const list = await owner.newPage();
			await list.goto(`${flow.demo.n8n.url}/webhook/solicitudes`);
			const [row] = (await flow.rows(TABLES.cases)).filter((one) => one.folio === folio);
			const day = String(row.recibida).slice(0, 10);
			await list.getByLabel('Buscar por folio').fill(LIVES.curp);
			await list.getByLabel('Recibidas desde').fill(day);
			await list.getByLabel('hasta', { exact: true }).fill(day);
			await list.getByRole('button', { name: 'Buscar' }).click();
			await list.getByText('1 a 1 de 1').waitFor();
			await list.getByRole('link', { name: /^consultada/i }).click();
			await list.getByText('1 a 1 de 1').waitFor();
			await takeScreenshot(list, 'life-4-list', true);
			const download = list.waitForEvent('download');
			await list.getByRole('link', { name: 'Exportar 1 solicitud (CSV)' }).click();
			const csv = await readFile(await (await download).path(), 'utf8');
			const [head, line, ...rest] = csv.trim().split('\r\n');
			expect(csv.codePointAt(0)).toBe(0xfeff);
			expect(head).toContain('"Código postal"');
			expect(line).toMatch(new RegExp(`^"${folio}",.*"=""\\d{5}""".*"=""5512345678"""`));
			expect(rest).toEqual([]);
			await list.goto(`${flow.demo.n8n.url}/webhook/solicitudes?desde=2020-01-01&hasta=2020-01-01`);
			await list.getByText('Ninguna solicitud corresponde.').waitFor();
			await list.close();
		},
		3 * MINUTES,
	);

	it(
		'is decided, and the applicant gets a letter whose subject says nothing personal',
		async () => {
			const form = await flow.openDecision(owner, folio, 'Aprobar');
			await flow.decide(form, 'Todo en orden.');
			await form.close();
			const letter = await nextLetter();
			expect(letter).toMatchObject({ to: EMAIL, subject: 'Respuesta a su solicitud', html: '' });
			expect(letter.text).toContain(`Hola, ${LIVES.name}:`);
			expect(letter.text).toContain('Aprobamos su solicitud de crédito personal por $50,000.00.');
			link = String(/http\S+\/webhook\/retiro#[0-9a-f]{32}/.exec(letter.text)?.[0]);
			expect(await billed()).toEqual(ALL);
			const dossier = await owner.newPage();
			await dossier.goto(`${flow.demo.n8n.url}/webhook/solicitudes?folio=${folio}`);
			await dossier.getByText('El servidor de correo la aceptó.').waitFor();
			await takeScreenshot(dossier, 'life-5-dossier', true);
			await dossier.close();
		},
		4 * MINUTES,
	);

	it(
		'is withdrawn by the link in the letter, once, and without the other case of the CURP',
		async () => {
			const other = folioIn(await flow.send(await flow.fill(LIVES)));
			await flow.complete(other);
			await page.goto(link);
			expect(page.url()).not.toContain('#'); // nor does the browser's history keep the secret
			await takeScreenshot(page, 'life-6-withdraw', true);
			await isAsWideAsThePhone();
			expect(await flow.dossier(folio)).toMatchObject({ estado: 'aprobada' }); // opening is no click
			const withdrawn = await flow.send(page);
			expect(withdrawn).toContain('Retiramos su solicitud');
			await takeScreenshot(page, 'life-7-withdrawn', true);
			expect(await flow.dossier(folio)).toEqual({ folio, estado: 'bloqueada' });
			await page.goto('about:blank');
			await page.goto(link);
			const again = await flow.send(page);
			expect(again).toContain('Este enlace ya no sirve');
			expect(again).not.toMatch(new RegExp(`${folio}|${LIVES.firstLastName}`));
			expect(await flow.dossier(other)).toMatchObject({ estado: 'consultada' });
			expect(await billed()).toEqual(ALL);
			folio = other;
		},
		4 * MINUTES,
	);

	it(
		'is forgotten by a second click, and a wrong folio is said to be none',
		async () => {
			const unknown = await flow.lookUp(owner, 'S-ZZZZ-ZZZZ');
			await unknown.getByText('«S-ZZZZ-ZZZZ»').waitFor();
			await takeScreenshot(unknown, 'life-8-unknown', true);
			await unknown.close();
			const found = await flow.lookUp(owner, folio.toLowerCase());
			const block = found.getByRole('button', { name: 'Bloquear 1 solicitud' });
			await block.waitFor();
			const shown = await found.locator('body').innerText();
			for (const text of [folio, LIVES.name, LIVES.firstLastName, LIVES.curp, 'recibida el']) {
				expect(shown).toContain(text);
			}
			await takeScreenshot(found, 'life-9-confirm', true);
			// Whoever has the address alone learns nothing.
			const { text } = await asOutsider(found.url());
			expect(text).not.toMatch(new RegExp(`${folio}|${LIVES.curp}|${LIVES.firstLastName}`));
			expect(await flow.dossier(folio)).toMatchObject({ estado: 'consultada' });
			await block.click();
			await found.getByText('se borra desde el').waitFor();
			await takeScreenshot(found, 'life-10-blocked', true);
			await found.close();
			expect(await flow.dossier(folio)).toEqual({ folio, estado: 'bloqueada' });
			const again = await flow.lookUp(owner, LIVES.curp);
			await again.getByText('ya estaban bloqueadas').waitFor();
			await again.close();
			expect((await flow.operatorPage()).text).not.toContain(LIVES.curp);
			expect(await billed()).toEqual(ALL);
		},
		4 * MINUTES,
	);

	it(
		'of an authorization that has expired is closed without a query',
		async () => {
			await flow.setLender({ diasAutorizacion: 0 });
			const late = folioIn(await flow.send(await flow.fill(LATE)));
			await flow.setLender({ diasAutorizacion: 90 });
			await flow.runInEditor('verify-applicant', 'Every 15 minutes');
			const dossier = await flow.dossier(late);
			expect(dossier.estado).toBe('cerrada');
			expect(dossier.historia.at(-1)?.motivo).toContain('La autorización venció el');
			expect(await billed()).toEqual(ALL);
		},
		4 * MINUTES,
	);
});

/** What somebody reads who is signed in nowhere. */
async function asOutsider(url: string): Promise<{ status: number; text: string }> {
	const response = await fetch(url);
	return { status: response.status, text: await response.text() };
}
