import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runAgainstStub } from '../../exhaustive/apiVariants/stubServer';
import { shiftWallClock, withoutWaiting } from '../../support/clock';
import { codeOf } from '../../support/errorCode';
import { freshSandboxForEachTest } from '../../support/sandboxForTestGroup';
import { crfRecord, queryPostsIn, responderByRequestKind } from './crfStubResponses';
import { aRecord, fakeService, respondJson, type StoredQuery } from './fakeService';
import { createTaxProfileParameters, operationParameters, rfcs, taxQuerySandbox } from './support';

const [RFC, OTHER] = rfcs(2);
const waited = { waitForResult: true, maxWait: 20 };
const invoices = (firstMonth: string, lastMonth: string, more: INodeParameters = {}) =>
	operationParameters('taxAuthority', 'getInvoices', {
		...{ rfc: RFC, period: 'months', firstMonth, lastMonth, reuse: 'never' },
		...more,
	});
const twoMonths = invoices('2026-01', '2026-02');
const month = (queryId: unknown, period: string, status = 'PENDING') => ({
	...{ queryId, period, status },
});
const january = month('q1', '2026-01');
const codes = ({ warnings }: IDataObject) =>
	((warnings ?? []) as IDataObject[]).map(({ code }) => code);

describe('the acknowledgement of invoices of two months', () => {
	it.each<[string, (results: object[]) => object]>([
		['under results', (results) => ({ results, ok: true })],
		['under data.results', (results) => ({ data: { results } })],
	])('gives a pending row for each month: %s', async (_how, wrap) => {
		const body = wrap([january, month('q2', '2026-02')]);
		const { rows } = await runAgainstStub(responderByRequestKind({ post: { body } }), twoMonths);
		expect(rows).toMatchObject([
			{ queryId: 'q1', period: '2026-01', pending: true },
			{ queryId: 'q2', period: '2026-02', pending: true },
		]);
	});

	const refused = { period: '2026-02', status: 'ERROR', message: 'No funds' };
	it.each<[string, object[]]>([
		['refused without an ID', [january, refused]],
		['refused with an empty ID', [january, { ...refused, queryId: null }]],
		['missing', [january]],
	])('gives one month, and is sent once, if the other is %s', async (_how, results) => {
		const memory = {};
		const { rows, requests } = await runAgainstStub(
			responderByRequestKind({ post: { body: { message: 'ok', results } } }),
			{ ...twoMonths, options: { spendingLimits: { sendAgain: true } } },
			{ memory, onError: 'continueRegularOutput' },
		);
		expect(rows).toMatchObject([
			{
				...{ queryId: 'q1', period: '2026-01', pending: true },
				warnings: [{ code: 'fewerQueries' }],
			},
		]);
		expect(queryPostsIn(requests)).toHaveLength(1);
		expect(JSON.stringify(memory)).toContain('q1');
	});

	it('marks the month that has failed, and leaves the other pending', async () => {
		const results = [january, month('q2', '2026-02', 'FAILED')];
		const { rows } = await runAgainstStub(
			responderByRequestKind({ post: { body: { results } } }),
			twoMonths,
		);
		expect(rows.map(({ status, pending, failed }) => ({ status, pending, failed }))).toEqual([
			{ status: 'PENDING', pending: true, failed: undefined },
			{ status: 'FAILED', pending: false, failed: true },
		]);
	});

	it.each<[string, object[], string[]]>([
		['another month', [january, month('q2', '2025-02')], ['otherMonths']],
		['one month twice', [january, month('q2', '2026-01')], ['otherMonths']],
		['both months in another order', [month('q2', '2026-02'), month('q1', '202601')], []],
	])('is compared with the requested months: %s', async (_what, results, warnings) => {
		const { rows } = await runAgainstStub(
			responderByRequestKind({ post: { body: { results } } }),
			twoMonths,
		);
		expect(codes(rows[0])).toEqual(warnings);
	});

	it.each<[string, object, object, Array<string | undefined>]>([
		[
			'month, by the API Mapping',
			{ fields: { getInvoices: { period: 'month' } } },
			{ first: { month: '2026-01' }, second: { month: '2026-02' } },
			['2026-01', '2026-02'],
		],
		['nothing', {}, { first: {}, second: {} }, [undefined, undefined]],
	])('names the month of each row by %s', async (_name, apiMapping, named, periods) => {
		const { first, second } = named as { first: object; second: object };
		const results = [
			{ queryId: 'q1', ...first },
			{ queryId: 'q2', ...second },
		];
		const { rows } = await runAgainstStub(
			responderByRequestKind({
				post: { body: { message: 'ok', results } },
				byId: crfRecord('q1', RFC),
			}),
			twoMonths,
			{ apiMapping },
		);
		expect(rows.map(({ queryId, rfc, period }) => ({ queryId, rfc, period }))).toEqual([
			{ queryId: 'q1', rfc: RFC, period: periods[0] },
			{ queryId: 'q2', rfc: RFC, period: periods[1] },
		]);
	});

	it('of one month needs no name of it', async () => {
		const { rows } = await runAgainstStub(
			responderByRequestKind({ post: { body: { results: [{ queryId: 'q1' }] } } }),
			invoices('2026-01', '2026-01'),
		);
		expect(rows).toMatchObject([{ queryId: 'q1', rfc: RFC, period: '2026-01' }]);
	});

	it('leaves the months open in a further try while the records are not there', async () => {
		let refusals = 0;
		const { rows } = await runAgainstStub(
			({ method, body }) => {
				if (method === 'GET') return { status: 404, body: {} };
				const results = [january, { queryId: 'q2', period: '2026-02' }];
				if (body.includes(RFC)) return { body: { results } };
				if (refusals++ === 0) return { status: 400, body: {} };
				return {
					body: { results: results.map((one) => ({ ...one, queryId: `x${one.queryId}` })) },
				};
			},
			{ ...twoMonths, reuse: 'building', rfc: '={{ $json.rfc }}' },
			{ items: [{ rfc: RFC }, { rfc: OTHER }], maxTries: 2 },
		);
		expect(rows.map(({ queryId, rfc, period }) => ({ queryId, rfc, period }))).toEqual([
			{ queryId: 'q1', rfc: RFC, period: undefined },
			{ queryId: 'q2', rfc: RFC, period: undefined },
			{ queryId: 'xq1', rfc: OTHER, period: '2026-01' },
			{ queryId: 'xq2', rfc: OTHER, period: '2026-02' },
		]);
	});
});

