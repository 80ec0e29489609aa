import type { INodeParameters } from 'n8n-workflow';
import { startSandboxWithHelpers } from '../../support/sandbox';
import { sandboxForTestGroup } from '../../support/sharedSandbox';
import { packageNodesByType } from '../../support/runNodeInEngine';
import { operationParameters, taxQuerySandbox } from '../taxQuery/support';
import { LOANS_COLLECTION_ID, PEOPLE_COLLECTION_ID, createSandboxNodeRunner } from './support';

const LISTS: Array<[resource: string, operation: string, fields: INodeParameters]> = [
	['providerLogin', 'getAll', {}],
	['dataCollection', 'getAll', {}],
	['dataCollection', 'getTags', {}],
	['dataCollection', 'getVersions', { collection: LOANS_COLLECTION_ID }],
	['dataDocument', 'getAll', { collection: LOANS_COLLECTION_ID }],
	['dataDocument', 'getTags', {}],
];
const items = (count: number) => Array.from({ length: count }, (_, index) => ({ row: index }));
const once = (hints: Array<{ message: string }>) =>
	hints.map(({ message }) => message).filter((message) => message.includes('ran once for each'));

describe('a list behind several items', () => {
	const sandbox = sandboxForTestGroup(startSandboxWithHelpers, { rateLimit: 0 });
	const run = createSandboxNodeRunner(sandbox);

	it.each(LISTS)('hints that it ran for each: %s, %s', async (resource, operation, fields) => {
		const parameters = { resource, operation, ...fields };
		const several = await run(parameters, { items: items(3) });
		expect(several.error).toBeUndefined();
		expect(once(several.hints)).toEqual([
			expect.stringMatching(
				/^'Get .*' ran once for each of 3 items, with the same fields\. .*'Execute Once' in Settings\.$/,
			),
		]);
		expect(once((await run(parameters, { items: items(1) })).hints)).toEqual([]);
	});

	it('shows no hint if the items name different collections', async () => {
		const { hints } = await run(
			{ resource: 'dataDocument', operation: 'getAll', collection: '={{ $json.id }}' },
			{ items: [{ id: LOANS_COLLECTION_ID }, { id: PEOPLE_COLLECTION_ID }] },
		);
		expect(once(hints)).toEqual([]);
	});

	it.each<[type: 'creditProfile' | 'taxQuery', resource: string, operation: string]>(
		[
			...LISTS.map(([resource, operation]) => ['creditProfile', resource, operation] as const),
			['taxQuery', 'query', 'getAll'],
		].map(([type, resource, operation]) => [type as 'taxQuery', resource, operation]),
	)('is announced in the panel: %s, %s, %s', (type, resource, operation) => {
		const { properties } = packageNodesByType[type].description;
		const notices = properties.filter(
			({ name, displayOptions: { show = {} } = {} }) =>
				name === 'listNotice' &&
				show.resource?.includes(resource) &&
				show.operation?.includes(operation),
		);
		expect(notices.map(({ type: kind, displayName }) => [kind, displayName])).toEqual([
			[
				'notice',
				"Runs once for each input item. To run it once, switch on 'Execute Once' in Settings.",
			],
		]);
	});
});

it('Query → Get Many behind several items hints that it ran for each', async () => {
	const sandbox = await taxQuerySandbox({ pastQueries: 3 });
	const { items: rows, hints } = await sandbox.run(
		operationParameters('query', 'getAll', { returnAll: true }),
		{ items: items(11) },
	);
	await sandbox.close();
	expect(rows).toHaveLength(33);
	expect(once(hints)).toEqual([
		expect.stringContaining("'Get many queries' ran once for each of 11 items"),
	]);
});
