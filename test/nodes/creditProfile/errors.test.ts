import type { INodeParameters } from 'n8n-workflow';
import type { FaultRule } from '../../../sandbox/plugins/faults';
import { codeOf, codeAndFieldOf } from '../../support/errorCode';
import { startSandboxWithHelpers } from '../../support/sandbox';
import { LOANS_COLLECTION_ID, createSandboxNodeRunner } from './support';
import { sandboxForTestGroup } from '../../support/sandboxForTestGroup';

const byId = (value: unknown) => ({ __rl: true, mode: 'id', value: value as string });
const collection = byId(LOANS_COLLECTION_ID);
const get = (value: unknown) => ({
	resource: 'dataCollection',
	operation: 'get',
	collection: byId(value),
});
const documents = { resource: 'dataDocument', operation: 'getAll', collection };
const collections = { resource: 'dataCollection', operation: 'getAll' };
const filtered = (filters: INodeParameters) => ({ ...collections, filters });
const parent = (value: INodeParameters[string]) => filtered({ parentCollectionId__eq: value });

describe('bad input', () => {
	const sandbox = sandboxForTestGroup(startSandboxWithHelpers, { rateLimit: 0 });
	const run = createSandboxNodeRunner(sandbox);

	/** Describes what is wrong, how it got there, and what the error is about. Nothing of it is worth a request. */
	type Rendered = [code: string, field: string];
	const refused: Array<[what: string, parameters: INodeParameters, expected: Rendered]> = [
		['an object for an id', get('={{ { a: 1 } }}'), ['field.id', 'Collection']],
		['a text for an id', get('={{ "abc" }}'), ['field.id', 'Collection']],
		['a path for an id', get('={{ "1/../2" }}'), ['field.id', 'Collection']],
		['a fraction for an id', get('={{ 1.5 }}'), ['field.id', 'Collection']],
		['a negative id', get('={{ -1 }}'), ['field.id', 'Collection']],
		['no id', get('={{ undefined }}'), ['field.empty', 'Collection']],
		['an empty id', get('={{ "" }}'), ['field.empty', 'Collection']],
		['a Limit of 0', { ...collections, limit: 0 }, ['field.number', 'Limit']],
		['a Limit of half a row', { ...collections, limit: '={{ 2.5 }}' }, ['field.number', 'Limit']],
		['a text for a Limit', { ...documents, limit: '={{ "many" }}' }, ['field.number', 'Limit']],
		[
			'a text for a switch',
			{ ...documents, options: { simplify: '={{ "yes" }}' } },
			['field.boolean', 'Simplify'],
		],
		[
			'a text for Return All',
			{ ...documents, returnAll: '={{ "yes" }}' },
			['field.boolean', 'Return All'],
		],
		[
			'a text for an option',
			{ ...documents, options: { includeAssociations: '={{ "yes" }}' } },
			['field.choice', 'Include Associations'],
		],
		[
			'a text where a filter wants a number',
			filtered({ parentCollectionId__eq: '={{ "abc" }}' }),
			['filter.id', 'Parent Collection ID'],
		],
		[
			'an object where a filter wants a text',
			filtered({ name__eq: '={{ { a: 1 } }}' }),
			['filter.text', 'Name'],
		],
		[
			'a list where a filter takes one text',
			filtered({ name__like: '={{ ["a", "b"] }}' }),
			['filter.list', 'Name Contains'],
		],
		[
			'a filter whose expression gives nothing',
			filtered({ name__eq: '={{ $json.missing }}' }),
			['filter.empty', 'Name'],
		],
		[
			'an empty list of tags',
			filtered({ tags__anyOf: [] }),
			['filter.empty', 'Any Tag Names or IDs'],
		],
		['an empty name', filtered({ name__eq: [''] }), ['filter.empty', 'Name']],
		['a 0 for an id of a filter', parent(0), ['filter.empty', 'Parent Collection ID']],
		['a fraction for an id of a filter', parent(1.5), ['filter.id', 'Parent Collection ID']],
		['a 0 among ids of a filter', parent([4, 0]), ['filter.empty', 'Parent Collection ID']],
	];
	it.each(refused)('%s is refused before a request is spent', async (_what, parameters, text) => {
		const { error } = await run(parameters);
		const sent = (await sandbox.requests()).length;
		expect([codeAndFieldOf(error), sent]).toEqual([text, 0]);
	});

	it('fails the item of a collection that does not exist', async () => {
		const { error } = await run(get('={{ $json.id }}'), { items: [{ id: 1 }, { id: 4711 }] });
		expect({ code: codeOf(error), index: error?.context?.item }).toEqual({
			code: 'status.404',
			index: 2,
		});
	});

	it('the error of the only item has no index', async () => {
		const { error } = await run(get('={{ $json.id }}'), { items: [{ id: 4711 }] });
		expect([codeOf(error), error?.context?.item]).toEqual(['status.404', undefined]);
	});

	const path = '/api/v1/data/collection';
	/** Defines how the service fails, its own words among them. */
	const answers: Array<
		[what: string, fault: FaultRule['fault'], code: string, serviceMessage: unknown]
	> = [
		['401', { status: 401, body: {} }, 'status.401', undefined],
		['403', { status: 403, body: {} }, 'status.403', undefined],
		['404', { status: 404, body: {} }, 'status.404', undefined],
		['400', { status: 400, body: { message: 'offset?' } }, 'status.400', 'offset?'],
		['texts of errors', { status: 422, body: { errors: ['a', '', 'b'] } }, 'status.422', 'a; b'],
		['500', { status: 500, body: {} }, 'status.500', undefined],
		['a body that is cut', 'truncated', 'body.truncated', undefined],
		['a web page', 'nonJson', 'body.notJson', undefined],
		['no list', { status: 200, body: { data: {} } }, 'shape', "{'data':{}}"],
		[
			'a list of something else',
			{ status: 200, body: { data: ['x'], total: 1 } },
			'shape',
			"{'data':['x'],'total':1}",
		],
	];
	it.each(answers)('fails with the right code: %s', async (_what, fault, code, message) => {
		await sandbox.faults({ path, fault });
		const { error } = await run(collections);
		expect([codeOf(error), error?.context?.serviceMessage]).toEqual([code, message]);
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
		it('becomes an item in its place, under Continue On Fail', async () => {
			const result = await run(mixed, { items, onError: 'continueRegularOutput' });
			expect(
				result.items.map(({ json, pairedItem }) => [codeOf(json) ?? json.id, pairedItem]),
			).toEqual([
				[1, { item: 0 }],
				['status.404', { item: 1 }],
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
			const text = result.items.map(({ json, pairedItem }) => [codeOf(json), pairedItem]);
			expect(text).toEqual([0, 1, 2].map((index) => ['status.403', { item: index }]));
		});

		it('reports the failing item while the rate limit delays another', async () => {
			const path = '/api/v1/data/collection';
			await sandbox.faults(
				{ path: `${path}/1`, fault: { status: 429, body: {} } },
				{ path: `${path}/3`, fault: { status: 422, body: {} } },
			);
			const { error } = await run(mixed, { items: [{ id: 1 }, { id: 3 }] });
			expect([codeOf(error), error?.context?.item]).toEqual(['status.422', 2]);
		});

		it('goes to the error output', async () => {
			const result = await run(mixed, { items, onError: 'continueErrorOutput' });
			expect([
				result.items.map(({ json }) => json.id),
				result.failed.map(({ json }) => codeOf(json)),
			]).toEqual([[1, 3], ['status.404']]);
		});
	});
});
