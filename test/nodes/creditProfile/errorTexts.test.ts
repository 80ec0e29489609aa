import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { startStubServer, type StubResponse } from '../../exhaustive/apiVariants/stubServer';
import { runNodeInEngine, type NodeRunOptions } from '../../support/runNodeInEngine';
import { startSandboxWithHelpers } from '../../support/sandbox';
import { sandboxForTestGroup } from '../../support/sandboxForTestGroup';
import { LOANS_COLLECTION_ID, createSandboxNodeRunner } from './support';

/** Runs the node at a service that answers everything so. */
async function rendered(
	answer: StubResponse,
	parameters: INodeParameters,
	more: Partial<NodeRunOptions> = {},
) {
	const service = await startStubServer(() => answer);
	const { error, hints } = await runNodeInEngine({
		type: 'creditProfile',
		parameters,
		credentials: { creditProfileApi: { baseUrl: service.url, apiToken: 'token-1' } },
		...more,
	});
	await service.close();
	return {
		error: error && `${error.message} | ${error.description ?? ''}`,
		hints: hints.map(({ message }) => message),
	};
}

const byId = (value: unknown) => ({ __rl: true, mode: 'id', value: value as number });
const get = (id: unknown) => ({
	...{ resource: 'dataCollection', operation: 'get', collection: byId(id) },
});
const filtered = (filters: IDataObject): INodeParameters => ({
	...{ resource: 'dataCollection', operation: 'getAll', returnAll: true },
	filters: filters as INodeParameters,
});
const upsert = (fields: object): INodeParameters => ({
	...{ resource: 'providerLogin', operation: 'upsert', loginFrom: 'fields' },
	...fields,
});
const legal = upsert({ provider: 'legal-records', username: 'lender', password: 'Secret_1' });
const documents = {
	...{ resource: 'dataDocument', operation: 'getAll', collection: byId(LOANS_COLLECTION_ID) },
	...{ returnAll: true, options: {} },
};
const row = { id: 1, type: 'legal-records', user: 'lender' };

/** The sandbox's own 404, whichever operation asks. */
describe('an unknown collection', () => {
	const sandbox = sandboxForTestGroup(startSandboxWithHelpers, { rateLimit: 0, documents: 0 });
	const unknown = { collection: byId(999_999), returnAll: true };

	it.each([
		{ resource: 'dataCollection', operation: 'get' },
		{ resource: 'dataCollection', operation: 'getVersions' },
		{ resource: 'dataDocument', operation: 'getAll' },
		{ resource: 'dataDocument', operation: 'getAll', returnAll: false, limit: 5 },
		{ resource: 'dataDocument', operation: 'count' },
		{ resource: 'dataDocument', operation: 'downloadFiles', filesFrom: 'collection' },
	])('is named by its ID: $resource $operation', async (parameters) => {
		const { error } = await createSandboxNodeRunner(sandbox)({ ...unknown, ...parameters });
		expect(error?.message).toBe('There is no collection 999999');
	});
});

