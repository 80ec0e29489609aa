import type { INodeExecutionData } from 'n8n-workflow';
import { shiftAllClocks, shiftWallClock } from '../../support/clock';
import { codeOf } from '../../support/errorCode';
import type { NodeRunOptions } from '../../support/runNodeInEngine';
import { respondJson } from '../../support/testServer';
import {
	curps,
	getCrfParameters,
	itemsForRfcs,
	operationParameters,
	rfcs,
	taxQuerySandbox,
} from './support';
import {
	type BilledPostAwaitingResponse,
	type MultiTenantService,
	tenantService,
} from './fakeTenantService';
import { freshSandboxForEachTest } from '../../support/sharedSandbox';
import { until } from '../../support/until';
import { fakeService, type StoredQuery } from './fakeService';

const itemsOf = (wanted: string[], tenant = 'A') => wanted.map((rfc) => ({ rfc, tenant }));
const [RFC, OTHER] = rfcs(2);
const NEVER = { reuse: 'never' };
const idsOf = (items: INodeExecutionData[]) => items.map(({ json }) => json.queryId);
const goOn: Partial<NodeRunOptions> = { onError: 'continueRegularOutput' };

const acknowledge = ({ accept, response }: BilledPostAwaitingResponse) =>
	respondJson(response, { message: 'Accepted', queryId: accept()._id });

