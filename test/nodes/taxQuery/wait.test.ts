import { respondJson } from '../../support/testServer';
import { until } from '../../support/until';
import type { FaultRule } from '../../../sandbox/plugins/faults';
import { runAgainstStub, type StubResponse } from '../../support/stubServer';
import { shiftWallClock } from '../../support/clock';
import { codeOf } from '../../support/errorCode';
import { crfRecord, LEGAL_NAME } from './crfResponses';
import { fakeService, type StoredQuery } from './fakeService';
import {
	curps,
	getCrfParameters,
	operationParameters,
	rfcs,
	taxQuerySandbox,
	type TaxQuerySandbox,
} from './support';
import { sandboxForTestGroup } from '../../support/sharedSandbox';

const waiting = () => getCrfParameters({ waitForResult: true, maxWait: 60 });

describe('50 queries that wait for their results', () => {
	let sandbox: TaxQuerySandbox;
	let result: Awaited<ReturnType<TaxQuerySandbox['run']>>;
	/** Method and path of each request, in order; without the token's. */
	let requests: string[];
	const taxpayers = rfcs(50);

	beforeAll(async () => {
		sandbox = await taxQuerySandbox({ resultDelay: 300 });
		result = await sandbox.run(waiting(), { items: taxpayers.map((rfc) => ({ rfc })) });
		requests = (await sandbox.requests())
			.map(({ method, path }) => `${method} ${path}`)
			.filter((request) => !request.includes('token'));
	});
	afterAll(async () => await sandbox.close());

	it('each get their own result', () => {
		expect(result.items.map(({ json }) => [json.rfc, json.outcome])).toEqual(
			taxpayers.map((rfc) => [rfc, 'result']),
		);
	});

	it('sends all queries before the first status check', () => {
		const firstPoll = requests.findIndex((request) => request.startsWith('GET'));
		expect(requests.lastIndexOf('POST /api/query/crf')).toBeLessThan(firstPoll);
	});

	it('checks waiting queries once a round in the list, the last few by ID', () => {
		const polls = requests.filter((request) => request.startsWith('GET'));
		expect(polls.length).toBeLessThan(10);
	});

	it('pay for one query each', async () => {
		expect(await sandbox.ledger()).toHaveLength(50);
	});
});

