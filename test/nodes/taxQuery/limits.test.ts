import { respondJson } from '../../support/testServer';
import { DateTime, Settings } from 'luxon';
import { runAgainstStub } from '../../support/stubServer';
import { withoutWaiting } from '../../support/clock';
import { codeOf } from '../../support/errorCode';
import { freshSandboxForEachTest } from '../../support/sharedSandbox';
import { queryPostsIn } from './crfResponses';
import {
	type StoredQuery,
	aRecord,
	acceptThenRespondBadGateway,
	fakeService,
	respondToFirstPost,
} from './fakeService';
import {
	CRF_PATH,
	type TaxQuerySandbox,
	buildCrfFaultRule,
	curps,
	getCrfParameters,
	itemsForRfcs,
	operationParameters,
	passListLag,
	rfcs,
	taxQuerySandbox,
} from './support';
import type { NodeRunOptions } from '../../support/runNodeInEngine';

const [RFC, OTHER] = rfcs(2);

const limitedTo = (maxQueriesPerDay: number) =>
	getCrfParameters({}, { spendingLimits: { maxQueriesPerDay } });

describe('Max Queries per Day at the sandbox', () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox);
	const limited = limitedTo(5);
	const billed = async () => (await sandbox.ledger()).length;

	it("counts today's queries of any program, and stops before sending", async () => {
		const service = await sandbox.elsewhere();
		for (const rfc of rfcs(3)) await service.post('/query/crf', { rfc });
		const fits = await sandbox.run(limited, { items: itemsForRfcs(rfcs(2)) });
		const beyond = await sandbox.run(limited, { items: itemsForRfcs(rfcs(1)) });
		expect({ fits: codeOf(fits.error), beyond: codeOf(beyond.error) }).toEqual({
			...{ fits: undefined, beyond: 'limitOfDay' },
		});
		expect(await billed()).toBe(5);
	});

	it('gives free what was planned and never sent', async () => {
		const refused = await sandbox.run(limited, { items: itemsForRfcs(rfcs(6)) });
		const next = await sandbox.run(limited, { items: itemsForRfcs(rfcs(5)) });
		expect({ refused: codeOf(refused.error), next: codeOf(next.error) }).toEqual({
			...{ refused: 'limitOfDay', next: undefined },
		});
		expect(await billed()).toBe(5);
	});

	it('holds for executions at the same time', async () => {
		const input = { items: itemsForRfcs(rfcs(4)), onError: 'continueRegularOutput' as const };
		await Promise.all([0, 1, 2].map(async () => await sandbox.run(limited, input)));
		expect(await billed()).toBe(5);
	});
});

it("Max Queries per Day counts the day of the workflow's time zone", async () => {
	const [now, timezone] = [Date.now(), 'America/Mexico_City'];
	const day = DateTime.fromMillis(now, { zone: timezone }).startOf('day');
	const yesterday = day.minus({ minutes: 5 }).toMillis();
	const sandbox = await taxQuerySandbox({ clockSkew: yesterday - now });
	const service = await sandbox.elsewhere();
	for (const rfc of rfcs(5)) await service.post('/query/crf', { rfc });
	await sandbox.control.post('/clock', { advance: now - yesterday });
	const fits = await sandbox.run(limitedTo(5), { items: itemsForRfcs(rfcs(5)), timezone });
	const beyond = await sandbox.run(limitedTo(5), { items: itemsForRfcs(rfcs(1)), timezone });
	await sandbox.close();
	expect({ fits: codeOf(fits.error), beyond: codeOf(beyond.error) }).toEqual({
		...{ fits: undefined, beyond: 'limitOfDay' },
	});
});