it('invoices come out without a foreign month, whose query ID a warning names', async () => {
	const months = ['2026-01', '2026-02', '2026-03'];
	const results = months.map((period, at) => month(`m${at}`, period));
	const ended = (at: number) =>
		crfRecord(`m${at}`, RFC, {
			service: 'INVOICE',
			query: { rfc: at === 1 ? OTHER : RFC, period: months[at] },
			response: { n: at },
		});
	const { rows, error } = await runAgainstStub(
		({ method, path }) => {
			if (method === 'POST') return { body: { results } };
			return { body: path === '/api/query' ? [] : ended(Number(path.slice(-1))) };
		},
		invoices('2026-01', '2026-03', waited),
	);
	const warnings = [{ code: 'otherQuery', message: expect.stringContaining(' m1, ') }];
	expect(error).toBeUndefined();
	expect(rows).toMatchObject([
		{ queryId: 'm0', n: 0, warnings },
		{ queryId: 'm2', n: 2, warnings: [{ code: 'otherQuery' }] },
	]);
});

describe('reuse of invoices', () => {
	const DAY_MS = 86_400_000;
	const sandbox = freshSandboxForEachTest(taxQuerySandbox);
	const HOURS = { reuse: 'hours', reuseHours: 24 };

	it('takes a month only if it was over when they were made, or was made today', async () => {
		const now = new Date();
		const monthOf = (at: Date) => at.toISOString().slice(0, 7);
		const lastOfPast = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1) - DAY_MS);
		const reusing = async (period: string, at: number) => {
			const old = crfRecord('old', RFC, {
				service: 'INVOICE',
				query: { rfc: RFC, period },
				response: { invoices: [] },
				createdAt: new Date(at).toISOString(),
			});
			const { rows } = await runAgainstStub(
				responderByRequestKind({
					post: { body: { results: [month('new', period)] } },
					rows: [old],
					byId: old,
				}),
				invoices(period, period, { reuse: 'hours', reuseHours: 2000 }),
				{ timezone: 'UTC' },
			);
			return rows[0].queryId;
		};
		const past = monthOf(lastOfPast);
		expect({
			onItsLastDay: await reusing(past, lastOfPast.getTime()),
			// a day ends in Mexico six hours after it does in UTC
			afterIt: await reusing(past, lastOfPast.getTime() + 1.25 * DAY_MS + 1000),
			twoDaysAgo: await reusing(monthOf(now), now.getTime() - 2 * DAY_MS),
			today: await reusing(monthOf(now), now.getTime() - 500),
		}).toEqual({ onItsLastDay: 'new', afterIt: 'old', twoDaysAgo: 'new', today: 'old' });
	});

	it('takes only the same days of a month', async () => {
		const days = (firstDay: string, lastDay: string) =>
			operationParameters('taxAuthority', 'getInvoices', {
				...{ rfc: RFC, period: 'dates', firstDay, lastDay, waitForResult: true, ...HOURS },
			});
		await sandbox.run(createTaxProfileParameters(RFC));
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
		expect(reused).toEqual([undefined, undefined, undefined, true]);
	});

	it('sends the same missing months in a retry, also if one of them has failed', async () => {
		const until = (lastMonth: string) =>
			invoices('2026-01', lastMonth, { ...HOURS, waitForResult: true });
		await sandbox.run(createTaxProfileParameters(RFC));
		await sandbox.run(until('2026-01'));
		const memory = {};
		await sandbox.control.put('/outcomes', { [RFC]: ['SUCCESS', 'FAILED'] });
		await sandbox.run(until('2026-03'), { memory });
		const { items } = await sandbox.run(until('2026-03'), { memory });
		const rows = items.map(({ json: { period, status, reused } }) => ({ period, status, reused }));
		expect(rows).toEqual([
			{ period: '2026-01', status: undefined, reused: true },
			{ period: '2026-02', status: undefined, reused: undefined },
			{ period: '2026-03', status: 'FAILED', reused: undefined },
		]);
		expect(await sandbox.ledger()).toHaveLength(4);
	});

	it('names the billed query if the reused part cannot be read again', async () => {
		const until = (lastMonth: string) => invoices('2026-01', lastMonth, HOURS);
		await sandbox.run(createTaxProfileParameters(RFC));
		await sandbox.run(until('2026-01'));
		const memory = {};
		await sandbox.run(until('2026-02'), { memory });
		await sandbox.faults({ path: '/api/query/:id', method: 'GET', fault: { status: 403 } });
		const { error } = await sandbox.run(until('2026-02'), { memory });
		const paid = (await sandbox.ledger()).find(({ query }) => query.period === '2026-02');
		expect(error?.description).toContain(String(paid?.queryId));
	});
});