describe('a query that waits for its result', () => {
	const sandbox = sandboxForTestGroup(taxQuerySandbox);
	const [RFC] = rfcs(1);
	const pending = () => ({ rfc: sandbox.reserved('pending').rfc });
	const polls = async () => (await sandbox.requests()).filter(({ method }) => method === 'GET');

	it('comes out as pending with its query ID when the time is over, and is no error', async () => {
		const { error, items } = await sandbox.run(
			getCrfParameters({ waitForResult: true, maxWait: 1 }),
			{
				items: [pending()],
			},
		);
		const [{ queryId }] = await sandbox.ledger();
		expect([error, items[0].json]).toEqual([
			undefined,
			expect.objectContaining({ queryId, outcome: 'pending', billed: 1 }),
		]);
	});

	it('returns the unchanged record with its ID and status without Simplify', async () => {
		const { items } = await sandbox.run(
			getCrfParameters({ waitForResult: true, maxWait: 1, options: { simplify: false } }),
			{ items: [pending()] },
		);
		const { status, pending: mark, _id } = items[0].json;
		expect([status, mark, _id]).toEqual(['PENDING', undefined, expect.any(String)]);
	});

	it('checks a waiting query at growing intervals', async () => {
		await sandbox.run(getCrfParameters({ waitForResult: true, maxWait: 2 }), {
			items: [pending()],
		});
		// at a constant interval of 0.2 s it would be ten
		expect((await polls()).length).toBeLessThanOrEqual(5);
	});

	it('does not hold up the result of another item', async () => {
		const { items } = await sandbox.run(getCrfParameters({ waitForResult: true, maxWait: 1 }), {
			items: [pending(), { rfc: RFC }],
		});
		expect(items.map(({ json }) => json.outcome)).toEqual(['pending', 'result']);
	});

	it('continues to wait after failed checks, and reports them at the end', async () => {
		await sandbox.faults({ path: '/api/query/:id', method: 'GET', fault: { status: 403 } });
		const { items } = await sandbox.run(getCrfParameters({ waitForResult: true, maxWait: 1 }), {
			items: [{ rfc: RFC }],
		});
		expect(items[0].json).toMatchObject({
			outcome: 'pending',
			reason: expect.stringContaining('Tax Query Service'),
		});
	});

	it('is read by its ID where the list does not show it', async () => {
		await sandbox.faults({
			path: '/api/query',
			exact: true,
			method: 'GET',
			fault: { status: 200, body: [] },
		});
		const { items } = await sandbox.run(waiting(), { items: rfcs(5).map((rfc) => ({ rfc })) });
		expect(items.map(({ json }) => json.outcome)).toEqual(new Array(5).fill('result'));
	});

	it.each<[string, FaultRule['fault']]>([
		['no response comes', 'hang'],
		['its response trickles in', { trickle: 500 }],
	])('comes out when the time is over, although %s', async (_what, fault) => {
		const sandbox = await taxQuerySandbox();
		await sandbox.faults({ path: '/api/query', method: 'GET', fault });
		const aDay = { timeout: 86_400 }; // what awaits a response for so long ends this test
		const { items } = await sandbox.run(
			getCrfParameters({ waitForResult: true, maxWait: 2 }, aDay),
			{
				items: rfcs(5).map((rfc) => ({ rfc })),
			},
		);
		await sandbox.close();
		expect(items.map(({ json }) => json.outcome)).toEqual(new Array(5).fill('pending'));
	});

	it('is not waited for by default', async () => {
		await sandbox.run(getCrfParameters(), { items: [{ rfc: RFC }] });
		expect(await polls()).toEqual([]);
	});

	it('sends no check if the result came at once', async () => {
		await sandbox.run(
			operationParameters('taxAuthority', 'createTaxProfile', {
				loginFrom: 'fields',
				rfc: RFC,
				ciec: 'x1',
				waitForResult: true,
			}),
		);
		expect(await polls()).toEqual([]);
	});

	it('ends soon after the execution is cancelled', async () => {
		let cancel = () => {};
		const running = sandbox.run(getCrfParameters({ waitForResult: true, maxWait: 600 }), {
			items: [pending()],
			onStart: (cancelExecution) => (cancel = cancelExecution),
		});
		await until('a query billed', async () => (await sandbox.ledger()).length > 0);
		cancel();
		await running; // or the test runs into its timeout
		expect((await polls()).length).toBeLessThanOrEqual(1);
	});

	it('fails with the query ID and the message of the service when it ended as FAILED', async () => {
		const { error } = await sandbox.run(waiting(), {
			items: [{ rfc: sandbox.reserved('failed').rfc }],
		});
		const [{ queryId }] = await sandbox.ledger();
		expect(error?.context).toMatchObject({
			...{ code: 'failed', status: 'FAILED', queryIds: [queryId] },
			serviceMessage: expect.stringMatching(/./),
		});
	});

	it('fails in the same way when its result comes at once as FAILED', async () => {
		const { error } = await sandbox.run(
			operationParameters('person', 'getCurpData', { curp: sandbox.reserved('failed').curp }),
		);
		expect(error?.context).toMatchObject({ code: 'failed', status: 'FAILED' });
	});

	it('is marked as pending if its result should come at once and does not', async () => {
		const { items } = await sandbox.run(
			operationParameters('person', 'getCurpData', { curp: sandbox.reserved('pending').curp }),
		);
		expect(items[0].json).toMatchObject({ outcome: 'pending', billed: 1 });
	});

	it('is not pending if its result comes at once', async () => {
		const [curp] = curps(1);
		const { items } = await sandbox.run(operationParameters('person', 'getCurpData', { curp }));
		expect(items[0].json.outcome).toBe('result');
	});
});