describe('Max Queries per Day', () => {
	type Service = Awaited<ReturnType<typeof fakeService>>;
	const lagging = {
		list: (_stored: StoredQuery[], response: Parameters<typeof respondJson>[0]) =>
			respondJson(response, []),
	};
	const run = async (service: Service, maxQueriesPerDay: number, wanted: string[]) => {
		const { items } = await service.run(limitedTo(maxQueriesPerDay), {
			items: itemsForRfcs(wanted),
			onError: 'continueRegularOutput',
		});
		return items.map(({ json }) => codeOf(json) ?? 'none');
	};

	it('counts all items of a run', async () => {
		const service = await fakeService();
		const codes = await run(service, 2, rfcs(3));
		await service.close();
		expect(codes.sort()).toEqual(['limitOfDay', 'none', 'none']);
		expect(service.sent()).toBe(2);
	});

	it('does not count queries of another day', async () => {
		const service = await fakeService();
		const createdAt = new Date(Date.now() - 30 * 3_600_000).toISOString();
		service.billed.push(aRecord({ createdAt, query: { rfc: OTHER } }));
		const codes = await run(service, 1, [RFC]);
		await service.close();
		expect(codes).toEqual(['none']);
	});

	it('counts accepted queries that the list does not show yet', async () => {
		const service = await fakeService(lagging);
		const codes = [await run(service, 1, [RFC]), await run(service, 1, [OTHER])];
		await service.close();
		expect(codes).toEqual([['none'], ['limitOfDay']]);
		expect(service.sent()).toBe(1);
	});

	it('counts what an execution without a limit is sending', async () => {
		let beyond: Error | undefined;
		const service = await fakeService({
			...lagging,
			post: respondToFirstPost(async (accept, response) => {
				const other = { items: itemsForRfcs([OTHER]), executionId: 'other' };
				beyond = (await service.run(limitedTo(1), other)).error;
				respondJson(response, { queryId: accept()._id });
			}),
		});
		await service.run(getCrfParameters(), { items: itemsForRfcs([RFC]) });
		await service.close();
		expect(codeOf(beyond)).toBe('limitOfDay');
		expect(service.sent()).toBe(1);
	});

	it('counts a recovered query once', async () => {
		const service = await fakeService({ post: acceptThenRespondBadGateway });
		const rows: unknown[] = [];
		for (const rfc of [RFC, OTHER]) {
			const { items } = await service.run(limitedTo(2), { items: itemsForRfcs([rfc]) });
			rows.push(items[0]?.json.recovered);
		}
		await service.close();
		expect(rows).toEqual([true, true]);
		expect(service.billed).toHaveLength(2);
	});

	it('counts a lost query once that the list shows later', async () => {
		let isHidden = true;
		const service = await fakeService({
			post: respondToFirstPost(acceptThenRespondBadGateway),
			list: (stored, response) => respondJson(response, isHidden ? [] : stored),
		});
		const ask = async (rfc: string) =>
			await withoutWaiting(
				async () => await service.run(limitedTo(2), { items: itemsForRfcs([rfc]) }),
			);
		const lost = await ask(RFC);
		isHidden = false;
		const next = await ask(OTHER);
		await service.close();
		expect({ lost: codeOf(lost.error), next: codeOf(next.error) }).toEqual({
			...{ lost: 'unsure', next: undefined },
		});
		expect(service.billed).toHaveLength(2);
	});

	it('goes by the day of its own workflow, whatever zone n8n has set for another', async () => {
		const service = await fakeService(lagging);
		const onAnotherDay = DateTime.utc().hour < 12 ? 'Etc/GMT+11' : 'Etc/GMT-13';
		const codes = [];
		for (const [zone, rfc] of [
			[onAnotherDay, RFC],
			['system', OTHER],
		]) {
			Settings.defaultZone = zone;
			const input = { items: itemsForRfcs([rfc]), timezone: 'UTC' };
			codes.push(codeOf((await service.run(limitedTo(1), input)).error));
		}
		await service.close();
		expect(codes).toEqual([undefined, 'limitOfDay']);
		expect(service.sent()).toBe(1);
	});

	it('counts a query that was on its way when the execution was stopped', async () => {
		let cancel = () => {};
		const service = await fakeService({ ...lagging, post: (accept) => (accept(), cancel()) });
		const onStart = (stop: () => void) => (cancel = stop);
		await service.run(limitedTo(1), { items: itemsForRfcs([RFC]), onStart });
		const { error } = await service.run(limitedTo(1), { items: itemsForRfcs([OTHER]) });
		await service.close();
		expect(codeOf(error)).toBe('limitOfDay');
		expect(service.sent()).toBe(1);
	});

	it('tells numeric IDs beyond 2^53 apart when it counts the list', async () => {
		const createdAt = new Date().toISOString();
		const row = (id: string) => `{"_id":${id},"status":"SUCCESS","createdAt":"${createdAt}"}`;
		const body = `[${row('1234567890123456789')},${row('1234567890123456790')}]`;
		const { error, requests } = await runAgainstStub(
			() => ({ body }),
			getCrfParameters({ rfc: RFC }, { spendingLimits: { maxQueriesPerDay: 2 } }),
		);
		expect(codeOf(error)).toBe('limitOfDay');
		expect(queryPostsIn(requests)).toEqual([]);
	});
});

