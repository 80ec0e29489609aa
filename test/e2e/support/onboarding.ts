import type { APIRequestContext, Browser, BrowserContext, Page } from 'playwright-core';
import type { Demo } from '../../../demo/startDemo';
import { applicationFormUrl, REVIEW_PAGES_BASIC_AUTH } from '../../../demo/provision';
import { until } from '../../support/until';
import type { Editor } from './editor';
import { newContext } from './browser';

const MINUTES = 60_000;

export interface Applicant {
	name: string;
	firstLastName: string;
	secondLastName: string;
	birthDate: string;
	curp: string;
}

/** A case as the dossier returns it with formato=json. */
export interface CaseDossier {
	folio: string;
	estado: string;
	paso: string;
	intentos: number;
	revision: string;
	findings: Array<{ code: string; severity: string; text: string }>;
	/** Results that are still to come. */
	waiting: Array<{ code: string; text: string }>;
	historia: Array<{ quien: string; que: string; cuando: string; motivo: string; efecto: boolean }>;
	consultas: Array<{ estado: string; id: string }>;
	duplicados: Array<{ folio: string }>;
}

export const TABLES = {
	cases: 'Onboarding: solicitudes',
	history: 'Onboarding: historial',
	results: 'Onboarding: resultados',
	erasures: 'Onboarding: supresiones',
};
type Row = Record<string, unknown>;

const AUTHORIZED = {
	authorization: `Basic ${Buffer.from(`${REVIEW_PAGES_BASIC_AUTH.user}:${REVIEW_PAGES_BASIC_AUTH.password}`).toString('base64')}`,
};

/** The lender's side and the applicants' side of the onboarding examples in a running demo. */
export class Onboarding {
	private constructor(
		readonly demo: Demo,
		readonly editor: Editor,
		readonly browser: Browser,
		/** Applicants, who are signed in nowhere. */
		readonly applicants: BrowserContext,
	) {}

	static async in(demo: Demo, editor: Editor): Promise<Onboarding> {
		const browser = editor.page.context().browser() as Browser;
		const applicants = await newContext(browser, { locale: 'es-MX' });
		applicants.setDefaultTimeout(MINUTES);
		return new Onboarding(demo, editor, browser, applicants);
	}

	get formAddress(): string {
		return applicationFormUrl(this.demo.n8n);
	}

