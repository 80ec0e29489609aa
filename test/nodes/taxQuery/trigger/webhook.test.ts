import { fetchUnpooled } from '../../../../demo/fetchUnpooled';
import { until } from '../../../support/until';
import { withWebhookVerification } from '../../../support/credentialFields';
import {
	freshTriggerAndSandboxForEachTest,
	secretHeaderFieldsAndProof,
	serviceUnavailableFault,
	triggerOnListServiceForEachTest,
} from './freshTrigger';
import { type TriggerHostOptions, rejectionOrUndefined, shiftAllClocks } from './triggerHost';
import { PAGE, type Row, many, minutesBeforeTest, row } from './listService';
import { codeOf } from '../../../support/errorCode';

describe('webhook calls', () => {
	// A short list is read whole, and then reports that a query does not exist.
	const { sandbox, host, start } = freshTriggerAndSandboxForEachTest();

	/** A webhook credential, without confirmation. */
	const SECRET = 'whsec-palo-verde';

	const startProved = async (
		parameters: TriggerHostOptions['parameters'] = {},
		options: Partial<TriggerHostOptions> = {},
	) =>
		await start({
			...options,
			credentials: withWebhookVerification(sandbox.credentials(), {
				webhookVerification: 'header',
				webhookSecret: SECRET,
				webhookHeaderName: 'X-Secret',
			}),
			parameters: { authenticity: 'credential', confirm: 'off', ...parameters },
		});

	const secret = { 'X-Secret': SECRET };

	describe('a delivered result', () => {
		it('is answered 200 in a few bytes', async () => {
			await start();
			const answer = await host.deliver(await sandbox.result());
			expect(answer).toMatchObject({ status: 200, body: '{"message":"Accepted"}' });
		});

		it('starts one execution with the record that the service has', async () => {
			await start({ parameters: { settings: { simplify: false } } });
			const record = await sandbox.result();
			await host.deliver({ queryId: record._id });
			expect(host.executions).toEqual([
				[{ ...record, confirmed: true, deliveryId: expect.stringMatching(/^[0-9a-f]{32}$/) }],
			]);
		});

		it('is simplified as by the action node', async () => {
			await start();
			const record = await sandbox.result();
			await host.deliver(record);
			expect(host.items).toEqual([
				expect.objectContaining({ queryId: record._id, service: 'CRF', rfc: 'GODE561231GR8' }),
			]);
		});

		it('carries the kind of event that its envelope names, where it is believed', async () => {
			await startProved();
			await host.deliver({ event: 'query.finished', data: await sandbox.result() }, secret);
			expect(host.items).toEqual([expect.objectContaining({ event: 'query.finished' })]);
		});

		it('cannot bring in a forged record: the true one is emitted', async () => {
			await start({ parameters: { settings: { simplify: false } } });
			const record = await sandbox.result();
			await host.deliver({ ...record, response: { RFC: 'XAXX010101000' } });
			expect(host.items).toEqual([expect.objectContaining({ response: record.response })]);
		});

		it('is as it was delivered, and says so, where it is proved and confirmation is off', async () => {
			await startProved({ settings: { simplify: false } });
			const record = { _id: 'a1', service: 'CRF', status: 'SUCCESS', response: { RFC: 'X' } };
			await host.deliver({ ...record, updatedAt: '2026-05-01T00:00:00Z' }, secret);
			expect(host.items).toEqual([
				expect.objectContaining({ _id: 'a1', response: { RFC: 'X' }, confirmed: false }),
			]);
		});

		it.each([
			['null', null],
			['nothing', undefined],
		])('reads a delivered result by ID if its response is %s', async (_, response) => {
			await startProved();
			const record = await sandbox.result();
			const { status } = await host.deliver({ ...record, response }, secret);
			expect([status, host.items]).toEqual([
				200,
				[expect.objectContaining({ rfc: 'GODE561231GR8', confirmed: true })],
			]);
		});

		it.each([[7.5], [-1], [true]])('is answered 400 if its ID is %s', async (queryId) => {
			await start();
			const { status } = await host.deliver({ queryId });
			expect(status).toBe(400);
		});

		it('is never believed without a webhook credential, though Off was chosen with one', async () => {
			await start({ parameters: { confirm: 'off' } });
			const { status } = await host.deliver({ _id: 'a1', service: 'CRF', status: 'SUCCESS' });
			expect([status, host.started]).toEqual([404, []]);
		});

		it('is answered 404 if the service does not know the query', async () => {
			await start();
			const { status } = await host.deliver({ _id: '0123456789abcdef01234567', status: 'SUCCESS' });
			expect({ status, executions: host.executions }).toEqual({ status: 404, executions: [] });
		});

		it('returns 503 during an outage, and accepts the repeated delivery', async () => {
			await start();
			const record = await sandbox.result();
			await sandbox.faults({ path: '/api/query', fault: serviceUnavailableFault });
			shiftAllClocks(1_000);
			const first = await host.deliver(record);
			await sandbox.reset();
			shiftAllClocks(1_000);
			const second = await host.deliver(record);
			expect([first.status, first.headers.get('retry-after'), second.status, host.started]).toEqual(
				[503, '5', 200, [record._id]],
			);
		});

		it.each([
			['202 if the service does not have it yet, for the next poll brings it', 'both', 202],
			['503 if the service does not have it yet and nothing asks again', 'webhook', 503],
		])('is answered %s', async (_, receiveBy, expected) => {
			await start({ parameters: { receiveBy } });
			const queryId = await sandbox.pending();
			const { status } = await host.deliver({ queryId, status: 'SUCCESS' });
			expect({ status, executions: host.executions }).toEqual({ status: expected, executions: [] });
		});

		it('is read by its ID, and the list never is, with Webhook Only', async () => {
			const before = await sandbox.requests('/api/query');
			await start({ parameters: { receiveBy: 'webhook' } });
			const [, delivered] = [await sandbox.result(), await sandbox.result()];
			await host.deliver(delivered);
			expect(host.started).toEqual([delivered._id]);
			const requests = (await sandbox.requests('/api/query')).slice(before.length);
			expect(requests.filter(({ path }) => path === '/api/query')).toEqual([]);
		});

		it('starts once though its sender hangs up at once', async () => {
			await start();
			const record = await sandbox.result();
			const hangUp = new AbortController();
			const sending = fetchUnpooled(host.url, {
				method: 'POST',
				body: JSON.stringify(record),
				signal: hangUp.signal,
			}).catch(() => undefined);
			const before = (await sandbox.requests('/api/query')).length;
			await until('a read of the list', async () => {
				shiftAllClocks(100);
				return (await sandbox.requests('/api/query')).length > before;
			});
			hangUp.abort();
			await sending;
			await host.executed(1);
			await host.deliver(record);
			expect(host.started).toEqual([record._id]);
		});

		it('comes together with others of one array, unknown ones left out', async () => {
			await start();
			const records = [await sandbox.result(), await sandbox.result('/query/rfc-data')];
			await host.deliver([...records, { _id: 'unknown1', status: 'SUCCESS' }]);
			expect(host.started).toEqual(records.map(({ _id }) => _id));
		});

		it('has its credential read once, for its proof and for the poll that confirms it', async () => {
			await startProved({ confirm: 'result' });
			const record = await sandbox.result();
			const before = host.credentialReads;
			shiftAllClocks(5_000);
			await host.deliver(record, secret);
			expect([host.started, host.credentialReads - before]).toEqual([[record._id], 1]);
		});

		it('is confirmed by what was just saved, if the trigger was published again', async () => {
			const credentials = withWebhookVerification(sandbox.credentials(), {
				webhookVerification: 'header',
				webhookSecret: SECRET,
				webhookHeaderName: 'X-Secret',
			});
			await start({ credentials, parameters: { authenticity: 'credential' } });
			const saved = { ...secret, 'X-Secret': 'whsec-saved-meanwhile' };
			const record = await sandbox.result();
			const refused = await host.deliver(record, saved);
			Object.assign(credentials.taxQueryApi, { webhookSecret: saved['X-Secret'] });
			await host.publish();
			const answered = await host.deliver(record, saved);
			expect([refused.status, answered.status]).toEqual([401, 200]);
		});

		it('costs at most one request for each delivery, however many IDs it names', async () => {
			await start();
			const before = (await sandbox.requests()).length;
			const body = Array.from({ length: 100 }, (_, index) => ({ queryId: `forged-${index}` }));
			shiftAllClocks(1_000);
			await Promise.all(Array.from({ length: 20 }, () => host.deliver(body)));
			expect((await sandbox.requests()).length - before).toBeLessThanOrEqual(20);
		});
	});

	describe('where there is no list of queries', () => {
		const withoutList = async () =>
			await start({
				credentials: sandbox.credentials({
					taxQueryApi: { apiMapping: '{"paths": {"getAll": ""}}' },
				}),
			});

		it('a delivered result is read by its ID', async () => {
			await withoutList();
			const record = await sandbox.result();
			shiftAllClocks(1_000);
			const { status } = await host.deliver({ queryId: record._id });
			expect([status, host.started]).toEqual([200, [record._id]]);
		});

		it('reads at most two IDs a second, and an unknown one once a minute', async () => {
			await withoutList();
			const forged = Array.from({ length: 50 }, (_, index) => ({ queryId: `forged-${index % 2}` }));
			shiftAllClocks(1_000);
			for (let count = 0; count < 5; count++) {
				await host.deliver(forged);
				shiftAllClocks(1_000);
			}
			const requests = (await sandbox.requests()).filter(({ path }) => path.includes('forged'));
			expect(requests).toHaveLength(2);
		});

		it('a repeated true result passes a flood of forged IDs', async () => {
			await withoutList();
			const record = await sandbox.result();
			const flood = Array.from({ length: 10 }, (_, delivery) =>
				Array.from({ length: 100 }, (__, index) => ({ queryId: `f-${delivery}-${index}` })),
			);
			shiftAllClocks(1_000);
			const [first] = await Promise.all(flood.map(async (body) => await host.deliver(body)));
			let status = 0;
			for (let count = 0; count < 5 && status !== 200; count++) {
				shiftAllClocks(1_000);
				({ status } = await host.deliver({ queryId: record._id }));
			}
			expect([first.status, status, host.started]).toEqual([503, 200, [record._id]]);
		});
	});

	it('Webhook Only counts an outage, though the same call names an ID that was unknown before', async () => {
		await start({ parameters: { receiveBy: 'webhook' } });
		const [forged, { _id }] = ['f'.repeat(24), await sandbox.result()];
		expect((await host.deliver({ queryId: forged })).status).toBe(404);
		await sandbox.faults({ path: '/api/query', fault: { status: 500 } });
		shiftAllClocks(5_000);
		await host.deliver([{ queryId: forged }, { queryId: _id }]);
		const isCounted = () => host.log.some((line) => line.includes('could not check'));
		await until('the failed check', isCounted);
	});

	describe('in a process that has no published trigger', () => {
		it('a delivery is left to the one that has', async () => {
			await start({ activation: null });
			const { status } = await host.deliver(await sandbox.result());
			expect([status, host.started]).toEqual([202, []]);
		});

		it.each([
			['is trusted', async () => await startProved({}, { activation: null })],
			[
				'comes with Webhook Only',
				async () => await start({ activation: null, parameters: { receiveBy: 'webhook' } }),
			],
		])('a delivery that %s is answered 503, since nothing is stored', async (_, open) => {
			await open();
			const { status } = await host.deliver(await sandbox.result(), secret);
			expect([status, host.started]).toEqual([503, []]);
		});
	});

	describe('an unwanted delivery starts nothing and returns 200:', () => {
		it('a pending query', async () => {
			await start();
			const queryId = await sandbox.pending();
			const { status } = await host.deliver({ queryId, status: 'PENDING' });
			expect({ status, executions: host.executions }).toEqual({ status: 200, executions: [] });
		});

		it.each([
			['another query', { services: ['getInvoices'] }],
			['another status', { statuses: ['failed'] }],
		])('%s', async (_, webhook) => {
			await start({ parameters: webhook });
			const { status } = await host.deliver(await sandbox.result());
			expect({ status, executions: host.executions }).toEqual({ status: 200, executions: [] });
		});
	});

	describe('what a filter lets through', () => {
		it.each([
			['a chosen query', { services: ['getCrf', 'getInvoices'] }],
			['a chosen status', { statuses: ['success'] }],
			['a service by its name in records', { settings: { otherServices: 'invoices, crf' } }],
		])('%s', async (_, webhook) => {
			await start({ parameters: webhook });
			await host.deliver(await sandbox.result());
			expect(host.executions).toHaveLength(1);
		});

		it('a query by the name that the API Mapping gives it', async () => {
			const apiMapping = '{"services": {"getInvoices": "CRF", "getCrf": "REGIMES"}}';
			await start({
				credentials: sandbox.credentials({ taxQueryApi: { apiMapping } }),
				parameters: { services: ['getInvoices'] },
			});
			await host.deliver(await sandbox.result());
			expect(host.executions).toHaveLength(1);
		});

		it('a pending query, where Pending is chosen', async () => {
			await start({ parameters: { statuses: ['pending'] } });
			await host.deliver({ queryId: await sandbox.pending(), status: 'PENDING' });
			expect(host.items).toEqual([expect.objectContaining({ status: 'PENDING' })]);
		});
	});

	describe('a delivery with the CIEC of a tax profile in it', () => {
		const CIEC = 'Ciec_"Secret"_9';
		const profile = {
			_id: 'p1',
			service: 'TAX_PROFILE',
			status: 'SUCCESS',
			query: { rfc: 'GODE561231GR8', ciec: CIEC },
			metadata: { query: { ciec: CIEC } },
			response: {},
			updatedAt: '2026-05-01T00:00:00Z',
		};

		it.each([true, false])('is emitted without it (Simplify: %s)', async (simplify) => {
			await startProved({ settings: { simplify }, receiveBy: 'webhook', services: ['any'] });
			await host.deliver(profile, secret);
			expect([host.items.length, JSON.stringify(host.items).includes('Secret')]).toEqual([
				1,
				false,
			]);
		});
	});

	it('a proved delivery that repeats the webhook secret is emitted without it', async () => {
		await startProved({ settings: { simplify: false } });
		const record = { _id: 'a1', service: 'CRF', status: 'SUCCESS', response: { token: SECRET } };
		await host.deliver({ ...record, event: SECRET }, secret);
		expect(host.items).toMatchObject([{ _id: 'a1', response: { token: '***' }, confirmed: false }]);
		expect(JSON.stringify(host.items)).not.toContain(SECRET);
	});

	describe('a test event', () => {
		it('starts each time, and takes nothing away from production', async () => {
			await start();
			const record = await sandbox.result();
			const [first] = await host.deliverTest(record);
			const [second] = await host.deliverTest(record);
			await host.deliver(record);
			expect([first.queryId, second.queryId, host.started]).toEqual([
				record._id,
				record._id,
				[record._id],
			]);
		});
	});
});

