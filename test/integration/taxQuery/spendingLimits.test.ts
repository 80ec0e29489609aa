import { DateTime, Settings } from 'luxon';
import { codeOf } from '../support/errorCode';
import type { NodeRunOptions } from '../support/runNode';
import { aRecord, fakeService, give, type StoredQuery } from './fakeService';
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
		items.map(({ json }) => codeOf(json) ?? 'none');

	it.each<[string, object, Partial<NodeRunOptions>]>([
		['maxQueries', HOURS, {}],
		['maxQueriesPerDay', HOURS, {}],
		['maxQueries', {}, { mode: 'manual' }],
		['maxQueriesPerDay', {}, { mode: 'manual' }],
	])('refuses each of them by %s: %j %j', async (name, reuse, more) => {
		const result = await sandbox.run(getCrf({ ...reuse }, { spendingLimits: { [name]: 0 } }), {
			items: itemsOf([RFC, RFC, OTHER, RFC]),
			...failing,
			...more,
		});
		expect([errors(result), await sent()]).toEqual([
			new Array(4).fill(name === 'maxQueries' ? 'limitOfExecution' : 'limitOfDay'),
			[],
		]);
	});

	it('lets through as many questions as it allows, and all who ask the same', async () => {
		const requests = rfcs(100);
		const result = await sandbox.run(getCrf(HOURS, { spendingLimits: { maxQueries: 10 } }), {
			items: itemsOf([...requests, ...requests]),
			...failing,
		});
		const fine = result.items.flatMap(({ json }) => (json.error ? [] : [json.rfc]));
		const allowed = requests.slice(0, 10);
		expect([fine, (await sent()).length]).toEqual([[...allowed, ...allowed], 10]);
	});

	it('lets an item through that allows more than the one before it', async () => {
		const result = await sandbox.run(
			getCrf(HOURS, { spendingLimits: { maxQueries: '={{ $itemIndex }}' } }),
			{
				items: itemsOf([RFC, RFC]),
				...failing,
			},
		);
		expect([errors(result)[1], (await sent()).length]).toEqual(['none', 1]);
	});

	it('takes nothing from others by what the limit of a day refuses', async () => {
		const result = await sandbox.run(
			getCrf({}, { spendingLimits: { maxQueries: 1, maxQueriesPerDay: '={{ $itemIndex }}' } }),
			{ items: itemsOf([RFC, OTHER]), ...failing, timezone: 'America/Tijuana' },
		);
		const [first, second] = errors(result);
		expect([first, second]).toEqual(['limitOfDay', 'none']);
	});

	it('counts one that is sent because the first has a status that nobody knows', async () => {
		await sandbox.close();
		sandbox = await taxQuerySandbox({ statusWords: { success: 'FERTIG' } });
		const [curp] = curps(1);
		const requests = operation(
			'person',
			'getCurpData',
			{ curp, ...HOURS },
			{ spendingLimits: { maxQueries: 2 } },
		);
		const result = await sandbox.run(requests, { items: [{}, {}, {}], ...failing });
		expect([errors(result).sort(), (await sent()).length]).toEqual([
			['none', 'none', 'limitOfExecution'].sort(),
			2,
		]);
	});

	it('is not used up by one that the service refused', async () => {
		await sandbox.faults({ path: '/api/query/crf', times: 1, fault: { status: 400 } });
		const result = await sandbox.run(getCrf(HOURS, { spendingLimits: { maxQueries: 1 } }), {
			items: itemsOf([RFC, RFC]),
			...failing,
		});
		expect([errors(result).filter((one) => one === 'none').length, (await sent()).length]).toEqual([
			1, 2,
		]);
	});

	it('counts one only once that the service had not taken at first', async () => {
		await sandbox.faults({ path: '/api/query/crf', times: 1, fault: 'storm' });
		const memory = {};
		const crf = getCrf({}, { spendingLimits: { maxQueries: 2 } });
		const run = async (rfc: string, ranBefore: number) =>
			await sandbox.run(crf, { items: itemsOf([rfc]), memory, executionId: 'loop', ranBefore });
		const runs = [await run(RFC, 0), await run(OTHER, 1)];
		expect([runs.flatMap(errors), (await sent()).length]).toEqual([['none', 'none'], 3]);
	});
});

