import type { BrowserContext } from 'playwright-core';
import { People } from '../../../sandbox/data/people/people';
import { defaultOptions } from '../../../sandbox/options';
import { toApplicantFormFields, postApplication } from '../../../demo/submitN8nForm';
import { until } from '../../support/until';
import { violationsOf, WCAG } from '../support/accessibility';
import { describeIfChromium } from '../support/describeIfChromium';
import { takeScreenshot } from '../support/browser';
import { Onboarding, type Applicant } from '../support/onboarding';
import { startDemoOncePerFile, openEditorOncePerFile } from '../support/sharedDemo';

const MINUTES = 60_000;
const people = new People(defaultOptions.seed);

/** One person of the sandbox's registry for each test. */
const registered = (curp: string): Applicant => people.byCurp(curp);
const APPROVED = registered('GOEL901231MDFDSR07');
const RACED = registered('PELP900821HDFRND07');

describeIfChromium('decisions on applicants', () => {
	let flow: Onboarding;
	let owner: BrowserContext;
	let ana: BrowserContext;

	beforeAll(async () => {
		flow = await Onboarding.in(await startDemoOncePerFile(), await openEditorOncePerFile());
		owner = await flow.operator();
		ana = await flow.operator(await flow.invite('ana@lender.invalid', 'Ana', 'Paz'));
	}, 5 * MINUTES);
	afterAll(async () => {
		await Promise.all([owner?.close(), ana?.close(), flow?.close()]);
	}, MINUTES);

	/** A case that waits for a person: the name is not quite that of the registry. Returns its folio. */
	const uncertain = async ({ name, firstLastName, secondLastName, birthDate, curp }: Applicant) => {
		const typed = {
			name: `${name} Otro`,
			firstLastName,
			secondLastName,
			birthDate,
			curp,
			email: 'x@correo.mx',
		};
		const page = await postApplication(flow.formAddress, toApplicantFormFields(typed));
		const folio = String(/S-\w{4}-\w{4}/.exec(page)?.[0]);
		expect(await flow.verified(folio)).toMatchObject({ estado: 'por revisar' });
		return folio;
	};
	const decisionsOf = async (folio: string) =>
		(await flow.dossier(folio)).historia.filter(({ quien }) => quien.includes('@'));

	it(
		'records an approval with who, when and why, and continues the case',
		async () => {
			const folio = await uncertain(APPROVED);
			const from = (await flow.billed()).length;
			const form = await flow.openDecision(ana, folio, 'Aprobar');
			await takeScreenshot(form, 'onboarding-decision', true);
			// n8n's own form has no landmarks, and nobody can add them.
			expect(await violationsOf(form, WCAG)).toEqual([]);
			const shown = await flow.decide(form, 'Identificación cotejada por teléfono.');
			await takeScreenshot(form, 'onboarding-decided', true);
			expect(shown).toContain(folio);
			const found = await until('the approved case has its CRF', async () => {
				const dossier = await flow.dossier(folio);
				return dossier.paso === 'listo' && dossier.consultas[2].id !== '' && dossier;
			});
			expect(found.estado).toBe('aprobada');
			expect(await decisionsOf(folio)).toEqual([
				{
					...{ que: 'aprobada', efecto: true, quien: 'Ana Paz <ana@lender.invalid>' },
					motivo: 'Identificación cotejada por teléfono.',
					cuando: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+-06:00$/) as string,
				},
			]);
			expect((await flow.billed()).slice(from)).toEqual(['RFC_CALCULATOR', 'CRF']);
		},
		5 * MINUTES,
	);

	it(
		'accepts one of two concurrent decisions, and informs the other operator',
		async () => {
			const folio = await uncertain(RACED);
			const forms = [
				await flow.openDecision(owner, folio, 'Rechazar'),
				await flow.openDecision(ana, folio, 'Cerrar'),
			];
			await Promise.all(forms.map(async (form) => await flow.decide(form, 'A la vez.')));
			const decisions = await decisionsOf(folio);
			expect(decisions.map(({ efecto }) => efecto).sort()).toEqual([false, true]);
			const { estado } = await flow.dossier(folio);
			expect(decisions.find(({ efecto }) => efecto)?.que).toBe(estado);
			await forms[0].goto(`${flow.demo.n8n.url}/webhook/solicitudes?vista=decisiones`);
			const shown = await forms[0].locator('.decisions').innerText();
			expect(shown.match(/sin efecto/g)?.length).toBe(1);
		},
		5 * MINUTES,
	);

	it(
		'nobody decides without a sign-in',
		async () => {
			const response = await fetch(`${flow.demo.n8n.url}/form/decision`, { redirect: 'manual' });
			expect(response.status).toBe(302);
			const body = new FormData();
			const posted = await fetch(`${flow.demo.n8n.url}/form/decision`, { method: 'POST', body });
			expect(posted.status).toBe(401);
		},
		MINUTES,
	);
});
