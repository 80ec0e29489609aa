import { respondJson } from '../../support/testServer';
import axios from 'axios';
import type { ServerResponse } from 'node:http';
import type { IExecuteContextData, INodeParameters } from 'n8n-workflow';
import { codeOf } from '../../support/errorCode';
import { freshSandboxForEachTest } from '../../support/sharedSandbox';
import {
	CRF_PATH,
	buildCrfFaultRule,
	buildNextCrfFaultRule,
	createTaxProfileParameters,
	curps,
	getCrfParameters,
	itemsForRfcs,
	operationParameters,
	passListLag,
	rfcs,
	taxQuerySandbox,
} from './support';
import { resetProcessState } from '../../../nodes/shared/processState';
import { pretendProcessJustStarted, shiftAllClocks, withoutWaiting } from '../../support/clock';
import {
	type StoredQuery,
	aRecord,
	acceptThenRespondBadGateway,
	fakeService,
	respondBadGateway,
} from './fakeService';
import { tenantService } from './fakeTenantService';
import { until } from '../../support/until';
import { type StubResponse, runAgainstStub } from '../../support/stubServer';
import { crfRecord, queryPostsIn } from './crfResponses';

describe('a retry', () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox);
	const billed = async () => (await sandbox.ledger()).map(({ query }) => query.rfc);
	const never = getCrfParameters({ reuse: 'never' });
	const one = itemsForRfcs(rfcs(1));

	it('by Retry On Fail bills each item once in three tries', async () => {
		const wanted = [...rfcs(5), sandbox.reserved('failed').rfc];
		const { error } = await sandbox.run(getCrfParameters({ waitForResult: true }), {
			items: itemsForRfcs(wanted),
			maxTries: 3,
		});
		expect(codeOf(error)).toBe('failed');
		expect((await billed()).sort()).toEqual(wanted.sort());
	});

	it('in the editor bills what is missing, and gives all items', async () => {
		const wanted = rfcs(20);
		const input = { items: itemsForRfcs(wanted), memory: {} };
		await sandbox.faults(buildCrfFaultRule({ status: 400 }, { times: 1 }));
		const first = await sandbox.run(getCrfParameters(), input);
		const second = await sandbox.run(never, { ...input, mode: 'retry' });
		expect(codeOf(first.error)).toBe('status.400');
		expect(second.items).toHaveLength(20);
		expect((await billed()).sort()).toEqual(wanted.sort());
	});

	it('with another pasted token bills nothing again', async () => {
		const memory = {};
		const withNewToken = async () => {
			const { taxQueryApi } = sandbox.credentials({ taxQueryApi: { pointsPerSecond: 0 } });
			const { baseUrl, clientId, clientSecret } = sandbox.taxQuery;
			const login = { client_id: clientId, client_secret: clientSecret };
			const { data } = await axios.post(`${baseUrl}/oauth/token`, login);
			const { access_token: pastedToken } = data as { access_token: string };
			const pasted = { ...taxQueryApi, grant: 'accessToken', pastedToken };
			const { items } = await sandbox.run(never, {
				...{ items: one, memory, credentials: { taxQueryApi: pasted } },
			});
			return { token: pastedToken, ids: items.map(({ json }) => json.queryId) };
		};
		const first = await withNewToken();
		await sandbox.control.post('/clock', { advance: 5000 });
		const second = await withNewToken();
		expect(second.token).not.toBe(first.token);
		expect(second.ids).toEqual(first.ids);
		expect(await billed()).toEqual(rfcs(1));
	});

	it('of a round of a loop bills nothing again, and each round is billed', async () => {
		const memory = {};
		const run = async (ranBefore: number) => {
			const round = { items: one, memory, executionId: 'loop', ranBefore };
			return (await sandbox.run(never, round)).items[0].json.queryId;
		};
		const [first, second, again] = [await run(0), await run(1), await run(1)];
		const ids = (await sandbox.ledger()).map(({ queryId }) => queryId);
		expect({ ids: [first, second], again }).toEqual({ ids, again: second });
	});

	it('searches lost queries before it sends anything', async () => {
		const memory = {};
		const list = { path: '/api/query', exact: true, times: 15, fault: { status: 403 } };
		await sandbox.faults(buildNextCrfFaultRule('resetAfter'), list);
		await sandbox.run(getCrfParameters(), { items: one, memory });
		await sandbox.faults();
		const { items } = await sandbox.run(getCrfParameters(), { items: one, memory });
		expect(items.map(({ json }) => json)).toMatchObject([{ recovered: true }]);
		expect(await billed()).toEqual(rfcs(1));
	});

	it.each(['continueRegularOutput', 'stopWorkflow'] as const)(
		'names billed queries that cannot be read again (On Error: %s)',
		async (onError) => {
			const input = { items: one, memory: {}, onError };
			await sandbox.run(getCrfParameters(), input);
			await sandbox.faults({ path: '/api/query/:id', method: 'GET', fault: { status: 403 } });
			const { items, error } = await sandbox.run(getCrfParameters(), input);
			const [{ queryId }] = await sandbox.ledger();
			expect(error?.context?.queryIds ?? [items[0].json.queryId]).toEqual([queryId]);
		},
	);
});

