import { setTimeout as sleep } from 'node:timers/promises';
import { fetchUnpooled } from './fetchUnpooled';

const LAST_PAGE_TIMEOUT_MS = 300_000;
/** The editor says that it waits for a form a moment before n8n shows it. */
const FORM_TIMEOUT_MS = 120_000;

function bodyOf(fields: string[]): FormData {
	const body = new FormData();
	fields.forEach((value, index) => body.append(`field-${index}`, value));
	return body;
}

/** The fields of the application form of Onboard applicant, filled in and sent for the first time. */
export interface ApplicantFormFields {
	producto: string;
	monto: string;
	nombre: string;
	primerApellido: string;
	segundoApellido: string;
	nacimiento: string;
	curp: string;
	correo: string;
	telefono: string;
	acepto: 'si' | '';
	intento: string;
	comparado: string;
	envio: string;
}

/** The form as an applicant fills it in. `typed` has name, birth date, CURP and address in the order of the form. */
export function toApplicantFormFields(typed: Record<string, string>): ApplicantFormFields {
	const [nombre, primerApellido, segundoApellido, nacimiento, curp, correo] = Object.values(typed);
	return {
		...{ producto: 'Crédito personal', monto: '50,000', telefono: '55 1234 5678' },
		...{ nombre, primerApellido, segundoApellido, nacimiento, curp, correo },
		...{ acepto: 'si', intento: '1', comparado: '', envio: '' },
	};
}

/** Sends the form as a browser does, and returns the page that follows. Throws if n8n does not take it. */
export async function postApplication(
	url: string,
	application: ApplicantFormFields,
): Promise<string> {
	const body = new URLSearchParams({ ...application });
	const response = await fetchUnpooled(url, { method: 'POST', body });
	const page = await response.text();
	if (!response.ok) throw new Error(`n8n answered ${response.status} to the form: ${page}`);
	return page;
}

/**
 * Fills in a form of n8n as a browser does. It opens the form, sends the fields of each page in their order, and
 * waits for the last page. It opens that page, which ends the execution, and returns its HTML. Throws if n8n does not
 * accept the form, or the execution ends before the page.
 */
export async function submitN8nForm(
	url: string,
	fields: string[],
	...pages: string[][]
): Promise<string> {
	const isShown = async () => (await fetchUnpooled(url)).ok;
	for (const deadline = Date.now() + FORM_TIMEOUT_MS; Date.now() < deadline && !(await isShown());)
		await sleep(100);
	const submitted = await fetchUnpooled(url, { method: 'POST', body: bodyOf(fields) });
	const text = await submitted.text();
	if (!submitted.ok) throw new Error(`n8n answered ${submitted.status} to the form: ${text}`);
	const { formWaitingUrl } = JSON.parse(text) as { formWaitingUrl: string };
	const status = new URL(formWaitingUrl);
	status.pathname += '/n8n-execution-status';
	for (const deadline = Date.now() + LAST_PAGE_TIMEOUT_MS; Date.now() < deadline;) {
		const state = (await (await fetchUnpooled(status)).text()).trim();
		if (state === 'form-waiting') {
			const page = await (await fetchUnpooled(formWaitingUrl)).text();
			const next = pages.shift();
			if (!next) {
				await fetchUnpooled(formWaitingUrl, { method: 'POST' });
				return page;
			}
			await fetchUnpooled(formWaitingUrl, { method: 'POST', body: bodyOf(next) });
		}
		if (state === 'error') throw new Error('The execution ended with an error');
		await sleep(100);
	}
	throw new Error('The form did not come to its last page');
}
