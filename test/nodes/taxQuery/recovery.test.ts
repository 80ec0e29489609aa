import { respondJson } from '../../support/testServer';
import type { ServerResponse } from 'node:http';
import type { INodeParameters } from 'n8n-workflow';
import { gzipSync } from 'node:zlib';
import { until } from '../../support/until';
import type { FaultRule } from '../../../sandbox/plugins/faults';
import { resetProcessState } from '../../../nodes/shared/processState';
import { codeOf } from '../../support/errorCode';
import { freshSandboxForEachTest } from '../../support/sharedSandbox';
import {
	type PostHandler,
	type StoredQuery,
	aRecord,
	acceptThenRespondBadGateway,
	fakeService,
	respondBadGateway,
	respondToFirstPost,
} from './fakeService';
import {
	CRF_PATH,
	buildCrfFaultRule,
	buildNextCrfFaultRule,
	getCrfParameters,
	itemsForRfcs,
	operationParameters,
	rfcs,
	taxQuerySandbox,
} from './support';
import { shiftAllClocks } from '../../support/clock';
import type { NodeRunOptions } from '../../support/runNodeInEngine';

const [RFC, OTHER] = rfcs(2);
const never = getCrfParameters({ reuse: 'never' });

describe('a query whose response was lost', () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox);
	const runOne = async (options = {}) =>
		await sandbox.run(getCrfParameters({ reuse: 'never' }, options), {
			items: itemsForRfcs([RFC]),
			onError: 'continueRegularOutput',
		});
	const sends = async () => (await sandbox.requests(CRF_PATH)).length;
	const billed = async () => (await sandbox.ledger()).map(({ queryId }) => queryId);

	it.each<[string, FaultRule['fault']]>([
		['a reset', 'resetAfter'],
		['a truncated body', 'truncated'],
		["a gateway's web page", 'nonJson'],
		["a gateway's 502", { status: 502, accepted: true }],
	])('is recovered from the list after %s', async (_what, fault) => {
		await sandbox.faults(buildNextCrfFaultRule(fault));
		const { items } = await runOne();
		expect(items.map(({ json }) => json)).toEqual([
			expect.objectContaining({ queryId: (await billed())[0], recovered: true, rfc: RFC }),
		]);
	});

	it.each<[string, FaultRule['fault']]>([
		['a reset', 'resetBefore'],
		['a timeout', 'hang'],
		['a 503', { status: 503 }],
	])('is uncertain, and sent once, if the list lacks it after %s', async (_what, fault) => {
		await sandbox.faults(buildNextCrfFaultRule(fault));
		const { items } = await runOne(fault === 'hang' ? { timeout: 3 } : {});
		expect([codeOf(items[0].json), await sends()]).toEqual(['unsure', 1]);
	});

	it('is uncertain if the list cannot be read', async () => {
		const list = { path: '/api/query', exact: true, fault: { status: 403 } };
		await sandbox.faults(buildNextCrfFaultRule('resetAfter'), list);
		const { items } = await runOne();
		expect(codeOf(items[0].json)).toBe('unsure');
	});

	it('names a time from which Query → Get Many finds it', async () => {
		await sandbox.faults(buildNextCrfFaultRule('resetBefore'));
		const { items } = await runOne();
		const [, createdAfter] = /(\d{4}-\S+Z)/.exec(String(items[0].json.errorDetail)) ?? [];
		await runOne();
		const listed = await sandbox.run({
			resource: 'query',
			operation: 'getAll',
			returnAll: true,
			filters: { createdAfter },
		});
		const ids = listed.items.map(({ json }) => json.queryId);
		expect(ids).toEqual(expect.arrayContaining(await billed()));
	});

	it.each<[string, FaultRule['fault']]>([
		['429', 'storm'],
		['401', 'expiredToken'],
	])('is no query that the service refused with %s: it is sent again', async (_how, fault) => {
		await sandbox.faults(buildNextCrfFaultRule(fault));
		const { items } = await runOne();
		const [{ queryId, recovered }] = items.map(({ json }) => json);
		expect({ queryId: [queryId], recovered }).toEqual({
			queryId: await billed(),
			recovered: undefined,
		});
	});

	it('is recovered for each month of invoices', async () => {
		await sandbox.run(
			operationParameters('taxAuthority', 'createTaxProfile', {
				loginFrom: 'fields',
				rfc: RFC,
				ciec: 'x1',
			}),
		);
		await sandbox.faults({
			...buildNextCrfFaultRule('resetAfter'),
			path: '/api/query/tax/invoice',
		});
		const { items } = await sandbox.run(
			operationParameters('taxAuthority', 'getInvoices', {
				rfc: RFC,
				period: 'months',
				firstMonth: '2025-12',
				lastMonth: '2026-02',
			}),
		);
		expect(items.map(({ json }) => [json.period, json.recovered])).toEqual([
			['2025-12', true],
			['2026-01', true],
			['2026-02', true],
		]);
	});
});