it('invoices of some days lie within them', async () => {
	const sandbox = await taxQuerySandbox();
	await sandbox.run(createTaxProfileParameters(RFC));
	const days = { period: 'dates', firstDay: '2026-01-10', lastDay: '2026-03-05' };
	const { items } = await sandbox.run(
		operationParameters('taxAuthority', 'getInvoices', { rfc: RFC, ...days, ...waited }),
	);
	await sandbox.close();
	const issued = items.flatMap(({ json }) =>
		(json.invoices as IDataObject[]).map(({ issuedAt }) => String(issuedAt)),
	);
	expect(items).toHaveLength(3);
	expect(issued.length).toBeGreaterThan(0);
	expect(issued.filter((day) => day < '2026-01-10' || day > '2026-03-05')).toEqual([]);
});

describe('a service with one field for a period', () => {
	const apiMapping = { fields: { getInvoices: { from: 'mes', to: '' } } };
	async function run(parameters: INodeParameters) {
		const sent: unknown[] = [];
		const service = await fakeService({
			post(accept, response) {
				const stored = accept();
				sent.push(stored.query.mes);
				respondJson(response, { queryId: stored._id, message: 'ok' });
			},
		});
		const { items, error } = await service.run(parameters, service.mapped(apiMapping));
		await service.close();
		return { items: items.length, code: codeOf(error), sent };
	}

	it('gets one request for each month', async () => {
		expect(await run(invoices('2026-01', '2026-03'))).toEqual({
			items: 3,
			code: undefined,
			sent: ['2026-01', '2026-02', '2026-03'],
		});
	});

	it('gets no request for days, which are an error', async () => {
		const days = { period: 'dates', firstDay: '2026-01-05', lastDay: '2026-01-20' };
		const parameters = operationParameters('taxAuthority', 'getInvoices', { rfc: RFC, ...days });
		expect(await run(parameters)).toEqual({ items: 0, code: 'period.days', sent: [] });
	});
});