it('of one execution twice finds the lost query both times', async () => {
	const [lost, wrong] = rfcs(2);
	let isListed = false;
	const service = await fakeService({
		post(accept, response) {
			const stored = accept();
			if (stored.query.rfc === lost) return respondBadGateway(response);
			service.billed.pop();
			respondJson(response, { message: 'Not now' }, 422);
		},
		list: (stored, response) => respondJson(response, isListed ? stored : []),
	});
	const run = async (memory: IExecuteContextData, mode: 'trigger' | 'retry') =>
		await service.run(getCrfParameters(), {
			...{ items: itemsForRfcs([lost, wrong]), memory, mode },
			onError: 'continueRegularOutput',
		});
	const left: IExecuteContextData = {};
	await run(left, 'trigger');
	isListed = true;
	const retries = [];
	for (let count = 0; count < 2; count++)
		retries.push(await run(JSON.parse(JSON.stringify(left)) as IExecuteContextData, 'retry'));
	await service.close();
	const [{ _id }] = service.billed;
	expect(retries.map(({ items: [{ json }] }) => json.queryId)).toEqual([_id, _id]);
});

describe('a retry after n8n was killed, while the list lags', () => {
	const items = rfcs(4).map((rfc) => ({ rfc, tenant: 'A' }));

	/** Two items are billed, n8n is killed, and all four are retried; the list shows nothing for so many reads. */
	async function retryBehind(hiddenReads: number, parameters = {}) {
		let reads = Infinity;
		const service = await tenantService({
			list: (stored) => (--reads >= 0 ? [] : stored),
		});
		await service.run(getCrfParameters(), { items: items.slice(0, 2) });
		resetProcessState();
		pretendProcessJustStarted();
		reads = hiddenReads;
		const before = performance.now();
		const { items: given } = await withoutWaiting(
			async () => await service.run(getCrfParameters(parameters), { items, mode: 'retry' }),
		);
		const billed = service.billedOf('A').map(({ query }) => query.rfc);
		await service.close();
		return { given, billed, waitedMs: performance.now() - before };
	}

	it.each([{}, { reuse: 'never' }])(
		'waits for the list, and sends only what it does not show: %j',
		async (parameters) => {
			const { given, billed } = await retryBehind(1, parameters);
			expect(billed).toEqual(items.map(({ rfc }) => rfc));
			expect(given.map(({ json }) => json.reused)).toEqual([true, true, undefined, undefined]);
		},
	);

	it('waits a minute at most', async () => {
		const { billed, waitedMs } = await retryBehind(1000);
		expect(billed).toHaveLength(6);
		expect(Math.round(waitedMs / 60_000)).toBe(1);
	});
});