describe('the list in which a lost query is searched', () => {
	const wasRecovered = { queryId: expect.any(String) as string, recovered: true };

	it.each(['page', 'summary'] as const)('has 250 past queries before it: %s', async (queryList) => {
		const sandbox = await taxQuerySandbox({ queryList, pastQueries: 250 });
		await sandbox.faults(buildNextCrfFaultRule('resetAfter'));
		const { items } = await sandbox.run(getCrfParameters(), { items: itemsForRfcs([RFC]) });
		await sandbox.close();
		expect(items.map(({ json }) => json)).toMatchObject([{ ...wasRecovered, rfc: RFC }]);
	});

	it('is read to its second page after 120 later queries', async () => {
		const sandbox = await taxQuerySandbox({ queryList: 'page', pastQueries: 250 });
		const list = { path: '/api/query', exact: true, times: 1 };
		await sandbox.faults(buildNextCrfFaultRule('resetAfter'), {
			...list,
			fault: { latency: 5000 },
		});
		const others = await sandbox.elsewhere();
		const run = sandbox.run(getCrfParameters(), { items: itemsForRfcs([RFC]) });
		await until('a query billed', async () => (await sandbox.ledger()).length > 0);
		const ask = async () => await others.post('/query/crf', { rfc: OTHER });
		await Promise.all(Array.from({ length: 120 }, ask));
		const { items } = await run;
		const [{ queryId }] = await sandbox.ledger();
		await sandbox.close();
		expect(items.map(({ json }) => json.queryId)).toEqual([queryId]);
	});

	it('is read to its second page where it is unsorted', async () => {
		const past = (_id: string, hours: number) =>
			aRecord({
				_id,
				query: { rfc: OTHER },
				createdAt: new Date(Date.now() - 3_600_000 * hours).toISOString(),
			});
		const service = await fakeService({
			post: acceptThenRespondBadGateway,
			list(stored, response) {
				const rows = [past('a', 1), past('b', 0.5), past('c', 72), ...stored];
				const { searchParams } = new URL(response.req.url ?? '', 'http://x');
				const offset = Number(searchParams.get('offset'));
				respondJson(response, { data: rows.slice(offset, offset + 3), total: rows.length });
			},
		});
		const { items } = await service.run(getCrfParameters(), { items: itemsForRfcs([RFC]) });
		const [{ _id }] = service.billed;
		await service.close();
		expect(items.map(({ json }) => json)).toMatchObject([{ queryId: _id, recovered: true }]);
	});

	it('is read again by the next try where it lags', async () => {
		let reads = 0;
		const service = await fakeService({
			post: respondToFirstPost(acceptThenRespondBadGateway),
			list: (stored, response) => respondJson(response, ++reads > 4 ? stored : []),
		});
		const { items } = await service.run(getCrfParameters(), {
			items: itemsForRfcs([RFC]),
			maxTries: 2,
		});
		await service.close();
		expect({ recovered: items[0]?.json.recovered, sent: service.sent() }).toEqual({
			...{ recovered: true, sent: 1 },
		});
	});

	it('is read fewer than 30 times for 30 lost queries', async () => {
		const service = await fakeService({
			post: (_accept, response) => respondBadGateway(response),
			list: (_stored, response) => respondJson(response, []),
		});
		await service.run(getCrfParameters(), {
			items: itemsForRfcs(rfcs(30)),
			onError: 'continueRegularOutput',
		});
		await service.close();
		expect(service.sent()).toBe(30);
		expect(service.requests.filter((one) => one === 'GET /query').length).toBeLessThan(30);
	});
});

