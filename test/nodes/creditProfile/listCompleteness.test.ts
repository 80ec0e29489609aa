import type { INodeParameters } from 'n8n-workflow';
import { startStubServer, type StubResponse } from '../../exhaustive/apiVariants/stubServer';
import { codeOf } from '../../support/errorCode';
import { runNodeInEngine } from '../../support/runNodeInEngine';

/** Runs the node at a service that responds so. */
async function run(response: StubResponse, parameters: INodeParameters) {
	const service = await startStubServer(() => response);
	const { items, error } = await runNodeInEngine({
		type: 'creditProfile',
		parameters,
		credentials: { creditProfileApi: { baseUrl: service.url, apiToken: 'token-1' } },
	});
	await service.close();
	return { rows: items.map(({ json }) => json), code: codeOf(error), context: error?.context };
}

const logins = {
	resource: 'providerLogin',
	operation: 'getAll',
	returnAll: true,
	options: { simplify: false },
};
const tags = { resource: 'dataCollection', operation: 'getTags' };
const documents = {
	...{ ...logins, resource: 'dataDocument' },
	collection: { __rl: true, mode: 'id', value: 7 },
};
const files = { ...documents, operation: 'downloadFiles', filesFrom: 'collection' };
/** Each way in which rows are read: at once, texts, page by page, and by what needs them. */
const lists = Object.entries({ logins, tags, documents, files });

describe('a list is an error and no empty list', () => {
	it.each(lists)('without content: %s', async (_, list) => {
		const { rows, code } = await run({ status: 204, type: '' }, list);
		expect({ rows, code }).toEqual({ rows: [], code: 'body.empty' });
	});

	it.each(lists)('with a reported failure: %s', async (_, list) => {
		const body = { success: false, message: 'down', data: [], documents: [], total: 0 };
		const { rows, context } = await run({ body }, list);
		expect(rows).toEqual([]);
		expect(context).toMatchObject({ code: 'failure', serviceMessage: 'down' });
	});

	it.each(['down', 'OK'])('without rows and total, with the message %s', async (message) => {
		const { rows, code } = await run({ body: { documents: [], message } }, documents);
		expect({ rows, code }).toEqual({ rows: [], code: 'incomplete' });
	});
});

it.each(['dataCollection', 'dataDocument'])(
	'tags are an error where the response counts more of them: %s',
	async (resource) => {
		const { rows, context } = await run(
			{ body: { count: 3, data: ['a', 'b'] } },
			{ ...tags, resource },
		);
		expect(rows).toEqual([]);
		expect(context).toMatchObject({ code: 'incomplete', given: 2, total: 3 });
	},
);
