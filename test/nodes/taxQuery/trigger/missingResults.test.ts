import { createHmac } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { withWebhookVerification } from '../../../support/credentialFields';
import { fetchUnpooled } from '../../../../demo/fetchUnpooled';
import { type Query } from '../../../support/sandboxQueryClient';
import {
	freshTriggerAndSandboxForEachTest,
	secretHeaderFieldsAndProof,
	triggerOnListServiceForEachTest,
} from './freshTrigger';
import { type TriggerHostOptions, shiftAllClocks } from './triggerHost';
import type { FaultRule } from '../../../../sandbox/plugins/faults';
import { type Row, many, row } from './listService';
import { until } from '../../../support/until';

describe('records without a response', () => {
	const { sandbox, host, start: startTrigger } = freshTriggerAndSandboxForEachTest();

	describe('Webhook Only without confirmation: a proved delivery without response', () => {
		const SECRET = 'whsec-flor-blanca';
		const start = async (options: Partial<TriggerHostOptions> = {}) => {
			const verification = {
				webhookVerification: 'header',
				webhookSecret: SECRET,
				webhookHeaderName: 'X-Secret',
			};
			await startTrigger({
				parameters: { receiveBy: 'webhook', authenticity: 'credential', confirm: 'off' },
				...options,
				credentials: withWebhookVerification(
					options.credentials ?? sandbox.credentials(),
					verification,
				),
			});
			shiftAllClocks(60_000); // n8n has started
		};
		const deliver = async (body: object) => await host.deliver(body, { 'X-Secret': SECRET });

		it.each([
			['an ID alone', {}],
			['no response', { status: 'SUCCESS', response: null }],
		])('starts the workflow once, with the record that the service has: %s', async (_, more) => {
			await start();
			const { _id } = await sandbox.result();
			const first = await deliver({ queryId: _id, ...more });
			shiftAllClocks(1_000);
			const second = await deliver({ queryId: _id, ...more });
			expect([first.status, second.status, host.items]).toEqual([
				200,
				200,
				[expect.objectContaining({ queryId: _id, rfc: 'GODE561231GR8', confirmed: true })],
			]);
		});

		it('does so for more queries than are read in a second', async () => {
			await start();
			const ids: string[] = [];
			for (let count = 0; count < 5; count++) ids.push((await sandbox.result())._id);
			const { status } = await deliver(ids.map((queryId) => ({ queryId })));
			expect([status, new Set(host.started)]).toEqual([200, new Set(ids)]);
		});

		it('is answered 503 where the service has no result yet', async () => {
			await start();
			const { status } = await deliver({ queryId: await sandbox.pending() });
			expect([status, host.started]).toEqual([503, []]);
		});

		it.each(['PENDING', 'FAILED'])(
			'is taken as it is where it says that there is none: %s',
			async (word) => {
				await start();
				const { status } = await deliver({ queryId: 'q1', status: word });
				expect([status, host.items.map((item) => [item.status, item.confirmed])]).toEqual([
					200,
					word === 'FAILED' ? [['FAILED', false]] : [],
				]);
			},
		);

		it('returns 503 without a credential for reading, except for failures', async () => {
			await start({ credentials: {} });
			const alone = await deliver({ queryId: 'q1' });
			const lacking = await deliver({ queryId: 'q2', service: 'CRF', status: 'SUCCESS' });
			const failed = await deliver({ queryId: 'q3', service: 'CRF', status: 'FAILED' });
			expect([alone.status, lacking.status, failed.status, host.started]).toEqual([
				503,
				503,
				200,
				['q3'],
			]);
		});
	});

	describe('a proved delivery of a query that the service does not know by its ID', () => {
		const SECRET = 'whsec-flor-blanca';
		const start = async () => {
			const verification = {
				webhookVerification: 'header',
				webhookSecret: SECRET,
				webhookHeaderName: 'X-Secret',
			};
			await startTrigger({
				parameters: { receiveBy: 'webhook', authenticity: 'credential', confirm: 'off' },
				credentials: withWebhookVerification(sandbox.credentials(), verification),
			});
			shiftAllClocks(60_000); // n8n has started
		};
		const deliver = async (body: object) => await host.deliver(body, { 'X-Secret': SECRET });

		it('starts nothing for a delivery whose query cannot be identified', async () => {
			await start();
			const { status } = await deliver({ queryId: 'w1', status: 'SUCCESS', result: { RFC: 'X' } });
			expect([status, host.started]).toEqual([404, []]);
		});

		it('reads an unknown query in two polls at most', async () => {
			await start();
			const ids: string[] = [];
			for (let count = 0; count < 5; count++) ids.push((await sandbox.result())._id);
			const readings = async () =>
				(
					await Promise.all(ids.map(async (id) => await sandbox.requests(`/api/query/${id}`)))
				).flat().length;
			const before = await readings();
			const copies = Array.from(
				{ length: 10 },
				async () => await deliver(ids.map((queryId) => ({ queryId }))),
			);
			const statuses = (await Promise.all(copies)).map(({ status }) => status);
			const reads = (await readings()) - before;
			// 503: reading it took longer than a sender waits
			expect(statuses.filter((status) => ![200, 503].includes(status))).toEqual([]);
			expect(new Set(host.started)).toEqual(new Set(ids));
			expect(reads).toBeLessThanOrEqual(10);
		});
	});

	describe('a message of Standard Webhooks', () => {
		const key = Buffer.from('agua-clara-del-valle-2026');
		const startSigned = async () =>
			await startTrigger({
				parameters: { receiveBy: 'webhook', authenticity: 'credential' },
				credentials: withWebhookVerification(sandbox.credentials(), {
					webhookVerification: 'signature',
					signatureFormat: 'standard',
					webhookSecret: `whsec_${key.toString('base64')}`,
				}),
			});
		const sendSigned = async (id: string, body: object) => {
			shiftAllClocks(1_000);
			const timestamp = String(Math.floor(Date.now() / 1000));
			const text = JSON.stringify(body);
			const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${text}`);
			return await host.deliver(text, {
				'webhook-id': id,
				'webhook-timestamp': timestamp,
				'webhook-signature': `v1,${signature.digest('base64')}`,
			});
		};

		it('that was answered 503 is taken when it comes again', async () => {
			await startSigned();
			const { _id } = await sandbox.result();
			const send = async () => await sendSigned('msg_1', { queryId: _id, status: 'SUCCESS' });
			await sandbox.faults({ path: '/api/query', fault: { status: 403 } });
			const first = await send();
			await sandbox.faults();
			const second = await send();
			expect([first.status, second.status, host.started]).toEqual([503, 200, [_id]]);
		});

		it('that came before is not read again: a copy, or a replay', async () => {
			await startSigned();
			const { _id } = await sandbox.result();
			const send = async () => await sendSigned('msg_2', { queryId: _id, status: 'SUCCESS' });
			await send();
			const before = (await sandbox.requests()).length;
			const { status } = await send();
			expect([status, (await sandbox.requests()).length - before, host.started]).toEqual([
				200,
				0,
				[_id],
			]);
		});

		it('accepts a result whose message ID equals its query ID', async () => {
			await startSigned();
			const { _id } = await sandbox.result();
			const send = async (body: object) => await sendSigned(_id, body);
			const first = await send({ queryId: await sandbox.pending(), status: 'PENDING' });
			const second = await send({ queryId: _id, status: 'SUCCESS' });
			const copy = await send({ queryId: _id, status: 'SUCCESS' });
			expect([first.status, second.status, copy.status, host.started]).toEqual([
				200,
				200,
				200,
				[_id],
			]);
		});
	});

	describe('a delivery of a shape that nobody knows', () => {
		it('refuses an unreadable delivery, and polls for its result', async () => {
			await startTrigger({ credentials: sandbox.credentials() });
			const { _id } = await sandbox.result();
			shiftAllClocks(1_000);
			const { status } = await host.deliver({ type: 'query.completed', subject: { key: _id } });
			await host.executed(1);
			expect([status, host.started, host.log]).toEqual([
				400,
				[_id],
				[expect.stringMatching(/^warn: /)],
			]);
		});
	});

	describe('deliveries that nothing proves, while the service is slow', () => {
		/** Each of the bodies takes about 10 MB of memory once it is parsed. */
		const [BODIES, MOST_MB] = [20, 80];

		it('leave nothing of their bodies in memory', async () => {
			await startTrigger({ credentials: sandbox.credentials() });
			setFlagsFromString('--expose-gc');
			const collect = runInNewContext('gc') as () => void;
			const heap = () => {
				collect();
				return process.memoryUsage().heapUsed / 1024 / 1024;
			};
			await sandbox.faults({ path: '/api/query', fault: 'hang' });
			shiftAllClocks(1_000);
			const gone = new AbortController();
			const body = JSON.stringify({ queryId: 'forged', response: Array(250_000).fill([]) });
			const send = async () =>
				await fetchUnpooled(host.url, { method: 'POST', body, signal: gone.signal }).catch(
					() => undefined,
				);
			const before = heap();
			const waiting = Array.from({ length: 200 }, async () => {
				const small = JSON.stringify({ queryId: 'forged' });
				await fetchUnpooled(host.url, { method: 'POST', body: small, signal: gone.signal }).catch(
					() => {},
				);
			});
			const statuses = [];
			for (let count = 0; count < BODIES; count++) statuses.push((await send())?.status);
			const grown = heap() - before;
			gone.abort();
			await Promise.all(waiting);
			expect(new Set(statuses)).toEqual(new Set([202]));
			expect(grown).toBeLessThan(MOST_MB);
		});
	});

	describe('a proved result of a query that the service still shows as pending', () => {
		it('starts the workflow once its record is finished, though without a response', async () => {
			const { verification, proof } = secretHeaderFieldsAndProof('whsec-nopal');
			await startTrigger({
				credentials: withWebhookVerification(sandbox.credentials(), verification),
				parameters: { receiveBy: 'both', authenticity: 'credential' },
			});
			shiftAllClocks(60_000); // n8n has started
			const record = await sandbox.result();
			const show = async (status: string) => {
				const row = { ...record, status, response: null };
				await sandbox.faults(
					{ path: '/api/query', exact: true, fault: { status: 200, body: [row] } },
					{ path: `/api/query/${record._id}`, fault: { status: 200, body: row } },
				);
			};
			await show('PENDING');
			shiftAllClocks(2_000);
			const { status } = await host.deliver(record, proof);
			await host.handled();
			expect({ status, started: host.started }).toEqual({ status: 503, started: [] });
			await show(record.status);
			shiftAllClocks(60_000);
			await host.deliver(record, proof); // its sender repeats it
			await host.executed(1);
			expect(host.items).toMatchObject([{ queryId: record._id, rfc: 'GODE561231GR8' }]);
		});
	});
});

describe('a list of IDs and statuses', () => {
	const { sandbox, host, start } = freshTriggerAndSandboxForEachTest();

	/** The service lists these, by id and status alone. */
	const list = async (records: Query[], ...further: FaultRule[]) => {
		const body = records.map(({ _id, status }) => ({ _id, status }));
		await sandbox.faults(
			{ path: '/api/query', exact: true, fault: { status: 200, body } },
			...further,
		);
	};
	const readById = async ({ _id }: Query) => await sandbox.requests(`/api/query/${_id}`);

	it('brings nothing that was there before, though it has no dates', async () => {
		const before = await sandbox.result();
		await list([before]);
		await start();
		const later = await sandbox.result();
		await list([before, later]);
		await host.poll();
		expect(host.started).toEqual([later._id]);
	});

	it('has each result read by its ID once', async () => {
		await list([]);
		await start();
		const record = await sandbox.result();
		await list([record]);
		const before = (await readById(record)).length;
		for (let count = 0; count < 3; count++) await host.poll();
		expect([host.started, (await readById(record)).length - before]).toEqual([[record._id], 1]);
	});

	it('reads a row without a status by its ID once', async () => {
		await list([]);
		await start();
		const [unknown, { _id, status }] = [await sandbox.result(), await sandbox.result()];
		const body = [
			{ _id: unknown._id, service: 'CRF' },
			{ _id, status },
		];
		await sandbox.faults({ path: '/api/query', exact: true, fault: { status: 200, body } });
		const before = (await readById(unknown)).length;
		for (let count = 0; count < 3; count++) await host.poll();
		const reads = (await readById(unknown)).length - before;
		expect({ started: host.started.length, reads }).toEqual({ started: 2, reads: 1 });
	});

	it('is filtered by the record that was read', async () => {
		await list([]);
		await start({ parameters: { services: ['getRfcData'] } });
		const records = [await sandbox.result(), await sandbox.result('/query/rfc-data')];
		await list(records);
		await host.poll();
		expect(host.started).toEqual([records[1]._id]);
	});

	/** Polls two results, the first of which fails by its ID, and polls again without that. */
	const pollTwice = async (answer: FaultRule['fault']) => {
		await list([]);
		await start();
		const records = [await sandbox.result(), await sandbox.result()];
		await list(records, { path: `/api/query/${records[0]._id}`, fault: answer });
		await host.poll();
		await list(records);
		await host.poll();
		const [first, second] = records.map(({ _id }) => _id);
		return { first, second };
	};

	it.each<[string, FaultRule['fault']]>([
		['cannot be read', { status: 400 }],
		['is pending still', { status: 200, body: { _id: 'q', service: 'CRF', status: 'PENDING' } }],
	])('does not hold up the others by a result that %s', async (_, answer) => {
		const { first, second } = await pollTwice(answer);
		expect(host.started).toEqual([second, first]);
	});

	it('brings as it is listed what the service does not know by its ID', async () => {
		const { first, second } = await pollTwice({ status: 404 });
		expect(host.started.sort()).toEqual([first, second].sort());
	});

	it('reports an unreadable row once, and puts it aside', async () => {
		await list([]);
		await start();
		const record = await sandbox.result();
		await list([record], { path: `/api/query/${record._id}`, fault: { status: 400 } });
		for (let count = 0; count < 7; count++) {
			shiftAllClocks(60_000);
			await host.poll();
		}
		expect([host.started, host.errors.map(({ context }) => context)]).toEqual([
			[],
			[expect.objectContaining({ code: 'putAside', queryId: record._id })],
		]);
	});
});

describe('a listed result without its response', () => {
	const { service, host, start } = triggerOnListServiceForEachTest();
	const withoutResponse = (one: Row) => ({ ...one, response: undefined });

	it('waits for its record where that lags behind the list', async () => {
		await start({ parameters: { settings: { simplify: false } } });
		const one = row('q', 0);
		service.listed = () => [withoutResponse(one)];
		await host.poll();
		service.rows = [one];
		await host.poll();
		expect(host.items).toEqual([expect.objectContaining({ _id: 'q', response: { RFC: 'X' } })]);
	});

	it('is put aside as an error after five minutes without its record', async () => {
		await start();
		service.listed = () => [withoutResponse(row('q', 0))];
		for (let minutes = 0; minutes < 6; minutes++) {
			shiftAllClocks(60_000);
			await host.poll();
		}
		expect([host.started, host.errors.map(({ context }) => context)]).toEqual([
			[],
			[expect.objectContaining({ code: 'putAside', queryId: 'q' })],
		]);
	});

	it('starts though its record takes longer than the first poll allows', async () => {
		await start();
		service.rows = [row('q', 0)];
		service.listed = () => service.rows.map(withoutResponse);
		service.slowMs = 6_000;
		await host.poll();
		await host.poll();
		await host.executed(1);
		expect(host.started).toEqual(['q']);
	});

	it.each([undefined, null, {}])(
		'is read by its ID where the list shows %j as response',
		async (response) => {
			await start({ parameters: { settings: { simplify: false } } });
			service.rows = [row('q', 0)];
			service.listed = () => service.rows.map((one) => ({ ...one, response }) as Row);
			await host.poll();
			await host.poll();
			expect(host.items).toEqual([expect.objectContaining({ response: { RFC: 'X' } })]);
		},
	);

	it('costs no request of its own while it is pending', async () => {
		service.page = () => service.listed();
		await start();
		service.rows = many('p', 50, 1, { status: 'PENDING', response: undefined });
		await host.poll();
		await host.poll();
		expect(service.requests.filter((path) => path.startsWith('/query/p'))).toEqual([]);
	});
});

describe('a listed success without its response, of which a proved call brings one,', () => {
	const { verification, proof } = secretHeaderFieldsAndProof('whsec-nopal-azul');
	const { service, host, start } = triggerOnListServiceForEachTest();

	it.each([
		['PENDING', { progress: 50 }],
		['FAILED', { error: 'first attempt failed' }],
	])('starts nothing if that is about another status: %s', async (status, response) => {
		service.rows = [row('q1', 0, { response: undefined })];
		await start({
			credentials: withWebhookVerification(service.credentials(), verification),
			parameters: { receiveBy: 'webhook', authenticity: 'credential' },
		});
		await host.deliver({ _id: 'q1', service: 'CRF', status, response }, proof);
		await host.handled();
		expect(host.items).toEqual([]);
	});
});

describe('a result that never comes', () => {
	const A_MINUTE = 60_000;
	const A_SECOND = 1_000;

	/** Longer than any request of the node. */
	const LONGEST_REQUEST_MS = 10 * A_MINUTE;

	/** Senders are answered before. */
	const ANSWER_MS = 2_000;
	const NO_LIST = '{"paths": {"getAll": ""}}';
	const { sandbox, host, start: startTrigger } = freshTriggerAndSandboxForEachTest();

	const secret = { 'X-Secret': 'whsec-nopal' };

	/** A trigger with Webhook Only. */
	const start = async (
		parameters: TriggerHostOptions['parameters'] = {},
		{ apiMapping = '{}', ...options }: Partial<TriggerHostOptions> & { apiMapping?: string } = {},
	) =>
		await startTrigger({
			...options,
			credentials: withWebhookVerification(sandbox.credentials({ taxQueryApi: { apiMapping } }), {
				webhookVerification: 'header',
				webhookSecret: secret['X-Secret'],
				webhookHeaderName: 'X-Secret',
			}),
			parameters: { receiveBy: 'webhook', ...parameters },
		});

	const unconfirmed = { authenticity: 'credential', confirm: 'off' };

	/** The service lists these. */
	const list = async (rows: object[], fault: FaultRule['fault'] = { status: 200, body: rows }) =>
		await sandbox.faults({
			path: '/api/query',
			exact: true,
			fault,
		});

	/** n8n's database responds only on demand. */
	function stopDatabase(): () => void {
		let goOn = () => {};
		host.database = new Promise((resolve) => (goOn = resolve));
		return goOn;
	}

	describe('what n8n cannot start', () => {
		it.each([
			['Webhook Only, without confirmation', unconfirmed, '{}'],
			['no list, without confirmation', { ...unconfirmed, receiveBy: 'both' }, NO_LIST],
			['no list', { receiveBy: 'both' }, NO_LIST],
			['Webhook Only', {}, '{}'],
		])(
			'is answered 503, and started by the repeated call, with %s',
			async (_, parameters, apiMapping) => {
				await start(parameters, { apiMapping });
				const record = await sandbox.result();
				host.isBroken = true;
				const goOn = stopDatabase();
				shiftAllClocks(A_SECOND);
				const { status } = await host.deliver(record, secret);
				goOn();
				await until('a failed start', () => host.refusals > 0);
				host.isBroken = false;
				shiftAllClocks(A_MINUTE);
				await host.deliver(record, secret);
				await host.executed(1);
				expect([status, host.started]).toEqual([503, [record._id]]);
			},
		);

		it('is not started twice where its sender comes again', async () => {
			await start(unconfirmed);
			const record = await sandbox.result();
			host.isBroken = true;
			const first = await host.deliver(record, secret);
			host.isBroken = false;
			const second = await host.deliver(record, secret);
			shiftAllClocks(A_MINUTE);
			await new Promise((settled) => setTimeout(settled, 600));
			expect([first.status, second.status, host.started]).toEqual([503, 200, [record._id]]);
		});
	});

	describe('a result whose start is not known to have come about', () => {
		it('starts a result that a poll meets again before its start fails', async () => {
			await start({ receiveBy: 'both' });
			const record = await sandbox.result();
			const row = { _id: record._id, status: record.status };
			await list([row]);
			host.isBroken = true;
			const goOn = stopDatabase();
			const deliver = async () => {
				shiftAllClocks(A_SECOND);
				return await host.deliver({ queryId: 'a-doorbell' });
			};
			await deliver();
			await deliver();
			goOn();
			await new Promise((settled) => setTimeout(settled, 300));
			host.isBroken = false;
			await deliver();
			shiftAllClocks(A_MINUTE);
			await host.executed(1);
			await deliver();
			expect(host.started).toEqual([record._id]);
		});
	});

	describe('a true result that the list does not show yet', () => {
		it('is read by its ID where nothing asks again', async () => {
			await list([]);
			await start();
			const record = await sandbox.result();
			const { status } = await host.deliver(record);
			await list([record]);
			await host.poll();
			expect([status, host.started]).toEqual([200, [record._id]]);
		});

		it('comes through a flood of forged IDs, of which one is read in a second at most', async () => {
			await list([]);
			await start();
			const record = await sandbox.result();
			const flood = Array.from({ length: 5 }, (_, delivery) =>
				Array.from({ length: 100 }, (__, index) => ({ queryId: `f-${delivery}-${index}` })),
			);
			shiftAllClocks(A_SECOND);
			const answers = await Promise.all(flood.map(async (body) => await host.deliver(body)));
			let status = 0;
			for (let count = 0; count < 5 && status !== 200; count++) {
				shiftAllClocks(A_SECOND);
				({ status } = await host.deliver({ queryId: record._id }));
			}
			expect([answers[0].status, status, host.started]).toEqual([503, 200, [record._id]]);
		});

		it('does not wait until a slow service has answered a whole flood', async () => {
			await start();
			const record = await sandbox.result();
			await sandbox.faults({ path: '/api/query/:id', fault: { latency: A_SECOND } });
			const read = async () =>
				(await sandbox.requests()).filter(({ path }) => path.startsWith('/api/query/f-')).length;
			shiftAllClocks(A_SECOND);
			const flood = Array.from({ length: 30 }, (_, index) => ({ queryId: `f-${index}` }));
			const answers = [host.deliver(flood)];
			await until('the first poll', async () => (await read()) > 0);
			answers.push(host.deliver(record));
			await host.executed(1);
			expect(host.started).toEqual([record._id]);
			await host.unpublish();
			await Promise.all(answers);
		});

		it('requests a result again if the service is slower than the sender', async () => {
			await start();
			const record = await sandbox.result();
			const path = `/api/query/${record._id}`;
			await sandbox.faults({ path, fault: { latency: ANSWER_MS + A_SECOND } });
			const { status } = await host.deliver(record);
			await sandbox.faults();
			shiftAllClocks(A_MINUTE);
			await host.executed(1);
			expect([status, host.started]).toEqual([503, [record._id]]);
		});

		it('is started once for 250 senders that wait', async () => {
			await start();
			const record = await sandbox.result();
			const path = `/api/query/${record._id}`;
			await sandbox.faults({ path, fault: { latency: ANSWER_MS + A_SECOND } });
			const answers = await Promise.all(
				Array.from({ length: 250 }, async () => (await host.deliver(record)).status),
			);
			await host.executed(1);
			expect(answers.filter((status) => ![200, 503].includes(status))).toEqual([]);
			expect(host.started).toEqual([record._id]);
		});

		it('is answered 202 before a slow service has answered, if the list will show it', async () => {
			await start({ receiveBy: 'both' });
			const record: Query = await sandbox.result();
			await list([record], { latency: ANSWER_MS + A_SECOND });
			shiftAllClocks(A_SECOND);
			const { status } = await host.deliver({ queryId: record._id });
			await host.executed(1);
			expect([status, host.started]).toEqual([202, [record._id]]);
		});

		it('asks the sender to retry without a list if the service is slow', async () => {
			await start({ receiveBy: 'both' }, { apiMapping: NO_LIST });
			const { _id }: Query = await sandbox.result();
			await sandbox.faults({ path: `/api/query/${_id}`, fault: { latency: ANSWER_MS + A_SECOND } });
			shiftAllClocks(A_SECOND);
			expect((await host.deliver({ queryId: _id })).status).toBe(503);
		});
	});

	describe('a sender of a webhook call, while the service does not answer', () => {
		/** Stops the time by which signals abort; returns a function that lets some of it pass. */
		const stopSignals = () => {
			let now = 0;
			let waiting: Array<{ at: number; abort(): void }> = [];
			const timeout = jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
				const controller = new AbortController();
				const reason = new DOMException('signal timed out', 'TimeoutError');
				waiting.push({ at: now + ms, abort: () => controller.abort(reason) });
				return controller.signal;
			});
			return {
				passSignals(ms: number) {
					now += ms;
					const due = waiting.filter(({ at }) => at <= now);
					waiting = waiting.filter(({ at }) => at > now);
					for (const { abort } of due) abort();
				},
				isDueWithin: (ms: number) => waiting.some(({ at }) => at - now <= ms),
				restore() {
					timeout.mockRestore();
					for (const { abort } of waiting) abort();
				},
			};
		};

		it.each([
			['with Webhook and Checks', 'both', '{}', 202],
			['with Webhook Only', 'webhook', '{}', 503],
			['without a list', 'both', NO_LIST, 503],
		])('is answered within two seconds, %s', async (_, receiveBy, apiMapping, expected) => {
			await start({ receiveBy }, { apiMapping });
			const record = await sandbox.result();
			await sandbox.faults({ path: '/api/query', fault: 'hang' });
			const queries = async () =>
				(await sandbox.requests()).filter(({ path }) => path.startsWith('/api/query'));
			const before = (await queries()).length;
			const { passSignals, restore } = stopSignals();
			shiftAllClocks(A_SECOND);
			const answer = host.deliver({ queryId: record._id });
			const latest = async () => (await queries()).slice(before);
			await until('a request of the trigger', async () => (await latest()).length > 0);
			passSignals(ANSWER_MS);
			const { status } = await answer;
			const unanswered = (await latest()).map((request) => request.status);
			await sandbox.faults();
			passSignals(LONGEST_REQUEST_MS); // the node gives up what hangs, and asks again
			restore();
			shiftAllClocks(A_MINUTE);
			if (status === 503) await host.deliver({ queryId: record._id });
			await host.executed(1);
			expect([status, unanswered, host.started]).toEqual([expected, [null], [record._id]]);
		});

		it('is answered sooner in a flood of forged IDs', async () => {
			await list([]);
			await start({ receiveBy: 'both' });
			const record: Query = await sandbox.result();
			const flood = Array.from({ length: 20 }, (_, index) => ({ queryId: `f-${index}` }));
			shiftAllClocks(A_SECOND);
			await host.deliver(flood);
			await list([record]);
			const { passSignals, isDueWithin, restore } = stopSignals();
			const answer = host.deliver({ queryId: record._id });
			await until('the wait for the next check', () => isDueWithin(ANSWER_MS));
			passSignals(ANSWER_MS - A_SECOND);
			const { status } = await answer;
			const atOnce = [status, host.started];
			restore();
			shiftAllClocks(A_MINUTE);
			await host.executed(1);
			expect([...atOnce, host.started]).toEqual([202, [], [record._id]]);
		});
	});

	describe('in a process that has no published trigger', () => {
		it.each([
			['without a list', 'both', NO_LIST],
			['with Webhook Only', 'webhook', '{}'],
		])(
			'a delivery is answered 503, starts nothing and is logged: %s',
			async (_, receiveBy, apiMapping) => {
				await start({ receiveBy }, { activation: null, apiMapping });
				const record = await sandbox.result();
				const statuses = [await host.deliver({ queryId: record._id }), await host.deliver(record)];
				expect(statuses.map(({ status }) => status)).toEqual([503, 503]);
				expect([host.started, host.log]).toEqual([[], [expect.stringMatching(/main process/)]]);
			},
		);
	});
});

describe('queries that cannot be read', () => {
	const A_MINUTE = 60_000;
	const { sandbox, host, start } = freshTriggerAndSandboxForEachTest();
	type Fault = FaultRule['fault'];

	/** A row of a list that holds less than its record. */
	const dated = (_id: string, seconds: number) => {
		const createdAt = new Date(Date.UTC(2026, 4, 1, 12) + seconds * 1_000).toISOString();
		return { _id, createdAt, service: 'CRF', status: 'SUCCESS' };
	};

	type Row = ReturnType<typeof dated>;

	const record = (row: Row) => ({
		...row,
		updatedAt: row.createdAt,
		service: 'CRF',
		status: 'SUCCESS',
		response: { RFC: 'X' },
	});

	const answer = (body: unknown): Fault => ({ status: 200, body });

	/** A query that is not in it shows its record. */
	type ResponsesById = Record<string, Fault>;

	/** The service lists these rows, from the newest on; in pages of two where `isPaged`. */
	async function listing(rows: Row[], message: ResponsesById = {}, isPaged = false): Promise<void> {
		const pages = Array.from({ length: Math.ceil(rows.length / 2) }, (_, page) => ({
			path: '/api/query',
			exact: true,
			times: 1,
			fault: answer({ data: rows.slice(2 * page, 2 * page + 2), total: rows.length }),
		}));
		const whole = { path: '/api/query', exact: true, fault: answer(rows) };
		await sandbox.faults(
			...(isPaged ? pages : [whole]),
			...rows.map((row) => ({
				path: `/api/query/${row._id}`,
				fault: message[row._id] ?? answer(record(row)),
			})),
		);
	}

	const pollCount = async (count: number) => {
		for (let each = 0; each < count; each++) await host.poll();
	};

	const [bad, good, later] = [dated('bad', 0), dated('good', 1), dated('later', 2)];
	const pending = { _id: 'bad', service: 'CRF', status: 'PENDING' };

	describe('a query that cannot be read by its ID', () => {
		it.each<[string, Fault]>([
			['is refused', { status: 400 }],
			['makes the service fail', { status: 500 }],
			['is another query', answer(record(good))],
		])('and %s, does not hold up the others', async (_, fault) => {
			await listing([]);
			await start();
			await listing([good, bad], { bad: fault });
			await pollCount(2);
			await listing([later, good, bad], { bad: fault });
			await pollCount(1);
			await host.executed(2);
			const first = [...host.started];
			await listing([later, good, bad]);
			await pollCount(2);
			expect([first, host.started]).toEqual([
				['good', 'later'],
				['good', 'later', 'bad'],
			]);
		});

		it('puts a permanently refused query aside, and reports it', async () => {
			await listing([]);
			await start();
			await listing([good, bad], { bad: { status: 400 } });
			for (let each = 0; each < 7; each++) {
				shiftAllClocks(A_MINUTE);
				await host.poll();
			}
			const before = (await sandbox.requests('/api/query/bad')).length;
			await pollCount(2);
			expect({
				started: host.started,
				reported: host.errors.map(({ context }) => context),
				more: (await sandbox.requests('/api/query/bad')).length - before,
			}).toEqual({
				started: ['good'],
				reported: [expect.objectContaining({ code: 'putAside', queryId: 'bad' })],
				more: 0,
			});
		});

		it('an unreadable query does not block others with one result per poll', async () => {
			await listing([]);
			await start({ parameters: { settings: { maxResults: 1 } } });
			await listing([later, good, bad], { bad: { status: 500 } });
			await pollCount(3);
			await host.executed(2);
			expect(host.started).toEqual(['good', 'later']);
		});

		it('and is pending, does not take the place of the others either', async () => {
			await listing([]);
			await start({ parameters: { settings: { maxResults: 1 } } });
			await listing([later, good, bad], { bad: answer(pending) });
			await pollCount(3);
			await host.executed(2);
			expect(host.started).toEqual(['good', 'later']);
		});

		it('and hangs, does not hold up the others for minutes', async () => {
			await listing([]);
			await start();
			await listing([good, bad], { bad: 'hang' });
			await pollCount(1);
			await until('the start of the other', () => host.started.length > 0);
			expect(host.started).toEqual(['good']);
		});

		it('is found where it has slipped behind the first page meanwhile', async () => {
			await listing([]);
			await start();
			await listing([good, bad], { bad: { status: 403 } }, true);
			await pollCount(1);
			const newer = [dated('n2', 4), dated('n1', 3)];
			await listing([...newer, good, bad], { bad: { status: 403 } }, true);
			await pollCount(1);
			await listing([...newer, good, bad], {}, true);
			await pollCount(1);
			expect(host.started).toEqual(['good', 'n1', 'n2', 'bad']);
		});
	});

	describe('an outage of what is read by its ID', () => {
		it.each<[string, Fault]>([
			['a notice of maintenance', answer({ message: 'Under maintenance' })],
		])('loses nothing when many polls in a short time meet %s', async (_, fault) => {
			await listing([]);
			await start();
			await listing([bad], { bad: fault });
			await pollCount(8);
			await listing([bad]);
			await pollCount(1);
			expect([host.started, host.failures]).toEqual([['bad'], []]);
		});

		it('reports an outage of ten minutes, and recovers by itself', async () => {
			await listing([]);
			await start();
			await listing([bad], { bad: { status: 403 } });
			for (let each = 0; each < 12; each++) {
				shiftAllClocks(A_MINUTE);
				await host.poll();
			}
			const text = host.errors.map(({ context }) => context);
			await listing([bad]);
			await pollCount(1);
			expect([text, host.started]).toEqual([
				[expect.objectContaining({ code: 'unreadable', queryId: 'bad' })],
				['bad'],
			]);
		});

		it.each<[string, Fault]>([
			['the connection is reset', 'resetBefore'],
			['the balance of the account is used up', { status: 402 }],
		])('loses nothing, however long it is: %s', async (_, fault) => {
			await listing([]);
			await start();
			await listing([bad], { bad: fault });
			await pollCount(8);
			await listing([bad]);
			await pollCount(2);
			expect([host.started, host.failures]).toEqual([['bad'], []]);
		});
	});

	describe('an environment without a list of queries', () => {
		it('brings what can be read, though another query cannot', async () => {
			await sandbox.faults();
			await start({
				credentials: sandbox.credentials({
					taxQueryApi: { apiMapping: JSON.stringify({ paths: { getAll: '' } }) },
				}),
			});
			await listing([good, bad], { bad: { status: 500 } });
			shiftAllClocks(5_000);
			const answers = await host.deliver([{ _id: 'bad' }, { _id: 'good' }]);
			await host.executed(1);
			expect([answers.status, host.started]).toEqual([503, ['good']]);
		});
	});

	describe("a gateway's 404 while the trigger fetches a result", () => {
		it.each(['<html><body>Not found</body></html>', 'no route'])(
			'is answered 503, and the repeated call starts the result: %s',
			async (page) => {
				await sandbox.faults();
				await start({ parameters: { receiveBy: 'webhook' } });
				const record = await sandbox.result();
				const path = `/api/query/${record._id}`;
				await sandbox.faults({ path, fault: { status: 404, body: page } });
				const { status } = await host.deliver({ queryId: record._id });
				await sandbox.faults();
				shiftAllClocks(5_000);
				await host.deliver({ queryId: record._id });
				await host.executed(1);
				expect([status, host.started]).toEqual([503, [record._id]]);
			},
		);
	});
});