describe('a lost query in a list whose rows lack their requests', () => {
	const listWithoutRequests = (stored: StoredQuery[], response: ServerResponse) =>
		respondJson(
			response,
			stored.map((row) => ({ ...row, query: undefined })),
		);

	it('costs one read of each row, for all 30 lost queries', async () => {
		const service = await fakeService({
			post: acceptThenRespondBadGateway,
			list: listWithoutRequests,
		});
		await service.run(never, { items: itemsForRfcs(rfcs(30)), onError: 'continueRegularOutput' });
		await service.close();
		const reads = service.requests.filter((one) => /^GET \/query\/./.test(one));
		expect(service.sent()).toBe(30);
		// the first one is read twice: it shows whether rows of its type hold their results
		expect(reads).toHaveLength(new Set(reads).size + 1);
	});

	it('is recovered though its record comes later than its row', async () => {
		const [lost] = rfcs(1);
		let misses = 1;
		const service = await fakeService({
			post: acceptThenRespondBadGateway,
			list: listWithoutRequests,
			get: (one, response) => respondJson(response, one, misses-- > 0 ? 404 : 200),
		});
		const { items } = await service.run(never, { items: itemsForRfcs([lost]) });
		await service.close();
		expect(items.map(({ json }) => [json.recovered, json.billed])).toEqual([[true, 1]]);
	});

	it('is recovered though another row cannot be read', async () => {
		const [other, lost] = rfcs(2);
		const service = await fakeService({
			post(accept, response) {
				const { query, _id } = accept();
				if (query.rfc === lost) respondBadGateway(response);
				else respondJson(response, { queryId: _id });
			},
			list: listWithoutRequests,
			get: (one, response) => respondJson(response, one, one?.query.rfc === lost ? 200 : 503),
		});
		const run = async (rfc: string) => await service.run(never, { items: itemsForRfcs([rfc]) });
		await run(other);
		resetProcessState();
		const { items } = await run(lost);
		await service.close();
		const [, { _id }] = service.billed;
		expect(items.map(({ json }) => json)).toMatchObject([{ queryId: _id, recovered: true }]);
	});
});

describe('clocks that differ', () => {
	const [RFC, OTHER] = rfcs(2);
	const HOUR_MS = 3_600_000;

	/** More than clocks may differ by. */
	const BEYOND_TOLERANCE_MS = 4_000;
	const items = itemsForRfcs([RFC]);

	describe('a service whose clock differs', () => {
		it.each([HOUR_MS, -HOUR_MS])('has a lost query recovered: by %i ms', async (clockSkew) => {
			const sandbox = await taxQuerySandbox({ clockSkew });
			const service = await sandbox.elsewhere();
			await service.post('/query/crf', { rfc: OTHER });
			await sandbox.faults(buildNextCrfFaultRule('resetAfter'));
			const { items: given } = await sandbox.run(getCrfParameters(), { items });
			await sandbox.close();
			expect(given.map(({ json }) => json.recovered)).toEqual([true]);
		});

		it.each([0, HOUR_MS, -HOUR_MS])(
			"has another program's older query not matched: by %i ms",
			async (clockSkew) => {
				const sandbox = await taxQuerySandbox({ clockSkew });
				const service = await sandbox.elsewhere();
				await service.post('/query/crf', { rfc: RFC });
				shiftAllClocks(BEYOND_TOLERANCE_MS);
				await sandbox.faults(buildNextCrfFaultRule('resetBefore'));
				const { error } = await sandbox.run(getCrfParameters(), { items });
				await sandbox.close();
				expect(codeOf(error)).toBe('unsure');
			},
		);

		it('has a lost query recovered though its responses name an age of 0', async () => {
			const behind = () => new Date(Date.now() - 20_000);
			const headers = new Map(Object.entries({ age: '0', date: behind().toUTCString() }));
			const service = await fakeService({
				list: (stored, response) => respondJson(response.setHeaders(headers), stored),
				post(accept, response) {
					accept().createdAt = behind().toISOString();
					respondBadGateway(response.setHeaders(headers));
				},
			});
			const sendAgain = getCrfParameters({}, { spendingLimits: { sendAgain: true } });
			const { items: given } = await service.run(sendAgain, { items });
			await service.close();
			expect(given.map(({ json }) => json.recovered)).toEqual([true]);
			expect(service.billed).toHaveLength(1);
		});

		it('has an older query with a future date named as possible, not recovered', async () => {
			const service = await fakeService({
				post: (_accept, response) => respondBadGateway(response),
			});
			const createdAt = new Date(Date.now() + HOUR_MS).toISOString();
			service.billed.push(aRecord({ _id: 'older', query: { rfc: RFC }, createdAt }));
			const { items: given, error } = await service.run(getCrfParameters(), { items });
			await service.close();
			expect({ given, possible: error?.context?.possible }).toEqual({
				given: [],
				possible: ['older'],
			});
		});

		it('has nothing recovered that was listed before sending, whatever its date', async () => {
			const service = await fakeService({
				post: (_accept, response) => respondBadGateway(response),
			});
			const createdAt = new Date(Date.now() + 1500).toISOString();
			const done = { status: 'DONE', query: { rfc: RFC }, response: { RFC }, createdAt };
			service.billed.push(aRecord({ _id: 'listed', ...done }));
			const hours = getCrfParameters({ reuse: 'hours', reuseHours: 1 });
			const { items: given } = await service.run(hours, { items });
			await service.close();
			expect(given).toEqual([]);
		});
	});
});