describe('a question in an execution', () => {
	let service: MultiTenantService;
	let answer: (arrived: BilledPostAwaitingResponse) => void | Promise<void>;
	/** Accepted, and the response is lost. */
	const lose = ({ accept, response }: BilledPostAwaitingResponse) => {
		accept();
		response.destroy();
	};
	beforeEach(async () => {
		answer = acknowledge;
		service = await tenantService({ post: async (arrived) => await answer(arrived) });
	});
	afterEach(async () => await service.close());
	const billed = (tenant = 'A') => service.billedOf(tenant).map(({ query }) => query.rfc);

	it('sends one query for an RFC written in four ways', async () => {
		const written = [RFC, RFC.toLowerCase(), ` ${RFC} `, `${RFC.slice(0, 4)}-${RFC.slice(4)}`];
		const { items } = await service.run(getCrfParameters(), { items: itemsOf(written) });
		expect([billed(), new Set(idsOf(items)).size]).toEqual([[RFC], 1]);
		expect(items.map(({ json }) => json.reused)).toEqual([undefined, true, true, true]);
	});

	it('sends one query for an RFC in three spellings with Check Identifiers: Off', async () => {
		const written = [RFC, `${RFC.slice(0, 4)}-${RFC.slice(4)}`.toLowerCase(), `${RFC} `];
		const { error } = await service.run(getCrfParameters({}, { checkIdentifiers: 'off' }), {
			items: itemsOf(written),
		});
		expect(error).toBeUndefined();
		expect(billed()).toHaveLength(1);
	});

	it('sends one query for additional fields with nested keys in another order', async () => {
		const contexts = [
			{ a: 1, b: 2 },
			{ b: 2, a: 1 },
		];
		const { error } = await service.run(
			getCrfParameters({}, { additionalBodyFields: '={{ { context: $json.context } }}' }),
			{ items: contexts.map((context) => ({ rfc: RFC, tenant: 'A', context })) },
		);
		expect(error).toBeUndefined();
		expect(billed()).toEqual([RFC]);
	});

	it('sends a query that has failed again in the next round of a loop', async () => {
		const loop = { executionId: 'loop-failed', memory: {}, items: itemsOf([RFC]) };
		await service.run(getCrfParameters(), loop);
		for (const one of service.billedOf('A')) one.status = 'FAILED';
		await service.run(getCrfParameters({ waitForResult: true, maxWait: 2 }), {
			...loop,
			ranBefore: 1,
		});
		expect(billed()).toEqual([RFC, RFC]);
	});

	it('sends a query for each item with Reuse Results: Never', async () => {
		const { items } = await service.run(getCrfParameters(NEVER), {
			items: itemsOf([RFC, RFC, RFC]),
		});
		expect([billed(), new Set(idsOf(items)).size]).toEqual([[RFC, RFC, RFC], 3]);
	});

	it('sends one query in the rounds of a loop', async () => {
		const memory = {};
		for (const ranBefore of [0, 1, 2]) {
			const loop = { executionId: 'loop-default', memory, ranBefore };
			await service.run(getCrfParameters(), { items: itemsOf([RFC]), ...loop });
		}
		expect(billed()).toEqual([RFC]);
	});

	it('sends one query for concurrent tool calls', async () => {
		const [curp] = curps(1);
		const call = async (ranBefore: number) =>
			await service.run(operationParameters('person', 'getCurpData', { curp }), {
				...{ items: [{ tenant: 'A' }], isTool: true, executionId: 'tools', ranBefore },
			});
		await Promise.all([0, 1, 2, 3].map(call));
		expect(service.posts).toHaveLength(1);
	});

	it('sends one query for the sub-executions of one parent', async () => {
		for (const executionId of ['sub-1', 'sub-2']) {
			const sub = { executionId, parentExecutionId: 'parent-1', mode: 'integrated' as const };
			await service.run(getCrfParameters(), { items: itemsOf([RFC]), ...sub });
		}
		expect(billed()).toEqual([RFC]);
	});

	it('sends one query in each account', async () => {
		await service.run(getCrfParameters(), {
			items: [...itemsOf([RFC, RFC]), ...itemsOf([RFC, RFC], 'B')],
		});
		expect([billed('A'), billed('B')]).toEqual([[RFC], [RFC]]);
	});

	it('the next tool call recovers a query whose response was lost', async () => {
		answer = lose;
		const list = jest.fn(() => []);
		await service.close();
		service = await tenantService({ post: (arrived) => answer(arrived), list });
		const call = async (ranBefore: number) =>
			await service.run(getCrfParameters(NEVER), {
				...{ items: itemsOf([RFC]), isTool: true, executionId: 'tool-again', ranBefore },
			});
		const codes = [await call(0), await call(1), await call(2)].map(({ error }) => codeOf(error));
		expect([codes, billed()]).toEqual([['unsure', 'unsure', 'unsure'], [RFC]]);
	});

	it('is given to the next tool call once the list shows it', async () => {
		let isListed = false;
		await service.close();
		service = await tenantService({ post: lose, list: (stored) => (isListed ? stored : []) });
		const call = async (ranBefore: number) =>
			await service.run(getCrfParameters(NEVER), {
				...{ items: itemsOf([RFC]), isTool: true, executionId: 'tool-found', ranBefore },
			});
		await call(0);
		isListed = true;
		const { items } = await call(1);
		expect([items[0]?.json.recovered, billed()]).toEqual([true, [RFC]]);
	});

	it('sends a query of its own in each round of a loop with Never, though one is lost', async () => {
		let isListed = false;
		await service.close();
		service = await tenantService({
			post: (arrived) => answer(arrived),
			list: (stored) => (isListed ? stored : []),
		});
		answer = lose;
		const loop = { executionId: 'loop-lost', memory: {}, items: itemsOf([RFC]) };
		await service.run(getCrfParameters(NEVER), loop);
		[answer, isListed] = [acknowledge, true];
		await service.run(getCrfParameters(NEVER), { ...loop, ranBefore: 1 });
		expect(billed()).toEqual([RFC, RFC]);
	});

	it('sends a failed immediate query again, also in the next execution', async () => {
		answer = ({ accept, response }) => respondJson(response, accept({ status: 'FAILED' }));
		const hours = getCrfParameters({ reuse: 'hours', reuseHours: 24 });
		const codes = [];
		for (let run = 0; run < 2; run++) {
			codes.push(codeOf((await service.run(hours, { items: itemsOf([RFC]) })).error));
		}
		expect([codes, service.posts.length]).toEqual([['failed', 'failed'], 2]);
	});

	it('brings no limit that counts an item twice: 60 refused items are retried', async () => {
		const wanted = rfcs(60);
		let isRefusing = true;
		answer = (arrived) =>
			isRefusing ? respondJson(arrived.response, { message: 'No' }, 422) : acknowledge(arrived);
		const limits = { spendingLimits: { maxQueries: 100, maxQueriesPerDay: 100 } };
		const memory = {};
		const run = async (mode?: 'retry') =>
			await service.run(getCrfParameters(NEVER, limits), {
				items: itemsOf(wanted),
				memory,
				mode,
				...goOn,
			});
		await run();
		isRefusing = false;
		const { items } = await run('retry');
		expect([items.filter(({ json }) => json.error).length, billed().length]).toEqual([0, 60]);
	});

	it('keeps 25 tool calls at the same time within the limit of 10', async () => {
		const memory = {};
		const call = async (curp: string, ranBefore: number) =>
			await service.run(operationParameters('person', 'getCurpData', { curp }), {
				...{ items: [{ tenant: 'A' }], isTool: true, executionId: 'tools-25', memory, ranBefore },
			});
		const runs = await Promise.all(curps(25).map(call));
		const codes = runs.map(({ error }) => codeOf(error)).filter(Boolean);
		expect([service.posts.length, codes]).toEqual([10, new Array(15).fill('limitOfExecution')]);
	});

	it('keeps sub-executions of one parent within one limit', async () => {
		const limited = getCrfParameters({}, { spendingLimits: { maxQueries: 3 } });
		for (const [at, rfc] of rfcs(5).entries()) {
			const executionId = `limited-sub-${at}`;
			const sub = { executionId, parentExecutionId: 'parent-limit', mode: 'integrated' as const };
			await service.run(limited, { items: itemsOf([rfc]), ...sub, ...goOn });
		}
		expect(service.posts).toHaveLength(3);
	});

	it('gives each of several equal items a query of its own in a retry without notes', async () => {
		for (let made = 0; made < 3; made++)
			await service.run(getCrfParameters(NEVER), { items: itemsOf([RFC]) });
		const given: unknown[] = [];
		for (const ranBefore of [0, 1]) {
			const round = { executionId: 'retried-loop', mode: 'retry' as const, ranBefore };
			const { items } = await service.run(getCrfParameters(NEVER), {
				items: itemsOf([RFC, RFC]),
				...round,
			});
			given.push(...idsOf(items));
		}
		expect([new Set(given).size, billed().length]).toEqual([4, 4]);
	});

	it("fails by a response with another person's record, and names it", async () => {
		answer = ({ accept, response }) => {
			const own = accept();
			respondJson(response, { ...own, _id: 'of-another-account', query: { rfc: OTHER } });
		};
		const { error } = await service.run(getCrfParameters(), { items: itemsOf([RFC]) });
		expect([codeOf(error), error?.context?.queryIds]).toEqual([
			...['otherQuery', ['of-another-account']],
		]);
	});

	it("fails if the returned ID leads to another person's record, and names it", async () => {
		const unknown = 'of-another-account';
		answer = ({ accept, response }) => {
			accept();
			respondJson(response, { message: 'Accepted', queryId: unknown });
		};
		const createdAt = new Date(Date.now() - 3_600_000).toISOString();
		service.add('A', {
			...{ _id: unknown, service: 'CRF', status: 'SUCCESS', createdAt },
			...{ query: { rfc: OTHER }, response: {} },
		});
		const { error } = await service.run(getCrfParameters({ waitForResult: true }), {
			items: itemsOf([RFC]),
		});
		expect([codeOf(error), error?.context?.queryIds]).toEqual(['otherQuery', [unknown]]);
	});

	it('keeps its place in the queue when the clock is set forward by an hour', async () => {
		const wanted = rfcs(20);
		answer = (arrived) => {
			if (arrived.before === 5) shiftWallClock(3_600_000);
			acknowledge(arrived);
		};
		const { items, error } = await service.run(getCrfParameters(), {
			items: itemsOf(wanted),
			credentials: { taxQueryApi: { ...service.byClient, pointsPerSecond: 10 } },
		});
		expect([error, items.length]).toEqual([undefined, 20]);
	});

	const FOREIGN_ID = 'of-another-account';
	it.each<[string, (own: StoredQuery) => object]>([
		['record', (own) => ({ ...own, _id: FOREIGN_ID, query: { rfc: OTHER } })],
		['query', () => ({ message: 'Accepted', queryId: FOREIGN_ID })],
	])("the editor's Retry sends nothing after another person's %s", async (what, body) => {
		const createdAt = new Date(Date.now() - 3_600_000).toISOString();
		const foreign = { _id: FOREIGN_ID, service: 'CRF', status: 'SUCCESS', createdAt };
		await service.close();
		service = await tenantService({
			post: ({ accept, response }) => respondJson(response, body(accept())),
		});
		service.add('A', { ...foreign, query: { rfc: OTHER }, response: {} });
		const execution = { items: itemsOf([RFC]), executionId: `foreign-${what}`, memory: {} };
		const waiting = getCrfParameters({ waitForResult: true });
		const first = await service.run(waiting, execution);
		const again = await service.run(waiting, { ...execution, mode: 'retry' });
		expect([first, again].map(({ error }) => codeOf(error))).toEqual(['otherQuery', 'otherQuery']);
		expect(service.posts).toHaveLength(1);
	});

	it('sends a failed query again in the next round of a loop', async () => {
		answer = ({ before, accept, response }) =>
			respondJson(response, accept({ status: before === 0 ? 'FAILED' : 'SUCCESS' }));
		const memory = {};
		const round = async (ranBefore: number) =>
			await service.run(getCrfParameters(), {
				...{ items: itemsOf([RFC]), executionId: 'loop-failed', memory, ranBefore },
			});
		const first = await round(0);
		const { items } = await round(1);
		expect({ first: codeOf(first.error), posts: service.posts.length }).toEqual({
			...{ first: 'failed', posts: 2 },
		});
		expect(items.map(({ json }) => json.reused)).toEqual([undefined]);
		expect(idsOf(items)).toEqual([service.billedOf('A')[1]._id]);
	});

	it('sends a failed query again for an equal item of the same run', async () => {
		answer = ({ before, accept, response }) =>
			respondJson(response, accept({ status: before === 0 ? 'FAILED' : 'SUCCESS' }));
		const { items } = await service.run(getCrfParameters(), {
			items: itemsOf([RFC, RFC]),
			...goOn,
		});
		expect({ codes: items.map(({ json }) => codeOf(json)), posts: service.posts.length }).toEqual({
			...{ codes: ['failed', undefined], posts: 2 },
		});
	});
});

