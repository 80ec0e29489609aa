import { LoadOptionsContext } from 'n8n-core';
import {
	Workflow,
	type ICredentialDataDecryptedObject,
	type INode,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { CredentialsInMemory, packageNodesByType } from '../../support/runNodeInEngine';
import { startSandboxWithHelpers } from '../../support/sandbox';
import { sandboxForTestGroup } from '../../support/sandboxForTestGroup';

const { listSearch = {}, loadOptions = {} } = packageNodesByType.creditProfile.methods ?? {};

describe('what an operator chooses from', () => {
	const sandbox = sandboxForTestGroup(startSandboxWithHelpers, { rateLimit: 0 });

	/** The context that n8n gives to a list of the node panel. */
	const parameters = { resource: 'dataCollection' };
	const panel = (api: ICredentialDataDecryptedObject = {}) => {
		const type = packageNodesByType.creditProfile;
		const node: INode = {
			id: 'node-1',
			name: 'Node under test',
			type: 'n8n-nodes-credit-profile.creditProfile',
			typeVersion: 1,
			position: [0, 0],
			parameters,
			credentials: { creditProfileApi: { id: '1', name: 'Sandbox' } },
		};
		const workflow = new Workflow({
			nodes: [node],
			connections: {},
			active: false,
			nodeTypes: {
				getByName: () => type,
				getByNameAndVersion: () => type,
				getKnownTypes: () => ({}),
			},
		});
		const additionalData = {
			credentialsHelper: new CredentialsInMemory(sandbox.credentials({ creditProfileApi: api })),
			currentNodeParameters: parameters,
		} as unknown as IWorkflowExecuteAdditionalData;
		return new LoadOptionsContext(workflow, node, additionalData, 'parameters');
	};
	const search = async (text?: string, token?: string, api?: ICredentialDataDecryptedObject) =>
		await listSearch.searchCollections.call(panel(api), text, token);

	it('are the collections by name, with their ids', async () => {
		const { results } = await search();
		expect(results.slice(0, 2)).toEqual([
			{ name: 'Solicitudes de crédito', value: 1 },
			{ name: 'Personas físicas', value: 2 },
		]);
	});

	it('are only the collections that the service itself finds by a part of the name', async () => {
		const { results } = await search('juicios');
		expect(results.map(({ name }) => name)).toEqual(['Juicios mercantiles', 'Juicios laborales']);
	});

	it.each([
		['brackets', 'filter[name__like]', 'juicios'],
		['dots', 'filter.name__like', 'juicios'],
		['json', 'filter', '{"name__like":"juicios"}'],
	])('are searched in the encoding of the API Mapping: %s', async (filterEncoding, name, value) => {
		await search('juicios', undefined, { apiMapping: JSON.stringify({ filterEncoding }) });
		const [{ query }] = await sandbox.requests();
		expect(query).toMatchObject({ [name]: value });
	});

	it('are no collections where none has the name', async () => {
		expect(await search('nothing like this')).toEqual({ results: [] });
	});

	it('come page by page, as long as there are more', async () => {
		await sandbox.faults({
			path: '/api/v1/data/collection',
			times: 1,
			fault: { status: 200, body: { data: [{ id: 1, name: 'First' }], total: 2 } },
		});
		const first = await search();
		const second = await search(undefined, String(first.paginationToken));
		expect([first.paginationToken, second.paginationToken]).toEqual(['1', undefined]);
	});

	it('go on where the page before ended', async () => {
		await search(undefined, '25');
		const [{ query }] = await sandbox.requests();
		expect(query).toMatchObject({ offset: '25' });
	});

	it('are the tags of collections', async () => {
		const tags = await loadOptions.getCollectionTags.call(panel());
		expect(tags).toContainEqual({ name: 'originación', value: 'originación' });
	});

	it('is replaced by what is wrong, if the token is', async () => {
		const searching = listSearch.searchCollections.call(panel({ apiToken: 'wrong-token' }));
		await expect(searching).rejects.toMatchObject({ code: 'status.401' });
	});
});