it('a query that timed out is not sent by another execution before the list would show it', async () => {
	const service = await tenantService({
		post({ response }) {
			shiftAllClocks(60_000); // the request times out, and may yet be accepted
			respondBadGateway(response);
		},
		list: () => [],
	});
	const input = { items: [{ rfc: rfcs(1)[0], tenant: 'A' }], mode: 'manual' as const };
	const sent: number[] = [];
	for (const afterMs of [0, 10_000, 60_000]) {
		shiftAllClocks(afterMs);
		const before = service.posts.length;
		await withoutWaiting(async () => await service.run(getCrfParameters(), input));
		sent.push(service.posts.length - before);
	}
	await service.close();
	expect(sent).toEqual([1, 0, 1]);
});

describe('a retry of an execution of which n8n stored nothing', () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox);
	const [RFC] = rfcs(1);
	const never = getCrfParameters({ reuse: 'never' });
	const billed = async () => (await sandbox.ledger()).length;

	it.each(['building', 'never', 'month'])(
		'sends only what the list does not show, with Reuse Results %s',
		async (reuse) => {
			const wanted = rfcs(20);
			await sandbox.run(getCrfParameters({ reuse }), { items: itemsForRfcs(wanted.slice(0, 15)) });
			const { items } = await sandbox.run(getCrfParameters({ reuse }), {
				items: itemsForRfcs(wanted),
				mode: 'retry',
			});
			expect({
				rfcs: items.map(({ json }) => json.rfc),
				reused: items.filter(({ json }) => json.reused).length,
				billed: await billed(),
			}).toEqual({ rfcs: wanted, reused: 15, billed: 20 });
		},
	);

	it('gives each query to one item where each item is billed', async () => {
		await sandbox.run(never, { items: itemsForRfcs([RFC, RFC]) });
		const { items } = await sandbox.run(never, {
			items: itemsForRfcs([RFC, RFC, RFC]),
			mode: 'retry',
		});
		const ids = new Set(items.map(({ json }) => json.queryId)).size;
		expect({ ids, billed: await billed() }).toEqual({ ids: 3, billed: 3 });
	});

	it('gives no item the query that n8n stored for another one', async () => {
		await sandbox.faults({ path: '/api/query/crf', times: 1, fault: { status: 422 } });
		const input = { items: itemsForRfcs([RFC, RFC]), executionId: 'half-refused', memory: {} };
		await sandbox.run(never, { ...input, onError: 'continueRegularOutput' });
		const before = await billed();
		const { items } = await sandbox.run(never, { ...input, mode: 'retry' });
		const ids = new Set(items.map(({ json }) => json.queryId)).size;
		expect({ before, ids, after: await billed() }).toEqual({ before: 1, ids: 2, after: 2 });
	});

	it('creates a tax profile again, because the list does not show its CIEC', async () => {
		await sandbox.run(createTaxProfileParameters(RFC));
		const { items } = await sandbox.run(createTaxProfileParameters(RFC), { mode: 'retry' });
		expect([items[0].json.reused, await billed()]).toEqual([undefined, 2]);
	});

	it('sends nothing while the list cannot be read', async () => {
		await sandbox.faults({ path: '/api/query', exact: true, fault: { status: 403 } });
		const { error } = await sandbox.run(never, { items: itemsForRfcs([RFC]), mode: 'retry' });
		expect({ code: codeOf(error), billed: await billed() }).toEqual({
			...{ code: 'unlisted', billed: 0 },
		});
	});
});

const [RFC] = rfcs(1);
const [CURP] = curps(1);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** So late a list shows what was accepted. */
const LAG_MS = 6000;
/** So often the list is read, even if the first reading proves that a query is missing. */
const READINGS = 3;
const SEND_AGAIN = { spendingLimits: { sendAgain: true } };
const crf = getCrfParameters({}, SEND_AGAIN);
const items = [{ rfc: RFC, curp: CURP }];