describe('the last check of a wait', () => {
	const now = performance.now.bind(performance);
	/** Milliseconds by which the clock of the process jumped. */
	let jumped = 0;
	beforeEach(() => {
		jumped = 0;
		jest.spyOn(performance, 'now').mockImplementation(() => now() + jumped);
	});
	afterEach(() => jest.restoreAllMocks());

	const asPending = (stored: StoredQuery[]) => stored.map((row) => ({ ...row, status: 'PENDING' }));
	const waitFor = async (
		service: Awaited<ReturnType<typeof fakeService>>,
		count: number,
		credential: object = {},
	) => {
		const { items } = await service.run(getCrfParameters({ waitForResult: true, maxWait: 60 }), {
			items: rfcs(count).map((rfc) => ({ rfc })),
			...credential,
		});
		await service.close();
		return items.map(({ json }) => json.outcome);
	};
	const results = (count: number) => new Array<string>(count).fill('result');

	it('is made by ID after the time is over, when the process was busy until then', async () => {
		const service = await fakeService({
			list(stored, response) {
				jumped += 120_000;
				respondJson(response, asPending(stored));
			},
		});
		expect(await waitFor(service, 5)).toEqual(results(5));
	});

	it('is made by ID while an earlier read hangs', async () => {
		const service = await fakeService({
			get(one, response) {
				if (jumped > 0) respondJson(response, one);
				else jumped = 59_000;
			},
		});
		expect(await waitFor(service, 1)).toEqual(results(1));
	});

	it('is made by ID although the rate limit holds it back beyond the time', async () => {
		const service = await fakeService({
			list(stored, response) {
				jumped += 60_000;
				respondJson(response, asPending(stored));
			},
		});
		const credential = service.credential({ pointsPerSecond: 5 });
		expect(await waitFor(service, 10, credential)).toEqual(results(10));
	});

	it('is made in the list where more than 100 queries wait', async () => {
		let lists = 0;
		const service = await fakeService({
			list(stored, response) {
				jumped += 120_000;
				respondJson(response, lists++ === 0 ? asPending(stored) : stored);
			},
		});
		expect(await waitFor(service, 110)).toEqual(results(110));
		expect(service.requests.filter((one) => one.startsWith('GET /query/'))).toHaveLength(101);
	});

	it('is given up when no response comes, and the query comes out as pending', async () => {
		const service = await fakeService({ get: () => (jumped += 60_000) });
		expect(await waitFor(service, 1)).toEqual(['pending']);
	});
});

describe('a result that failed', () => {
	const long = getCrfParameters({ waitForResult: true, maxWait: 600 });

	it('ends the run once the others are there, before the wait is over', async () => {
		let polls = 0;
		const service = await fakeService({
			post: (accept, response) => respondJson(response, { queryId: accept()._id }),
			get(one, response) {
				const isFirst = one?._id === service.billed[0]._id;
				const status = isFirst ? 'FAILED' : ++polls < 4 ? 'PENDING' : 'SUCCESS';
				respondJson(response, { ...one, status });
			},
		});
		const { error } = await service.run(long, { items: rfcs(2).map((rfc) => ({ rfc })) });
		await service.close();
		expect([codeOf(error), polls]).toEqual(['failed', 4]);
	});

	it('does not keep the results of another execution from being seen', async () => {
		const sandbox = await taxQuerySandbox();
		const [failed, pending] = (['failed', 'pending'] as const).map((one) => sandbox.reserved(one));
		let cancel = () => {};
		const hanging = sandbox.run(long, {
			items: [failed, pending].map(({ rfc }) => ({ rfc })),
			onStart: (cancelExecution) => (cancel = cancelExecution),
		});
		const polls = async () =>
			(await sandbox.requests()).filter(({ method, status }) => method === 'GET' && status === 200);
		await until('two reads', async () => (await polls()).length >= 2);
		const { items } = await sandbox.run(getCrfParameters({ waitForResult: true, maxWait: 20 }), {
			items: rfcs(4).map((rfc) => ({ rfc })),
		});
		cancel();
		await hanging;
		await sandbox.close();
		expect(items.map(({ json }) => json.outcome)).toEqual(new Array(4).fill('result'));
	});
});