describe('Max Queries per Day', () => {
	const ask = async (
		service: Awaited<ReturnType<typeof fakeService>>,
		maxQueriesPerDay: number,
		wanted: string[],
	) => {
		const { items } = await service.run(getCrf({}, { spendingLimits: { maxQueriesPerDay } }), {
			items: itemsOf(wanted),
			...failing,
		});
		return items.map(({ json }) => codeOf(json) ?? 'none');
	};

	it('counts all items of a run', async () => {
		const service = await fakeService();
		const codes = await ask(service, 2, rfcs(3));
		await service.close();
		expect([codes.sort(), service.sent()]).toEqual([['none', 'none', 'limitOfDay'].sort(), 2]);
	});

	it('does not count those of another day', async () => {
		const service = await fakeService();
		const createdAt = new Date(Date.now() - 30 * 3_600_000).toISOString();
		service.billed.push(aRecord({ createdAt, query: { rfc: OTHER } }));
		const codes = await ask(service, 1, [RFC]);
		await service.close();
		expect([codes, service.sent()]).toEqual([['none'], 1]);
	});

	it('counts those that were accepted, where the list does not show them yet', async () => {
		const service = await fakeService({ list: (_stored, response) => give(response, []) });
		const codes = [...(await ask(service, 1, [RFC])), ...(await ask(service, 1, [OTHER]))];
		await service.close();
		expect([codes, service.sent()]).toEqual([['none', 'limitOfDay'], 1]);
	});

	it('goes by the day of its own workflow, whatever zone n8n has set for another one', async () => {
		const service = await fakeService({ list: (_stored, response) => give(response, []) });
		const onAnotherDay = DateTime.utc().hour < 12 ? 'Etc/GMT+11' : 'Etc/GMT-13';
		const limited = getCrf({}, { spendingLimits: { maxQueriesPerDay: 1 } });
		const codes = [];
		for (const zone of [onAnotherDay, 'system']) {
			Settings.defaultZone = zone;
			const requests = { items: itemsOf([zone === 'system' ? OTHER : RFC]), timezone: 'UTC' };
			codes.push(codeOf((await service.run(limited, requests)).error));
		}
		await service.close();
		expect([codes, service.sent()]).toEqual([[undefined, 'limitOfDay'], 1]);
	});

	it('counts one that was on its way when the execution was stopped', async () => {
		let cancel = () => {};
		const service = await fakeService({
			list: (_stored, response) => give(response, []),
			post: (accept) => (accept(), cancel()),
		});
		const limited = getCrf({}, { spendingLimits: { maxQueriesPerDay: 1 } });
		const onStart = (stop: () => void) => (cancel = stop);
		await service.run(limited, { items: itemsOf([RFC]), onStart });
		const { error } = await service.run(limited, { items: itemsOf([OTHER]) });
		await service.close();
		expect([codeOf(error), service.sent()]).toEqual(['limitOfDay', 1]);
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

describe('Max Queries per Day and Reuse, by the dates that the service gives', () => {
	type Row = Record<string, unknown>;
	const epoch = (row: StoredQuery) => Date.parse(row.createdAt);
	const bare = ({ _id, status }: StoredQuery): Row => ({ _id, status });
	/** A service whose list and records are written so, with queries of today by another program. */
	async function serviceWith(
		inList: (row: StoredQuery) => Row,
		byId: (row: StoredQuery) => Row,
		made: number,
	) {
		const service = await fakeService({
			list: (stored, response) => give(response, stored.map(inList)),
			get: (one, response) => give(response, one ? byId(one) : {}, one ? 200 : 404),
		});
		for (const rfc of rfcs(made)) {
			service.billed.push(aRecord({ _id: `other-${rfc}`, query: { rfc } }));
		}
		return service;
	}

	it.each<[string, (row: StoredQuery) => Row, (row: StoredQuery) => Row]>([
		['milliseconds', (row) => ({ ...row, createdAt: epoch(row) }), (row) => ({ ...row })],
		['seconds', (row) => ({ ...row, createdAt: epoch(row) / 1000 }), (row) => ({ ...row })],
		[
			'milliseconds in a text',
			(row) => ({ ...row, createdAt: `${epoch(row)}` }),
			(row) => ({ ...row }),
		],
		['dates that only its records have', bare, (row) => ({ ...row })],
	])('count queries by %s', async (_what, inList, byId) => {
		const service = await serviceWith(inList, byId, 5);
		const { error } = await service.run(getCrf({}, { spendingLimits: { maxQueriesPerDay: 5 } }), {
			items: itemsOf([rfcs(6)[5]]),
		});
		const sent = service.sent();
		await service.close();
		expect([codeOf(error), sent]).toEqual(['limitOfDay', 0]);
	});

	it('send nothing if neither list nor record has a date', async () => {
		const service = await serviceWith(bare, bare, 3);
		const { error } = await service.run(getCrf({}, { spendingLimits: { maxQueriesPerDay: 50 } }), {
			items: itemsOf([RFC]),
		});
		const sent = service.sent();
		await service.close();
		expect([codeOf(error), sent]).toEqual(['uncounted', 0]);
	});

	it('do not reuse a result that only its record dates as too old', async () => {
		const old = (row: StoredQuery) => ({
			...row,
			createdAt: new Date(Date.now() - 2 * 3_600_000).toISOString(),
		});
		const service = await serviceWith(bare, old, 1);
		const { items } = await service.run(getCrf({ reuse: 'hours', reuseHours: 1 }), {
			items: itemsOf([RFC]),
		});
		const sent = service.sent();
		await service.close();
		expect([items.map(({ json }) => json.reused), sent]).toEqual([[undefined], 1]);
	});

	it('give a result again whose date is a number', async () => {
		const numbered = (row: StoredQuery) => ({ ...row, createdAt: epoch(row) });
		const service = await serviceWith(numbered, numbered, 1);
		const { items } = await service.run(getCrf({ reuse: 'hours', reuseHours: 1 }), {
			items: itemsOf([RFC]),
		});
		await service.close();
		expect(items.map(({ json }) => json.reused)).toEqual([true]);
	});
});