describe('Send Again at the sandbox', () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox);
	const runOne = async () =>
		await sandbox.run(getCrfParameters({ reuse: 'never' }, SEND_AGAIN), {
			items: itemsForRfcs([RFC]),
			onError: 'continueRegularOutput',
		});

	it('sends a lost query a second time once the list would show it', async () => {
		await sandbox.faults(buildNextCrfFaultRule('resetBefore'));
		const [{ items: given }] = await Promise.all([runOne(), passListLag(sandbox, CRF_PATH, 1)]);
		const billed = (await sandbox.ledger()).map(({ queryId }) => queryId);
		expect(given.map(({ json }) => json.queryId)).toEqual(billed);
	});

	it('sends a query twice at most', async () => {
		await sandbox.faults(buildCrfFaultRule('resetBefore'));
		await Promise.all([runOne(), passListLag(sandbox, CRF_PATH, 2)]);
		expect(await sandbox.requests(CRF_PATH)).toHaveLength(2);
	});

	it('sends a query twice at most for equal items', async () => {
		await sandbox.faults(buildCrfFaultRule('resetBefore'));
		const running = sandbox.run(crf, {
			items: itemsForRfcs([RFC, RFC, RFC]),
			onError: 'continueRegularOutput',
		});
		const [{ items: given }] = await Promise.all([running, passListLag(sandbox, CRF_PATH, 2)]);
		expect(given.map(({ json }) => codeOf(json))).toEqual(['unsure', 'unsure', 'unsure']);
		expect(await sandbox.requests(CRF_PATH)).toHaveLength(2);
	});
});

describe('Send Again waits for the list', () => {
	const wanted = rfcs(3);
	const run = async (service: Awaited<ReturnType<typeof fakeService>>) => {
		const result = await service.run(crf, {
			items: itemsForRfcs(wanted),
			onError: 'continueRegularOutput',
		});
		await service.close();
		return result.items.map(({ json }) => json);
	};

	it('recovers three lost queries from a list that lags, and bills none twice', async () => {
		const service = await fakeService({
			post: acceptThenRespondBadGateway,
			list: (stored, response) =>
				respondJson(
					response,
					stored.filter(({ createdAt }) => Date.now() - Date.parse(createdAt) > LAG_MS),
				),
		});
		const rows = await run(service);
		expect({
			recovered: rows.map(({ recovered }) => recovered),
			billed: service.billed.length,
		}).toEqual({ recovered: [true, true, true], billed: 3 });
	});

	it('sends nothing if a record may match, even with local time labelled UTC', async () => {
		const service = await fakeService({
			post(accept, response) {
				const stored = accept();
				stored.createdAt = new Date(Date.parse(stored.createdAt) - 6 * HOUR_MS).toISOString();
				respondBadGateway(response);
			},
		});
		const rows = await run(service);
		expect({
			failed: rows.filter(({ error }) => error).length,
			billed: service.billed.length,
		}).toEqual({ failed: 3, billed: 3 });
	});

	it('searches for the first submission after the second one is refused', async () => {
		const [lost] = wanted;
		let isListed = false;
		const service = await fakeService({
			post(accept, response) {
				const isAgain = service.billed.some(({ query }) => query.rfc === lost);
				accept();
				if (!isAgain) return respondBadGateway(response);
				service.billed.pop();
				respondJson(response, { message: 'Not now' }, 422);
			},
			list: (stored, response) => respondJson(response, isListed ? stored : []),
		});
		const memory = {};
		const ask = async () =>
			await service.run(crf, {
				items: itemsForRfcs([lost]),
				onError: 'continueRegularOutput',
				memory,
			});
		const first = await withoutWaiting(ask);
		const sent = service.sent();
		isListed = true;
		const second = await ask();
		await service.close();
		const [{ _id }] = service.billed;
		expect({
			first: { code: codeOf(first.items[0].json), sent },
			second: { queryId: second.items[0].json.queryId, sent: service.sent() },
		}).toEqual({
			first: { code: 'status.422', sent: 2 },
			second: { queryId: _id, sent: 2 },
		});
	});

	it('sends again once the list would show it and has no possible match', async () => {
		const [, other] = rfcs(2);
		const listed: StoredQuery[] = [];
		let lost = 0;
		const service = await fakeService({
			post(accept, response) {
				if (lost++ === 0) return respondBadGateway(response);
				listed.unshift(accept());
				respondJson(response, { queryId: listed[0]._id });
			},
			list: (_stored, response) => respondJson(response, listed),
		});
		listed.push(
			aRecord({ query: { rfc: other, channel: 'api' } }),
			aRecord({ query: { rfc: other }, service: 'VEHICLE' }),
			aRecord({ query: { rfc: RFC }, service: 'RFC' }),
			aRecord({
				query: { rfc: RFC },
				createdAt: new Date(Date.now() - 48 * HOUR_MS).toISOString(),
			}),
		);
		const {
			items: given,
			hints,
			metadata,
		} = await withoutWaiting(async () => await service.run(crf, { items }));
		await service.close();
		expect({
			sent: service.sent(),
			given: given.map(({ json }) => json.queryId),
			hints: hints.length,
			billed: metadata.paidQueries,
			uncertain: metadata.unsureQueries,
		}).toEqual({ sent: 2, given: [listed[0]._id], hints: 1, billed: '1', uncertain: '1' });
	});

	it('takes no later query in the list for proof that one is missing', async () => {
		const [lost, other] = wanted;
		let listings = 0;
		const service = await fakeService({
			post(accept, response) {
				const stored = accept();
				if (stored.query.rfc === lost) return respondBadGateway(response);
				respondJson(response, { queryId: stored._id });
			},
			// it shows the lost one last, though it was accepted first
			list(stored, response) {
				const isShown = ++listings > READINGS + 1;
				respondJson(
					response,
					stored.filter(({ query }) => isShown || query.rfc === other),
				);
			},
		});
		const { items: given } = await withoutWaiting(async () => {
			const running = service.run(crf, { items: itemsForRfcs([lost]) });
			await until('it is looked for', () => service.requests.includes('GET /query'));
			shiftAllClocks(1_000);
			await service.run(getCrfParameters(), { items: itemsForRfcs([other]) });
			return await running;
		});
		await service.close();
		expect({ recovered: given.map(({ json }) => json.recovered), sent: service.sent() }).toEqual({
			recovered: [true],
			sent: 2,
		});
	});

	it('takes no reading as proof that began before the list would show it', async () => {
		let listings = 0;
		const service = await fakeService({
			post: acceptThenRespondBadGateway,
			list(stored, response) {
				if (++listings === READINGS) shiftAllClocks(61_000); // while it is being read
				respondJson(response, listings > READINGS ? stored : []);
			},
		});
		const { items: given } = await withoutWaiting(async () => await service.run(crf, { items }));
		await service.close();
		expect({ recovered: given.map(({ json }) => json.recovered), sent: service.sent() }).toEqual({
			recovered: [true],
			sent: 1,
		});
	});
});

