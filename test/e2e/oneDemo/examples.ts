import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchUnpooled } from '../../../demo/fetchUnpooled';
import type { Demo } from '../../../demo/startDemo';
import { submitN8nForm } from '../../../demo/submitN8nForm';
import { repositoryRoot } from '../../../demo/installPackage';
import { registerWebhook } from '../../../demo/sandbox';
import { describeIfChromium } from '../support/describeIfChromium';
import type { Editor } from '../support/editor';
import { startDemoOncePerFile, openEditorOncePerFile } from '../support/sharedDemo';

const examples = readdirSync(join(repositoryRoot, 'examples')).map((file) =>
	file.replace('.json', ''),
);

/**
 * Each has what a person clicks, and the node whose output shows that it worked. Those of AI agents are in
 * agentTools.ts; the decision is in decisions.ts.
 */
const clicks: Array<[example: string, last: string, trigger: string | undefined]> = [
	['collect-query-results', 'Fiscal regimes', undefined],
	['list-documents', 'Respond with documents', undefined],
	['list-of-taxpayers', 'XLSX', undefined],
	['company-dossier', 'Dossier is ready', undefined],
	['monthly-invoices', 'Month', 'When you click Execute workflow'],
	['monthly-invoices', 'Month', 'First of the month'],
	['onboarding-agent', 'Onboarding agent', undefined],
	// without the table of applicants, which comes with the first of them
	['forget-applicant', 'Find table', 'Every day'],
	['verify-applicant', 'Find table', 'Every 15 minutes'],
	['onboard-applicant', 'Verify applicant', undefined],
	['forget-applicant', 'Blocked cases', 'Every day'],
	['review-applicants', 'Keep result', 'Tax Query Trigger'],
	['review-applicants', 'Respond with page', "Operator's page"],
	['rotate-provider-credentials', 'Respond with logins', undefined],
	['spending-report', 'Keep day', 'When you click Execute workflow'],
	['spending-report', 'Total', 'Each Monday'],
	['start-here', 'Slow', undefined],
	['verify-applicant', 'Cases to verify', 'Every 15 minutes'],
];

const COMPANY = 'EXI0503141A4';

describe('the examples in a real n8n', () => {
	let demo: Demo;
	beforeAll(async () => {
		demo = await startDemoOncePerFile();
	});

	const idOf = (example: string) => demo.workflows.get(example)?.id as string;

	it('are all linked from the one to start with', () => {
		const notes = JSON.stringify(demo.workflows.get('start-here')?.nodes);
		const others = examples.filter((example) => example !== 'start-here');
		expect(others.filter((example) => !notes.includes(`/workflow/${idOf(example)}`))).toEqual([]);
	});

	it('and the installed package link to no page that is not there', async () => {
		const installed = join(demo.folder, '.n8n', 'nodes', 'node_modules');
		const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
		const texts = [
			...[...demo.workflows.values()].map(({ nodes }) => JSON.stringify(nodes)),
			...files
				.filter((name) => /dist.*\.js(on)?$/.test(name))
				.map((name) => readFileSync(join(installed, name), 'utf8')),
		];
		const links = new Set(
			texts.flatMap((text) =>
				[...text.matchAll(/https?:[^\s"'`\\)<]+\.md/g)].map(([link]) => link),
			),
		);
		expect([...links].join()).toContain('docs/credentials.md');
		for (const link of links) {
			expect({ link, status: (await fetchUnpooled(link)).status }).toEqual({ link, status: 200 });
		}
	});

	it('link to the page of this sandbox', () => {
		expect(JSON.stringify(demo.workflows.get('start-here')?.nodes)).toContain(demo.sandbox.page);
	});

	/** A person enters the company, and approves on the next page. */
	const approveDossier = async () =>
		await submitN8nForm(
			`${demo.n8n.url}/form-test/company-dossier`,
			[COMPANY],
			['Send and be billed'],
		);

	describeIfChromium('in the editor', () => {
		let editor: Editor;
		beforeAll(async () => {
			editor = await openEditorOncePerFile();
		});

		const deliveredTo = async () => {
			const answer = await fetchUnpooled(new URL('sandbox/webhook', demo.sandbox.page));
			return ((await answer.json()) as { url: string }).url;
		};

		const run = async (example: string) => {
			await editor.open(idOf(example));
			await editor.click();
			await editor.succeeded();
		};

		it.each(clicks)('run by one click: %s to %s, from %s', async (example, last, trigger) => {
			if (last === 'Keep day') await run('start-here'); // so that there is something to report
			await editor.open(idOf(example));
			expect(await editor.unknownNodes.count()).toBe(0);
			await editor.click(trigger);
			if (example === 'company-dossier') {
				await editor.listening();
				await approveDossier();
			}
			const before = await deliveredTo();
			// n8n says that it has succeeded for some seconds only
			await editor.succeeded();
			await registerWebhook(demo.sandbox, before);
			await editor.screenshot(`example-${example}-${last.toLowerCase().replaceAll(' ', '-')}`);
			expect(await editor.node(last).getByTestId('canvas-node-status-success').count()).toBe(1);
		});

		const unclicked = examples.filter(
			(example) => !clicks.some(([clicked]) => clicked === example),
		);
		it.each(unclicked)('have no node that n8n does not know: %s', async (example) => {
			await editor.open(idOf(example));
			await editor.screenshot(`example-${example}`);
			expect(await editor.unknownNodes.count()).toBe(0);
		});

		it('are about a node that people find in Spanish, too', async () => {
			await editor.open(idOf('start-here'));
			expect((await editor.search('buró')).slice(0, 3)).toContain('Credit Profile');
		});
	});
});