/** What an operator reads about a mistake, or about what the service does. */
describe('an error', () => {
	it.each<[INodeParameters, RegExp]>([
		[get('abc'), /^'Collection' must be an ID/],
		[get('={{ "" }}'), /^No collection is chosen/],
		[{ ...documents, returnAll: false, limit: 0 }, /^'Limit' must be a whole number, 1 or more/],
		[{ ...documents, options: { simplify: 'no' } }, /^'Simplify' is neither/],
		[
			{ ...documents, options: { includeAssociations: 'x' } },
			/^'Include Associations' is empty or holds/,
		],
		[
			{ ...documents, options: { personalData: 'x' } },
			/^'Personal Data' must be full, masked or pseudonym/,
		],
		[
			{ ...documents, options: { personalData: 'pseudonym' } },
			/^Pseudonyms need the credential's 'Pseudonym Key'/,
		],
		[
			{ ...documents, options: { timeout: 86_401 } },
			/^'Timeout \(Seconds\)' must be 86400, which is a day, or less/,
		],
		[
			filtered({ parentCollectionId__eq: 'a' }),
			/^'Parent Collection ID' in 'Filters' must be a whole/,
		],
		[filtered({ name__eq: {} }), /^'Name' in 'Filters' must be a text/],
		[filtered({ name__like: ['a', 'b'] }), /^'Name Contains' in 'Filters' takes one text/],
		[filtered({ name__eq: '' }), /^'Name' in 'Filters' has no value/],
		[
			upsert({ provider: 'bureau/pm', user: '__n8n_BLANK_VALUE_x', password: 'b' }),
			/^'User' .* is a placeholder of n8n: open the credential and enter it again/,
		],
		[
			upsert({ provider: 'bureau/pm', user: 'a-b', password: 'b' }),
			/^'User' .* may hold only letters/,
		],
		[
			upsert({ provider: 'bureau/pm', user: ' ', password: 'b' }),
			/^'User' .* is empty or not a text/,
		],
	])('names the field: %j', async (parameters, words) => {
		expect((await rendered({ body: {} }, parameters)).error).toMatch(words);
	});

	it.each<[INodeParameters, object, RegExp]>([
		[
			filtered({ tags__eq: ['b', 'c'] }),
			{ data: [{ id: 1, name: 'A', tags: ['a'] }], total: 1 },
			/^The Credit Profile Service gave a collection that does not pass 'Exact Tag Names or IDs' in 'Filters' \| If the service reads filters in another form, set filterEncoding or listEncoding in the credential's API Mapping\.$/,
		],
		[
			get(5),
			{ id: 99, name: 'A' },
			/^The Credit Profile Service gave data collection 99, not 5 \| /,
		],
		[
			{ ...documents, output: 'associations' },
			{ total: 1, documents: [{ id: 7, document: {}, associations: { id: 3 } }] },
			/^The response of the Credit Profile Service is not a list of associations \| /,
		],
		[legal, { message: 'Your contract ended' }, /^It is not known whether the login was saved \| /],
	])('quotes the response of the service: %j', async (parameters, body, words) => {
		expect((await rendered({ body }, parameters)).error).toMatch(words);
	});

	it('says what to check when the bureau refuses a login', async () => {
		const login = upsert({ provider: 'bureau/pf', user: 'a', password: 'b' });
		const { error } = await rendered({ status: 422, body: { message: 'No' } }, login);
		expect(error).toMatch(/its password the encrypted one.*The service says: "No"\.$/);
	});

	it('about an item without files says where they come from', async () => {
		const parameters = { ...documents, operation: 'downloadFiles', filesFrom: 'incoming' };
		const { error } = await rendered({ body: {} }, parameters, { items: [{ id: 9 }] });
		expect(error).toMatch(
			/^The incoming item holds no file associations \| .*Include Associations/,
		);
	});
});

describe('a hint', () => {
	it.each<[object, string]>([
		[{ user: 'SOMEBODY_ELSE' }, 'shows another user'],
		[{ isEnabled: false }, 'says that it is not enabled'],
	])('hints that the row of a saved login %j', async (more, uncertainty) => {
		const { hints } = await rendered({ body: { ...row, ...more } }, legal);
		expect(hints).toEqual([
			expect.stringContaining(
				`The login for Legal Records was saved, but the response ${uncertainty}`,
			),
		]);
	});

	it('hints at blanks around a secret', async () => {
		const login = upsert({ provider: 'sanctions-screening', token: ' a' });
		const { hints } = await rendered({ body: { ...row, type: 'sanctions-screening' } }, login);
		expect(hints[0]).toBe(
			"'Token' of the provider's login begins or ends with a blank or line break; it was sent as entered.",
		);
	});

	it('hints that a file may not hold all documents', async () => {
		const page = [1, 2].map((id) => ({ id, document: {}, associations: [] }));
		const file = { ...documents, output: 'file', returnAll: false, limit: 2 };
		const { hints } = await rendered(
			{ body: { total: 9, documents: page, name: 'A', id: LOANS_COLLECTION_ID } },
			file,
		);
		expect(hints).toEqual([
			'The file holds the first 2 documents; there may be more. Switch on Return All for all.',
		]);
	});

	it('hints at associations without files, and at equal downloads', async () => {
		const associations = [{ type: 'archivos', association: { id: 1 } }];
		const parameters = { ...documents, operation: 'downloadFiles', filesFrom: 'collection' };
		const body = { total: 1, documents: [{ id: 7, document: {}, associations }] };
		const { hints } = await rendered({ body }, parameters, { items: [{}, {}] });
		expect(hints).toEqual(
			expect.arrayContaining([
				'Associations of a type other than Profiles, Forms and Files: 1. They were not downloaded: Data Document → Get Many shows them.',
				expect.stringMatching(/^Several items download the same files,.*: 1\./),
			]),
		);
	});
});