describe('Confirm with the Service', () => {
	const { proof, verification } = secretHeaderFieldsAndProof('whsec-lima-dulce');
	const { service, host, start: startTrigger } = triggerOnListServiceForEachTest();

	beforeEach(() => void (service.rows = many('old', 3, 100)));

	/** The webhook call brings it, and the service's record does not hold it. */
	const detail = row('new', 0, { response: { RFC: 'GODE561231GR8', RazonSocial: 'Delivered' } });

	const finish = (more: object = {}) => {
		service.rows = [row('new', 0, { response: undefined, ...more }), ...service.rows];
	};

	const start = async (confirm: string, isProved: boolean, receiveBy = 'both') => {
		await startTrigger({
			parameters: { confirm, receiveBy, ...(isProved && { authenticity: 'credential' }) },
			credentials: withWebhookVerification(service.credentials(), verification),
		});
	};

	const deliver = async (body: object = detail) => {
		shiftAllClocks(1_000);
		return (await host.deliver(body, proof)).status;
	};

	const started = () =>
		host.items.map(({ queryId, legalName, confirmed }) => [queryId, legalName, confirmed]);

	describe.each(['both', 'webhook'])('a success whose record has no result (%s)', (receiveBy) => {
		it('stays open with Result, which is an error from the second time on', async () => {
			await start('result', false, receiveBy);
			finish();
			const first = await deliver();
			const { failures: none } = host;
			const before = [...none];
			const second = await deliver();
			expect([first, second, started(), before]).toEqual([
				receiveBy === 'both' ? 202 : 503,
				receiveBy === 'both' ? 202 : 503,
				[],
				[],
			]);
			expect(host.errors.map(({ context }) => context)).toEqual([
				expect.objectContaining({ code: 'noResult', queryId: 'new', isDelivered: true }),
			]);
		});

		it('starts by Result as soon as the record has it', async () => {
			await start('result', false, receiveBy);
			finish();
			await deliver();
			service.rows = [row('new', 0, { response: { RFC: 'X', RazonSocial: 'Own' } })];
			await deliver();
			expect([started(), host.failures]).toEqual([[['new', 'Own', true]], []]);
		});

		it.each([
			['statusOnly', false],
			['statusOnly', true],
			['result', true],
		])('starts with the delivered detail, marked so: %s, proved %s', async (confirm, isProved) => {
			await start(confirm, isProved, receiveBy);
			finish();
			const status = await deliver();
			await deliver();
			expect([status, started(), host.failures]).toEqual([
				200,
				[['new', 'Delivered', 'status']],
				[],
			]);
		});

		it('does not start by Status Only before the service has a final status', async () => {
			await start('statusOnly', true, receiveBy);
			finish({ status: 'PENDING' });
			const early = await deliver();
			const before = [...host.started];
			service.rows = many('old', 3, 100);
			finish();
			await deliver();
			expect([early, before, started()]).toEqual([
				503, // only a repeated call brings the result
				[],
				[['new', 'Delivered', 'status']],
			]);
		});

		it('does not start by Status Only what the service does not know', async () => {
			await start('statusOnly', true, receiveBy);
			expect([await deliver(), started()]).toEqual([404, []]);
		});

		it("starts by Status Only with the service's own result, where it has one", async () => {
			await start('statusOnly', false, receiveBy);
			finish({ response: { RFC: 'X', RazonSocial: 'Own' } });
			await deliver();
			expect(started()).toEqual([['new', 'Own', true]]);
		});

		it('starts as it was delivered with Off', async () => {
			await start('off', true, receiveBy);
			const status = await deliver();
			finish();
			await deliver();
			expect([status, started()]).toEqual([200, [['new', 'Delivered', false]]]);
		});
	});

	describe('a success whose record has no result', () => {
		it('does not settle by a check that comes before the webhook call', async () => {
			await start('statusOnly', false);
			finish();
			shiftAllClocks(30_000);
			await host.poll();
			await host.poll();
			await deliver();
			expect([started(), host.failures]).toEqual([[['new', 'Delivered', 'status']], []]);
		});

		it('is an error after ten minutes where no webhook call comes', async () => {
			await start('result', false);
			finish();
			for (let minutes = 0; minutes < 12; minutes++) {
				shiftAllClocks(60_000);
				await host.poll();
			}
			expect([started(), host.errors.map(({ context }) => context)]).toEqual([
				[],
				[expect.objectContaining({ code: 'noResult', queryId: 'new', isDelivered: false })],
			]);
		});

		it.each([
			['an empty list', 'INVOICE', []],
			['nothing, where the document shows none', 'TAX_PROFILE', undefined],
		])('starts where its result is %s', async (_, code, response) => {
			await startTrigger({ parameters: { services: ['any'] } });
			service.rows = [row('new', 0, { service: code, response }), ...service.rows];
			await host.poll();
			expect(host.started).toEqual(['new']);
		});
	});
});

