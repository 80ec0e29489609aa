import { fetchUnpooled } from '../../../demo/http';
import type { Workflow, WorkflowNode } from '../../../demo/n8nClient';
import { productionUrl, type Provisioned } from '../../../demo/provision';
import { registerWebhook } from '../../../demo/sandbox';
import type { Demo } from '../../../demo/demo';
import { until } from '../../support/until';
import { describeWithBrowser } from '../support/browser';
import type { Editor } from '../support/editor';
import { oneDemo, oneEditor } from '../support/oneDemo';
import { executionEnded, outOf } from '../support/executions';

const NODE = 'n8n-nodes-credit-profile.taxQuery';
const RFC = 'GODE561231GR8';

describe('the Tax Query node in a real n8n', () => {
	let demo: Demo;
	beforeAll(async () => {
		demo = await oneDemo();
	});

	const call = async <T>(path: string, body?: object) => {
		const answer = await fetchUnpooled(`${demo.n8n.url}/webhook/${path}`, {
			method: body ? 'POST' : 'GET',
			headers: { 'content-type': 'application/json' },
			body: body && JSON.stringify(body),
		});
		return (await answer.json()) as T;
	};
	const idOf = (file: string) => demo.workflows.get(file)?.id as string;
	const ledger = async () => {
		const answer = await fetchUnpooled(new URL('sandbox/ledger', demo.sandbox.page));
		return (await answer.json()) as Array<{ service: string; queryId: string }>;
	};

	it('checks the identifiers of a list without a credential', async () => {
		const people = [
			{ rfc: ' gode 561231-gr8 ', zipCode: '06700', state: 'CMX' },
			{ rfc: 'GODE561331GR8' },
			{ curp: 'SABC560626MDFLRN02' },
		];
		expect(await call('check-identifiers', { people })).toEqual([
			{ valid: true, rfc: RFC, curp: '', odd: [] },
			expect.objectContaining({ valid: false, wrong: [expect.stringMatching(/^RFC: .*date/)] }),
			expect.objectContaining({ valid: false, wrong: [expect.stringMatching(/^CURP: .*digit/)] }),
		]);
	});

	it('gives a row that cannot be checked back with the identifiers that it has', async () => {
		const row = { rfc: RFC, birthDate: 'no date' };
		const [{ rfc, wrong }] = await call<Array<{ rfc: string; wrong: string[] }>>(
			'check-identifiers',
			{ people: [row] },
		);
		expect([rfc, wrong]).toEqual([RFC, [expect.stringMatching(/Birth Date/i)]]);
	});

	it('reuses a result instead of paying again', async () => {
		const ask = async () =>
			await call<{ queryId: string; reused: boolean }>(`reuse-results?rfc=${RFC}`);
		const [first, second] = [await ask(), await ask()];
		expect([first.reused, second]).toEqual([false, { ...first, reused: true }]);
	});

	it('gets the invoices of last month, after creating the tax profile that was missing', async () => {
		await call('monthly-invoices', {});
		const execution = await executionEnded(demo.n8n.client, idOf('monthly-invoices'), {
			node: 'Month',
		});
		const [month] = outOf(execution, 'Month');
		const paid = (await ledger()).filter(({ service }) => service === 'INVOICE');
		expect([month, paid]).toEqual([
			expect.objectContaining({ rfc: RFC, pending: false, queryId: paid[0].queryId }),
			[expect.anything()],
		]);
	});

	it('gives a result back to the customer whom it was asked for', async () => {
		const { id, nodes } = demo.workflows.get('ask-with-reference') as Provisioned;
		const trigger = nodes.find(({ type }) => type.endsWith('taxQueryTrigger')) as WorkflowNode;
		await registerWebhook(demo.sandbox, await productionUrl(demo.n8n, trigger));
		const asked = await call<{ queryId: string }>('ask-with-reference', {
			customerId: 'C-4711',
			rfc: 'EKU9003173C9',
		});
		// results of what other tests have asked come, too
		const result = async () =>
			(await demo.n8n.client.executions(id))
				.flatMap((execution) => outOf(execution, 'Result of the customer'))
				.find(({ queryId }) => queryId === asked.queryId);
		expect(await until('the result of the customer', result)).toMatchObject({
			customerId: 'C-4711',
			status: 'SUCCESS',
		});
	});

	describeWithBrowser('shown in its editor', () => {
		let editor: Editor;
		let workflowId: string;
		beforeAll(async () => {
			editor = await oneEditor();
			workflowId = await create(panels);
		});

		/** Node, what it does, and a field that its panel shows. */
		const panels: Array<[name: string, parameters: Record<string, unknown>, field: string]> = [
			['Calculate', { resource: 'taxpayer', operation: 'calculateRfc' }, 'Birth Date As'],
			[
				'Fiscal regimes',
				{ resource: 'taxpayer', operation: 'getCrf', rfc: RFC, waitForResult: true },
				'Max Wait (Seconds)',
			],
			['Person', { resource: 'person', operation: 'getEmploymentHistory' }, 'Wait for Result'],
			['Company', { resource: 'company', operation: 'getShareholders' }, 'Wait for Result'],
			['Profile', { resource: 'taxAuthority', operation: 'createTaxProfile' }, 'Login From'],
			['Invoices', { resource: 'taxAuthority', operation: 'getInvoices' }, 'Period'],
			['Past queries', { resource: 'query', operation: 'getAll' }, 'Filters'],
			[
				'Identifiers',
				{ resource: 'identifier', operation: 'check', rfc: ' gode 561231-gr8 ', zipCode: '06700' },
				'Zip Code',
			],
		];

		const create = async (nodes: typeof panels) => {
			const credentials = demo.workflows
				.get('reuse-results')
				?.nodes.find(({ type }) => type === NODE)?.credentials;
			const start = { name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} };
			const all = [
				start,
				...nodes.map(([name, parameters]) => ({
					name,
					type: NODE,
					parameters,
					...(parameters.resource !== 'identifier' && { credentials }),
				})),
			];
			return await demo.n8n.client.createWorkflow({
				name: 'Panels',
				nodes: all.map((node, index) => ({
					id: String(index),
					typeVersion: 1,
					position: [220 * index, 0],
					...node,
				})) as unknown as Workflow['nodes'],
				connections: {
					Start: { main: [nodes.map(([node]) => ({ node, type: 'main', index: 0 }))] },
				},
				settings: { executionOrder: 'v1' },
			});
		};
		const screenshot = async (node: string, what: string) =>
			await editor.screenshot(`tax-query-${node.toLowerCase().replaceAll(' ', '-')}-${what}`);

		it.each(panels)('has a panel: %s', async (node, _parameters, field) => {
			await editor.openPanel(workflowId, node);
			await editor.page.getByText(field, { exact: true }).first().waitFor();
			await screenshot(node, 'panel');
			expect(await editor.page.getByTestId('node-error-message').count()).toBe(0);
		});

		it.each([
			['Identifiers', 'GODE561231GR8'],
			['Fiscal regimes', 'legalName'],
		])('runs on a click: %s', async (node, shown) => {
			await editor.openPanel(workflowId, node, true);
			await editor.page.getByTestId('node-execute-button').click();
			await editor.page.getByText(shown).first().waitFor();
			await screenshot(node, 'run');
			expect(await editor.page.getByTestId('node-error-message').count()).toBe(0);
		});
	});
});