describe('the query that a recovery takes', () => {
	const [RFC, OTHER] = rfcs(2);
	const never = getCrfParameters({ reuse: 'never' });

	const calculateRfc = (name: string) =>
		operationParameters('taxpayer', 'calculateRfc', {
			...{ name, firstLastName: 'Gómez', birthDate: '1956-12-31', reuse: 'never' },
		});

	describe('a lost query does not match', () => {
		const sandbox = freshSandboxForEachTest(taxQuerySandbox);
		const runOne = async () =>
			await sandbox.run(never, { items: itemsForRfcs([RFC]), onError: 'continueRegularOutput' });
		const billed = async () => (await sandbox.ledger()).map(({ queryId }) => queryId);

		it('the same query of an earlier execution', async () => {
			await sandbox.run(getCrfParameters(), { items: itemsForRfcs([RFC]) });
			await sandbox.faults(buildNextCrfFaultRule('resetBefore'));
			const { items } = await runOne();
			expect(codeOf(items[0].json)).toBe('unsure');
		});

		it('an equal query that the list showed before it was sent', async () => {
			await (await sandbox.elsewhere()).post('/query/crf', { rfc: RFC });
			await sandbox.faults(buildNextCrfFaultRule('resetBefore'));
			const { error } = await sandbox.run(
				getCrfParameters({ reuse: 'never' }, { spendingLimits: { maxQueriesPerDay: 5 } }),
				{ items: itemsForRfcs([RFC]) },
			);
			expect(codeOf(error)).toBe('unsure');
		});

		it('a query of another type or another person', async () => {
			const service = await sandbox.elsewhere();
			await sandbox.faults(buildNextCrfFaultRule('resetBefore'));
			await service.post('/query/rfc-data', { rfc: RFC });
			await service.post('/query/rfc-data', { rfc: OTHER });
			const { items } = await runOne();
			expect(codeOf(items[0].json)).toBe('unsure');
		});

		it('an equal query that another program sends later', async () => {
			const service = await sandbox.elsewhere();
			const list = { path: '/api/query', exact: true, times: 1, fault: { latency: 5000 } };
			await sandbox.faults(buildNextCrfFaultRule('resetAfter'), list);
			const running = runOne();
			await until('a query billed', async () => (await billed()).length > 0);
			shiftAllClocks(2500); // more than the service's clock, in whole seconds, leaves open
			await service.post('/query/crf', { rfc: RFC });
			const { items } = await running;
			expect(items.map(({ json }) => json.queryId)).toEqual([(await billed())[0]]);
		});

		it('a query with one field more', async () => {
			const path = '/api/query/rfc-calculator';
			const service = await sandbox.elsewhere();
			await sandbox.faults({ ...buildNextCrfFaultRule('resetBefore'), path });
			await service.post('/query/crf', { rfc: RFC });
			const running = sandbox.run(calculateRfc('Emma'));
			await until('the query sent', async () => (await sandbox.requests(path)).length > 0);
			const born = { day: 31, month: 12, year: 1956 };
			const person = { name: 'Emma', firstLastName: 'Gómez', secondLastName: 'Díaz', ...born };
			await service.post('/query/rfc-calculator', person);
			expect(codeOf((await running).error)).toBe('unsure');
		});

		it('an equal query of another item in flight, written differently', async () => {
			const path = '/api/query/rfc-calculator';
			await sandbox.faults(
				{ ...buildNextCrfFaultRule('resetBefore'), path },
				{ path, method: 'POST', times: 1, fault: { trickle: 2 } },
			);
			const { items } = await sandbox.run(calculateRfc('={{ $json.name }}'), {
				items: [{ name: 'Emma' }, { name: 'EMMA' }],
				onError: 'continueRegularOutput',
			});
			const given = items.map(({ json }) => json.errorCode ?? json.queryId);
			expect(given.sort()).toEqual([...(await billed()), 'unsure'].sort());
		});

		it('the lost queries of equal items', async () => {
			await sandbox.faults(buildCrfFaultRule('resetAfter', { times: 3 }));
			const { items } = await sandbox.run(never, {
				items: itemsForRfcs(new Array<string>(12).fill(RFC)),
			});
			expect(items.map(({ json }) => json.queryId).sort()).toEqual((await billed()).sort());
			expect(await sandbox.requests(CRF_PATH)).toHaveLength(12);
		});

		it("an equal item's record with two different IDs", async () => {
			let count = 0;
			const service = await fakeService({
				post: (accept, response) => {
					const stored = accept();
					const queryId = `q${++count}`;
					Object.assign(stored, { queryId });
					if (count === 2) response.socket?.resetAndDestroy();
					else respondJson(response, { queryId });
				},
			});
			const { items } = await service.run(never, { items: itemsForRfcs([RFC, RFC]) });
			await service.close();
			expect(items.map(({ json }) => json.queryId).sort()).toEqual(['q1', 'q2']);
		});

		it('a query claimed by a previous process', async () => {
			let isLost = true;
			let onList = () => {};
			const reading: { waitsFor?: Promise<void> } = {};
			const service = await fakeService({
				post(accept, response) {
					if (isLost) return respondBadGateway(response);
					respondJson(response, { queryId: accept()._id });
				},
				list(stored, response) {
					respondJson(response, stored);
					onList();
				},
				async get(one, response) {
					await reading.waitsFor;
					respondJson(response, one);
				},
			});
			// more than are sent side by side stand before the last one, which equals the first
			const wanted = [...rfcs(45), RFC];
			const memory = {};
			const run = async (items: string[]) =>
				await service.run(never, {
					items: itemsForRfcs(items),
					onError: 'continueRegularOutput',
					memory,
				});
			await run(wanted.slice(0, 1));
			isLost = false;
			await run(wanted);
			resetProcessState();
			reading.waitsFor = new Promise((resolve) => (onList = resolve));
			const { items } = await run(wanted);
			await service.close();
			expect({ first: codeOf(items[0].json), last: items[45].json.queryId }).toEqual({
				first: 'unsure',
				last: service.billed.find(({ query }) => query.rfc === RFC)?._id,
			});
		});
	});

	describe('a lost query matches', () => {
		it.each([
			['in another form of the same letters', 'José  Ángel'.normalize('NFD'), 'JOSÉ  ÁNGEL'],
			['with single blanks', 'Jose\u00a0  Angel', 'Jose Angel'],
		])('a record whose names are written %s', async (_what, sentName, stored) => {
			const service = await fakeService({
				post: respondToFirstPost((accept, response) => {
					accept().query.name = stored;
					response.socket?.resetAndDestroy();
				}),
			});
			const { items } = await service.run(calculateRfc(sentName));
			await service.close();
			const [{ _id }] = service.billed;
			expect(items.map(({ json }) => json)).toMatchObject([{ queryId: _id, recovered: true }]);
		});

		it('a record of each of two services that number queries alike', async () => {
			const found: unknown[] = [];
			for (let service = 0; service < 2; service++) {
				const sandbox = await taxQuerySandbox({ seed: 77 });
				await sandbox.faults(buildNextCrfFaultRule('resetAfter'));
				const { items } = await sandbox.run(getCrfParameters(), { items: itemsForRfcs([RFC]) });
				found.push(items[0].json.queryId);
				await sandbox.close();
			}
			expect(found).toEqual([expect.any(String), found[0]]);
		});
	});

	describe('records whose metadata hold technical fields instead of the request', () => {
		const metadata = { clientType: 'PF', query: { endpoint: '/query/crf', source: 'api' } };
		const items = itemsForRfcs([RFC, OTHER]);
		const whole = (stored: StoredQuery) => ({ ...stored, metadata });
		const withoutResponse = (stored: StoredQuery) => ({
			...whole(stored),
			query: undefined,
			response: undefined,
		});

		it.each<[string, (stored: StoredQuery) => object]>([
			['beside it', whole],
			['in rows without it', withoutResponse],
		])('are reused and recovered, and add no columns: %s', async (_where, row) => {
			const service = await fakeService({
				post: acceptThenRespondBadGateway,
				list: (stored, response) => respondJson(response, stored.map(row)),
				get: (one, response) => respondJson(response, whole(one as StoredQuery)),
			});
			const before = { service: 'CRF', status: 'SUCCESS', response: { RazonSocial: 'X' } };
			const createdAt = new Date(Date.now() - 600_000).toISOString();
			service.billed.push(
				...items.map((query) => ({ ...before, createdAt, query, _id: `of-${query.rfc}` })),
			);
			const reused = await service.run(getCrfParameters({ reuse: 'hours', reuseHours: 24 }), {
				items,
			});
			const recovered = await service.run(getCrfParameters(), { items: items.slice(0, 1) });
			await service.close();
			const rows = [...reused.items, ...recovered.items].map(({ json }) => json);
			expect(rows).toMatchObject([
				{ rfc: RFC, reused: true },
				{ rfc: OTHER, reused: true },
				{ rfc: RFC, recovered: true },
			]);
			expect(rows.flatMap(Object.keys)).not.toContain('endpoint');
			expect(service.sent()).toBe(1);
		});
	});
});