describe('calls without proof', () => {
	const { service, host, start } = triggerOnListServiceForEachTest();

	const pollCount = async (count: number) => {
		for (let each = 0; each < count; each++) await host.poll();
	};

	const inOneResponse = () => (service.page = () => service.listed());

	const without =
		(...names: Array<keyof Row>) =>
		() => {
			const left = (one: Row) =>
				Object.fromEntries(
					Object.entries(one).filter(([name]) => !names.includes(name as keyof Row)),
				);
			service.listed = () => service.rows.map(left) as Row[];
		};

	const oldestFirst = () => {
		service.listed = () => [...service.rows].reverse();
	};

	const mixed = () => {
		const place = ({ _id }: Row) => _id.split('').reverse().join('');
		service.listed = () => [...service.rows].sort((a, b) => (place(a) < place(b) ? -1 : 1));
	};

	const [STATUS, IDS, ORDER, OLDEST] = [
		'list.status',
		'list.ids',
		'list.order',
		'list.oldestFirst',
	];

	const unsure: Array<[what: string, prepare: () => void, code: string, key: string]> = [
		['shows no status', without('status'), STATUS, 'list.parameters'],
		['shows no IDs', without('_id'), IDS, 'list.parameters'],
		['shows no dates, in pages', without('createdAt'), ORDER, 'list.order'],
		['is in no order, in pages', mixed, ORDER, 'list.order'],
		['begins with the oldest, in pages', oldestFirst, OLDEST, 'list.parameters'],
	];

	describe('a list that', () => {
		beforeEach(() => (service.rows = many('old', 3 * PAGE, 100)));

		it.each(unsure)(
			'%s keeps the trigger from being published, and says what to set',
			async (_, prepare, code, key) => {
				prepare();
				const trigger = await start({ activation: null });
				const { context } = (await rejectionOrUndefined(trigger.publish('activate'))) ?? {};
				expect(context).toMatchObject({ code, mappingKeys: expect.arrayContaining([key]) });
			},
		);

		it.each(unsure)(
			'%s is never read with Webhook Only, where results start by their ID',
			async (_, prepare) => {
				prepare();
				const trigger = await start({ parameters: { receiveBy: 'webhook' } });
				service.rows = [row('new', 0), ...service.rows];
				const { status } = await trigger.deliver({ queryId: 'new' });
				expect([status, trigger.started]).toEqual([200, ['new']]);
				expect(service.requests).not.toContain('/query');
			},
		);

		it.each(unsure.filter(([what]) => !what.includes('no dates')))(
			'%s all of a sudden is an error in the executions list, and starts nothing',
			async (_, prepare, code) => {
				const trigger = await start();
				service.rows = [row('new', 0), ...service.rows];
				prepare();
				await pollCount(3);
				expect([trigger.started, trigger.failures]).toEqual([[], [code]]);
			},
		);

		it('shows no dates all of a sudden is read in the order that it had', async () => {
			const trigger = await start();
			service.rows = [row('new', 0), ...service.rows];
			without('createdAt')();
			await pollCount(2);
			expect([trigger.started, trigger.failures]).toEqual([['new'], []]);
		});

		it('shows no dates is read where the API Mapping names its order', async () => {
			without('createdAt')();
			const credentials = service.credentials();
			const apiMapping = '{"list": {"order": "newestFirst"}}';
			Object.assign(credentials.taxQueryApi as object, { apiMapping });
			const trigger = await start({ credentials });
			service.rows = [...many('new', 2 * PAGE, 1), ...service.rows];
			await pollCount(2);
			expect([new Set(trigger.started).size, trigger.started.length]).toEqual([20, 20]);
		});
	});

	describe('a list in one response', () => {
		it.each<[string, () => void, string]>([
			['with the oldest first, which the API Mapping calls whole', oldestFirst, 'none'],
			['with the newest first', () => {}, 'none'],
		])('is read %s', async (_, prepare, paging) => {
			inOneResponse();
			prepare();
			service.rows = many('old', 3 * PAGE, 100);
			const credentials = service.credentials();
			Object.assign(credentials.taxQueryApi as object, {
				apiMapping: JSON.stringify({ list: { paging } }),
			});
			const trigger = await start({ credentials });
			service.rows = [row('b', 1), row('a', 2), ...service.rows];
			await pollCount(2);
			expect(trigger.started).toEqual(['a', 'b']);
		});

		it('is read in any order and without dates as long as it is short', async () => {
			inOneResponse();
			without('createdAt', 'updatedAt')();
			service.rows = many('old', 5, 100);
			const trigger = await start();
			service.rows = [...service.rows, row('new', 0)];
			await pollCount(2);
			expect(trigger.started).toEqual(['new']);
		});
	});

	describe('Start From', () => {
		it.each<[string, TriggerHostOptions['parameters']]>([
			['hours', { startFrom: 'hours', hours: 24 }],
			['a date', { startFrom: 'date', date: minutesBeforeTest(60) }],
		])('%s is refused where rows have no date with a zone', async (_, parameters) => {
			inOneResponse();
			service.rows = many('old', 5, 100);
			service.listed = () =>
				service.rows.map((one) => ({ ...one, createdAt: one.createdAt.slice(0, -1) }));
			const trigger = await start({ activation: null, parameters });
			expect(codeOf(await rejectionOrUndefined(trigger.publish('activate')))).toBe('list.dates');
		});

		it('starts what was created since, pending queries that finish, and nothing else', async () => {
			const pending = { status: 'PENDING', response: undefined };
			service.rows = [row('new', 30), row('slow', 90, pending), ...many('old', 30, 100)];
			const trigger = await start({ parameters: { startFrom: 'hours', hours: 1 } });
			await trigger.executed(1);
			service.rows = service.rows.map((one) => (one._id === 'slow' ? row('slow', 90) : one));
			await pollCount(2);
			expect(trigger.started).toEqual(['new', 'slow']);
		});
	});

	describe('a service that lists none of the queries so far', () => {
		const began = async (credentials = service.credentials()) => {
			service.rows = many('old', 12, 600);
			const trigger = await start({ credentials });
			service.rows = [row('first', 500), ...service.rows];
			await pollCount(1);
			return trigger;
		};

		it('has what was created since started, as an error: the same account', async () => {
			const trigger = await began();
			service.rows = [row('new', 1), ...many('before', 5, 550)];
			await pollCount(2);
			expect([trigger.started, trigger.failures]).toEqual([['first', 'new'], ['isLost']]);
		});

		it.each(['activate', 'update'] as const)(
			'has the trigger begin anew, as an error: another account (%s)',
			async (activation) => {
				const credentials = service.credentials();
				const trigger = await began(credentials);
				Object.assign(credentials, service.credentials('another'));
				service.rows = many('others', 40, 1);
				await trigger.publish(activation);
				await pollCount(1);
				service.rows = [row('new', 0), ...service.rows];
				await pollCount(2);
				expect([trigger.started, trigger.failures]).toEqual([['first', 'new'], ['isElsewhere']]);
			},
		);

		it('goes on where the same queries have another account', async () => {
			const credentials = service.credentials();
			const trigger = await began(credentials);
			Object.assign(credentials, service.credentials('another'));
			service.rows = [row('new', 0), ...service.rows];
			await trigger.publish('update');
			await pollCount(1);
			expect([trigger.started, trigger.failures]).toEqual([['first', 'new'], []]);
		});

		it('and no other either, is waited for', async () => {
			const trigger = await began();
			const { rows } = service;
			service.rows = [];
			await pollCount(2);
			service.rows = [row('new', 0), ...rows];
			await pollCount(1);
			expect([trigger.started, trigger.failures]).toEqual([['first', 'new'], []]);
		});
	});

	describe('rows without an ID among others', () => {
		it('are an error in the executions list, once an hour, and hold up nothing', async () => {
			const trigger = await start();
			service.rows = [row('new', 0), row(7.5 as never, 1)];
			await pollCount(3);
			expect([trigger.started, trigger.errors.map(({ context }) => context)]).toEqual([
				['new'],
				[expect.objectContaining({ code: 'list.ids', rows: 1 })],
			]);
			shiftAllClocks(3_600_000);
			await pollCount(1);
			expect(trigger.failures).toHaveLength(2);
		});
	});
});