describe('the dates of a list', () => {
	type Row = Record<string, unknown>;
	const epoch = (row: StoredQuery) => Date.parse(row.createdAt);
	const whole = (row: StoredQuery): Row => ({ ...row });
	const undated = ({ _id, status }: StoredQuery): Row => ({ _id, status });
	const numbered = (row: StoredQuery): Row => ({ ...row, createdAt: epoch(row) });
	const hour = getCrfParameters({ reuse: 'hours', reuseHours: 1 });
	/** A service whose list and records are written so, with queries of today by another program. */
	async function serviceWith(
		inList: (row: StoredQuery) => Row,
		byId: (row: StoredQuery) => Row,
		made: number,
	) {
		const service = await fakeService({
			list: (stored, response) => respondJson(response, stored.map(inList)),
			get: (one, response) => respondJson(response, one ? byId(one) : {}, one ? 200 : 404),
		});
		for (const rfc of rfcs(made)) {
			service.billed.push(aRecord({ _id: `other-${rfc}`, query: { rfc } }));
		}
		return service;
	}

	it.each<[string, (row: StoredQuery) => Row]>([
		['in milliseconds', numbered],
		['in seconds', (row) => ({ ...row, createdAt: epoch(row) / 1000 })],
		['in milliseconds as text', (row) => ({ ...row, createdAt: `${epoch(row)}` })],
		['that only its records have', undated],
	])('are counted for Max Queries per Day: %s', async (_what, inList) => {
		const service = await serviceWith(inList, whole, 5);
		const { error } = await service.run(limitedTo(5), { items: itemsForRfcs([rfcs(6)[5]]) });
		await service.close();
		expect({ code: codeOf(error), sent: service.sent() }).toEqual({
			...{ code: 'limitOfDay', sent: 0 },
		});
	});

	it('are needed for Max Queries per Day: without any nothing is sent', async () => {
		const service = await serviceWith(undated, undated, 3);
		const { error } = await service.run(limitedTo(50), { items: itemsForRfcs([RFC]) });
		await service.close();
		expect({ code: codeOf(error), sent: service.sent() }).toEqual({
			...{ code: 'uncounted', sent: 0 },
		});
	});

	it('are read from the record if the row has none: too old to be reused', async () => {
		const old = (row: StoredQuery) => ({
			...row,
			createdAt: new Date(Date.now() - 2 * 3_600_000).toISOString(),
		});
		const service = await serviceWith(undated, old, 1);
		const { items } = await service.run(hour, { items: itemsForRfcs([RFC]) });
		await service.close();
		expect({ reused: items[0].json.reused, sent: service.sent() }).toEqual({
			...{ reused: undefined, sent: 1 },
		});
	});

	it('are read as numbers by Reuse Results', async () => {
		const service = await serviceWith(numbered, numbered, 1);
		const { items } = await service.run(hour, { items: itemsForRfcs([RFC]) });
		await service.close();
		expect(items.map(({ json }) => json.reused)).toEqual([true]);
	});
});

describe('Spending Limits', () => {
	const HOURS = { reuse: 'hours', reuseHours: 24 };

	const failing: Partial<NodeRunOptions> = { onError: 'continueRegularOutput' };

	const [RFC, OTHER] = rfcs(2);

	const limitedTo = (maxQueries: number | string, more: object = {}) =>
		getCrfParameters({ ...more }, { spendingLimits: { maxQueries } });

	let sandbox: TaxQuerySandbox;

	beforeEach(async () => (sandbox = await taxQuerySandbox()));

	afterEach(async () => await sandbox.close());

	const sent = async () =>
		(await sandbox.requests()).filter(({ path }) => path.includes('/query/'));

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
			const taxpayers = rfcs(100);
			const result = await sandbox.run(limitedTo(10, HOURS), {
				items: itemsForRfcs([...taxpayers, ...taxpayers]),
				...failing,
			});
			const fine = result.items.flatMap(({ json }) => (json.error ? [] : [json.rfc]));
			const allowed = taxpayers.slice(0, 10);
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
			const parameters = operationParameters(
				'person',
				'getCurpData',
				{ curp, ...HOURS },
				{ spendingLimits: { maxQueries: 2 } },
			);
			const result = await sandbox.run(parameters, { items: [{}, {}, {}], ...failing });
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

		it('counts a query once though n8n loads the execution anew, as after a Wait', async () => {
			let memory = {};
			const round = async (rfc: string, ranBefore: number) => {
				const loop = { memory, executionId: 'waiting-loop', ranBefore };
				const run = await sandbox.run(limitedTo(3), { items: itemsForRfcs([rfc]), ...loop });
				memory = structuredClone(memory);
				return run;
			};
			const codes = [];
			for (const [at, rfc] of rfcs(4).entries()) codes.push(codeOf((await round(rfc, at)).error));
			expect(codes).toEqual([undefined, undefined, undefined, 'limitOfExecution']);
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
			const input = { items: itemsForRfcs(rfcs(3)), memory: {} };
			await sandbox.run(limitedTo(3), input);
			const { items } = await sandbox.run(limitedTo(3), input);
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
});