	async control<T>(path: string, method = 'GET', body?: unknown): Promise<T> {
		const response = await fetch(new URL(`sandbox/${path}`, this.demo.sandbox.page), {
			method,
			headers: body === undefined ? {} : { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
		return (await response.json()) as T;
	}

	/** The query types that were billed, in their order. */
	async billed(): Promise<string[]> {
		return (await this.control<Array<{ service: string }>>('ledger')).map(({ service }) => service);
	}

	async faults(...rules: object[]): Promise<void> {
		await this.control('faults', 'PUT', rules);
	}

	async openForm(applicants = this.applicants): Promise<Page> {
		const page = await applicants.newPage();
		await page.goto(this.formAddress);
		return page;
	}

	async type(page: Page, applicant: Partial<Applicant>): Promise<void> {
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
	}

	async fill(applicant: Applicant, page?: Page): Promise<Page> {
		page ??= await this.openForm();
		await this.type(page, applicant);
		await page.getByLabel('Producto').selectOption('Crédito personal');
		await page.getByLabel('Monto que solicita').fill('50,000');
		await page.getByLabel('Correo electrónico').fill('solicitante@correo.mx');
		await page.getByLabel('Teléfono').fill('55 1234 5678');
		await page.getByLabel('Leí y acepto la autorización').check();
		return page;
	}

	/** Sends the form and returns what a person reads on the page that follows. */
	async send(
		page: Page,
		click: () => Promise<void> = async () => await page.getByRole('button').click(),
	): Promise<string> {
		const followed = page.waitForEvent('load');
		await click();
		await followed;
		return await page.locator('body').innerText();
	}

	/** The case once it is verified, and has the CRF if it asked for one: that comes later, by the trigger. */
	async complete(folio: string): Promise<CaseDossier> {
		return await until(
			`the CRF of ${folio}`,
			async () => {
				const dossier = await this.verified(folio);
				return dossier.waiting.length === 0 && dossier;
			},
			{ pauseMs: 250 },
		);
	}

	async operatorPage(path = ''): Promise<{ status: number; text: string }> {
		const url = `${this.demo.n8n.url}/webhook/solicitudes${path}`;
		const response = await fetch(url, { headers: AUTHORIZED });
		return { status: response.status, text: await response.text() };
	}

	async dossier(folio: string): Promise<CaseDossier> {
		const { text } = await this.operatorPage(`?formato=json&folio=${folio}`);
		return JSON.parse(text) as CaseDossier;
	}

	/** The case once its verification has ended, or is left to the schedule. */
	async verified(folio: string): Promise<CaseDossier> {
		return await until(
			`the case ${folio} is verified`,
			async () => {
				const found = await this.dossier(folio);
				const isWaiting = found.paso === 'consultar' && found.intentos === 0;
				return !isWaiting && found.paso !== 'en curso' && found;
			},
			{ seconds: 120, pauseMs: 250 },
		);
	}

	/** A browser of an operator who is signed in to n8n, and may open the operators' pages. */
	async operator(
		cookies?: Array<{ name: string; value: string; url: string }>,
	): Promise<BrowserContext> {
		const context = await newContext(this.browser, {
			locale: 'es-MX',
			httpCredentials: {
				username: REVIEW_PAGES_BASIC_AUTH.user,
				password: REVIEW_PAGES_BASIC_AUTH.password,
			},
		});
		context.setDefaultTimeout(MINUTES);
		const owner = (await this.editor.page.context().cookies()).map(({ name, value }) => ({
			...{ name, value, url: this.demo.n8n.url },
		}));
		await context.addCookies(cookies ?? owner);
		return context;
	}

	/** Invites a second user to n8n, and returns the cookies of the session. */
	async invite(email: string, firstName: string, lastName: string) {
		const invitation = await this.rest<Array<{ user: { inviteAcceptUrl: string } }>>(
			'POST',
			'/invitations',
			[{ email, role: 'global:member' }],
		);
		const token = new URL(invitation[0].user.inviteAcceptUrl).searchParams.get('token');
		const response = await fetch(`${this.demo.n8n.url}/rest/invitations/accept`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ token, firstName, lastName, password: 'Demo-password-2' }),
		});
		return response.headers.getSetCookie().map((cookie) => {
			const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
			return { name, value, url: this.demo.n8n.url };
		});
	}

	/** Opens a form that asks for a sign-in; n8n asks each user once for their consent. */
	async openSignedIn(context: BrowserContext, address: string, label: string): Promise<Page> {
		const page = await context.newPage();
		await page.goto(address);
		const consent = page.getByRole('button', { name: 'Allow access' });
		const field = page.getByLabel(label);
		await consent.or(field).first().waitFor();
		if (await consent.isVisible()) await consent.click();
		await field.waitFor();
		return page;
	}

	/** Opens the form behind a button of the dossier, with the revision that is shown there. */
	async openDecision(context: BrowserContext, folio: string, decision: string): Promise<Page> {
		const dossier = await context.newPage();
		await dossier.goto(`${this.demo.n8n.url}/webhook/solicitudes?folio=${folio}`);
		const address = await dossier
			.getByRole('link', { name: decision, exact: true })
			.getAttribute('href');
		await dossier.close();
		return await this.openSignedIn(context, String(address), 'Motivo');
	}

	/** Gives the reason and saves; returns what the operator reads then. */
	async decide(page: Page, reason: string): Promise<string> {
		await page.getByLabel('Motivo').fill(reason);
		await page.locator('#submit-btn').click();
		await page.waitForURL(/vista=decisiones/);
		return await page.locator('.decisions').innerText();
	}