describe('Send Again sends nothing', () => {
	const lost: StubResponse = { status: 504, body: {} };

	it('while the list of queries is refused', async () => {
		const { requests } = await runAgainstStub(
			({ method }) => (method === 'POST' ? lost : { status: 403, body: {} }),
			getCrfParameters({ rfc: RFC }, SEND_AGAIN),
		);
		expect(queryPostsIn(requests)).toHaveLength(1);
	});

	it('for a period of which one month was found', async () => {
		const invoices = operationParameters(
			'taxAuthority',
			'getInvoices',
			{ rfc: RFC, period: 'months', firstMonth: '2026-01', lastMonth: '2026-02' },
			SEND_AGAIN,
		);
		const january = { service: 'INVOICE', query: { rfc: RFC, period: '2026-01' } };
		const { requests, error } = await runAgainstStub(
			({ method }) => (method === 'POST' ? lost : { body: [crfRecord('q1', RFC, january)] }),
			invoices,
		);
		expect({ posts: queryPostsIn(requests).length, found: error?.context?.found }).toEqual({
			...{ posts: 1, found: ['q1'] },
		});
	});

	it('for an equal query of the last day, whatever its date is', async () => {
		const service = await fakeService({ post: (_accept, response) => respondBadGateway(response) });
		const createdAt = new Date(Date.now() - 20 * HOUR_MS).toISOString();
		service.billed.push(aRecord({ _id: 'earlier', query: { rfc: RFC }, createdAt }));
		const { error } = await service.run(crf, { items });
		await service.close();
		expect({ sent: service.sent(), description: error?.description }).toEqual({
			...{ sent: 1, description: expect.stringContaining('earlier') },
		});
	});
});

