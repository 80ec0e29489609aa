import { respondJson } from '../../support/testServer';
import { until } from '../../support/until';
import { codeOf } from '../../support/errorCode';
import type { NodeRun } from '../../support/runNodeInEngine';
import { fakeService } from './fakeService';
import {
	type TaxQuerySandbox,
	buildCrfFaultRule,
	buildNextCrfFaultRule,
	getCrfParameters,
	itemsForRfcs,
	operationParameters,
	rfcs,
	taxQuerySandbox,
} from './support';
import { freshSandboxForEachTest, sandboxForTestGroup } from '../../support/sharedSandbox';
import { type MultiTenantService, tenantService } from './fakeTenantService';

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
						inputError: 'of an earlier step',
						error: expect.stringContaining("'RFC' cannot be right") as unknown,
						errorCode: 'identifier.DATE',
						errorDetail: expect.stringContaining('Nothing was sent') as unknown,
						queryId: null,
						billed: 0,
						outcome: 'notSent',
						reason: expect.stringContaining("'RFC' cannot be right") as unknown,
					});
					expect(Object.keys(json).slice(-7)).toEqual([
						'error',
						'errorCode',
						'errorDetail',
						'outcome',
						'reason',
						'billed',
						'queryId',
					]);
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
					outcome: 'failed',
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

/** What an operator reads who builds a workflow in the editor. */
describe('an error in the editor', () => {
	const [RFC] = rfcs(1);
	const curpData = (curp: string) => operationParameters('person', 'getCurpData', { curp });

	const sandbox = sandboxForTestGroup(taxQuerySandbox);

	type Run = Parameters<TaxQuerySandbox['run']>;
	const text = async (parameters: Run[0], more: Run[1] = {}) => {
		const { error } = await sandbox.run(parameters, { mode: 'manual', ...more });
		return [error?.message, error?.description];
	};
	const withCredential = (taxQueryApi: object) => ({
		credentials: sandbox.credentials({ taxQueryApi: { pointsPerSecond: 0, ...taxQueryApi } }),
	});

	it('about a person who is not known speaks of the person, not of IDs', async () => {
		const { curp } = sandbox.reserved('notFound');
		expect(await text(curpData(curp))).toEqual([
			'No person was found for this CURP',
			expect.stringMatching(
				/^Compare it with an official document\. The service says: "No taxpayer was found for it"\./,
			),
		]);
	});

	it.each(['Cannot POST /api/query/crf', 'Route POST:/api/query/crf not found'])(
		'about a path that is not found speaks of no taxpayer: %s',
		async (message) => {
			const fault = { status: 404, body: { statusCode: 404, error: 'Not Found', message } };
			await sandbox.faults({ path: '/api/query/crf', fault });
			expect(await text(getCrfParameters({ rfc: RFC, reuse: 'never' }))).toEqual([
				'Something between n8n and the service answered with status 404, or the service has no such path',
				expect.stringMatching(/^Check the base URL.*The service says.*set paths\.getCrf in/),
			]);
		},
	);

	it('about a missing tax profile says what to run, and nothing else', async () => {
		expect(await text(operationParameters('taxAuthority', 'getCsf', { rfc: RFC }))).toEqual([
			'The Tax Query Service answered with status 409',
			'Run Tax Authority → Create Tax Profile for this RFC first, with its CIEC, if it has none yet. The service says: "There is no tax profile for this RFC; create one with POST /query/tax/profile first". Billed: nothing.',
		]);
	});

	it('about a wrong secret does not send the operator to Reuse Results', async () => {
		const [message, description] = await text(
			getCrfParameters({ rfc: RFC }),
			withCredential({ clientSecret: 'Not-the-secret-1' }),
		);
		expect(message).toBe('The service refused the client ID or secret');
		expect(description).toMatch(/^Check both in the credential\./);
		expect(description).not.toContain('Reuse Results');
	});

	it('says where to correct an unknown host', async () => {
		const baseUrl = 'http://no-such-host.invalid/api';
		expect(await text(getCrfParameters({ rfc: RFC }), withCredential({ baseUrl }))).toEqual([
			'The query service was not found: its host name is unknown',
			'Could not get an access token. Check the base URL of the credential, and the network of this n8n. Nothing was sent. Billed: nothing.',
		]);
	});

	it('still names Reuse Results where only the list is refused', async () => {
		await sandbox.faults({ path: '/api/query', exact: true, fault: { status: 403, body: {} } });
		const [message, description] = await text(getCrfParameters({ rfc: RFC }));
		expect(message).toContain('The queries made could not be listed');
		expect(description).toContain("set 'Reuse Results' to Never");
	});

	it("quotes the service's message distinctly from ours", async () => {
		const fault = { status: 400, body: { message: '"view" in the query: must be "all"' } };
		await sandbox.faults({ path: '/api/query/crf', fault });
		const [, description] = await text(getCrfParameters({ rfc: RFC, reuse: 'never' }));
		expect(description).toContain(`The service says: "'view' in the query: must be 'all'".`);
	});
});