describe('a query lost in a sub-workflow', () => {
	const [LOST] = rfcs(1);
	const sub = { items: [{ tenant: 'A', rfc: LOST }], mode: 'integrated' as const };

	it('blocks equal ones while the list may lag, and then the list decides', async () => {
		const service = await tenantService({
			post: (arrived) => {
				if (arrived.before === 0) arrived.response.socket?.destroy();
				else acknowledge(arrived);
			},
		});
		const run = async () => await service.run(getCrfParameters(), sub);
		const codes = [codeOf((await run()).error), codeOf((await run()).error)];
		shiftAllClocks(61_000);
		const { error, items } = await run();
		await service.close();
		expect([codes, codeOf(error), items.length]).toEqual([['unsure', 'unsure'], undefined, 1]);
		expect([service.posts.length, service.billedOf('A').length]).toEqual([2, 1]);
	});

	it('is recovered and not sent again if the list shows it later', async () => {
		let isListed = false;
		const service = await tenantService({
			post: ({ accept, response }) => {
				accept();
				response.socket?.destroy();
			},
			list: (stored) => (isListed ? stored : []),
		});
		await service.run(getCrfParameters(), sub);
		shiftAllClocks(61_000);
		isListed = true;
		const { error } = await service.run(getCrfParameters(), sub);
		await service.close();
		expect([codeOf(error), service.posts.length]).toEqual([undefined, 1]);
	});
});

