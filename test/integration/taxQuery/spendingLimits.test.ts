import type { NodeRunOptions } from '../support/runNode';
import { curps, getCrf, operation, rfcs, taxQuerySandbox, type TaxQuerySandbox } from './support';

const HOURS = { reuse: 'hours', reuseHours: 24 };
const failing: Partial<NodeRunOptions> = { onError: 'continueRegularOutput' };
const itemsOf = (wanted: string[]) => wanted.map((rfc) => ({ rfc }));
const [RFC, OTHER] = rfcs(2);

describe('a limit of queries, where items ask the same with Reuse', () => {
	let sandbox: TaxQuerySandbox;
	beforeEach(async () => (sandbox = await taxQuerySandbox()));
	afterEach(async () => await sandbox.close());
	const sent = async () =>
		(await sandbox.requests()).filter(({ path }) => path.includes('/query/'));
	const errors = ({ items }: Awaited<ReturnType<TaxQuerySandbox['run']>>) =>
		items.map(({ json }) => (json.error ? String(json.error).split(':')[0] : 'none'));

	it.each<[string, object, Partial<NodeRunOptions>]>([
		['maxQueries', HOURS, {}],
		['maxQueriesPerDay', HOURS, {}],
		['maxQueries', {}, { mode: 'manual' }],
		['maxQueriesPerDay', {}, { mode: 'manual' }],
	])('refuses each of them by %s: %j %j', async (name, reuse, more) => {
		const result = await sandbox.run(getCrf({ ...reuse }, { [name]: 0 }), {
			items: itemsOf([RFC, RFC, OTHER, RFC]),
			...failing,
			...more,
		});
		expect([errors(result), await sent()]).toEqual([
			new Array(4).fill(expect.stringContaining('This item would go beyond the 0 queries')),
			[],
		]);
	});

	it('lets through as many questions as it allows, and all who ask the same', async () => {
		const asked = rfcs(100);
		const result = await sandbox.run(getCrf(HOURS, { maxQueries: 10 }), {
			items: itemsOf([...asked, ...asked]),
			...failing,
		});
		const fine = result.items.flatMap(({ json }) => (json.error ? [] : [json.rfc]));
		const allowed = asked.slice(0, 10);
		expect([fine, (await sent()).length]).toEqual([[...allowed, ...allowed], 10]);
	});

	it('lets an item through that allows more than the one before it', async () => {
		const result = await sandbox.run(getCrf(HOURS, { maxQueries: '={{ $itemIndex }}' }), {
			items: itemsOf([RFC, RFC]),
			...failing,
		});
		expect([errors(result)[1], (await sent()).length]).toEqual(['none', 1]);
	});

	it('takes nothing from others by what the limit of a day refuses', async () => {
		const result = await sandbox.run(
			getCrf({}, { maxQueries: 1, maxQueriesPerDay: '={{ $itemIndex }}' }),
			{ items: itemsOf([RFC, OTHER]), ...failing, timezone: 'America/Tijuana' },
		);
		const [first, second] = errors(result);
		expect([first, second]).toEqual([expect.stringContaining('beyond the 0 queries'), 'none']);
	});

	it('counts one that is sent because the first has a status that nobody knows', async () => {
		await sandbox.close();
		sandbox = await taxQuerySandbox({ statusWords: { success: 'FERTIG' } });
		const [curp] = curps(1);
		const asked = operation('person', 'getCurpData', { curp, ...HOURS }, { maxQueries: 2 });
		const result = await sandbox.run(asked, { items: [{}, {}, {}], ...failing });
		expect([errors(result).sort(), (await sent()).length]).toEqual([
			[
				'none',
				'none',
				expect.stringContaining('beyond the 2 queries allowed per execution'),
			].sort(),
			2,
		]);
	});

	it('is not used up by one that the service refused', async () => {
		await sandbox.faults({ path: '/api/query/crf', times: 1, fault: { status: 400 } });
		const result = await sandbox.run(getCrf(HOURS, { maxQueries: 1 }), {
			items: itemsOf([RFC, RFC]),
			...failing,
		});
		expect([errors(result).filter((one) => one === 'none').length, (await sent()).length]).toEqual([
			1, 2,
		]);
	});
});

describe('an equal item of a run with Reuse', () => {
	it('is not given a result whose status is not known', async () => {
		const sandbox = await taxQuerySandbox({ statusWords: { success: 'FERTIG' } });
		const [curp] = curps(1);
		const { items } = await sandbox.run(operation('person', 'getCurpData', { curp, ...HOURS }), {
			items: [{}, {}],
		});
		const billed = (await sandbox.ledger()).length;
		await sandbox.close();
		expect([items.map(({ json }) => [json.statusUnknown, json.reused]), billed]).toEqual([
			[
				[true, undefined],
				[true, undefined],
			],
			2,
		]);
	});
});