const [RFC, OTHER] = rfcs(2);

const tenantItems = [
	{ tenant: 'A', rfc: RFC },
	{ tenant: 'B', rfc: OTHER },
	{ tenant: 'A', rfc: OTHER },
	{ tenant: 'B', rfc: RFC },
];

describe('a credential whose fields are expressions', () => {
	let service: MultiTenantService;
	beforeEach(async () => (service = await tenantService()));
	afterEach(async () => await service.close());
	const billed = (tenant: string) => service.billedOf(tenant).map(({ query }) => query.rfc);

	it.each(['byClient', 'byToken'] as const)(
		'bills each item to its own account: %s',
		async (how) => {
			const credentials = { taxQueryApi: { ...service[how] } };
			const { items } = await service.run(getCrfParameters(), { items: tenantItems, credentials });
			expect(items).toHaveLength(4);
			expect([billed('A').sort(), billed('B').sort()]).toEqual([
				[RFC, OTHER].sort(),
				[RFC, OTHER].sort(),
			]);
		},
	);

	it('gives each item the list of its own account', async () => {
		await service.run(getCrfParameters(), { items: tenantItems.slice(0, 3) });
		const { items } = await service.run(
			operationParameters('query', 'getAll', { returnAll: true }, { simplify: false }),
			{ items: [{ tenant: 'B' }, { tenant: 'A' }] },
		);
		const owners = items.map(({ json }) => (json.response as { tenant: string }).tenant);
		expect(owners).toEqual(['B', 'A', 'A']);
	});

	it('logs in once for each account', async () => {
		await service.run(getCrfParameters(), { items: [...tenantItems, ...tenantItems] });
		expect(service.logins.sort()).toEqual(['A', 'B']);
	});
});

describe('accounts that ask about the same RFCs, every response lost', () => {
	/** Each schedule: pairs of account and RFC in another order. */
	const schedules = [1, 5, 7, 11].map((step) =>
		Array.from({ length: 18 }, (_, at) => {
			const place = (at * step) % 18;
			return { tenant: 'ABC'[place % 3], rfc: rfcs(6)[Math.floor(place / 3)] };
		}),
	);

	it.each(schedules)('each item gets its own record, schedule %#', async (...items) => {
		const service = await tenantService({
			post: ({ accept, response }) => {
				accept();
				response.writeHead(502).end();
			},
		});
		const run = await service.run(getCrfParameters({}, { simplify: false }), {
			items,
			onError: 'continueRegularOutput',
		});
		await service.close();
		const got = run.items.map(({ json }) => [
			(json.response as { tenant?: string } | undefined)?.tenant,
			(json.query as { rfc?: string } | undefined)?.rfc,
		]);
		expect(got).toEqual(items.map(({ tenant, rfc }) => [tenant, rfc]));
		expect(service.posts).toHaveLength(18);
	});
});

describe('a client ID that an expression leaves empty', () => {
	const run = async (apiMapping: object) => {
		const service = await tenantService();
		const credentials = {
			taxQueryApi: {
				...service.byClient,
				clientId: '={{ $json.none }}',
				apiMapping: JSON.stringify(apiMapping),
			},
		};
		const { error } = await service.run(getCrfParameters({ rfc: RFC }), { credentials });
		await service.close();
		return { service, error };
	};

	it('stops the item before any request', async () => {
		const { service, error } = await run({});
		expect([error?.message, service.logins, service.posts]).toEqual([
			expect.stringContaining('no client ID'),
			[],
			[],
		]);
	});

	it('is allowed where the API Mapping sends none', async () => {
		const { service, error } = await run({ token: { fields: { client_id: '' } } });
		expect([codeOf(error), service.logins]).toEqual([undefined, [undefined]]);
	});
});
