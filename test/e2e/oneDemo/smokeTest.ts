import { readFileSync } from 'node:fs';
import { fetchUnpooled } from '../../../demo/fetchUnpooled';
import {
	applicantJsonFile,
	smokeTestRunningDemo,
	type SmokeTestReport,
} from '../../../demo/smokeTest';
import type { Demo } from '../../../demo/startDemo';
import { toApplicantFormFields, postApplication } from '../../../demo/submitN8nForm';
import { applicationFormUrl } from '../../../demo/provision';
import { describeIfChromium } from '../support/describeIfChromium';
import { waitForEndedExecutionOf } from '../support/executions';
import { startDemoOncePerFile, openEditorOncePerFile } from '../support/sharedDemo';

const applicant = JSON.parse(readFileSync(applicantJsonFile, 'utf8')) as Record<string, string>;

describe('a real n8n with the package installed', () => {
	let demo: Demo;

	const idOf = (file: string) => demo.workflows.get(file)?.id as string;

	const submit = async () =>
		await postApplication(applicationFormUrl(demo.n8n), toApplicantFormFields(applicant));

	beforeAll(async () => {
		demo = await startDemoOncePerFile();
	});

	describe('takes an applicant through the example workflows', () => {
		let report: SmokeTestReport;

		beforeAll(async () => {
			report = await smokeTestRunningDemo(demo, () => {});
		});

		const runOf = (workflow: string) =>
			report.steps
				.filter((step) => step.workflow === workflow)
				.map(({ name, status }) => `${name}: ${status}`);

		it('with nothing to complain about', () => {
			expect(report).toMatchObject({ ok: true, problem: null, n8nVersion: '2.41.1' });
		});

		it('through every node of the onboarding', () => {
			expect(runOf('Onboard applicant')).toEqual(
				[
					...['Application form', 'Lender', 'First visit?', 'Check identifiers', 'Application'],
					...['To be corrected?', 'Table of applications', 'Table of history'],
					...['Applications of this CURP', 'Applications of today', 'Admission', 'No new case?'],
					...[
						'Secret of the letter',
						'Store application',
						'Answer',
						'Page',
						'Respond with page',
						'Stored?',
					],
					...['Store beginning', 'Verify applicant'],
				].map((name) => `${name}: success`),
			);
		});

		it('through every node of the verification', () => {
			expect(runOf('Verify applicant')).toEqual(
				[
					...['When a case is ready', 'Case by folio', 'Due', 'Take case', 'Case', 'Query CURP?'],
					...['Get CURP data', 'CURP findings', 'Query RFC?', 'Calculate RFC', 'RFC findings'],
					...['Query CRF?', 'Ask for CRF', 'CRF findings', 'Outcome', 'Store findings'],
					...['Store entry', 'Store state'],
				].map((name) => `${name}: success`),
			);
		});

		it('and the result delivered later through the branch of its service', () => {
			expect(runOf('Collect query results')).toEqual([
				'Tax Query Trigger: success',
				'Has a result: success',
				'By service: success',
				'Fiscal regimes: success',
			]);
		});

		it('to a result with the query id that the onboarding got', () => {
			const requests = report.steps.find(({ name }) => name === 'Ask for CRF');
			expect(requests?.outcome).toBe(`query ${report.asyncResult?.queryId} accepted`);
		});
	});

	it("the form's last page thanks the applicant and shows no query result", async () => {
		const { client } = demo.n8n;
		const id = idOf('onboard-applicant');
		const runs = (await client.executions(id, { withoutData: true })).length + 1;
		const page = await submit();
		await waitForEndedExecutionOf(client, id, { runs }); // later than its page: the next test must not take it for its own
		expect(page).toContain('Gracias, Elena');
		expect(page).not.toMatch(/EISE850314|vigente/i);
	});

	it('a refusing service sets an applicant aside with a reason, and thanks them', async () => {
		const faults = new URL('sandbox/faults', demo.sandbox.page);
		await fetchUnpooled(faults, {
			method: 'PUT',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify([{ path: '/api/query', fault: { status: 403, body: {} } }]),
		});
		const { ok, steps, problem } = await smokeTestRunningDemo(demo, () => {});
		await fetchUnpooled(faults, { method: 'DELETE' });
		expect({ ok, problem, last: steps.at(-1) }).toMatchObject({
			ok: false,
			problem: expect.stringContaining('set the applicant aside: CURP: no se pudo consultar'),
			last: { name: 'Store state', status: 'success' },
		});
	});

	describeIfChromium('shown in its editor', () => {
		it.each([
			['verify-applicant', 'Ask for CRF'],
			['collect-query-results', 'Tax Query Trigger'],
		])('draws the icon of a node in %s: %s', async (file, name) => {
			const editor = await openEditorOncePerFile();
			await editor.open(idOf(file));
			expect(await editor.iconWidth(name)).toBeGreaterThan(0);
		});
	});
});
