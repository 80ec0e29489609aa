import type { ServerResponse } from 'node:http';
import { until } from '../../support/until';
import type { FaultRule } from '../../../sandbox/plugins/faults';
import { resetProcessState } from '../../../nodes/shared/processStateByScope';
import { codeOf } from '../../support/errorCode';
import { freshSandboxForEachTest } from '../../support/sandboxForTestGroup';
import {
	acceptThenRespondBadGateway,
	aRecord,
	fakeService,
	respondToFirstPost,
	respondJson,
	respondBadGateway,
	type StoredQuery,
} from './fakeService';
import {
	CRF_PATH,
	buildNextCrfFaultRule,
	getCrfParameters,
	itemsForRfcs,
	operationParameters,
	rfcs,
	taxQuerySandbox,
} from './support';

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
