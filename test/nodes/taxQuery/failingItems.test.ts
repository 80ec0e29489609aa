import { until } from '../../support/until';
import { codeOf } from '../../support/errorCode';
import type { NodeRun } from '../../support/runNodeInEngine';
import { fakeService, respondJson } from './fakeService';
import {
	buildCrfFaultRule,
	buildNextCrfFaultRule,
	getCrfParameters,
	itemsForRfcs,
	operationParameters,
	rfcs,
	taxQuerySandbox,
} from './support';
import { freshSandboxForEachTest } from '../../support/sandboxForTestGroup';

const HOURS = { reuse: 'hours', reuseHours: 24 };

describe('an item that fails', () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox, { queryList: 'summary' });

	it.each<[string, object, object]>([
		['looked for reusable results', HOURS, {}],
		['counted the queries of the day', {}, { spendingLimits: { maxQueriesPerDay: 5 } }],
	])('reports the failing item while the one before it %s', async (_what, fields, options) => {
		const { error } = await sandbox.run(getCrfParameters({ ...fields }, { ...options }), {
			items: itemsForRfcs([...rfcs(1), 'GODE561331GR8']),
		});
		expect(error?.context).toMatchObject({ code: 'identifier.DATE', field: 'RFC', item: 2 });
	});

	it('names its query once, and one bill, if it ended without a result', async () => {
		const { rfc } = sandbox.reserved('failed');
		const { error } = await sandbox.run(getCrfParameters({ waitForResult: true }), {
			items: itemsForRfcs([rfc]),
		});
		const [{ queryId }] = await sandbox.ledger();
		expect(error?.context).toMatchObject({ code: 'failed', queryIds: [queryId], billed: 1 });
		expect(error?.description?.split(queryId)).toHaveLength(2);
	});

	it('names queries that may have been accepted; a retry finds them unbilled', async () => {
		const [refused, lost] = rfcs(2);
		const arrived: string[] = [];
		const isListed = { now: false };
		const service = await fakeService({
			async post(accept, response) {
				const { query } = accept();
				arrived.push(String(query.rfc));
				if (query.rfc === lost) return void response.writeHead(502).end();
				service.billed.pop();
				await until('the query that is lost', () => arrived.includes(lost));
				respondJson(response, { message: 'No such RFC' }, 422);
			},
			list: (stored, response) => respondJson(response, isListed.now ? stored : []),
		});
		const memory = {};
		const run = async () =>
			await service.run(getCrfParameters(), { items: itemsForRfcs([refused, lost]), memory });
		const { error } = await run();
		isListed.now = true;
		const retry = await run();
		await service.close();
		const [{ _id }] = service.billed;
		expect(error?.context).toMatchObject({ code: 'status.422', unsureItems: [2] });
		expect(retry.error?.context).toMatchObject({ queryIds: [_id] });
		expect(arrived.filter((rfc) => rfc === lost)).toHaveLength(1);
	});

	it("throws the failing item's error, though it stopped a billed one", async () => {
		const [stored, refused] = rfcs(2);
		let isBeingRead = () => {};
		const reading = new Promise<void>((resolve) => (isBeingRead = resolve));
		let isRetry = false;
		const service = await fakeService({
			async post(accept, response) {
				const one = accept();
				if (one.query.rfc === stored) return respondJson(response, { queryId: one._id });
				service.billed.pop();
				if (isRetry) await reading;
				respondJson(response, { message: 'No such RFC' }, 422);
			},
			get: () => isBeingRead(), // and does not answer
		});
		const memory = {};
		const run = async () =>
			await service.run(getCrfParameters({}, { timeout: 20 }), {
				items: itemsForRfcs([stored, refused]),
				memory,
			});
		await run();
		isRetry = true;
		const { error } = await run();
		await service.close();
		const queryIds = [service.billed[0]._id];
		expect(error?.context).toMatchObject({ code: 'status.422', item: 2, queryIds });
	});

	it('leaves a lost query of another item to be recovered', async () => {
		await sandbox.faults(
			buildNextCrfFaultRule('resetAfter'),
			buildCrfFaultRule({ status: 400 }, { times: 1 }),
		);
		const { taxQueryApi } = sandbox.credentials({ taxQueryApi: { pointsPerSecond: 2 } });
		const { error } = await sandbox.run(getCrfParameters(), {
			items: itemsForRfcs(rfcs(2)),
			credentials: { taxQueryApi },
		});
		const [{ queryId }] = await sandbox.ledger();
		expect(error?.context).toMatchObject({ code: 'status.400', queryIds: [queryId] });
	});

	it('stops the sending of further items, and lists what was accepted', async () => {
		await sandbox.faults(buildNextCrfFaultRule({ status: 400 }));
		const { taxQueryApi } = sandbox.credentials({ taxQueryApi: { pointsPerSecond: 5 } });
		const { error } = await sandbox.run(getCrfParameters(), {
			items: itemsForRfcs(rfcs(40)),
			credentials: { taxQueryApi },
		});
		const ids = (await sandbox.ledger()).map(({ queryId }) => queryId);
		expect(ids.length).toBeLessThan(12);
		expect(error?.context?.queryIds).toEqual(expect.arrayContaining(ids));
	});

	it('has an error of its own where many fail for the same reason', async () => {
		const service = await sandbox.elsewhere();
		for (const rfc of rfcs(3)) await service.post('/query/crf', { rfc });
		await sandbox.faults({
			path: '/api/query/:id',
			method: 'GET',
			fault: { status: 403, body: {} },
		});
		const { items } = await sandbox.run(getCrfParameters(HOURS), {
			items: itemsForRfcs(rfcs(200)),
			onError: 'continueRegularOutput',
		});
		const errors = items.map(({ json, pairedItem }) => [codeOf(json), pairedItem]);
		expect(errors).toEqual(items.map((_, index) => ['status.403', { item: index }]));
	});
});

