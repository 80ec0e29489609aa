import { describeIfChromium } from '../support/describeIfChromium';
import type { Editor } from '../support/editor';
import { startDemoOncePerFile, openEditorOncePerFile } from '../support/sharedDemo';
import { buildWorkflow } from '../../../demo/workflow';

const NODES = [
	{ name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} },
	{
		...{ name: 'CRF', type: 'n8n-nodes-credit-profile.taxQuery', typeVersion: 1 },
		parameters: { resource: 'taxpayer', operation: 'getCrf', rfc: 'GODE561231GR8' },
	},
	{ name: 'Fields', type: 'n8n-nodes-base.set', typeVersion: 3.4, parameters: {} },
];

describeIfChromium('a paid query that has never run', () => {
	let editor: Editor;
	let workflowId: string;
	beforeAll(async () => {
		const { n8n } = await startDemoOncePerFile();
		editor = await openEditorOncePerFile();
		workflowId = await n8n.client.createWorkflow(
			buildWorkflow('Columns before the first query', NODES),
		);
	});

	it('shows its columns in the next node, where one can be dragged', async () => {
		const { page } = editor;
		await editor.openPanel(workflowId, 'Fields');
		const columns = page.getByTestId('run-data-schema-item');
		await columns.filter({ hasText: 'legalName' }).first().waitFor();
		const shown = (await columns.allInnerTexts()).map((text) => text.trim());
		expect(shown).toEqual(expect.arrayContaining(['rfc', 'legalName', 'regimes', 'queryId']));
		const column = columns
			.filter({ hasText: 'legalName' })
			.locator('[data-target="mappable"]')
			.first();
		const area = page.getByTestId('assignment-collection-drop-area');
		const [from, to] = [await column.boundingBox(), await area.boundingBox()];
		if (!from || !to) throw new Error('Nothing to drag');
		await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
		await page.mouse.down();
		await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 20 });
		await page.mouse.up();
		await page.getByText('{{ $json.legalName }}').first().waitFor();
		await editor.screenshot('columns-before-the-first-query');
	});
});