describe('a tool with Never in a retry', () => {
	it.each([
		['whose runs are counted on', [2, 3]],
		['whose calls come in another order', [1, 0]],
	])('bills nothing again, %s', async (_how, places) => {
		const service = await tenantService({ list: () => [] });
		const memory = {};
		const wanted = rfcs(2);
		const call = async (rfc: string, ranBefore: number, mode: 'trigger' | 'retry') => {
			const { items } = await service.run(getCrfParameters(NEVER), {
				...{ items: [{ tenant: 'A', rfc }], isTool: true, memory, ranBefore, mode },
				executionId: `tool-never-${mode}-${places.join('')}`,
			});
			return items[0].json.queryId;
		};
		const first = [await call(wanted[0], 0, 'trigger'), await call(wanted[1], 1, 'trigger')];
		const again = [
			await call(wanted[0], places[0], 'retry'),
			await call(wanted[1], places[1], 'retry'),
		];
		expect([again, service.posts.length]).toEqual([first, 2]);
		await call(wanted[0], 4, 'retry');
		await service.close();
		expect(service.posts).toHaveLength(3);
	});
});

describe("an execution's metadata", () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox);
	const billed = async () => (await sandbox.ledger()).map(({ queryId }) => queryId).sort();

	it('hold each query ID once, however often the node was tried', async () => {
		const failed = sandbox.reserved('failed').rfc;
		const { metadata } = await sandbox.run(getCrfParameters({ waitForResult: true }), {
			items: itemsForRfcs([...rfcs(2), failed]),
			maxTries: 3,
		});
		expect(metadata.paidQueries).toBe('3');
		expect(metadata.queryIds.split(' ').sort()).toEqual(await billed());
	});

	it('hold as many IDs as fit, and the External Reference', async () => {
		const { metadata } = await sandbox.run(
			getCrfParameters({}, { externalReference: '={{ "customer-" + $itemIndex }}' }),
			{ items: itemsForRfcs(rfcs(30)) },
		);
		expect(metadata.paidQueries).toBe('30');
		expect(metadata.queryIds.length).toBeLessThanOrEqual(255);
		expect(await billed()).toEqual(expect.arrayContaining(metadata.queryIds.split(' ')));
		expect(metadata.externalReference).toMatch(/^customer-0 customer-1 .*customer-\d+$/);
	});

	it('hold no RFC, though the External Reference is one', async () => {
		const { metadata } = await sandbox.run(
			getCrfParameters({}, { externalReference: '={{ $json.rfc }}' }),
			{
				items: itemsForRfcs(rfcs(2)),
			},
		);
		const { queryIds, ...others } = metadata;
		expect(others).toEqual({ paidQueries: '2' });
		expect(queryIds.split(' ').sort()).toEqual(await billed());
	});
});

