import { withoutWaiting } from '../../support/clock';
import { respondJson } from '../../support/testServer';
import { codeOf } from '../../support/errorCode';
import type { NodeRun, NodeRunOptions } from '../../support/runNodeInEngine';
import { fakeService } from './fakeService';
import {
	CRF_PATH,
	type TaxQuerySandbox,
	createTaxProfileParameters,
	getCrfParameters,
	operationParameters,
	rfcs,
	taxQuerySandbox,
} from './support';
import { freshSandboxForEachTest, sandboxForTestGroup } from '../../support/sharedSandbox';

describe('texts about cost', () => {
	const itemsOf = (wanted: string[]) => wanted.map((rfc) => ({ rfc }));
	const onError = 'continueRegularOutput' as const;

	const costIn = (text: unknown) => /Billed: ([^.]+)\./.exec(String(text))?.[1];
	const waiting = getCrfParameters({ waitForResult: true });
	const sandbox = freshSandboxForEachTest(taxQuerySandbox);

	const fault = async (kind: 'resetBefore' | 'resetAfter' | { status: number }) =>
		await sandbox.faults({ path: CRF_PATH, method: 'POST', fault: kind, times: 1 });

	/** What the output pane says of a run's queries. */
	describe('a receipt', () => {
		it('counts sent, reused and pending queries', async () => {
			await sandbox.run(waiting, { items: itemsOf(rfcs(2)) });
			const { hints } = await sandbox.run(getCrfParameters(), {
				items: itemsOf(rfcs(5)),
				mode: 'manual',
			});
			expect(hints.map(({ message }) => message)).toEqual([
				expect.stringMatching(
					/^Billed: 3 queries\. 5 items, 5 queries: 3 billed, 2 reused\. While building, .* 3 pending: their results arrive through a Tax Query Trigger with the query type in 'Trigger On', or by Query → Get\./,
				),
			]);
		});

		it('counts queries that may have been accepted', async () => {
			await fault('resetBefore');
			const { hints } = await sandbox.run(getCrfParameters(), {
				items: itemsOf(rfcs(2)),
				onError: 'continueRegularOutput',
			});
			expect(hints.map(({ message }) => message)).toEqual([
				expect.stringMatching(
					/^Billed: unknown\. 2 items, 2 queries: 1 billed, 1 unknown\. 1 item failed after sending\. 1 pending: its result arrives .* 1 may have been accepted: /,
				),
			]);
		});

		it('counts a query of several months once for each month, and a pending one once', async () => {
			const [rfc] = rfcs(1);
			await sandbox.run(createTaxProfileParameters(rfc));
			const months = { rfc, period: 'months', firstMonth: '2026-01', lastMonth: '2026-03' };
			const invoices = operationParameters('taxAuthority', 'getInvoices', months);
			const { hints } = await sandbox.run(invoices, { items: itemsOf([rfc, rfc]) });
			const [{ message }] = hints;
			expect(message).toMatch(/^Billed: 3 queries\. 2 items, 3 queries\. 3 pending: /);
		});

		it('counts what the service refused', async () => {
			await fault({ status: 422 });
			const { hints } = await sandbox.run(waiting, { items: itemsOf(rfcs(1)), onError });
			expect(hints.map(({ message }) => message)).toEqual([
				'Billed: nothing. 1 item failed when refused by the service.',
			]);
		});

		it('says how many items share a query', async () => {
			const [rfc, other] = rfcs(2);
			const { hints } = await sandbox.run(getCrfParameters(), {
				items: itemsOf([rfc, rfc, rfc, rfc, other]),
			});
			expect(hints.map(({ message }) => message)).toEqual([
				expect.stringMatching(/^Billed: 2 queries\. 5 items, 2 different queries\. 2 pending: /),
			]);
		});

		it('counts failed items if the run continues', async () => {
			const { rfc } = sandbox.reserved('failed');
			const { hints } = await sandbox.run(waiting, {
				items: itemsOf([...rfcs(1), rfc, rfc]),
				onError: 'continueRegularOutput',
			});
			expect(hints.map(({ message }) => message)).toEqual([
				'Billed: 2 queries. 3 items, 2 different queries. 2 items failed: 1 after sending, 1 with a reused query.',
			]);
		});

		it('counts items that failed before sending', async () => {
			const { hints } = await sandbox.run(waiting, {
				items: itemsOf([...rfcs(3), 'GODE561331GR8', '']),
				onError: 'continueRegularOutput',
			});
			expect(hints.map(({ message }) => message)).toEqual([
				'Billed: 3 queries. 3 of 5 items, 3 queries. 2 items failed before sending.',
			]);
		});

		it.each<[NodeRunOptions['mode'], object, boolean]>([
			['manual', {}, true],
			['trigger', {}, false],
			['manual', { reuse: 'never' }, false],
		])(
			'names the next step of what is pending, in mode %s with %j',
			async (mode, fields, isReported) => {
				const slow = await taxQuerySandbox({ resultDelay: 3_600_000 });
				const run = async (parameters: object) =>
					await slow.run(getCrfParameters({ ...fields, ...parameters }), {
						items: itemsOf(rfcs(1)),
						mode,
					});
				const { hints } = await run({});
				const again = await run({ waitForResult: true, maxWait: 1 });
				const billed = (await slow.ledger()).length;
				await slow.close();
				const nextIn = ({ message }: { message: string }) =>
					/run this step again with (.*): the query is reused, not billed again/.exec(message)?.[1];
				expect([nextIn(hints[0]), nextIn(again.hints[0]), billed]).toEqual(
					isReported
						? ["'Wait for Result' on", "a longer 'Max Wait (Seconds)'", 1]
						: [undefined, undefined, 2],
				);
				expect(again.items[0].json.outcome).toBe('pending');
			},
		);

		it('explains why results were reused by default', async () => {
			const reported = async (options: Partial<Parameters<TaxQuerySandbox['run']>[1]>) =>
				(await sandbox.run(waiting, { items: itemsOf(rfcs(1)), ...options })).hints.map(
					({ message }) => message,
				);
			expect([await reported({}), await reported({}), await reported({ mode: 'manual' })]).toEqual([
				['Billed: 1 query.'],
				['Billed: 1 query.'],
				[
					"Billed: nothing. 1 reused. While building, results (not failures) of the last 24 hours are reused; production is billed ('Reuse Results').",
				],
			]);
		});

		it('explains in a retry that queries of the last day are taken first', async () => {
			await sandbox.run(getCrfParameters(), { items: itemsOf(rfcs(1)) });
			const { hints } = await sandbox.run(getCrfParameters({ reuse: 'never' }), {
				items: itemsOf(rfcs(2)),
				mode: 'retry',
			});
			expect(hints[0].message).toMatch(
				/^Billed: 1 query\. 2 items, 2 queries: 1 billed, 1 reused\. Retried: queries of the last 24 hours/,
			);
		});

		it.each([
			['all of them', {}, '3 of 3 queries returned.'],
			[
				'fewer, by the Limit',
				{ returnAll: false, limit: 2 },
				"2 of 3 queries returned. Switch on 'Return All', or raise 'Limit', for more.",
			],
			[
				'fewer, by the filters',
				{ filters: { status: ['failed'] } },
				'0 of 3 queries returned. The filters of this node left out the others.',
			],
		])('Get Many reports how many queries come: %s', async (_what, parameters, reported) => {
			const own = await taxQuerySandbox({ queryList: 'page', pastQueries: 0 });
			await own.run(getCrfParameters(), { items: itemsOf(rfcs(3)) });
			const { hints } = await own.run(
				operationParameters('query', 'getAll', { returnAll: true, ...parameters }),
			);
			await own.close();
			expect(hints.map(({ message }) => message)).toEqual([reported]);
		});
	});

	describe('the last words', () => {
		it.each([
			['of a lost query, as unknown', 'resetBefore' as const, {}, 'unknown'],
			['of a query that was found again', 'resetAfter' as const, {}, '2 queries'],
			[
				'of a query that was sent again, as unknown',
				'resetBefore' as const,
				{ spendingLimits: { sendAgain: true } },
				'unknown',
			],
		])('by the receipt, %s', async (_what, kind, options, reported) => {
			await fault(kind);
			const { hints } = await withoutWaiting(
				async () =>
					await sandbox.run(getCrfParameters({}, options), { items: itemsOf(rfcs(2)), onError }),
			);
			expect(costIn(hints[0].message)).toBe(reported);
		});

		it('as nothing for what is reused, and still as billed for what a further try reads', async () => {
			const memory = {};
			const run = async (more: object) =>
				costIn(
					(await sandbox.run(getCrfParameters(), { items: itemsOf(rfcs(1)), ...more })).hints[0]
						.message,
				);
			expect([await run({ memory }), await run({ memory }), await run({ mode: 'manual' })]).toEqual(
				['1 query', '1 query', 'nothing'],
			);
		});

		it('as unknown where success is reported without a record', async () => {
			const service = await fakeService({
				post: (_accept, response) => respondJson(response, { done: true }),
			});
			const { hints } = await service.run(createTaxProfileParameters(rfcs(1)[0]));
			await service.close();
			expect(costIn(hints[0].message)).toBe('unknown');
		});

		it('of errors are the same', async () => {
			const items = itemsOf([...rfcs(2), sandbox.reserved('failed').rfc]);
			const stopped = await sandbox.run(waiting, { items });
			const wrong = { rfc: 'GODE561331GR8' };
			const goingOn = await sandbox.run(waiting, { items: [...items, wrong], onError });
			expect([stopped.error?.description, goingOn.hints[0].message].map(costIn)).toEqual([
				'3 queries',
				'3 queries',
			]);
			expect(goingOn.items.slice(2).map(({ json }) => costIn(json.errorDetail))).toEqual([
				'1 query',
				'nothing',
			]);
		});
	});

	/** What an operator reads about queries that have cost, or may have. */
	describe('an error', () => {
		const [RFC, OTHER] = rfcs(2);

		it('names the first 50 IDs that were accepted before', async () => {
			const { error } = await sandbox.run(waiting, {
				items: itemsOf([...rfcs(60), sandbox.reserved('failed').rfc]),
			});
			const ids = (await sandbox.ledger()).map(({ queryId }) => queryId);
			const [, reported] =
				/Accepted before that, and billed: (.*) …\./.exec(String(error?.description)) ?? [];
			const unknown = reported.split(', ').filter((id) => !ids.includes(id));
			expect([ids.length, reported.split(', ').length, unknown]).toEqual([61, 50, []]);
		});

		it('says how to continue after a query without a result', async () => {
			const { rfc } = sandbox.reserved('failed');
			const { error } = await sandbox.run(waiting, { items: itemsOf([rfc]) });
			const [{ queryId }] = await sandbox.ledger();
			expect(error?.message).toBe('The query ended without a result: its status is FAILED');
			expect(error?.description).toMatch(
				new RegExp(
					`^Get .*, query ID ${queryId}\\. The service says: ".*"\\. If the reason names the fields, correct them\\. Retrying`,
				),
			);
			expect(error?.description).not.toContain('paid for');
		});

		it('of a query that cannot be read again names it', async () => {
			const memory = {};
			await sandbox.run(getCrfParameters(), { items: itemsOf([RFC]), memory });
			await sandbox.faults({ path: '/api/query/:id', method: 'GET', fault: { status: 403 } });
			const { error } = await sandbox.run(getCrfParameters(), { items: itemsOf([RFC]), memory });
			const [{ queryId }] = await sandbox.ledger();
			expect(error?.description).toContain(`Already billed: ${queryId}`);
		});

		it('says how to search for a query that may have been accepted', async () => {
			await fault('resetBefore');
			const { error } = await sandbox.run(getCrfParameters(), { items: itemsOf([RFC]) });
			expect(error?.message).toMatch(/^The query may have been accepted and billed: /);
			expect(error?.description).toMatch(
				/^It was sent after \S+Z\. It was looked for among the queries made and not found\..*Retrying this execution looks for it and sends nothing/,
			);
		});

		it('names what may be the query', async () => {
			const service = await fakeService({
				post(accept, response) {
					accept().query = {};
					response.writeHead(502).end();
				},
			});
			const { error } = await service.run(getCrfParameters(), { items: itemsOf([RFC]) });
			await service.close();
			expect(error?.description).toContain(
				`These in the list may be it, though their query type, fields or date differ: ${service.billed[0]._id}.`,
			);
		});

		it.each([
			[{ query: { rfc: OTHER } }, 'is about somebody else, by'],
			[{ service: 'RFC' }, 'is of another query type (RFC), by'],
		])('says what a foreign record is: %j', async (more, words) => {
			const service = await fakeService({
				post: (accept, response) => respondJson(response, Object.assign(accept(), more)),
			});
			const { error } = await service.run(getCrfParameters(), { items: itemsOf([RFC]) });
			await service.close();
			expect([codeOf(error), error?.message]).toEqual([
				'otherQuery',
				"The service answered with another query than this item's",
			]);
			expect(error?.description).toContain(words);
		});

		it.each([
			['unknown-1', 'unknown-1'],
			['665f1c2ab7e3d0a1c4f2e9b8', '665f1c2ab7e3d0a1c4f2e9b8'],
			['Emma Gómez Díaz', "with the 'Query ID' of this item"],
			[RFC, "with the 'Query ID' of this item"],
			['a'.repeat(70), "with the 'Query ID' of this item"],
		])('names an unknown query ID, unless it may be a person: %s', async (queryId, named) => {
			const { error } = await sandbox.run(operationParameters('query', 'get', { queryId }));
			expect(error?.message).toBe(`There is no query ${named}`);
			expect(error?.description).toMatch(/^Check the ID, and/);
		});

		it('of another login names whose it must be', async () => {
			const login = { provider: 'taxAuthority', rfc: RFC, ciec: 'Ciec_Secret_9' };
			const { error } = await sandbox.run(
				operationParameters('taxAuthority', 'createTaxProfile', {
					loginFrom: 'stored',
					rfc: OTHER,
				}),
				{ login },
			);
			expect(error?.message).toBe('The stored CIEC belongs to another RFC than this item');
		});

		it('of a list that is shorter than its total names both counts', async () => {
			const body = { data: [], total: 61 };
			await sandbox.faults({ path: '/api/query', exact: true, fault: { status: 200, body } });
			const { error } = await sandbox.run(
				operationParameters('query', 'getAll', { returnAll: true }),
			);
			expect(error?.message).toBe('The service reports 61 queries but lists only 0 of them');
		});
	});
});