describe('a list in another order', () => {
	const [RFC] = rfcs(1);
	const items = [{ rfc: RFC }];
	const HOUR_MS = 3_600_000;
	const PAGE = 10;
	const hour = { reuse: 'hours', reuseHours: 1 };

	/** Pages are in the order in which queries were added. */
	async function pagedService(isLosing = false) {
		return await fakeService({
			list(stored, response) {
				const { searchParams } = new URL(String(response.req.url), 'http://any');
				const from = Number(searchParams.get('offset'));
				const rows = [...stored].reverse();
				respondJson(response, { data: rows.slice(from, from + PAGE), total: rows.length });
			},
			post(accept, response) {
				const stored = accept();
				if (isLosing) respondBadGateway(response);
				else respondJson(response, { queryId: stored._id });
			},
		});
	}

	describe('a list from the oldest query on, whose first page has one date', () => {
		it.each<[string, INodeParameters, boolean, number]>([
			['is read by Reuse Results', getCrfParameters(hour), false, 0],
			[
				'is counted for Max Queries per Day',
				getCrfParameters({}, { spendingLimits: { maxQueriesPerDay: 1 } }),
				false,
				0,
			],
			[
				'shows a lost query to Send Again',
				getCrfParameters({}, { spendingLimits: { sendAgain: true } }),
				true,
				1,
			],
		])('%s to its newest query', async (_what, parameters, isLosing, sent) => {
			const service = await pagedService(isLosing);
			const createdAt = '2026-01-05T10:00:00.000Z';
			service.billed.push(
				...Array.from({ length: 12 }, (_, index) =>
					aRecord({ service: 'INVOICE', query: { rfc: RFC, period: `2025-${index}` }, createdAt }),
				),
				aRecord({ query: { rfc: RFC } }),
			);
			await service.run(parameters, { items });
			await service.close();
			expect(service.sent()).toBe(sent);
		});
	});

	it('a list from the newest query on is read up to the first older date', async () => {
		const service = await pagedService();
		const now = Date.now();
		/** The rows of the first page have one date. */
		const hours = (index: number) => 100 + (index < 12 ? 1 : index);
		service.billed.push(
			...Array.from({ length: 200 }, (_, index) =>
				aRecord({
					service: 'INVOICE',
					query: { rfc: RFC, period: '2025-0' },
					createdAt: new Date(now - hours(index) * HOUR_MS).toISOString(),
				}),
			),
		);
		await service.run(getCrfParameters(hour), { items });
		await service.close();
		expect(service.requests).toEqual(['GET /query', 'GET /query', 'POST /query/crf']);
	});
});