it('an execution that is cancelled while it waits names its query IDs', async () => {
	const sandbox = await taxQuerySandbox();
	const pending = sandbox.reserved('pending').rfc;
	let cancel = () => {};
	const running = sandbox.run(
		getCrfParameters({ waitForResult: true, maxWait: 600, reuse: 'never' }),
		{
			items: itemsForRfcs([pending, pending]),
			onStart: (cancelExecution) => (cancel = cancelExecution),
		},
	);
	const reads = async () =>
		(await sandbox.requests()).filter(
			({ method, path }) => method === 'GET' && path !== '/api/query',
		);
	await until(
		'two queries billed, one of them read',
		async () => (await sandbox.ledger()).length === 2 && (await reads()).length > 0,
	);
	cancel();
	const { metadata, error } = await running;
	const ids = (await sandbox.ledger()).map(({ queryId }) => queryId).sort();
	await sandbox.close();
	expect({
		billed: metadata.paidQueries,
		inMetadata: metadata.queryIds.split(' ').sort(),
		inError: [...(error?.context?.queryIds as string[])].sort(),
	}).toEqual({ billed: '2', inMetadata: ids, inError: ids });
});

it('a retry sends what an execution did not that was cancelled during its login', async () => {
	const [RFC, OTHER] = rfcs(2);
	let cancel = () => {};
	const service = await fakeService({
		token(response) {
			cancel();
			respondJson(response, { access_token: 'fake-token-1234' });
		},
	});
	const input = { items: itemsForRfcs([RFC]), executionId: 'stopped', memory: {} };
	await service.run(getCrfParameters(), { ...input, onStart: (stop) => (cancel = stop) });
	await service.run(getCrfParameters(), { items: itemsForRfcs([OTHER]) }); // the token is there
	const { error } = await service.run(getCrfParameters(), input);
	await service.close();
	expect({ error, sent: service.sent() }).toEqual({ error: undefined, sent: 2 });
});

it('a retry after a workflow timeout gives what was accepted, and sends nothing', async () => {
	const wanted = rfcs(20);
	let isDone = false;
	const service = await fakeService({
		get: (one, response) =>
			respondJson(response, { ...one, status: isDone ? 'SUCCESS' : 'PENDING' }),
	});
	const input = { items: itemsForRfcs(wanted), executionId: 'timed-out', memory: {} };
	const waiting = getCrfParameters({ waitForResult: true, maxWait: 600, reuse: 'never' });
	let timeOut = () => {};
	const running = service.run(waiting, { ...input, onStart: (cancel) => (timeOut = cancel) });
	const reads = () => service.requests.filter((one) => /^GET \/query\/./.test(one)).length;
	await until('all queries accepted, one read', () => service.billed.length === 20 && reads() > 0);
	timeOut(); // n8n cancels the execution when the timeout has passed
	await running;
	isDone = true;
	const { items, error } = await service.run(waiting, { ...input, mode: 'retry' });
	await service.close();
	const idOf = (rfc: string) => service.billed.find(({ query }) => query.rfc === rfc)?._id;
	expect({ error, sent: service.sent() }).toEqual({ error: undefined, sent: 20 });
	expect(items.map(({ json }) => json.queryId)).toEqual(wanted.map(idOf));
});
