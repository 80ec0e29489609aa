import type { INodeParameters } from 'n8n-workflow';
import type { FaultRule } from '../../../sandbox/plugins/faults';
import { codeOf } from '../support/errorCode';
import { sandboxForTest, type TestSandbox } from '../support/sandbox';
import { LOANS, nodeOn } from './support';

const byId = (value: unknown) => ({ __rl: true, mode: 'id', value: value as string });
const collection = byId(LOANS);
const get = (value: unknown) => ({
	resource: 'dataCollection',
	operation: 'get',
	collection: byId(value),
});
const documents = { resource: 'dataDocument', operation: 'getAll', collection };
const collections = { resource: 'dataCollection', operation: 'getAll' };
const filtered = (filters: INodeParameters) => ({ ...collections, filters });

describe('bad input', () => {
	let sandbox: TestSandbox;
	let run: ReturnType<typeof nodeOn>;
	beforeAll(async () => {
		sandbox = await sandboxForTest({ rateLimit: 0 });
		run = nodeOn(sandbox);
	});
	beforeEach(async () => await sandbox.reset());
	afterAll(async () => await sandbox.close());

	/** What is wrong, how it got there, and how the message begins. Nothing of it is worth a request. */
	const refused: Array<[what: string, parameters: INodeParameters, message: string]> = [
		['an object for an id', get('={{ { a: 1 } }}'), '"Collection" must be an ID'],
		['a text for an id', get('={{ "abc" }}'), '"Collection" must be an ID'],
		['a path for an id', get('={{ "1/../2" }}'), '"Collection" must be an ID'],
		['a fraction for an id', get('={{ 1.5 }}'), '"Collection" must be an ID'],
		['a negative id', get('={{ -1 }}'), '"Collection" must be an ID'],
		['no id', get('={{ undefined }}'), 'No collection is chosen'],
		['an empty id', get('={{ "" }}'), 'No collection is chosen'],
		['a Limit of 0', { ...collections, limit: 0 }, '"Limit" must be'],
		['a Limit of half a row', { ...collections, limit: '={{ 2.5 }}' }, '"Limit" must be'],
		['a text for a Limit', { ...documents, limit: '={{ "many" }}' }, '"Limit" must be'],
		[
			'a text for a switch',
			{ ...documents, options: { simplify: '={{ "yes" }}' } },
			'"Simplify" is neither',
		],
		[
			'a text for Return All',
			{ ...documents, returnAll: '={{ "yes" }}' },
			'"Return All" is neither',
		],
		[
			'a text for an option',
			{ ...documents, options: { includeAssociations: '={{ "yes" }}' } },
			'"Include Associations" is empty or holds',
		],
		[
			'a text where a filter wants a number',
			filtered({ parentCollectionId__eq: '={{ "abc" }}' }),
			'"Parent Collection ID" in Filters must be a whole number',
		],
		[
			'an object where a filter wants a text',
			filtered({ name__eq: '={{ { a: 1 } }}' }),
			'"Name" in Filters must be a text',
		],
		[
			'a list where a filter takes one text',
			filtered({ name__like: '={{ ["a", "b"] }}' }),
			'"Name Contains" in Filters takes one text',
		],
		[
			'a filter whose expression gives nothing',
			filtered({ name__eq: '={{ $json.missing }}' }),
			'"Name" in Filters has no value',
		],
		['an empty list of tags', filtered({ tags__anyOf: [] }), '"Any Tag Names or IDs" in Filters'],
		['an empty name', filtered({ name__eq: [''] }), '"Name" in Filters has no value'],
	];
	it.each(refused)(
		'%s is refused before a request is spent',
		async (_what, parameters, message) => {
			const { error } = await run(parameters);
			const sent = (await sandbox.requests()).length;
			expect([error?.message, sent]).toEqual([expect.stringContaining(message), 0]);
		},
	);

	it('a collection that does not exist is told by its item', async () => {
		const { error } = await run(get('={{ $json.id }}'), { items: [{ id: 1 }, { id: 4711 }] });
		expect({ code: codeOf(error), index: error?.context?.itemIndex }).toEqual({
			code: 'status.404',
			index: 1,
		});
	});

	it('the error of the only item has no index', async () => {
		const { error } = await run(get('={{ $json.id }}'), { items: [{ id: 4711 }] });
		expect([codeOf(error), error?.context?.itemIndex]).toEqual(['status.404', undefined]);
	});

	const path = '/api/v1/data/collection';
	/** How the service fails, and what the operator reads. */
	const answers: Array<[what: string, fault: FaultRule['fault'], code: string, todo: string]> = [
		['401', { status: 401, body: {} }, 'status.401', 'Tokens are per environment'],
		['403', { status: 403, body: {} }, 'status.403', 'permissions'],
		['404', { status: 404, body: {} }, 'status.404', 'base URL'],
		['400', { status: 400, body: { message: 'offset?' } }, 'status.400', '"offset?"'],
		['500', { status: 500, body: {} }, 'status.500', 'Try again later'],
		['a body that is cut', 'truncated', 'body.notJson', 'base URL'],
		['a web page', 'nonJson', 'body.notJson', 'base URL'],
		['no list', { status: 200, body: { data: {} } }, 'shape', 'base URL'],
		[
			'a list of something else',
			{ status: 200, body: { data: ['x'], total: 1 } },
			'shape',
			'base URL',
		],
	];
	it.each(answers)('%s is told with what to do', async (_what, fault, code, todo) => {
		await sandbox.faults({ path, fault });
		const { error } = await run(collections);
		expect({ code: codeOf(error), description: error?.description }).toEqual({
			code,
			description: expect.stringContaining(todo),
		});
	});

	it('an error in a later page is not taken for the end of the list', async () => {
		await sandbox.faults(
			{ path, times: 1, fault: { latency: 0 } },
			{
				path,
				times: 1,
				fault: { status: 200, body: { data: [{ id: 1, name: 'A' }], total: 900 } },
			},
			{ path, fault: { status: 403, body: {} } },
		);
		const { items, error } = await run({ ...collections, returnAll: true });
		expect([items, codeOf(error)]).toEqual([[], 'status.403']);
	});

	describe('among good items', () => {
		const items = [{ id: 1 }, { id: 4711 }, { id: 3 }];
		const mixed = get('={{ $json.id }}');
		const notFound = expect.stringMatching(/^The Credit Profile Service found nothing/) as unknown;

		it('becomes an item in its place, under Continue On Fail', async () => {
			const result = await run(mixed, { items, onError: 'continueRegularOutput' });
			expect(
				result.items.map(({ json, pairedItem }) => [json.id ?? json.error, pairedItem]),
			).toEqual([
				[1, { item: 0 }],
				[notFound, { item: 1 }],
				[3, { item: 2 }],
			]);
		});

		it('has its own index where all fail for one reason', async () => {
			await sandbox.faults({
				path: '/api/v1/credential/bureau/pm',
				fault: { status: 403, body: {} },
			});
			const login = { loginFrom: 'fields', provider: 'bureau/pm', user: 'a', password: 'b' };
			const result = await run(
				{ resource: 'providerLogin', operation: 'upsert', ...login },
				{ items: items.map(() => ({})), onError: 'continueRegularOutput' },
			);
			const told = result.items.map(({ error }) => [codeOf(error), error?.context.itemIndex]);
			expect(told).toEqual([0, 1, 2].map((index) => ['status.403', index]));
		});

		it('is the one that is told, while another is held back by the rate limit', async () => {
			const path = '/api/v1/data/collection';
			await sandbox.faults(
				{ path: `${path}/1`, fault: { status: 429, body: {} } },
				{ path: `${path}/3`, fault: { status: 422, body: {} } },
			);
			const { error } = await run(mixed, { items: [{ id: 1 }, { id: 3 }] });
			expect([error?.message, error?.context?.itemIndex]).toEqual([
				'The Credit Profile Service did not accept the values sent',
				1,
			]);
		});

		it('goes to the error output', async () => {
			const result = await run(mixed, { items, onError: 'continueErrorOutput' });
			expect([
				result.items.map(({ json }) => json.id),
				result.failed.map(({ json }) => json.error),
			]).toEqual([[1, 3], [notFound]]);
		});
	});
});
