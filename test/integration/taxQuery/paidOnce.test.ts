import axios from 'axios';
import { DateTime } from 'luxon';
import type { INodeExecutionData } from 'n8n-workflow';
import { codeOf } from '../support/errorCode';
import {
	createTaxProfile,
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

const itemsOf = (wanted: string[]) => wanted.map((rfc) => ({ rfc }));
const HOURS = { reuse: 'hours', reuseHours: 24 };

describe('what n8n runs again', () => {
	const sandbox = withFreshSandbox(taxQuerySandbox);

	const billed = async () => (await sandbox.ledger()).map(({ query }) => query.rfc);
	const failed = () => sandbox.reserved('failed').rfc;
	const wait = [{ waitForResult: true }, {}] as const;

	it('pays for each item once in three tries of Retry On Fail', async () => {
		const wanted = [...rfcs(5), failed()];
		const { error } = await sandbox.run(getCrf(...wait), { items: itemsOf(wanted), maxTries: 3 });
		expect([codeOf(error), (await billed()).sort()]).toEqual(['failed', wanted.sort()]);
	});

	it("pays for what is missing in the editor's Retry, and gives all", async () => {
		const wanted = rfcs(20);
		const memory = {};
		await sandbox.faults(faultOnCrf({ status: 400 }, { times: 1 }));
		const first = await sandbox.run(getCrf(), { items: itemsOf(wanted), memory });
		const second = await sandbox.run(getCrf({ reuse: 'never' }), {
			items: itemsOf(wanted),
			memory,
			mode: 'retry',
		});
		expect([first.error !== undefined, second.items.length, (await billed()).sort()]).toEqual([
			true,
			20,
			wanted.sort(),
		]);
	});

	it("pays once where another token is pasted before the editor's Retry", async () => {
		const memory = {};
		const withToken = async () => {
			const { taxQueryApi } = sandbox.credentials({ taxQueryApi: { pointsPerSecond: 0 } });
			const { baseUrl, clientId, clientSecret } = sandbox.taxQuery;
			const login = { client_id: clientId, client_secret: clientSecret };
			const { data } = await axios.post(`${baseUrl}/oauth/token`, login);
			const { access_token: pastedToken } = data as { access_token: string };
			const pasted = { ...taxQueryApi, grant: 'accessToken', pastedToken };
			const { items } = await sandbox.run(getCrf({ reuse: 'never' }), {
				items: itemsOf(rfcs(1)),
				memory,
				credentials: { taxQueryApi: pasted },
			});
			return [pastedToken, items.map(({ json }) => json.queryId)];
		};
		const [token, ids] = await withToken();
		await sandbox.control.post('/clock', { advance: 5000 });
		const [another, again] = await withToken();
		expect([another === token, again, await billed()]).toEqual([false, ids, rfcs(1)]);
	});

	it('pays in each run of a loop, and for each of them once', async () => {
		const memory = {};
		const run = async (ranBefore: number) =>
			await sandbox.run(getCrf({ reuse: 'never' }), {
				...{ items: itemsOf(rfcs(1)), memory, executionId: 'loop', ranBefore },
			});
		const runs = [await run(0), await run(1), await run(1)];
		const ids = (await sandbox.ledger()).map(({ queryId }) => queryId);
		expect(runs.map(({ items }) => ids.indexOf(String(items[0].json.queryId)))).toEqual([0, 1, 1]);
		expect(ids).toHaveLength(2);
	});

	it('searches queries without responses before it sends anything again', async () => {
		const memory = {};
		await sandbox.faults(faultOnNextCrf('resetAfter'), {
			path: '/api/query',
			exact: true,
			times: 15,
			fault: { status: 403 },
		});
		await sandbox.run(getCrf(), { items: itemsOf(rfcs(1)), memory });
		await sandbox.faults();
		const { items } = await sandbox.run(getCrf(), { items: itemsOf(rfcs(1)), memory });
		expect([items[0]?.json.recovered, await billed()]).toEqual([true, rfcs(1)]);
	});

	it('gives what came without an ID again, and does not pay again', async () => {
		const [RFC, other] = rfcs(2);
		for (const rfc of [RFC, other]) await sandbox.run(createTaxProfile(rfc));
		const path = '/api/query/tax/csf';
		await sandbox.faults(
			{ path, times: 1, fault: { status: 200, body: { url: 'https://example.test/csf.pdf' } } },
			{ path, times: 1, fault: { status: 400 } },
		);
		const { items } = await sandbox.run(
			operation('taxAuthority', 'getCsf', { rfc: '={{ $json.rfc }}', reuse: 'never' }),
			{ items: itemsOf([RFC, other]), maxTries: 2 },
		);
		expect([
			items.map(({ json }) => [json.url, json.rfc]),
			(await sandbox.requests(path)).length,
		]).toEqual([
			[
				['https://example.test/csf.pdf', RFC],
				[undefined, other],
			],
			3,
		]);
	});

	it('gives what was accepted as pending while the service does not show it yet', async () => {
		const memory = {};
		await sandbox.run(getCrf(), { items: itemsOf(rfcs(1)), memory });
		await sandbox.faults({ path: '/api/query/:id', method: 'GET', fault: { status: 404 } });
		const { items } = await sandbox.run(getCrf(), { items: itemsOf(rfcs(1)), memory });
		const [{ queryId }] = await sandbox.ledger();
		expect(items.map(({ json }) => [json.queryId, json.pending])).toEqual([[queryId, true]]);
	});

	it.each(['continueRegularOutput', 'stopWorkflow'] as const)(
		'names billed queries that cannot be read again (On Error: %s)',
		async (onError) => {
			const memory = {};
			await sandbox.run(getCrf(), { items: itemsOf(rfcs(1)), memory });
			await sandbox.faults({ path: '/api/query/:id', method: 'GET', fault: { status: 403 } });
			const again = { items: itemsOf(rfcs(1)), memory, onError };
			const { items, error } = await sandbox.run(getCrf(), again);
			const [{ queryId }] = await sandbox.ledger();
			expect(error?.context?.queryIds ?? [items[0].json.queryId]).toEqual([queryId]);
		},
	);

	it('names billed queries if the reused part cannot be read again', async () => {
		const [rfc] = rfcs(1);
		const months = { rfc, period: 'months', firstMonth: '2026-01', ...HOURS };
		const invoices = (lastMonth: string) =>
			operation('taxAuthority', 'getInvoices', { ...months, lastMonth });
		await sandbox.run(createTaxProfile(rfc));
		await sandbox.run(invoices('2026-01'));
		const memory = {};
		await sandbox.run(invoices('2026-02'), { memory });
		await sandbox.faults({ path: '/api/query/:id', method: 'GET', fault: { status: 403 } });
		const { error } = await sandbox.run(invoices('2026-02'), { memory });
		const paid = (await sandbox.ledger()).find(({ query }) => query.period === '2026-02');
		expect(error?.description).toContain(String(paid?.queryId));
	});

	it('asks for the same missing months again, also if one of them has failed', async () => {
		const [rfc] = rfcs(1);
		const invoices = (lastMonth: string) =>
			operation(
				'taxAuthority',
				'getInvoices',
				{
					rfc,
					period: 'months',
					firstMonth: '2026-01',
					lastMonth,
					...HOURS,
					waitForResult: true,
				},
				{},
			);
		await sandbox.run(createTaxProfile(rfc));
		await sandbox.run(invoices('2026-01'));
		const memory = {};
		await sandbox.control.put('/outcomes', { [rfc]: ['SUCCESS', 'FAILED'] });
		await sandbox.run(invoices('2026-03'), { memory });
		const { items } = await sandbox.run(invoices('2026-03'), { memory });
		expect([
			items.map(({ json }) => [json.period, json.status, json.reused]),
			(await sandbox.ledger()).length,
		]).toEqual([
			[
				['2026-01', undefined, true],
				['2026-02', undefined, undefined],
				['2026-03', 'FAILED', undefined],
			],
			4,
		]);
	});

	it('counts Max Queries per Execution over a retry', async () => {
		const memory = {};
		const limited = getCrf({}, { spendingLimits: { maxQueries: 3 } });
		await sandbox.run(limited, { items: itemsOf(rfcs(3)), memory });
		const { error } = await sandbox.run(limited, { items: itemsOf(rfcs(6).slice(3)), memory });
		expect(codeOf(error)).toBe('limitOfExecution');
	});

	it('reads what it has sent, though Max Queries per Execution is used up by that', async () => {
		const memory = {};
		const requests = { items: itemsOf(rfcs(3)), memory };
		const limited = getCrf({}, { spendingLimits: { maxQueries: 3 } });
		await sandbox.run(limited, requests);
		const { items } = await sandbox.run(limited, requests);
		expect([items.length, (await billed()).length]).toEqual([3, 3]);
	});

	it('reuses what a crashed execution paid for, when that is retried', async () => {
		const wanted = rfcs(5);
		await sandbox.run(getCrf(), { items: itemsOf(wanted.slice(0, 3)) });
		await sandbox.run(getCrf(), { items: itemsOf(wanted), mode: 'retry' });
		expect((await billed()).sort()).toEqual(wanted.sort());
	});

	it('counts what is sent again for lack of an answer', async () => {
		await sandbox.faults(faultOnCrf('resetBefore'));
		await Promise.all([
			sandbox.run(getCrf({}, { spendingLimits: { sendAgain: true, maxQueries: 2 } }), {
				items: itemsOf(rfcs(1)),
			}),
			passUntilListed(sandbox, CRF, 2),
		]);
		expect(await sandbox.requests(CRF)).toHaveLength(2);
	});

	it('searches a lost query although another item has failed', async () => {
		await sandbox.faults(faultOnNextCrf('resetAfter'), faultOnCrf({ status: 400 }, { times: 1 }));
		const { taxQueryApi } = sandbox.credentials({ taxQueryApi: { pointsPerSecond: 2 } });
		const { error } = await sandbox.run(getCrf(), {
			items: itemsOf(rfcs(2)),
			credentials: { taxQueryApi },
		});
		const [{ queryId }] = await sandbox.ledger();
		expect([codeOf(error), error?.context?.queryIds]).toEqual(['status.400', [queryId]]);
	});

	it('sends nothing more once an item has failed, and lists what was accepted', async () => {
		await sandbox.faults(faultOnNextCrf({ status: 400 }));
		const credentials = sandbox.credentials({ taxQueryApi: { pointsPerSecond: 5 } });
		const { error } = await sandbox.run(getCrf(), {
			items: itemsOf(rfcs(40)),
			credentials: { taxQueryApi: credentials.taxQueryApi },
		});
		const ids = (await sandbox.ledger()).map(({ queryId }) => queryId);
		expect(ids.length).toBeLessThan(12);
		expect(error?.context?.queryIds).toEqual(expect.arrayContaining(ids));
	});
});

describe('two executions that ask the same', () => {
	const sandbox = withFreshSandbox(taxQuerySandbox);

	it('never share a query while an answer is lost', async () => {
		const wanted = rfcs(10);
		await sandbox.faults(faultOnCrf('resetAfter', { probability: 0.5 }));
		const runs = await Promise.all(
			[1, 2].map(async () => await sandbox.run(getCrf(), { items: itemsOf(wanted) })),
		);
		const given = runs.flatMap(({ items }) => items.map(({ json }) => json.queryId));
		const paid = (await sandbox.ledger()).map(({ queryId }) => queryId);
		expect(given.sort()).toEqual(paid.sort());
	});

	it('never take the query of the other whose answer is still on its way', async () => {
		await sandbox.faults(faultOnNextCrf('resetBefore'), faultOnCrf({ trickle: 20 }, { times: 1 }));
		const runs = await Promise.all(
			[1, 2].map(async () => await sandbox.run(getCrf(), { items: itemsOf(rfcs(1)) })),
		);
		const [{ queryId }] = await sandbox.ledger();
		const text = runs.map(({ items, error }) => items[0]?.json.queryId ?? codeOf(error));
		expect(text.sort()).toEqual([queryId, 'unsure'].sort());
	});

	it('pay once with Reuse', async () => {
		await Promise.all(
			[1, 2].map(async () => await sandbox.run(getCrf(HOURS), { items: itemsOf(rfcs(5)) })),
		);
		expect(await sandbox.ledger()).toHaveLength(5);
	});

	it('send nothing with Reuse while nobody knows whether an equal query was accepted', async () => {
		await sandbox.faults(faultOnNextCrf('resetBefore'));
		const { items } = await sandbox.run(getCrf(HOURS), {
			items: itemsOf([rfcs(1)[0], rfcs(1)[0]]),
			onError: 'continueRegularOutput',
		});
		const sent = await sandbox.requests(CRF);
		expect([sent.length, items.map(({ json }) => codeOf(json))]).toEqual([1, ['unsure', 'unsure']]);
	});
});

describe('a list of 1,000 items, with duplicates, empty and hostile values', () => {
	const sandbox = withFreshSandbox(taxQuerySandbox);

	const right = rfcs(500);
	const wrong: unknown[] = [
		'',
		' ',
		null,
		undefined,
		0,
		-1,
		1e21,
		true,
		[],
		[right[0]],
		{},
		{ toString: 'x', valueOf: 'y' },
		{ __proto__: null, length: 13 },
		'__proto__',
		'constructor',
		'={{ $json }}',
		'{{ 1 + 1 }}',
		"'; DROP TABLE queries; --",
		'<script>alert(1)</script>',
		'../../oauth/token',
		'GODE561231GR8\u0000',
		'GODE561231GR8\r\nX-Injected: 1',
		'😀'.repeat(10),
		'A'.repeat(1_000_000),
	];
	const requests = Array.from({ length: 1_000 }, (_, index) =>
		index % 20 === 19 ? wrong[Math.floor(index / 20) % wrong.length] : right[index % 500],
	);

	it('gives each item what is its own, and pays for each question once with Reuse', async () => {
		const { items, error } = await sandbox.run(
			getCrf(
				{ ...HOURS },
				{ externalReference: '={{ $itemIndex }}', spendingLimits: { maxQueriesPerDay: 5000 } },
			),
			{
				items: requests.map((rfc) => ({ rfc })) as INodeExecutionData['json'][],
				onError: 'continueRegularOutput',
			},
		);
		const ofItem = new Map(
			items.map(({ json, pairedItem }) => [(pairedItem as { item: number }).item, json]),
		);
		const unknown = requests.filter((rfc, index) => {
			const json = ofItem.get(index);
			return right.includes(rfc as string)
				? json?.rfc !== rfc || json?.externalReference !== index
				: !String(json?.error).startsWith("'RFC'");
		});
		const paid = (await sandbox.ledger()).map(({ query }) => query.rfc);
		const wanted = new Set(requests.filter((rfc) => right.includes(rfc as string)));
		expect([error, items.length, unknown.slice(0, 3), paid.length, new Set(paid)]).toEqual([
			undefined,
			1_000,
			[],
			wanted.size,
			wanted,
		]);
	});
});

describe('an answer that is none', () => {
	let sandbox: TaxQuerySandbox;
	beforeAll(async () => (sandbox = await taxQuerySandbox()));
	afterAll(async () => await sandbox.close());

	it.each([[{}], [{ message: 'Accepted' }]])(
		'%j leaves open whether the query was accepted',
		async (body) => {
			await sandbox.reset();
			await sandbox.faults(faultOnNextCrf({ status: 200, body }));
			const { error } = await sandbox.run(getCrf(), { items: itemsOf(rfcs(1)) });
			expect(codeOf(error)).toBe('unsure');
		},
	);

	it.each([[[]], [{ message: 'No', success: false }]])(
		'%j leaves open whether a tax profile was created',
		async (body) => {
			await sandbox.reset();
			await sandbox.faults({
				...faultOnNextCrf({ status: 200, body }),
				path: '/api/query/tax/profile',
			});
			const { error } = await sandbox.run(createTaxProfile(rfcs(1)[0]));
			expect(codeOf(error)).toBe('unsure');
		},
	);

	it('is enough for a tax profile if it has a good word, but comes with a warning', async () => {
		await sandbox.reset();
		const body = { message: 'The profile was created' };
		await sandbox.faults({
			...faultOnNextCrf({ status: 200, body }),
			path: '/api/query/tax/profile',
		});
		const { items } = await sandbox.run(createTaxProfile(rfcs(1)[0]));
		expect(items.map(({ json }) => json)).toEqual([
			{
				rfc: rfcs(1)[0],
				...body,
				pending: false,
				warnings: [expect.objectContaining({ code: 'unconfirmed' })],
			},
		]);
	});

	it('searches a query without a usable response, and returns its record', async () => {
		await sandbox.reset();
		const fault = { status: 200, body: { message: 'Accepted' }, accepted: true };
		await sandbox.faults(
			{ ...faultOnNextCrf(fault), path: '/api/query/tax/profile' },
			{ path: '/api/query', exact: true, times: 1, fault: 'nonJson' },
		);
		const { items } = await sandbox.run(createTaxProfile(rfcs(1)[0]));
		const [{ queryId }] = await sandbox.ledger();
		expect(items.map(({ json }) => [json.queryId, json.pending, json.recovered])).toEqual([
			[queryId, false, true],
		]);
	});

	it.each([
		[{ message: 'Accepted', results: [] }, undefined, 'unsure'],
		[
			{ results: [{ queryId: 'q1', period: '2026-01', status: 'PENDING' }] },
			'fewerQueries',
			undefined,
		],
	])('fails closed for invoices of two months: %j', async (body, code, failure) => {
		await sandbox.reset();
		await sandbox.faults({
			...faultOnNextCrf({ status: 200, body }),
			path: '/api/query/tax/invoice',
		});
		const { error, items } = await sandbox.run(
			operation('taxAuthority', 'getInvoices', {
				rfc: rfcs(1)[0],
				period: 'months',
				firstMonth: '2026-01',
				lastMonth: '2026-02',
			}),
		);
		const warnings = items[0]?.json.warnings as Array<{ code: string }> | undefined;
		expect([codeOf(error), warnings?.[0].code]).toEqual([failure, code]);
	});
});

describe('lists that come in pages, or say little', () => {
	let sandbox: TaxQuerySandbox;
	afterEach(async () => await sandbox.close());
	const [RFC] = rfcs(1);
	const wait = [{ waitForResult: true }, {}] as const;

	it.each(['page', 'lean'] as const)(
		'a result is reused behind 250 others: %s',
		async (queryList) => {
			sandbox = await taxQuerySandbox({ queryList });
			const first = await sandbox.run(getCrf(...wait), { items: itemsOf([RFC]) });
			const service = await sandbox.elsewhere();
			const others = rfcs(queryList === 'lean' ? 80 : 251).slice(1);
			for (const rfc of others) await service.post('/query/crf', { rfc });
			const { items } = await sandbox.run(getCrf({ ...wait[0], ...HOURS }, wait[1]), {
				items: itemsOf([RFC]),
			});
			expect([items[0].json.legalName, items[0].json.reused]).toEqual([
				first.items[0].json.legalName,
				true,
			]);
		},
	);

	it.each(['page', 'lean'] as const)('a lost query is found: %s', async (queryList) => {
		sandbox = await taxQuerySandbox({ queryList, pastQueries: 250 });
		await sandbox.faults(faultOnNextCrf('resetAfter'));
		const { items } = await sandbox.run(getCrf(), { items: itemsOf([RFC]) });
		expect(items.map(({ json }) => [json.recovered, json.rfc])).toEqual([[true, RFC]]);
	});
});

describe('a service whose clock is an hour off', () => {
	it.each([3_600_000, -3_600_000])('lets a lost query be found: %i ms', async (clockSkew) => {
		const sandbox = await taxQuerySandbox({ clockSkew });
		const service = await sandbox.elsewhere();
		const [rfc] = rfcs(1);
		await service.post('/query/crf', { rfc: rfcs(2)[1] });
		await sandbox.faults(faultOnNextCrf('resetAfter'));
		const { items } = await sandbox.run(getCrf(), { items: itemsOf([rfc]) });
		await sandbox.close();
		expect(items.map(({ json }) => json.recovered)).toEqual([true]);
	});

	it.each([3_600_000, -3_600_000])('lets no old one be taken for it: %i ms', async (clockSkew) => {
		const sandbox = await taxQuerySandbox({ clockSkew });
		const service = await sandbox.elsewhere();
		const [rfc] = rfcs(1);
		await service.post('/query/crf', { rfc });
		const until = Date.now() + 3000; // beyond what is allowed for between clocks
		while (Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
		await sandbox.faults(faultOnNextCrf('resetBefore'));
		const { error } = await sandbox.run(getCrf(), { items: itemsOf([rfc]) });
		await sandbox.close();
		expect(codeOf(error)).toBe('unsure');
	});
});

describe('Max Queries per Day', () => {
	let sandbox: TaxQuerySandbox;
	beforeEach(async () => (sandbox = await taxQuerySandbox()));
	afterEach(async () => await sandbox.close());
	const limited = getCrf({}, { spendingLimits: { maxQueriesPerDay: 5 } });

	it("counts today's queries of any program, and stops before sending", async () => {
		const service = await sandbox.elsewhere();
		for (const rfc of rfcs(3)) await service.post('/query/crf', { rfc });
		const fits = await sandbox.run(limited, { items: itemsOf(rfcs(2)) });
		const { error } = await sandbox.run(limited, { items: itemsOf(rfcs(1)) });
		expect([fits.error, codeOf(error), (await sandbox.ledger()).length]).toEqual([
			undefined,
			'limitOfDay',
			5,
		]);
	});

	it("counts the day of the workflow's time zone", async () => {
		await sandbox.close();
		const [now, timezone] = [Date.now(), 'America/Mexico_City'];
		const day = DateTime.fromMillis(now, { zone: timezone }).startOf('day');
		const yesterday = day.minus({ minutes: 5 }).toMillis();
		sandbox = await taxQuerySandbox({ clockSkew: yesterday - now });
		const service = await sandbox.elsewhere();
		for (const rfc of rfcs(5)) await service.post('/query/crf', { rfc });
		await sandbox.control.post('/clock', { advance: now - yesterday });
		const { error } = await sandbox.run(limited, { items: itemsOf(rfcs(5)), timezone });
		const beyond = await sandbox.run(limited, { items: itemsOf(rfcs(1)), timezone });
		expect([error, codeOf(beyond.error)]).toEqual([undefined, 'limitOfDay']);
	});

	it('gives free what was planned and never sent', async () => {
		const refused = await sandbox.run(limited, { items: itemsOf(rfcs(6)) });
		const next = await sandbox.run(limited, { items: itemsOf(rfcs(5)) });
		expect([codeOf(refused.error), next.error, (await sandbox.ledger()).length]).toEqual([
			'limitOfDay',
			undefined,
			5,
		]);
	});

	it('holds for executions at the same time', async () => {
		await Promise.all(
			[0, 1, 2].map(
				async () =>
					await sandbox.run(limited, { items: itemsOf(rfcs(4)), onError: 'continueRegularOutput' }),
			),
		);
		expect(await sandbox.ledger()).toHaveLength(5);
	});
});

describe('metadata of an execution', () => {
	const sandbox = withFreshSandbox(taxQuerySandbox);
	it('is each query ID once, however often the node was tried', async () => {
		const failed = sandbox.reserved('failed').rfc;
		const { metadata } = await sandbox.run(getCrf({ waitForResult: true }), {
			items: itemsOf([...rfcs(2), failed]),
			maxTries: 3,
		});
		const ids = (await sandbox.ledger()).map(({ queryId }) => queryId);
		expect([metadata.paidQueries, metadata.queryIds.split(' ').sort()]).toEqual(['3', ids.sort()]);
	});

	it('is as many IDs as fit, and the External Reference', async () => {
		const { metadata } = await sandbox.run(
			getCrf({}, { externalReference: '={{ "customer-" + $itemIndex }}' }),
			{ items: itemsOf(rfcs(30)) },
		);
		const ids = (await sandbox.ledger()).map(({ queryId }) => queryId);
		const unknown = metadata.queryIds.split(' ').filter((id) => !ids.includes(id));
		expect([metadata.paidQueries, metadata.queryIds.length <= 255, unknown]).toEqual([
			'30',
			true,
			[],
		]);
		expect(metadata.externalReference).toMatch(/^customer-0 customer-1 .*customer-\d+$/);
	});

	it('is no RFC', async () => {
		const { metadata } = await sandbox.run(getCrf({}, { externalReference: '={{ $json.rfc }}' }), {
			items: itemsOf(rfcs(2)),
		});
		const ids = (await sandbox.ledger()).map(({ queryId }) => queryId);
		expect([
			metadata.paidQueries,
			metadata.queryIds.split(' ').sort(),
			Object.keys(metadata),
		]).toEqual(['2', ids.sort(), ['paidQueries', 'queryIds']]);
	});
});

describe('a status that is not known', () => {
	const sandbox = withFreshSandbox(taxQuerySandbox, { statusWords: { success: 'FERTIG' } });
	const wait = [{ waitForResult: true, maxWait: 1 }, {}] as const;

	it('comes out marked when the time to wait is over, and is never reused', async () => {
		const { items } = await sandbox.run(getCrf(...wait), { items: itemsOf(rfcs(1)) });
		await sandbox.run(getCrf(HOURS), { items: itemsOf(rfcs(1)) });
		expect([
			items[0].json.statusUnknown,
			items[0].json.warnings,
			(await sandbox.ledger()).length,
		]).toEqual([true, [expect.objectContaining({ code: 'unknownStatus' })], 2]);
	});

	it('is a result where the API Mapping says so', async () => {
		const { items } = await sandbox.run(getCrf(...wait), {
			items: itemsOf(rfcs(1)),
			apiMapping: { statuses: { success: ['FERTIG'] } },
		});
		expect([items[0].json.pending, items[0].json.statusUnknown]).toEqual([false, undefined]);
	});
});

describe('invoices of part of a month', () => {
	it('are not those of another part, or of the whole', async () => {
		const sandbox = await taxQuerySandbox();
		const [rfc] = rfcs(1);
		const days = (firstDay: string, lastDay: string) =>
			operation(
				'taxAuthority',
				'getInvoices',
				{ rfc, period: 'dates', firstDay, lastDay, waitForResult: true, ...HOURS },
				{},
			);
		await sandbox.run(
			operation('taxAuthority', 'createTaxProfile', { loginFrom: 'fields', rfc, ciec: 'x1' }),
		);
		const reused = [];
		for (const [from, to] of [
			['2026-01-01', '2026-01-15'],
			['2026-01-16', '2026-01-31'],
			['2026-01-01', '2026-01-31'],
			['2026-01-01', '2026-01-15'],
		]) {
			const { items } = await sandbox.run(days(from, to));
			reused.push(items[0].json.reused);
		}
		await sandbox.close();
		expect(reused).toEqual([undefined, undefined, undefined, true]);
	});
});