	/** It acts as the owner. */
	async rest<T>(method: string, path: string, data?: unknown): Promise<T> {
		const request: APIRequestContext = this.editor.page.context().request;
		const options = { method, data, timeout: 5 * MINUTES };
		// With 503 n8n says that its database is busy, and that it has done nothing.
		const response = await until(
			`n8n answers to ${method} ${path}`,
			async () => {
				const answer = await request.fetch(`${this.demo.n8n.url}/rest${path}`, options);
				return answer.status() !== 503 && answer;
			},
			{ pauseMs: 500 },
		);
		if (!response.ok()) throw new Error(`n8n answered ${response.status()} to ${method} ${path}`);
		return ((await response.json()) as { data: T }).data;
	}

	private async table(name: string): Promise<string> {
		const { id } = await this.rest<{ id: string }>('GET', '/projects/personal');
		const { data } = await this.rest<{ data: Array<{ id: string; name: string }> }>(
			'GET',
			`/projects/${id}/data-tables`,
		);
		return `/projects/${id}/data-tables/${data.find((one) => one.name === name)?.id}`;
	}

	/** None while the table is not there yet. */
	async rows(name: string): Promise<Row[]> {
		const address = await this.table(name);
		if (address.endsWith('/undefined')) return [];
		return (await this.rest<{ data: Row[] }>('GET', `${address}/rows?take=250`)).data;
	}

	async insert(name: string, rows: Row[]): Promise<void> {
		const address = await this.table(name);
		for (let at = 0; at < rows.length; at += 250) {
			const data = rows.slice(at, at + 250);
			await this.rest('POST', `${address}/insert`, { data, returnType: 'count' });
		}
	}

	/** Changes nodes of an example, and publishes it again. */
	async change(
		example: string,
		change: (node: { name: string; parameters: object }) => object,
	): Promise<void> {
		const id = this.demo.workflows.get(example)?.id;
		const workflow = await this.rest<{
			nodes: Array<{ name: string; parameters: object }>;
			versionId: string;
		}>('GET', `/workflows/${id}`);
		const nodes = workflow.nodes.map((node) => ({ ...node, parameters: change(node) }));
		const saved = await this.rest<{ versionId: string }>('PATCH', `/workflows/${id}`, {
			...workflow,
			nodes,
		});
		await this.rest('POST', `/workflows/${id}/activate`, { versionId: saved.versionId });
	}

	/** Decides what a lender decides, in the workflow that holds it. */
	async setLender(settings: Record<string, unknown>): Promise<void> {
		await this.change('lender', ({ name, parameters }) => {
			if (name !== 'Lender') return parameters;
			const { assignments, ...rest } = parameters as {
				assignments: { assignments: Array<{ name: string; value: unknown }> };
			};
			const changed = assignments.assignments.map((one) =>
				one.name in settings ? { ...one, value: settings[one.name] } : one,
			);
			return { ...rest, assignments: { assignments: changed } };
		});
	}

	/** Looks a folio or a CURP up in /form/olvidar; returns the page that follows. */
	async lookUp(operator: BrowserContext, who: string): Promise<Page> {
		const form = await this.openSignedIn(
			operator,
			`${this.demo.n8n.url}/form/olvidar`,
			'Folio o CURP',
		);
		await form.getByLabel('Folio o CURP').fill(who);
		await form.getByLabel('Solicitud de cancelación (ARCO)').check();
		await form.locator('#submit-btn').click();
		return form;
	}

	/** Clicks a trigger of an example in the editor, and waits until the run has succeeded. */
	async runInEditor(example: string, trigger: string): Promise<void> {
		this.editor.forget();
		await this.editor.open(this.demo.workflows.get(example)?.id as string);
		await this.editor.click(trigger);
		await this.editor.succeeded();
	}

	async close(): Promise<void> {
		await this.applicants.close();
	}
}
