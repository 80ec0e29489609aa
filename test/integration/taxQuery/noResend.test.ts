import type { INodeExecutionData } from 'n8n-workflow';
import { until } from '../../support/until';
import type { FaultRule } from '../../../sandbox/plugins/faults';
import { codeOf } from '../support/errorCode';
import {
	getCrf,
	operation,
	passUntilListed,
	rfcs,
	taxQuerySandbox,
	type TaxQuerySandbox,
	CRF,
	faultOnCrf,
	faultOnNextCrf,
} from './support';
import { withFreshSandbox } from '../support/withSandbox';

const idsOf = (items: INodeExecutionData[]) => items.map(({ json }) => json.queryId);

describe('a query that nobody knows to be accepted', () => {
	const sandbox = withFreshSandbox(taxQuerySandbox);

	const [RFC, OTHER] = rfcs(2);
	const runOne = async (options = {}, items = [{ rfc: RFC }]) =>
		await sandbox.run(getCrf({ reuse: 'never' }, options), {
			items,
			onError: 'continueRegularOutput',
		});
	const sends = async () => (await sandbox.requests(CRF)).length;
	const billed = async () => (await sandbox.ledger()).map(({ queryId }) => queryId);

	it.each<[string, FaultRule['fault']]>([
		['its connection was reset', 'resetAfter'],
		['its answer was cut off', 'truncated'],
		['a gateway answered with a page', 'nonJson'],
		['a gateway answered with 502', { status: 502, accepted: true }],
	])('is found among the queries made when %s, and goes on', async (_what, fault) => {
		await sandbox.faults(faultOnNextCrf(fault));
		const { items } = await runOne();
		expect(items.map(({ json }) => json)).toEqual([
			expect.objectContaining({ queryId: (await billed())[0], recovered: true, rfc: RFC }),
		]);
	});

	it.each<[string, FaultRule['fault']]>([
		['its connection was reset', 'resetBefore'],
		['no answer came in time', 'hang'],
		['the service answered with 503', { status: 503 }],
	])('is uncertain when %s and it is not listed', async (_what, fault) => {
		await sandbox.faults(faultOnNextCrf(fault));
		const { items } = await runOne(fault === 'hang' ? { timeout: 3 } : {});
		expect([codeOf(items[0].json), await sends()]).toEqual(['unsure', 1]);
	});

	it('reports a time with which Query → Get Many finds the query', async () => {
		await sandbox.faults(faultOnNextCrf('resetBefore'));
		const { items } = await runOne();
		const [, createdAfter] = /(\d{4}-\S+Z)/.exec(String(items[0].json.errorDetail)) ?? [];
		await runOne({ reuse: 'never' });
		const listed = await sandbox.run({
			resource: 'query',
			operation: 'getAll',
			returnAll: true,
			filters: { createdAfter },
		});
		expect(idsOf(listed.items)).toEqual(expect.arrayContaining(await billed()));
	});

	it('is not sent a second time when it is not listed', async () => {
		await sandbox.faults(faultOnNextCrf('resetBefore'));
		await runOne();
		expect(await sends()).toBe(1);
	});

	it('is sent again when it is not listed, if the operator wants that', async () => {
		await sandbox.faults(faultOnNextCrf('resetBefore'));
		const [{ items }] = await Promise.all([
			runOne({ spendingLimits: { sendAgain: true } }),
			passUntilListed(sandbox, CRF, 1),
		]);
		expect(idsOf(items)).toEqual(await billed());
	});

	it('is sent three times at most', async () => {
		await sandbox.faults(faultOnCrf('resetBefore'));
		await Promise.all([
			runOne({ spendingLimits: { sendAgain: true } }),
			passUntilListed(sandbox, CRF, 3),
		]);
		expect(await sends()).toBe(3);
	});

	it('is uncertain when the list cannot be read', async () => {
		await sandbox.faults(faultOnNextCrf('resetAfter'), {
			path: '/api/query',
			exact: true,
			fault: { status: 403 },
		});
		const { items } = await runOne();
		expect(codeOf(items[0].json)).toBe('unsure');
	});

	it('is not taken for the same query of an earlier execution', async () => {
		await sandbox.run(getCrf(), { items: [{ rfc: RFC }] });
		await sandbox.faults(faultOnNextCrf('resetBefore'));
		const { items } = await runOne();
		expect(codeOf(items[0].json)).toBe('unsure');
	});

	it('is not taken for an older query of another program', async () => {
		const service = await sandbox.elsewhere();
		await service.post('/query/crf', { rfc: RFC });
		const until = Date.now() + 4_000; // beyond what clocks may differ by, on a busy machine
		while (Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
		await sandbox.faults(faultOnNextCrf('resetBefore'));
		const { items } = await runOne();
		expect(codeOf(items[0].json)).toBe('unsure');
	});

	it('is not taken for a query of another service or another input', async () => {
		const service = await sandbox.elsewhere();
		await sandbox.faults(faultOnNextCrf('resetBefore'));
		await service.post('/query/rfc-data', { rfc: RFC });
		await service.post('/query/rfc-data', { rfc: OTHER });
		const { items } = await runOne();
		expect(codeOf(items[0].json)).toBe('unsure');
	});

	it('does not match an equal query that another program sends meanwhile', async () => {
		const service = await sandbox.elsewhere();
		await sandbox.faults(faultOnNextCrf('resetAfter'), {
			path: '/api/query',
			exact: true,
			times: 1,
			fault: { latency: 5000 },
		});
		const running = runOne();
		await until('a query billed', async () => (await billed()).length > 0);
		// later by more than the service's clock, in whole seconds, leaves open
		await new Promise((resolve) => setTimeout(resolve, 2500));
		await service.post('/query/crf', { rfc: RFC });
		const { items } = await running;
		expect(idsOf(items)).toEqual([(await billed())[0]]);
	});

	it('is not taken for a query that asks more', async () => {
		const service = await sandbox.elsewhere();
		const born = { day: 31, month: 12, year: 1956 };
		const person = { name: 'Emma', firstLastName: 'Gómez' };
		await sandbox.faults({ ...faultOnNextCrf('resetBefore'), path: '/api/query/rfc-calculator' });
		await service.post('/query/crf', { rfc: RFC });
		const running = sandbox.run(
			operation('taxpayer', 'calculateRfc', { ...person, birthDate: '1956-12-31' }),
		);
		await until(
			'the query sent',
			async () => (await sandbox.requests('/api/query/rfc-calculator')).length > 0,
		);
		await service.post('/query/rfc-calculator', { ...person, ...born, secondLastName: 'Díaz' });
		expect(codeOf((await running).error)).toBe('unsure');
	});

	it('does not match a differently written query that is in flight', async () => {
		const path = '/api/query/rfc-calculator';
		await sandbox.faults(
			{ ...faultOnNextCrf('resetBefore'), path },
			{ path, method: 'POST', times: 1, fault: { trickle: 2 } },
		);
		const { items } = await sandbox.run(
			operation('taxpayer', 'calculateRfc', {
				name: '={{ $json.name }}',
				firstLastName: 'Gómez',
				birthDate: '1956-12-31',
				reuse: 'never',
			}),
			{ items: [{ name: 'Emma' }, { name: 'EMMA' }], onError: 'continueRegularOutput' },
		);
		const given = items.map(({ json }) => json.errorCode ?? json.queryId);
		expect(given.sort()).toEqual([...(await billed()), 'unsure'].sort());
	});

	it('distinguishes queries of items with equal requests', async () => {
		await sandbox.faults(faultOnCrf('resetAfter', { times: 3 }));
		const { items } = await runOne({}, new Array(12).fill({ rfc: RFC }));
		expect(idsOf(items).sort()).toEqual((await billed()).sort());
	});

	it.each<[string, FaultRule['fault']]>([
		['with 429', 'storm'],
		['for its token', 'expiredToken'],
	])('does not arise when the service refused it %s: it is sent again', async (_how, fault) => {
		await sandbox.faults(faultOnNextCrf(fault));
		const { items } = await runOne();
		expect([idsOf(items), items[0].json.recovered]).toEqual([await billed(), undefined]);
	});

	it('finds lost invoice queries by their months', async () => {
		await sandbox.run(
			operation('taxAuthority', 'createTaxProfile', { loginFrom: 'fields', rfc: RFC, ciec: 'x1' }),
		);
		await sandbox.faults({ ...faultOnNextCrf('resetAfter'), path: '/api/query/tax/invoice' });
		const { items } = await sandbox.run(
			operation('taxAuthority', 'getInvoices', {
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

describe('500 items with resets, hangs, 503 and 429 for every tenth', () => {
	let sandbox: TaxQuerySandbox;
	let items: INodeExecutionData[];
	let billed: Array<{ rfc: unknown; queryId: string }>;
	const requests = rfcs(500);

	beforeAll(async () => {
		sandbox = await taxQuerySandbox();
		await sandbox.faults(
			faultOnCrf('resetAfter', { probability: 0.1 }),
			faultOnCrf('hang', { probability: 0.1 }),
			faultOnCrf({ status: 503 }, { probability: 0.1 }),
			faultOnCrf('storm', { probability: 0.1 }),
		);
		({ items } = await sandbox.run(
			getCrf({}, { timeout: 90, externalReference: '={{ $json.rfc }}' }),
			{
				items: requests.map((rfc) => ({ rfc })),
				onError: 'continueRegularOutput',
			},
		));
		billed = (await sandbox.ledger()).map(({ query, queryId }) => ({ rfc: query.rfc, queryId }));
	});
	afterAll(async () => await sandbox.close());

	const accepted = () => items.filter(({ json }) => json.error === undefined);
	const unsure = () => items.filter(({ json }) => codeOf(json) === 'unsure');

	it('lose no item', () => {
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
			requests.map((_, item) => ({ item })),
		);
	});

	it('pay for at most one query per item', () => {
		expect(new Set(billed.map(({ rfc }) => rfc)).size).toBe(billed.length);
	});

	it('returns every billed query with its item', () => {
		const given = accepted().map(({ json }) => ({
			rfc: json.externalReference,
			queryId: json.queryId,
		}));
		const byRfc = (a: { rfc: unknown }, b: { rfc: unknown }) =>
			String(a.rfc).localeCompare(String(b.rfc));
		expect(given.sort(byRfc)).toEqual(billed.sort(byRfc));
	});

	it('say of each other item that its query may have been accepted', () => {
		expect(unsure().length).toBe(500 - accepted().length);
	});

	it('met each of the faults', async () => {
		const { data } = await sandbox.control.get<Array<{ applied: number }>>('/faults');
		expect(Math.min(...data.map(({ applied }) => applied))).toBeGreaterThan(25);
	});

	it('find again those that were reset after acceptance', () => {
		const found = accepted().filter(({ json }) => json.recovered);
		expect(found.length).toBeGreaterThan(25);
	});
});

describe('a token that expires in the middle of a run', () => {
	let sandbox: TaxQuerySandbox;
	beforeAll(async () => (sandbox = await taxQuerySandbox()));
	afterAll(async () => await sandbox.close());

	it('fails no item, pays for none twice, and costs one more token', async () => {
		await sandbox.faults(faultOnCrf('expiredToken', { times: 40 }));
		const items = rfcs(200).map((rfc) => ({ rfc }));
		const { error } = await sandbox.run(getCrf(), { items });
		const tokens = (await sandbox.requests('/api/oauth/token')).length;
		const { length } = await sandbox.ledger();
		expect({ error, tokens, length }).toEqual({ error: undefined, tokens: 2, length: 200 });
	});
});

describe('a query whose answer is lost among many of others', () => {
	it('is found on the second page of the list', async () => {
		const [RFC, OTHER] = rfcs(2);
		const sandbox = await taxQuerySandbox({ queryList: 'page', pastQueries: 250 });
		const list = { path: '/api/query', exact: true, times: 1 };
		await sandbox.faults(faultOnNextCrf('resetAfter'), { ...list, fault: { latency: 5000 } });
		const others = await sandbox.elsewhere();
		const run = sandbox.run(getCrf(), { items: [{ rfc: RFC }] });
		await until('a query billed', async () => (await sandbox.ledger()).length > 0);
		const ask = async () => await others.post('/query/crf', { rfc: OTHER });
		await Promise.all(Array.from({ length: 120 }, ask));
		const { items } = await run;
		const [{ queryId }] = await sandbox.ledger();
		await sandbox.close();
		expect(idsOf(items)).toEqual([queryId]);
	});
});

describe('two services that number their queries alike', () => {
	it('hide none of each other: what each accepted is found in each', async () => {
		const [RFC] = rfcs(1);
		const found: unknown[] = [];
		for (let service = 0; service < 2; service++) {
			const sandbox = await taxQuerySandbox({ seed: 77 });
			await sandbox.faults(faultOnNextCrf('resetAfter'));
			const { items } = await sandbox.run(getCrf(), { items: [{ rfc: RFC }] });
			found.push(idsOf(items)[0]);
			await sandbox.close();
		}
		expect([found[0] === found[1], typeof found[0]]).toEqual([true, 'string']);
	});
});