const JSON_TYPE = 'application/json';

/** No response takes that long, however busy the machine is. */
const LONG = 600;

/** Accepts the query and responds like this; "ID" stands for that of the query. */
const raw =
	(status: number, type: string, body: string | Buffer, headers: object = {}): PostHandler =>
	(accept, response) => {
		const { _id } = accept();
		const text = typeof body === 'string' ? body.replaceAll('ID', _id) : body;
		response.writeHead(status, { ...(type && { 'content-type': type }), ...headers }).end(text);
	};

const led =
	(status: number): PostHandler =>
	(accept, response) =>
		void response.writeHead(status, { location: `/query/${accept()._id}` }).end();

/** Responses that identify no query, each to a query that was accepted. */
const responses: Array<[what: string, handler: PostHandler]> = [
	['201 with its ID in Location only', led(201)],
	['202 of JSON without a body', raw(202, JSON_TYPE, '')],
	['204', raw(204, '', '')],
	[
		'gzip that breaks off',
		raw(
			200,
			JSON_TYPE,
			gzipSync(JSON.stringify({ queryId: 'x'.repeat(5000), r: Math.random() })).subarray(0, 30),
			{ 'content-encoding': 'gzip' },
		),
	],
	[
		'an unknown content encoding',
		raw(200, JSON_TYPE, Buffer.from([200, 1, 2, 3]), { 'content-encoding': 'zstd' }),
	],
	['303 to its record', led(303)],
	['408 of a gateway', raw(408, JSON_TYPE, '{"message":"timeout"}')],
	['503 with Retry-After 3600', raw(503, 'text/html', 'busy', { 'retry-after': '3600' })],
	[
		'a reset after the head',
		(accept, response) => {
			accept();
			response.writeHead(200, { 'content-type': JSON_TYPE }).flushHeaders();
			setTimeout(() => response.socket?.resetAndDestroy(), 20);
		},
	],
	[
		'a body larger than 5 MB',
		raw(200, JSON_TYPE, JSON.stringify({ queryId: 'ID', pad: 'x'.repeat(6_000_000) })),
	],
	[
		'a head that breaks HTTP',
		(accept, response) => {
			accept();
			response.socket?.end(
				'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 9\r\n\r\nhello',
			);
		},
	],
];