describe('a list that shows a short form of the results', () => {
	const short = (stored: StoredQuery[]) =>
		stored.map((one) => ({ ...one, response: { legalName: one.response.legalName } }));
	async function serviceThat(list: (stored: StoredQuery[]) => StoredQuery[]) {
		return await fakeService({
			list: (stored, response) => respondJson(response, list(stored)),
			post(accept, response) {
				const stored = accept();
				stored.response = { legalName: 'X', more: { name: 'M' }, zipCode: '01000' };
				respondJson(response, { queryId: stored._id });
			},
		});
	}
	const reads = (lines: string[]) => lines.filter((one) => one.startsWith('GET /query/')).length;

	it.each([3, 4, 30])('costs no result anything: %i items', async (count) => {
		const service = await serviceThat(short);
		const items = rfcs(count).map((rfc) => ({ rfc }));
		const { items: given } = await service.run(waiting(), {
			items,
		});
		const reuse = getCrfParameters({ reuse: 'hours', reuseHours: 1 });
		const again = await service.run(reuse, { items });
		await service.close();
		const columns = [...given, ...again.items].map(({ json }) => [json.zipCode, json.outcome]);
		expect([columns, again.items.every(({ json }) => json.reused), service.sent()]).toEqual([
			new Array(2 * count).fill(['01000', 'result']),
			true,
			count,
		]);
	});

	it('costs no result anything where a record comes later than its row', async () => {
		let misses = 1;
		const service = await fakeService({
			list: (stored, response) => respondJson(response, short(stored)),
			post(accept, response) {
				const stored = accept();
				stored.response = { legalName: 'X', more: { name: 'M' }, zipCode: '01000' };
				respondJson(response, { queryId: stored._id });
			},
			get: (one, response) => respondJson(response, one, misses-- > 0 ? 404 : 200),
		});
		const { items } = await service.run(waiting(), { items: rfcs(5).map((rfc) => ({ rfc })) });
		await service.close();
		expect(items.map(({ json }) => json.zipCode)).toEqual(new Array(5).fill('01000'));
	});

	it('is compared by one result, and believed where that is as full', async () => {
		const service = await serviceThat((stored) => stored);
		const items = rfcs(30).map((rfc) => ({ rfc }));
		await service.run(waiting(), { items });
		await service.run(getCrfParameters({ reuse: 'hours', reuseHours: 1 }), { items });
		await service.close();
		expect(reads(service.requests)).toBe(1);
	});

	it('is believed where no query can be read by its ID', async () => {
		const service = await fakeService({
			get: (_one, response) => respondJson(response, { message: 'No' }, 403),
		});
		const items = rfcs(5).map((rfc) => ({ rfc }));
		const { items: given } = await service.run(waiting(), { items });
		await service.close();
		expect(given.map(({ json }) => json.outcome)).toEqual(new Array(5).fill('result'));
	});
});

describe('a record that is read by its ID', () => {
	const [RFC] = rfcs(1);
	const items = [{ rfc: RFC }];

	it.each<[string, StubResponse]>([
		['under a key of its own', { body: { consulta: crfRecord('q1', RFC), ok: true } }],
		['in a list of one', { body: [crfRecord('q1', RFC)] }],
		['with blanks around its status', { body: crfRecord('q1', RFC, { status: ' Completed ' }) }],
	])('comes out after 404 and an unknown status: %s', async (_how, byId) => {
		const { rows } = await runAgainstStub(
			({ method, times }) => {
				if (method === 'POST') return { body: { queryId: 'q1' } };
				if (times === 0) return { status: 404, body: { error: 'not there yet' } };
				const unknown = { status: 'in progress', response: null };
				return times === 1 ? { body: crfRecord('q1', RFC, unknown) } : byId;
			},
			getCrfParameters({ rfc: RFC, waitForResult: true, maxWait: 5 }),
		);
		expect(rows).toMatchObject([{ legalName: LEGAL_NAME }]);
	});

	it('comes out after 204', async () => {
		const { rows } = await runAgainstStub(
			({ method, times }) => {
				if (method === 'POST') return { body: { queryId: 'q1' } };
				return times < 2 ? { status: 204 } : { body: crfRecord('q1', RFC) };
			},
			getCrfParameters({ rfc: RFC, waitForResult: true, maxWait: 20 }),
		);
		expect(rows).toMatchObject([{ queryId: 'q1', legalName: LEGAL_NAME }]);
	});

	it('may be larger than 5 MB', async () => {
		const RazonSocial = 'x'.repeat(5_300_000);
		const service = await fakeService({
			get: (one, response) => respondJson(response, { ...one, response: { RazonSocial } }),
		});
		const long = getCrfParameters({ waitForResult: true, maxWait: 600 });
		const [{ json }] = (await service.run(long, { items })).items;
		await service.close();
		expect(json).toMatchObject({ outcome: 'result', reason: null });
		expect(json.legalName === RazonSocial).toBe(true);
	});

	it('is waited for no longer than Max Wait though the clock of n8n is set back', async () => {
		let isSet = false;
		const service = await fakeService({
			get: (one, response) => {
				if (!isSet) shiftWallClock(-3_600_000);
				isSet = true;
				respondJson(response, { ...one, status: 'PENDING' });
			},
		});
		const { items: given } = await service.run(
			getCrfParameters({ waitForResult: true, maxWait: 2 }),
			{
				items,
			},
		);
		await service.close();
		shiftWallClock(3_600_000);
		expect(given[0].json.outcome).toBe('pending');
	});
});