describe('a service that makes a query for each month of a period', () => {
	const months = ['2026-07', '2026-08', '2026-09'];
	/** It names so many of the queries that it has made. */
	const monthlyService = async (namedAtMost = Infinity) => {
		const service = await fakeService({
			post(accept, response) {
				const { query } = accept();
				service.billed.pop();
				const [from, to] = [query.from, query.to].map((day) => String(day).slice(0, 7));
				const made = months
					.filter((period) => period >= from && period <= to)
					.map((period) =>
						aRecord({
							service: 'INVOICE',
							status: 'PENDING',
							query: { rfc: RFC, period, from: period, to: period },
						}),
					);
				service.billed.push(...made);
				const results = made
					.slice(0, namedAtMost)
					.map(({ _id, query: { period } }) => ({ queryId: _id, period }));
				respondJson(response, { message: 'Accepted', results });
			},
		});
		return service;
	};
	const periodsOf = (billed: StoredQuery[]) => billed.map(({ query }) => query.period);

	it('bills a month once that an execution requests by months and by days', async () => {
		const service = await monthlyService();
		const byMonth = { period: 'month', month: '2026-09' };
		const byDays = { period: 'dates', firstDay: '2026-09-01', lastDay: '2026-09-30' };
		for (const [ranBefore, period] of [byMonth, byDays].entries()) {
			await service.run(
				operationParameters('taxAuthority', 'getInvoices', { rfc: RFC, ...period }),
				{
					executionId: 'months-and-days',
					ranBefore,
				},
			);
		}
		await service.close();
		expect(periodsOf(service.billed)).toEqual(['2026-09']);
	});

	it('has a billed month found in the list that its response does not name', async () => {
		const service = await monthlyService(2);
		const { items } = await withoutWaiting(
			async () => await service.run(invoices('2026-07', '2026-09')),
		);
		await service.close();
		expect(items.map(({ json }) => json.queryId).sort()).toEqual(
			service.billed.map(({ _id }) => _id).sort(),
		);
		expect(periodsOf(service.billed)).toEqual(months);
	});
});

describe("reuse of invoices by the days of Mexico's zone", () => {
	/** Moves the clock for one run, whose service lists one record. */
	async function runAt(
		now: string,
		{ createdAt, ...query }: { createdAt: string; from: string; to: string },
		period: INodeParameters,
	) {
		const movedMs = Date.parse(now) - Date.now();
		shiftWallClock(movedMs);
		const record = crfRecord('old', RFC, {
			...{ service: 'INVOICE', query: { rfc: RFC, ...query } },
			...{ response: { invoices: [] }, createdAt },
		});
		const headers = { date: new Date(now).toUTCString() };
		const { rows, error, requests } = await runAgainstStub(
			(request) => ({
				...responderByRequestKind({
					post: { body: { results: [month('new', query.to.slice(0, 7))] } },
					...{ rows: [record], byId: record },
				})(request),
				headers,
			}),
			operationParameters('taxAuthority', 'getInvoices', {
				...{ rfc: RFC, reuse: 'hours', reuseHours: 100, ...period },
			}),
			{ timezone: 'America/Mexico_City' },
		);
		shiftWallClock(-movedMs);
		return { error, queryId: rows[0]?.queryId, sent: queryPostsIn(requests).length };
	}

	it('takes no record that was made before its last day was over there', async () => {
		const day = '2026-11-25';
		const outcome = await runAt(
			'2026-11-27T00:30:00Z',
			{ from: day, to: day, createdAt: '2026-11-26T02:00:00Z' }, // 20:00 in Mexico
			{ period: 'dates', firstDay: day, lastDay: day },
		);
		expect(outcome).toEqual({ error: undefined, queryId: 'new', sent: 1 });
	});

	it('takes a record of the current month an hour later, in the evening there', async () => {
		const outcome = await runAt(
			'2026-11-27T00:30:00Z', // 18:30 in Mexico
			{ from: '2026-11', to: '2026-11', createdAt: '2026-11-26T23:40:00Z' },
			{ period: 'month', month: '2026-11' },
		);
		expect(outcome).toEqual({ error: undefined, queryId: 'old', sent: 0 });
	});
});