describe('the cost of a run is reported', () => {
	const itemsOf = (wanted: string[]) => wanted.map((rfc) => ({ rfc }));
	const WRONG = 'GODE561331GR8';
	const onError = 'continueRegularOutput' as const;
	const costOf = ({ error }: NodeRun) => [error?.context?.billed, error?.context?.queries];
	/** The same of each item that failed. */
	const costsOf = ({ items }: NodeRun) => items.map(({ json }) => json.billed);
	const sandbox = sandboxForTestGroup(taxQuerySandbox);
	const fault = async (kind: 'resetBefore' | 'resetAfter' | { status: number }) =>
		await sandbox.faults({ path: CRF_PATH, method: 'POST', fault: kind, times: 1 });

	it.each([
		['resetBefore' as const, 'unknown'],
		[{ status: 422 }, 0],
		[{ status: 502 }, 'unknown'],
	])('by the error of a query that met %j', async (kind, billed) => {
		await fault(kind);
		const run = await sandbox.run(getCrfParameters(), { items: itemsOf(rfcs(1)) });
		expect(costOf(run)).toEqual([billed, 1]);
	});

	it('by the error of a query that was accepted and failed', async () => {
		const { rfc } = sandbox.reserved('failed');
		const waiting = getCrfParameters({ waitForResult: true }, {});
		const run = await sandbox.run(waiting, { items: itemsOf([rfc]) });
		expect(costOf(run)).toEqual([1, 1]);
	});

	it.each<[string, object, object]>([
		['a field is wrong', { rfc: WRONG }, {}],
		['a field is empty', { rfc: '={{ $json.none }}' }, {}],
		['an option of every operation is wrong', {}, { timeout: -1 }],
		['a limit is reached', {}, { spendingLimits: { maxQueries: 0 } }],
	])('where nothing was sent, because %s', async (_why, fields, options) => {
		const parameters = getCrfParameters({ rfc: rfcs(1)[0], ...fields }, { ...options });
		const run = await sandbox.run(parameters);
		expect(costOf(run)).toEqual([0, 1]);
		expect(run.error?.context?.sent).toBe(false);
		expect(run.error?.description).toContain('Nothing was sent');
		expect(await sandbox.requests(CRF_PATH)).toEqual([]);
	});

	it('for each month that an item asks', async () => {
		const [rfc] = rfcs(1);
		await sandbox.run(createTaxProfileParameters(rfc));
		const months = { rfc, period: 'months', firstMonth: '2026-01', lastMonth: '2026-03' };
		const invoices = operationParameters('taxAuthority', 'getInvoices', months);
		await sandbox.faults({
			path: '/api/query/tax/invoice',
			method: 'POST',
			fault: { status: 422 },
		});
		const refused = await sandbox.run(invoices);
		expect(costOf(refused)).toEqual([0, 3]);
	});

	it('for the whole run where an item stops it, for each item where the run goes on', async () => {
		const items = itemsOf([...rfcs(2), sandbox.reserved('failed').rfc]);
		const waiting = getCrfParameters({ waitForResult: true }, {});
		const stopped = await sandbox.run(waiting, { items });
		expect(costOf(stopped)).toEqual([3, 3]);
		const goingOn = await sandbox.run(waiting, { items: [...items, { rfc: WRONG }], onError });
		expect(costsOf(goingOn).slice(2)).toEqual([1, 0]);
	});

	it('for item 1 without that of items 10 and 11', async () => {
		const [first, ...others] = rfcs(11);
		const items = itemsOf([first, sandbox.reserved('failed').rfc, ...others]);
		const run = await sandbox.run(getCrfParameters({ waitForResult: true }, {}), {
			items,
			onError,
		});
		expect(costsOf(run)[1]).toBe(1);
	});
});
