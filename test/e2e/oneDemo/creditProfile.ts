import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fetchUnpooled } from '../../../demo/fetchUnpooled';
import type { Execution } from '../../../demo/n8nClient';
import type { Demo } from '../../../demo/startDemo';
import { EXAMPLE_WEBHOOKS_HEADER_AUTH } from '../../../demo/provision';
import { describeIfChromium } from '../support/describeIfChromium';
import { waitForEndedExecutionOf } from '../support/executions';
import type { Editor } from '../support/editor';
import { startDemoOncePerFile, openEditorOncePerFile } from '../support/sharedDemo';
import { buildWorkflow, type NodeSketch } from '../../../demo/workflow';

const NODE = 'n8n-nodes-credit-profile.creditProfile';
/** The stored provider login that the demo creates. */
const SECRET = 'Encrypted_by_the_bureau_1';

/** Files below the folder that hold this text: databases, logs, whatever n8n writes. */
const filesWith = (text: string, folder: string): string[] =>
	readdirSync(folder, { recursive: true })
		.map((file) => join(folder, String(file)))
		.filter((file) => !file.includes('node_modules') && statSync(file).isFile())
		.filter((file) => readFileSync(file).includes(text));

describe('the Credit Profile node in a real n8n', () => {
	let demo: Demo;

	beforeAll(async () => {
		demo = await startDemoOncePerFile();
	});

	const faults = async (...rules: object[]) =>
		await fetchUnpooled(new URL('sandbox/faults', demo.sandbox.page), {
			method: 'PUT',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(rules),
		});
	const call = async (path: string, method = 'GET') => {
		const { name, value } = EXAMPLE_WEBHOOKS_HEADER_AUTH;
		const headers = { [name]: value };
		const answer = await fetchUnpooled(`${demo.n8n.url}/webhook/${path}`, { method, headers });
		return { status: answer.status, body: (await answer.json()) as unknown };
	};
	const credentialsOf = (file: string) =>
		demo.workflows.get(file)?.nodes.find(({ type }) => type === NODE)?.credentials ?? {};

	/** The node with these parameters; other settings may go beside them. */
	const collections = (parameters: object, settings: object = {}) => ({
		name: 'Collections',
		type: NODE,
		typeVersion: 1,
		credentials: { creditProfileApi: credentialsOf('list-documents').creditProfileApi },
		parameters: { resource: 'dataCollection', ...parameters },
		...settings,
	});
	/** Creates a workflow of nodes one after the other; each output of the last goes to a node of its own. */
	const create = async (name: string, nodes: NodeSketch[], outputs: string[] = []) => {
		const ends = outputs.map((end) => ({ name: end, type: 'n8n-nodes-base.noOp' }));
		const last = nodes[nodes.length - 1].name;
		const { connections } = buildWorkflow(name, nodes);
		const main = outputs.map((node) => [{ node, type: 'main', index: 0 }]);
		return await demo.n8n.client.createWorkflow(
			buildWorkflow(name, [...nodes, ...ends], {
				connections: { ...connections, [last]: { main } },
			}),
		);
	};

	/** An ID or an error; undefined if the node did not run. */
	const outOf = ({ data }: Execution, node: string) =>
		data?.resultData.runData[node]?.[0].data?.main?.[0]?.map(({ json }) => json.error ?? json.id);
	const notFound = expect.any(String) as unknown;

	describe('given a collection that does not exist among good ones', () => {
		/** Runs such a workflow by its webhook; returns its execution. */
		const run = async (path: string, settings: object) => {
			const id = await create(
				path,
				[
					{
						name: 'Webhook',
						type: 'n8n-nodes-base.webhook',
						typeVersion: 2,
						webhookId: path,
						parameters: { path, responseMode: 'lastNode' },
					},
					{
						name: 'Three ids',
						type: 'n8n-nodes-base.code',
						typeVersion: 2,
						parameters: { jsCode: 'return [1, 4711, 3].map((id) => ({ json: { id } }));' },
					},
					collections(
						{ operation: 'get', collection: { __rl: true, mode: 'id', value: '={{ $json.id }}' } },
						settings,
					),
				],
				['Good', 'Bad'],
			);
			await demo.n8n.client.publish(id);
			await call(path);
			return await waitForEndedExecutionOf(demo.n8n.client, id);
		};

		it('goes on with an item in its place, under Continue On Fail', async () => {
			const execution = await run('go-on', { onError: 'continueRegularOutput' });
			expect(outOf(execution, 'Good')).toEqual([1, notFound, 3]);
		});

		it('sends only it to the error output', async () => {
			const execution = await run('error-output', { onError: 'continueErrorOutput' });
			expect([outOf(execution, 'Good'), outOf(execution, 'Bad')]).toEqual([[1, 3], [notFound]]);
		});

		it('stops by default, and names the item', async () => {
			const { status, data } = await run('stop', {});
			expect({ status, error: data?.resultData.error }).toMatchObject({
				status: 'error',
				error: { context: { code: 'status.404', item: 2 } },
			});
		});
	});

	it('lists the newest documents of the collections that a name finds', async () => {
		const { status, body } = await call('list-documents?name=juicios&limit=3');
		const documents = body as Array<{ collection: string; people: string[] }>;
		expect({ status, collections: documents.map(({ collection }) => collection) }).toEqual({
			status: 200,
			collections: [
				...Array<string>(3).fill('Juicios mercantiles'),
				...Array<string>(3).fill('Juicios laborales'),
			],
		});
	});

	describe('rotates a stored provider login', () => {
		const rotate = async () => await call('rotate-provider-credentials', 'POST');

		it('lists the provider logins after the rotation', async () => {
			expect(await rotate()).toEqual({
				status: 200,
				body: expect.arrayContaining([
					{
						provider: 'bureau/pf',
						user: 'lender_1',
						isEnabled: true,
						expires: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
					},
				]),
			});
		});

		it('without leaving it anywhere when the service refuses it and echoes it', async () => {
			const path = '/api/v1/credential/bureau/pf';
			await faults({ path, fault: { status: 400, body: { message: `Not ${SECRET}` } } });
			const { problem } = (await rotate()).body as { problem: string };
			await faults();
			await waitForEndedExecutionOf(
				demo.n8n.client,
				demo.workflows.get('rotate-provider-credentials')?.id as string,
				{ runs: 2 },
			);
			expect({
				withSecret: filesWith(SECRET, demo.folder),
				withMessage: filesWith(problem.slice(0, 40), demo.folder).length > 0,
			}).toEqual({
				withSecret: [],
				withMessage: true, // the search finds what is there
			});
		});
	});

	describeIfChromium('shown in its editor', () => {
		let editor: Editor;
		beforeAll(async () => {
			editor = await openEditorOncePerFile();
		});

		it.each([
			['rotate-provider-credentials', 'Store new login', 'Login From'],
			['list-documents', 'Find collections', 'Filters'],
			['list-documents', 'Newest documents', 'Return All'],
		])('has a panel in %s: %s', async (file, node, field) => {
			await editor.openPanel(demo.workflows.get(file)?.id as string, node);
			for (const label of ['Resource', 'Operation', field]) {
				await editor.page.getByText(label, { exact: true }).first().waitFor();
			}
			await editor.screenshot(`credit-profile-${node.toLowerCase().replaceAll(' ', '-')}`);
			expect(await editor.page.getByTestId('node-parameter-issues').count()).toBe(0);
		});

		const manual = {
			name: 'Start',
			type: 'n8n-nodes-base.manualTrigger',
			typeVersion: 1,
			parameters: {},
		};

		it('lets ids and tags of the service be entered as filters, and runs with them', async () => {
			const { page } = editor;
			const node = collections({ operation: 'getAll' });
			await editor.openPanel(await create('Filter collections', [manual, node]), 'Collections');
			const add = async (filter: string) => {
				await page.getByPlaceholder('Add filter').click();
				await page.getByRole('option', { name: filter }).click();
			};
			await add('Parent Collection ID');
			await page.getByTestId('input-number').locator('input').last().fill('2');
			await add('Any Tag Names or IDs');
			await page.getByTestId('parameter-input-tags__anyOf').locator('.el-select__input').click();
			await page.getByRole('option', { name: 'aval' }).click();
			await editor.screenshot('credit-profile-filters');
			await page.getByTestId('node-execute-button').click();
			await page.getByText('Obligados solidarios').first().waitFor();
			await editor.screenshot('credit-profile-filters-run');
			expect(await page.getByText('1 item', { exact: true }).count()).toBeGreaterThan(0);
		});

		it('lets a collection be searched and picked, and runs with it', async () => {
			const { page } = editor;
			const node = collections({
				resource: 'dataDocument',
				operation: 'getAll',
				returnAll: true,
				collection: { __rl: true, mode: 'list', value: '' },
			});
			await editor.openPanel(await create('Pick a collection', [manual, node]), 'Collections');
			await page.getByTestId('rlc-input').first().click();
			await page.getByTestId('rlc-search').fill('mercantiles');
			await page.getByTestId('rlc-item').filter({ hasText: 'Juicios mercantiles' }).click();
			await editor.screenshot('credit-profile-collection-picked');
			await page.getByTestId('node-execute-button').click();
			await page.getByText('36 items').first().waitFor();
			await editor.screenshot('credit-profile-collection-run');
			expect(await page.getByTestId('node-error-message').count()).toBe(0);
		});
	});
});