describe('an accepted query', () => {
	it.each<[string, PostHandler, number?]>([
		...responses,
		['no response', (accept) => void accept(), 10],
	])('is recovered, and billed once, after %s', async (_what, handler, timeout = LONG) => {
		const service = await fakeService({ post: respondToFirstPost(handler) });
		const { items, error } = await service.run(getCrfParameters({}, { timeout }), {
			items: itemsForRfcs(rfcs(3)),
			maxTries: 2,
		});
		await service.close();
		expect({
			error: error?.message,
			ids: items.map(({ json }) => json.queryId).sort(),
			sent: service.sent(),
		}).toEqual({
			error: undefined,
			ids: service.billed.map(({ _id }) => _id).sort(),
			sent: 3,
		});
	});
});

it('two executions of 20 equal items lose no query, and share none', async () => {
	let count = 0;
	const service = await fakeService({
		post: async (accept, response) => {
			const turn = count++ % (2 * responses.length + 2);
			if (turn % 2 === 0) return respondJson(response, { queryId: accept()._id });
			const fault = responses[(turn - 1) / 2];
			if (fault) return await fault[1](accept, response);
			response.socket?.resetAndDestroy();
		},
	});
	const input = {
		items: itemsForRfcs([...rfcs(10), ...rfcs(10)]),
		onError: 'continueRegularOutput' as const,
	};
	const never = getCrfParameters({ reuse: 'never' }, { timeout: LONG });
	const runs = await Promise.all([1, 2].map(async () => await service.run(never, input)));
	await service.close();
	const rows = runs.flatMap((run) => run.items.map(({ json }) => json));
	const ids = rows.flatMap(({ queryId }) => (typeof queryId === 'string' ? [queryId] : []));
	expect({
		ids: ids.sort(),
		uncertain: rows.filter((row) => codeOf(row) === 'unsure').length,
		rows: rows.length,
	}).toEqual({
		ids: service.billed.map(({ _id }) => _id).sort(),
		uncertain: 40 - service.billed.length, // what the service reset
		rows: 40,
	});
});

