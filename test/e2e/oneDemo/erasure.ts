import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { toApplicantFormFields, postApplication } from '../../../demo/submitN8nForm';
import { pinnedInstallation } from '../../../demo/n8nInstallation';
import { People } from '../../../sandbox/data/people/people';
import { defaultOptions } from '../../../sandbox/options';
import { until } from '../../support/until';
import { violationsOf, WCAG } from '../support/accessibility';
import { describeIfChromium } from '../support/describeIfChromium';
import { takeScreenshot } from '../support/browser';
import { Onboarding, TABLES } from '../support/onboarding';
import { startDemoOncePerFile, openEditorOncePerFile } from '../support/sharedDemo';

const MINUTES = 60_000;
const people = new People(defaultOptions.seed);
const FORGOTTEN = people.byCurp('LITG730121HCCMSS04');
const STAYS = people.byCurp('BEML920313HCMLNS09');

/**
 * Prints each table of a SQLite database that holds one of the texts. n8n's own Node can read SQLite. Executions that n8n
 * has marked as deleted, which its next pruning removes, do not count: the run that deletes is one of them.
 */
const SEARCH = `
const { DatabaseSync } = require('node:sqlite');
const [path, ...texts] = process.argv.slice(1);
const database = new DatabaseSync(path, { readOnly: true });
const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
for (const { name } of tables) {
	const isRunData = name === 'execution_data';
	const pruned = ' WHERE "executionId" NOT IN (SELECT id FROM execution_entity WHERE "deletedAt" IS NOT NULL)';
	for (const row of database.prepare('SELECT * FROM "' + name + '"' + (isRunData ? pruned : '')).all()) {
		const text = JSON.stringify(Object.values(row).map(String)).toLowerCase();
		if (texts.some((one) => text.includes(one.toLowerCase()))) console.log(name);
	}
}`;

/** The tables and files below n8n's folder that hold one of the texts. */
async function tracesIn(folder: string, texts: string[]): Promise<string[]> {
	const database = join(folder, '.n8n', 'database.sqlite');
	const { stdout } = await promisify(execFile)(pinnedInstallation.node, [
		'-e',
		SEARCH,
		database,
		...texts,
	]);
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = entries
		.filter(
			(entry) =>
				entry.isFile() && !/node_modules|database\.sqlite/.test(join(entry.parentPath, entry.name)),
		)
		.map((entry) => join(entry.parentPath, entry.name));
	const holding = await Promise.all(
		files.map(async (file) => {
			const text = (await readFile(file)).toString('latin1').toLowerCase();
			return texts.some((one) => text.includes(one.toLowerCase())) ? [file] : [];
		}),
	);
	return [...new Set(stdout.trim().split('\n').filter(Boolean)), ...holding.flat()];
}

