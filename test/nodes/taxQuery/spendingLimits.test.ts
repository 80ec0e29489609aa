import { codeOf } from '../../support/errorCode';
import type { NodeRunOptions } from '../../support/runNodeInEngine';
import { acceptThenRespondBadGateway, fakeService, respondJson } from './fakeService';
import {
	CRF_PATH,
	curps,
	buildCrfFaultRule,
	getCrfParameters,
	itemsForRfcs,
	operationParameters,
	passListLag,
	rfcs,
	taxQuerySandbox,
	type TaxQuerySandbox,
} from './support';

const HOURS = { reuse: 'hours', reuseHours: 24 };
const failing: Partial<NodeRunOptions> = { onError: 'continueRegularOutput' };
const [RFC, OTHER] = rfcs(2);
const limitedTo = (maxQueries: number | string, more: object = {}) =>
	getCrfParameters({ ...more }, { spendingLimits: { maxQueries } });

let sandbox: TaxQuerySandbox;
beforeEach(async () => (sandbox = await taxQuerySandbox()));
afterEach(async () => await sandbox.close());
const sent = async () => (await sandbox.requests()).filter(({ path }) => path.includes('/query/'));
const codesIn = ({ items }: Awaited<ReturnType<TaxQuerySandbox['run']>>) =>
	items.map(({ json }) => codeOf(json) ?? 'none');

describe('a limit of queries, with equal items and Reuse Results', () => {
	it.each<[string, object, Partial<NodeRunOptions>]>([
		['maxQueries', HOURS, {}],
		['maxQueriesPerDay', HOURS, {}],
		['maxQueries', {}, { mode: 'manual' }],
		['maxQueriesPerDay', {}, { mode: 'manual' }],
	])('of 0 refuses each item: %s %j %j', async (name, reuse, more) => {
		const result = await sandbox.run(
			getCrfParameters({ ...reuse }, { spendingLimits: { [name]: 0 } }),
			{
				items: itemsForRfcs([RFC, RFC, OTHER, RFC]),
				...failing,
				...more,
			},
		);
		const code = name === 'maxQueries' ? 'limitOfExecution' : 'limitOfDay';
		expect(codesIn(result)).toEqual([code, code, code, code]);
		expect(await sent()).toEqual([]);
	});

	it('lets through as many queries as it allows, and all items equal to these', async () => {
		const requests = rfcs(100);
		const result = await sandbox.run(limitedTo(10, HOURS), {
			items: itemsForRfcs([...requests, ...requests]),
			...failing,
		});
		const fine = result.items.flatMap(({ json }) => (json.error ? [] : [json.rfc]));
		const allowed = requests.slice(0, 10);
		expect(fine).toEqual([...allowed, ...allowed]);
		expect(await sent()).toHaveLength(10);
	});

	it('lets an item through whose own limit is higher', async () => {
		const result = await sandbox.run(limitedTo('={{ $itemIndex }}', HOURS), {
			items: itemsForRfcs([RFC, RFC]),
			...failing,
		});
		expect(codesIn(result)[1]).toBe('none');
		expect(await sent()).toHaveLength(1);
	});

	it('counts an equal query that is sent because the first has an unknown status', async () => {
		await sandbox.close();
		sandbox = await taxQuerySandbox({ statusWords: { success: 'FERTIG' } });
		const [curp] = curps(1);
		const requests = operationParameters(
			'person',
			'getCurpData',
			{ curp, ...HOURS },
			{ spendingLimits: { maxQueries: 2 } },
		);
		const result = await sandbox.run(requests, { items: [{}, {}, {}], ...failing });
		expect(codesIn(result).sort()).toEqual(['limitOfExecution', 'none', 'none']);
		expect(await sent()).toHaveLength(2);
	});

	it('is not used up by a query that the service refused', async () => {
		await sandbox.faults(buildCrfFaultRule({ status: 400 }, { times: 1 }));
		const result = await sandbox.run(limitedTo(1, HOURS), {
			items: itemsForRfcs([RFC, RFC]),
			...failing,
		});
		expect(codesIn(result).filter((one) => one === 'none')).toHaveLength(1);
		expect(await sent()).toHaveLength(2);
	});
});

describe('Max Queries per Execution', () => {
	it('counts a query once that was first refused with 429', async () => {
		await sandbox.faults({ path: CRF_PATH, times: 1, fault: 'storm' });
		const memory = {};
		const run = async (rfc: string, ranBefore: number) => {
			const round = { memory, executionId: 'loop', ranBefore };
			return await sandbox.run(limitedTo(2), { items: itemsForRfcs([rfc]), ...round });
		};
		const runs = [await run(RFC, 0), await run(OTHER, 1)];
		expect(runs.flatMap(codesIn)).toEqual(['none', 'none']);
		expect(await sent()).toHaveLength(3);
	});

	it('is not used up by an item that the limit of the day refuses', async () => {
		const limits = { maxQueries: 1, maxQueriesPerDay: '={{ $itemIndex }}' };
		const result = await sandbox.run(getCrfParameters({}, { spendingLimits: limits }), {
			items: itemsForRfcs([RFC, OTHER]),
			...failing,
			timezone: 'America/Tijuana',
		});
		expect(codesIn(result)).toEqual(['limitOfDay', 'none']);
	});

	it('counts the queries of the first try in a retry', async () => {
		const memory = {};
		await sandbox.run(limitedTo(3), { items: itemsForRfcs(rfcs(3)), memory });
		const items = itemsForRfcs(rfcs(6).slice(3));
		const { error } = await sandbox.run(limitedTo(3), { items, memory });
		expect(codeOf(error)).toBe('limitOfExecution');
	});

	it('lets a retry read what the first try sent, though it is used up', async () => {
		const requests = { items: itemsForRfcs(rfcs(3)), memory: {} };
		await sandbox.run(limitedTo(3), requests);
		const { items } = await sandbox.run(limitedTo(3), requests);
		expect(items).toHaveLength(3);
		expect(await sandbox.ledger()).toHaveLength(3);
	});

	it('counts each time that Send Again sends a query', async () => {
		await sandbox.faults(buildCrfFaultRule('resetBefore'));
		await Promise.all([
			sandbox.run(getCrfParameters({}, { spendingLimits: { sendAgain: true, maxQueries: 2 } }), {
				items: itemsForRfcs(rfcs(1)),
			}),
			passListLag(sandbox, CRF_PATH, 2),
		]);
		expect(await sandbox.requests(CRF_PATH)).toHaveLength(2);
	});
});

it.each([
	['maxQueries', 'limitOfExecution'],
	['maxQueriesPerDay', 'limitOfDay'],
])('%s counts a query that may have been accepted', async (name, code) => {
	const service = await fakeService({
		post: acceptThenRespondBadGateway,
		list: (_stored, response) => respondJson(response, []), // it lags
	});
	const memory = {};
	const run = async (rfc: string) =>
		await service.run(getCrfParameters({}, { spendingLimits: { [name]: 1 } }), {
			...{ items: itemsForRfcs([rfc]), ...failing, memory },
		});
	await run(RFC);
	const { items } = await run(OTHER);
	await service.close();
	expect(codeOf(items[0].json)).toBe(code);
	expect(service.billed).toHaveLength(1);
});
