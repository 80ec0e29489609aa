import type { Demo } from '../../../demo/startDemo';
import { buildWorkflow } from '../../../demo/workflow';
import { describeIfChromium } from '../support/describeIfChromium';
import type { Editor } from '../support/editor';
import { startDemoOncePerFile, openEditorOncePerFile } from '../support/sharedDemo';

const NODE = 'n8n-nodes-credit-profile.taxQuery';
const RFC = 'GODE561231GR8';

describe('the Tax Query node in a real n8n', () => {
	let demo: Demo;
	beforeAll(async () => {
		demo = await startDemoOncePerFile();
	});

	describeIfChromium('shown in its editor', () => {
		let editor: Editor;
		let workflowId: string;
		beforeAll(async () => {
			editor = await openEditorOncePerFile();
			workflowId = await create(panels);
		});

		/** One with every kind of field, and one without a credential. Other tests open those of the examples. */
		const panels: Array<[name: string, parameters: Record<string, unknown>, shown: string]> = [
			[
				'Fiscal regimes',
				{ resource: 'taxpayer', operation: 'getCrf', rfc: RFC, waitForResult: true },
				'legalName',
			],
			[
				'Identifiers',
				{ resource: 'identifier', operation: 'check', rfc: ' gode 561231-gr8 ', zipCode: '06700' },
				RFC,
			],
		];

		const create = async (nodes: typeof panels) => {
			const credentials = demo.workflows
				.get('start-here')
				?.nodes.find(({ type }) => type === NODE)?.credentials;
			const start = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };
			const shown = nodes.map(([name, parameters]) => ({
				name,
				type: NODE,
				parameters,
				...(parameters.resource !== 'identifier' && { credentials }),
			}));
			const main = [nodes.map(([node]) => ({ node, type: 'main', index: 0 }))];
			return await demo.n8n.client.createWorkflow(
				buildWorkflow('Panels', [start, ...shown], { connections: { Start: { main } } }),
			);
		};
		const screenshot = async (node: string, what: string) =>
			await editor.screenshot(`tax-query-${node.toLowerCase().replaceAll(' ', '-')}-${what}`);

		it.each(panels)('runs on a click: %s', async (node, _parameters, shown) => {
			await editor.openPanel(workflowId, node, true);
			await editor.page.getByTestId('node-execute-button').click();
			await editor.page.getByText(shown).first().waitFor();
			await screenshot(node, 'run');
			expect(await editor.page.getByTestId('node-error-message').count()).toBe(0);
		});
	});
});