/** An execution of another workflow that holds a text for as long as a slow service does not answer it. */
async function longExecution(flow: Onboarding, text: string) {
	const slow = createServer().listen(0, '127.0.0.1');
	await once(slow, 'listening');
	const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/`;
	const { id, versionId } = await flow.rest<{ id: string; versionId: string }>(
		'POST',
		'/workflows',
		{
			name: 'A report that takes its time',
			nodes: [
				{
					...{ id: 'start', name: 'Start', webhookId: 'slow-report', position: [0, 0] },
					...{ type: 'n8n-nodes-base.webhook', typeVersion: 2 },
					parameters: { httpMethod: 'POST', path: 'slow-report', options: {} },
				},
				{
					...{ id: 'slow', name: 'Slow service', position: [200, 0] },
					...{ type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2, parameters: { url } },
				},
			],
			connections: { Start: { main: [[{ node: 'Slow service', type: 'main', index: 0 }]] } },
			settings: { executionOrder: 'v1' },
		},
	);
	await flow.rest('POST', `/workflows/${id}/activate`, { versionId });
	const requested = once(slow, 'request') as Promise<[unknown, ServerResponse]>;
	const address = `${flow.demo.n8n.url}/webhook/slow-report`;
	const send = async () => (await fetch(address, { method: 'POST', body: text })).ok;
	await until('n8n has registered the webhook', send);
	const [, response] = await requested;
	return {
		end: () => response.end('{}'),
		close: async () => {
			await flow.rest('POST', `/workflows/${id}/deactivate`);
			await closed(slow);
		},
	};
}

async function closed(server: Server): Promise<void> {
	server.closeAllConnections();
	server.close();
	await once(server, 'close');
}

describeIfChromium('applicants who are forgotten', () => {
	let flow: Onboarding;
	beforeAll(async () => {
		flow = await Onboarding.in(await startDemoOncePerFile(), await openEditorOncePerFile());
	}, 5 * MINUTES);
	afterAll(async () => {
		await flow?.setLender({ diasBloqueo: 3650 });
		await flow?.close();
	}, MINUTES);

	const apply = async ({ name, firstLastName, secondLastName, birthDate, curp }: typeof STAYS) => {
		const typed = {
			name,
			firstLastName,
			secondLastName,
			birthDate,
			curp,
			email: `${curp}@correo.mx`,
		};
		return String(
			/S-\w{4}-\w{4}/.exec(
				await postApplication(flow.formAddress, toApplicantFormFields(typed)),
			)?.[0],
		);
	};

	it(
		'forget-applicant blocks a person, deletes the data, and logs no personal data',
		async () => {
			const folios = [await apply(FORGOTTEN), await apply(STAYS)];
			await Promise.all(folios.map(async (folio) => await flow.verified(folio)));
			const [rfc] = (await flow.rows(TABLES.cases))
				.filter(({ curp }) => curp === FORGOTTEN.curp)
				.map((row) => String(row.rfc));
			await until('the result of the CRF', async () =>
				(await flow.rows(TABLES.results)).some((row) => row.rfc === rfc),
			);
			const names = `${FORGOTTEN.firstLastName} ${FORGOTTEN.secondLastName}`;
			const texts = [FORGOTTEN.curp, rfc, `${FORGOTTEN.curp}@correo.mx`, names];
			const before = await tracesIn(flow.demo.folder, texts);
			expect(before).toContain('execution_data');

			await flow.setLender({ diasBloqueo: 0 });
			const running = await longExecution(flow, FORGOTTEN.curp);
			const owner = await flow.operator();
			const unknown = await flow.lookUp(owner, 'S-AAAA-AAAA');
			await unknown.getByText('No se bloqueó nada').waitFor();
			// n8n's own form has no landmarks, and calls itself English
			expect(await violationsOf(unknown, WCAG)).toEqual([]);
			const form = await flow.lookUp(owner, FORGOTTEN.curp.toLowerCase());
			await form.getByRole('button', { name: 'Bloquear 1 solicitud' }).waitFor();
			expect(await form.locator('body').innerText()).toContain(folios[0]);
			expect(await flow.dossier(folios[0])).toMatchObject({ estado: 'consultada' });
			await takeScreenshot(form, 'onboarding-forget', true);
			await form.getByRole('button', { name: 'Bloquear 1 solicitud' }).click();
			await form.getByText('se borra desde el').waitFor();
			await owner.close();
			expect(await flow.dossier(folios[0])).toEqual({ folio: folios[0], estado: 'bloqueada' });
			expect((await flow.operatorPage()).text).not.toContain(FORGOTTEN.curp);

			// A run by click keeps its data for an hour, so the schedule runs here, each minute.
			await flow.change('forget-applicant', ({ name, parameters }) =>
				name === 'Every day'
					? { rule: { interval: [{ field: 'minutes', minutesInterval: 1 }] } }
					: parameters,
			);

			const erasure = async (estado: string) =>
				await until(
					`the erasure is ${estado}`,
					async () =>
						(await flow.rows(TABLES.erasures)).find(
							(row) =>
								row.folio === folios[0] && row.estado === estado && Number(row.ejecuciones) > 0,
						),
					{ seconds: 180, pauseMs: 500 },
				);
			expect(await erasure('borrando')).toMatchObject({
				textos: expect.stringContaining(FORGOTTEN.curp) as string,
			});
			running.end();
			const log = await erasure('borrada');
			expect(log).toMatchObject({
				textos: '',
				quien: expect.stringContaining('owner@demo') as string,
			});
			// The run that deletes is gone itself a moment after it has logged that.
			await until(
				'no trace of the person is left',
				async () => (await tracesIn(flow.demo.folder, texts)).length === 0,
				{ seconds: 60, pauseMs: 1000 },
			);
			await running.close();
			expect(JSON.stringify(log)).not.toContain(FORGOTTEN.firstLastName);
			expect(await flow.dossier(folios[1])).toMatchObject({ estado: 'consultada' });
		},
		8 * MINUTES,
	);
});