/** A failed item as the operator's table has it. */
describe('a failed item', () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox, {});
	const CIEC = 'Secreto8';
	const items = [
		{ row: 1, client: 'Uno', rfc: rfcs(1)[0] },
		{ row: 2, client: 'Dos', rfc: 'GODE561331GR8', error: 'of an earlier step' },
	];

	describe.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'under %s',
		(onError) => {
			const failedOf = ({ items: all, failed }: NodeRun) =>
				onError === 'continueErrorOutput' ? failed : all.filter(({ json }) => json.error);

			it.each([true, false])(
				'keeps its input before what went wrong (first node: %s)',
				async (isFirst) => {
					const run = await sandbox.run(getCrfParameters(), { items, onError, isFirst });
					const [{ json, pairedItem }, ...others] = failedOf(run);
					expect({ others, pairedItem, error: run.error }).toEqual({
						...{ others: [], pairedItem: { item: 1 }, error: undefined },
					});
					expect(json).toEqual({
						row: 2,
						client: 'Dos',
						rfc: 'GODE561331GR8',
						error: expect.stringContaining("'RFC' cannot be right") as unknown,
						errorCode: 'identifier.DATE',
						errorDetail: expect.stringContaining('Nothing was sent') as unknown,
						queryId: null,
						billed: 0,
						sent: false,
					});
					if (onError === 'continueRegularOutput' || isFirst) {
						expect(Object.keys(json).slice(-6)).toEqual([
							'error',
							'errorCode',
							'errorDetail',
							'queryId',
							'billed',
							'sent',
						]);
					}
				},
			);

			it('is a plain item, which later nodes may change', async () => {
				const run = await sandbox.run(getCrfParameters(), { items, onError, isFirst: true });
				const [item] = failedOf(run);
				item.json = { changed: true };
				expect([Object.keys(item).sort(), item.json]).toEqual([
					['json', 'pairedItem'],
					{ changed: true },
				]);
			});

			it('names its query and what it cost, where the query ended without a result', async () => {
				const { rfc } = sandbox.reserved('failed');
				const run = await sandbox.run(getCrfParameters({ waitForResult: true }), {
					items: [{ row: 7, rfc }],
					onError,
				});
				const [{ queryId }] = await sandbox.ledger();
				expect(failedOf(run)[0].json).toMatchObject({
					row: 7,
					errorCode: 'failed',
					queryId,
					billed: 1,
					sent: true,
				});
			});

			it('hides the values of its input under Masked, except Fields to Keep', async () => {
				const run = await sandbox.run(
					getCrfParameters({}, { personalData: 'masked', fieldsToKeep: ['row'] }),
					{ items, onError },
				);
				expect(failedOf(run)[0].json).toMatchObject({ row: 2, client: '******', rfc: '******' });
			});

			it('hides its input where the choice of Personal Data cannot be read', async () => {
				const run = await sandbox.run(getCrfParameters({}, { personalData: 'mask' }), {
					items,
					onError,
				});
				expect(failedOf(run)[0].json).toMatchObject({
					client: '******',
					errorCode: 'field.choice',
				});
			});

			it('repeats no secret that a parameter of the node takes from its input', async () => {
				const [{ rfc }] = items;
				await sandbox.faults({ path: '/api/query/tax/profile', fault: { status: 422, body: {} } });
				const run = await sandbox.run(
					operationParameters('taxAuthority', 'createTaxProfile', {
						loginFrom: 'fields',
						rfc: '={{ $json.rfc }}',
						ciec: '={{ $json.clave }}',
					}),
					{ items: [{ client: 'Uno', rfc, clave: CIEC, note: `${CIEC}!` }], onError },
				);
				expect(failedOf(run)[0].json).toMatchObject({ client: 'Uno', clave: '***', note: '***' });
			});
		},
	);
});

describe('a failed item whose other option cannot be evaluated', () => {
	it.each(["={{ $('nowhere').item.json.x }}", '={{ $json.rfc.nope.x() }}'])(
		'hides its input under Masked: Timeout is %s',
		async (timeout) => {
			const service = await fakeService();
			const { items } = await service.run(
				getCrfParameters({}, { personalData: 'masked', timeout }),
				{
					items: [{ rfc: rfcs(1)[0], name: 'Emma Gómez' }],
					onError: 'continueRegularOutput',
				},
			);
			await service.close();
			expect(items.map(({ json }) => json)).toEqual([
				expect.objectContaining({ name: '******', error: expect.any(String) }),
			]);
		},
	);
});
