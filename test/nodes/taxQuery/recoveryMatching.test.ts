import { until } from '../../support/until';
import { resetProcessState } from '../../../nodes/shared/processStateByScope';
import { shiftAllClocks } from '../../support/clock';
import { codeOf } from '../../support/errorCode';
import { freshSandboxForEachTest } from '../../support/sandboxForTestGroup';
import {
	acceptThenRespondBadGateway,
	fakeService,
	respondToFirstPost,
	respondJson,
	respondBadGateway,
	type StoredQuery,
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