describe('Send Again after a lost response, with a possible match in the list', () => {
	type Change = (stored: StoredQuery) => Partial<StoredQuery>;
	const jobs = operationParameters('person', 'getEmploymentHistory', { curp: CURP }, SEND_AGAIN);
	const before = (stored: StoredQuery, ms: number) =>
		new Date(Date.parse(stored.createdAt) - ms).toISOString();

	it.each<[string, INodeParameters, Change]>([
		['of an unknown query type', jobs, () => ({ service: 'EMPLOYMENT_HISTORY' })],
		['with one field more', crf, ({ query }) => ({ query: { ...query, channel: 'api' } })],
		['without its request', crf, () => ({ query: {} })],
		['without a date', crf, () => ({ createdAt: undefined })],
		[
			"in the service's local time, without a zone",
			crf,
			(stored) => ({ createdAt: before(stored, 6 * HOUR_MS).slice(0, 19) }),
		],
		['dated a minute before it was sent', crf, (one) => ({ createdAt: before(one, 60_000) })],
	])('bills once and names the match: %s', async (_how, parameters, change) => {
		const service = await fakeService({
			post(accept, response: ServerResponse) {
				const stored = accept();
				Object.assign(stored, change(stored));
				respondBadGateway(response);
			},
		});
		const { error } = await service.run(parameters, { items });
		await service.close();
		expect({
			billed: service.billed.length,
			code: codeOf(error),
			possible: error?.context?.possible,
		}).toEqual({ billed: 1, code: 'unsure', possible: [service.billed[0]._id] });
	});
});

describe('Send Again in a further try, whose Additional Body Fields hold something else,', () => {
	type Echo = (query: StoredQuery['query']) => StoredQuery['query'];
	const changing = getCrfParameters(
		{},
		{ ...SEND_AGAIN, additionalBodyFields: '={{ $json.more }}' },
	);

	it.each<[string, Echo]>([
		['does not show them', ({ rfc }) => ({ rfc })],
		['shows them in another notation', (query) => ({ ...query, ts: `${String(query.ts)}.000Z` })],
	])('bills once if the record of the lost query %s', async (_how, echo) => {
		let isLost = true;
		const service = await fakeService({
			post(accept, response) {
				const stored = accept();
				stored.query = echo(stored.query);
				if (!isLost) return respondJson(response, stored);
				isLost = false;
				response.destroy();
			},
		});
		const memory = {};
		for (const ts of ['0.25', '0.75']) {
			const again = { memory, items: [{ rfc: RFC, more: { ts } }] };
			await withoutWaiting(async () => await service.run(changing, again));
		}
		await service.close();
		expect(service.billed).toHaveLength(1);
	});
});

it('a retry after a weekend shares what its execution had shared', async () => {
	const [shared, refused] = rfcs(2);
	const service = await tenantService({
		post({ query, before, accept, response }) {
			if (query.rfc === refused && before < 2) respondJson(response, { message: 'No' }, 400);
			else respondJson(response, { queryId: accept()._id });
		},
		list: () => [], // it has nothing of the last day
	});
	const items = [shared, shared, refused].map((rfc) => ({ rfc, tenant: 'A' }));
	const memory = {};
	await service.run(getCrfParameters(), { items, memory, onError: 'continueRegularOutput' });
	resetProcessState();
	shiftAllClocks(3 * DAY_MS);
	const retried = await service.run(getCrfParameters(), {
		...{ items, mode: 'retry' },
		memory: structuredClone(memory),
	});
	await service.close();
	expect(retried.items.map(({ json }) => json.outcome)).toEqual(['result', 'result', 'pending']);
	expect(service.billedOf('A').map(({ query }) => query.rfc)).toEqual([shared, refused]);
});