it('a token that expires in the middle of a run costs one more token, and no query', async () => {
	const sandbox = await taxQuerySandbox();
	await sandbox.faults(buildCrfFaultRule('expiredToken', { times: 4 }));
	const { error } = await sandbox.run(getCrfParameters(), { items: itemsForRfcs(rfcs(20)) });
	const tokens = (await sandbox.requests('/api/oauth/token')).length;
	const billed = (await sandbox.ledger()).length;
	await sandbox.close();
	expect({ error, tokens, billed }).toEqual({ error: undefined, tokens: 2, billed: 20 });
});

describe('a 2xx with a query ID and a filled error', () => {
	it.each([
		['an acknowledgement', (id: string) => ({ queryId: id, error: 'The queue is full' })],
		['a wrapped one', (id: string) => ({ data: { queryId: id }, error: { code: 7 } })],
		['a failed success flag', (id: string) => ({ queryId: id, success: false })],
	])('is accepted: %s', async (_what, body) => {
		const service = await fakeService({
			post: (accept, response) => respondJson(response, body(accept()._id)),
			list: (_stored, response) => respondJson(response, []),
		});
		const { items } = await service.run(getCrfParameters(), { items: itemsForRfcs(rfcs(1)) });
		await service.close();
		expect(items.map(({ json }) => json.queryId)).toEqual(service.billed.map(({ _id }) => _id));
	});

	it('is uncertain if only the error names an ID', async () => {
		const service = await fakeService({
			post: (_accept, response) => respondJson(response, { error: { queryId: 'other' } }),
			list: (_stored, response) => respondJson(response, []),
		});
		const { error } = await service.run(getCrfParameters(), { items: itemsForRfcs(rfcs(1)) });
		await service.close();
		expect(codeOf(error)).toBe('unsure');
	});
});

describe('a lost query of invoices of a month that is not over', () => {
	const THREE_DAYS_MS = 3 * 24 * 60 * 60_000;
	const thisMonth = new Date().toISOString().slice(0, 7);
	const ask = { rfc: RFC, period: 'months', firstMonth: thisMonth, lastMonth: thisMonth };
	const invoices = operationParameters('taxAuthority', 'getInvoices', ask);

	it.each<[string, Partial<NodeRunOptions>]>([
		['a further try', { mode: 'trigger' }],
		['a retry without notes', { mode: 'retry', memory: {} }],
	])('is found by %s on a later day', async (_what, later) => {
		let isListed = false;
		const service = await fakeService({
			post: acceptThenRespondBadGateway,
			list: (stored, response) => respondJson(response, isListed ? stored : []),
		});
		const memory = {};
		const onError = 'continueRegularOutput';
		await service.run(invoices, { memory, onError });
		isListed = true;
		if (later.mode === 'retry') resetProcessState();
		const midnight = new Date();
		midnight.setUTCHours(midnight.getUTCHours() < 6 ? 6 : 30, 0, 0, 0); // in Mexico
		shiftAllClocks(later.mode === 'retry' ? Number(midnight) - Date.now() + 1 : THREE_DAYS_MS);
		const { items } = await service.run(invoices, { memory, onError, ...later });
		await service.close();
		const [{ _id }] = service.billed;
		expect([items.map(({ json }) => json.queryId), service.sent()]).toEqual([[_id], 1]);
	});
});

it('a sub-workflow does not take a listed query whose status nobody knows', async () => {
	const service = await fakeService();
	service.billed.push(aRecord({ query: { rfc: RFC }, status: 'ERROR' }));
	await service.run(getCrfParameters(), { items: itemsForRfcs([RFC]), mode: 'integrated' });
	await service.close();
	expect(service.sent()).toBe(1);
});
