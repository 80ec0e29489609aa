import { withWebhookVerification } from '../../../support/credentialFields';
import { until } from '../../../support/until';
import { type Query } from '../../../support/sandboxQueryClient';
import { shiftAllClocks, TriggerHost } from './triggerHost';
import { freshTriggerAndSandboxForEachTest } from './freshTrigger';

/** After a start of n8n the first poll waits at most this long. */
const FIRST_POLL_MS = 15_000;
const A_MINUTE = 60_000;

/** A sender waits before it delivers again; one that does not keeps a slow n8n from ever responding in time. */
const A_SENDERS_PAUSE_MS = 1_000;

const { sandbox, host, start } = freshTriggerAndSandboxForEachTest();

/** n8n is started again over the same database, and has looked. */
async function startAgain(): Promise<void> {
	await host.publish('init');
	shiftAllClocks(FIRST_POLL_MS);
	await host.poll();
	await host.poll();
}

const proved = {
	parameters: { authenticity: 'credential', confirm: 'off' },
	credentials: () =>
		withWebhookVerification(sandbox.credentials(), {
			webhookVerification: 'header',
			webhookSecret: 'whsec-once',
			webhookHeaderName: 'X-Secret',
		}),
	headers: { 'X-Secret': 'whsec-once' },
};
const startProved = async () =>
	await start({ parameters: { ...proved.parameters }, credentials: proved.credentials() });

describe('the same result starts one execution', () => {
	it('when it is delivered twice', async () => {
		await start();
		const record = await sandbox.result();
		const answers = [await host.deliver(record), await host.deliver(record)];
		expect({ answers, started: host.started }).toMatchObject({
			answers: [
				{ status: 200, body: '{"message":"Accepted"}' },
				{ status: 200, body: '{"message":"Nothing new"}' },
			],
			started: [record._id],
		});
	});

	it('when it is delivered in different shapes', async () => {
		await start();
		const record = await sandbox.result();
		await host.deliver(record);
		await host.deliver({ event: 'done', data: { queryId: record._id, status: 'SUCCESS' } });
		await host.deliver([record, record]);
		expect(host.started).toEqual([record._id]);
	});

	it('when 100 copies are delivered at the same time', async () => {
		await start();
		const record = await sandbox.result();
		const answers = await Promise.all(Array.from({ length: 100 }, () => host.deliver(record)));
		expect({
			// under load some are told to wait or to come again
			refused: answers.filter(({ status }) => ![200, 202, 503].includes(status)),
			started: host.started,
		}).toEqual({ refused: [], started: [record._id] });
	});

	it('when it is delivered 100 times at once without confirmation', async () => {
		await startProved();
		const record = await sandbox.result();
		await Promise.all(Array.from({ length: 100 }, () => host.deliver(record, proved.headers)));
		expect(host.started).toEqual([record._id]);
	});

	it.each<[string, (record: Query) => object]>([
		['its ID and status', ({ _id, status }) => ({ queryId: _id, status })],
		['all but its date', (record) => ({ ...record, updatedAt: undefined, createdAt: undefined })],
	])('starts a result once that is delivered with %s and seen by a poll', async (_, shape) => {
		await startProved();
		const record = await sandbox.result();
		const { status } = await host.deliver(shape(record), proved.headers);
		shiftAllClocks(30_000);
		await host.publish('update'); // which polls
		await host.deliver(shape(record), proved.headers);
		expect([status, host.started]).toEqual([200, [record._id]]);
		expect(host.items).toEqual([expect.objectContaining({ rfc: 'GODE561231GR8' })]);
	});

	it('starts a delivered result once when the trigger also polls', async () => {
		await start({ parameters: { settings: { checkEvery: 5 } } });
		const record = await sandbox.result();
		await Promise.all([host.deliver(record), host.poll(), host.deliver(record)]);
		shiftAllClocks(5_000);
		await host.poll();
		expect(host.started).toEqual([record._id]);
	});

	it('but another status of the same query starts another', async () => {
		await startProved();
		const record = await sandbox.result();
		for (const status of ['FAILED', 'SUCCESS', 'FAILED'])
			await host.deliver({ ...record, status }, proved.headers);
		expect(host.items.map(({ status }) => status)).toEqual(['FAILED', 'SUCCESS']);
		expect(new Set(host.items.map(({ deliveryId }) => deliveryId)).size).toBe(2);
	});

	it.each([
		['its date is renewed', { updatedAt: '2026-12-01T00:00:00Z' }],
		['its status is in lower case', { status: 'success' }],
		['its response differs', { response: { RFC: 'X', link: 'https://example.com/2' } }],
	])('also where %s', async (_, renewed) => {
		await startProved();
		const record = await sandbox.result();
		await host.deliver(record, proved.headers);
		await host.deliver({ ...record, ...renewed }, proved.headers);
		expect(host.executions).toHaveLength(1);
	});

	it('also after a restart of n8n, when n8n keeps no execution of it any more', async () => {
		await start();
		const ids = [(await sandbox.result())._id, (await sandbox.result())._id];
		await host.poll();
		await host.ended(2);
		await host.endsSaved();
		await host.kill();
		host.prune();
		await startAgain();
		for (const queryId of ids) await host.deliver({ queryId });
		expect(host.started).toEqual(ids);
	});

	it('and is tried again where n8n could not store an execution of it', async () => {
		await start();
		const record = await sandbox.result();
		host.isBroken = true;
		const { status } = await host.deliver(record);
		host.isBroken = false;
		await host.poll();
		expect([status, host.failures, host.started]).toEqual([503, ['notStarted'], [record._id]]);
	});

	it("and is n8n's alone where n8n stored an execution of it, and could not run that", async () => {
		await start();
		const record = await sandbox.result();
		Object.assign(host, { isBroken: true, storesWhatFails: true });
		const { status } = await host.deliver(record);
		host.isBroken = false;
		await host.poll();
		expect([status, host.failures, host.started]).toEqual([503, ['notStarted', 'notBegun'], []]);
	});

	it('also where somebody stops it before its first node: it had been started', async () => {
		await start();
		const record = await sandbox.result();
		host.isStopped = true;
		const { status } = await host.deliver(record);
		host.isStopped = false;
		await host.poll();
		expect([status, host.failures, host.started]).toEqual([200, [], []]);
	});

	it('in queue mode, where a worker runs it and its end comes late', async () => {
		await start({ hasWorkers: true, areExecutionsLong: true });
		const record = await sandbox.result();
		const delivered = host.deliver(record);
		await host.executed(1);
		await host.endExecutions();
		await host.poll();
		expect([(await delivered).status, host.started]).toEqual([200, [record._id]]);
	});

	it('the next poll starts a result whose webhook call met an unpublishing', async () => {
		await start();
		const record = await sandbox.result();
		await sandbox.faults({ path: '/api/query', exact: true, fault: { latency: 500 } });
		const polls = async () => (await sandbox.requests('/api/query')).length;
		const before = await polls();
		const answer = host.deliver(record);
		await until('a poll', async () => (await polls()) > before);
		await host.unpublish();
		await answer;
		const started = [...host.started];
		await sandbox.faults();
		await host.publish('update');
		await host.executed(1);
		expect([started, host.started]).toEqual([[], [record._id]]);
	});
});

describe('a result that is listed without its date', () => {
	const listWithoutDate = async (record: Query) => {
		const row = { ...record, updatedAt: undefined, createdAt: undefined };
		await sandbox.faults({ path: '/api/query', exact: true, fault: { status: 200, body: [row] } });
	};

	it('is started once, though it is delivered with its date', async () => {
		await startProved();
		const record = await sandbox.result();
		await listWithoutDate(record);
		shiftAllClocks(30_000);
		await host.publish('update'); // which polls
		await host.ended(1);
		const before = (await sandbox.requests()).length;
		const { body } = await host.deliver(record, proved.headers);
		await host.poll();
		expect([body, host.started]).toEqual(['{"message":"Nothing new"}', [record._id]]);
		// one list, and the doorbell's ID at most: it is not read again
		expect((await sandbox.requests()).length - before).toBeLessThanOrEqual(2);
	});

	it('is started as it is listed, where the service refuses it by its ID', async () => {
		await start();
		const record = await sandbox.result();
		const row = { ...record, updatedAt: undefined, createdAt: undefined };
		await sandbox.faults(
			{ path: '/api/query', exact: true, fault: { status: 200, body: [row] } },
			{ path: `/api/query/${record._id}`, fault: { status: 400 } },
		);
		await host.poll();
		await host.poll();
		expect([host.started, host.failures]).toEqual([[record._id], []]);
	});
});

describe('the sender of a proved delivery', () => {
	it('repeats it as long as n8n is not known to have the result', async () => {
		await start({
			parameters: { ...proved.parameters },
			credentials: proved.credentials(),
			hasWorkers: true,
			areExecutionsLong: true,
		});
		const record = await sandbox.result();
		const early = await host.deliver(record, proved.headers);
		await host.endExecutions();
		const late = await host.deliver(record, proved.headers);
		expect([early.status, late.status, host.started]).toEqual([503, 200, [record._id]]);
	});

	it('the next poll starts a result that n8n could not start', async () => {
		await startProved();
		const record = await sandbox.result();
		host.isBroken = true;
		await host.deliver(record, proved.headers);
		host.isBroken = false;
		shiftAllClocks(30_000);
		await host.publish('update'); // which polls
		await host.executed(1);
		expect(host.started).toEqual([record._id]);
	});

	it('starts each of 100 deliveries once while the workflow is published anew', async () => {
		await startProved();
		const records = await Promise.all(Array.from({ length: 100 }, () => sandbox.result()));
		const delivered = records.map(async (record) => await host.deliver(record, proved.headers));
		await Promise.race(delivered);
		await host.unpublish();
		await host.publish('update');
		await Promise.all(delivered);
		await host.ended(records.length);
		await host.poll();
		expect(host.started.sort()).toEqual(records.map(({ _id }) => _id).sort());
	});

	it.each(['result', 'statusOnly', 'off'])(
		'Webhook Only starts each result once when published anew (%s)',
		async (confirm) => {
			await start({
				parameters: { ...proved.parameters, receiveBy: 'webhook', confirm },
				credentials: proved.credentials(),
			});
			const records = await Promise.all(Array.from({ length: 15 }, () => sandbox.result()));
			const deliver = async (record: Query) => {
				await until(
					'a webhook call that is taken',
					async () => (await host.deliver(record, proved.headers)).status < 300,
					{ pauseMs: A_SENDERS_PAUSE_MS },
				);
			};
			const delivered: Array<Promise<void>> = [];
			for (const [index, record] of records.entries()) {
				if (index % 5 === 0) {
					await host.unpublish();
					delivered.push(deliver(record));
					await new Promise((settled) => setImmediate(settled));
					await host.publish('update');
				}
				delivered.push(deliver(record), deliver(record));
			}
			await Promise.all(delivered);
			await host.ended(records.length);
			expect([...host.started].sort()).toEqual(records.map(({ _id }) => _id).sort());
		},
	);

	it('repeats a call whose result has started, and is answered without a request', async () => {
		await start({
			parameters: { ...proved.parameters, receiveBy: 'webhook', confirm: 'result' },
			credentials: proved.credentials(),
		});
		const records = await Promise.all(Array.from({ length: 15 }, () => sandbox.result()));
		const deliverAll = async () =>
			await Promise.all(records.map(async (each) => await host.deliver(each, proved.headers)));
		await deliverAll();
		await host.executed(records.length);
		await host.handled();
		const before = (await sandbox.requests()).length;
		const repeated = await deliverAll();
		expect(new Set(repeated.map(({ status }) => status))).toEqual(new Set([200]));
		expect((await sandbox.requests()).length).toBe(before);
	});

	it('waits where nothing asks: it is the only one who would bring the result again', async () => {
		const parameters = { ...proved.parameters, receiveBy: 'webhook' };
		await start({ parameters, credentials: proved.credentials() });
		host.isBroken = true;
		const { status } = await host.deliver(await sandbox.result(), proved.headers);
		expect(status).toBe(503);
	});
});

describe('a restart of n8n', () => {
	it.each(['both', 'webhook', 'asking'])(
		'remembers what was started, however it came (%s)',
		async (receiveBy) => {
			await start({ parameters: { receiveBy } });
			const record = await sandbox.result();
			await host.poll();
			await host.endsSaved();
			await host.kill();
			await startAgain();
			await host.deliver(record);
			expect(host.started).toEqual([record._id]);
		},
	);

	it('remembers also three minutes later', async () => {
		await start();
		const record = await sandbox.result();
		await host.deliver(record);
		await host.endsSaved();
		shiftAllClocks(180_000);
		await host.kill();
		await startAgain();
		expect(host.started).toEqual([record._id]);
	});

	it('does not forget what finished while n8n was down', async () => {
		await start();
		await host.kill();
		const record = await sandbox.result();
		await startAgain();
		expect(host.started).toEqual([record._id]);
	});

	it.each([{}, { settings: { afterCrash: 'once' } }])(
		'leaves executions that it cut off to Retry: %j',
		async (parameters) => {
			await start({ areExecutionsLong: true, parameters });
			const ids = [(await sandbox.result())._id, (await sandbox.result())._id];
			await host.poll();
			for (let restarts = 0; restarts < 2; restarts++) {
				await host.kill();
				await startAgain();
				shiftAllClocks(A_MINUTE);
				await host.poll();
				await host.poll();
			}
			expect([host.started, host.failures]).toEqual([ids, []]);
		},
	);

	it.each(['asking', 'webhook'])(
		'starts what n8n was given and never had, once n8n has started its own (%s)',
		async (receiveBy) => {
			await start({ parameters: { receiveBy } });
			const record = await sandbox.result();
			host.database = new Promise(() => {});
			shiftAllClocks(A_MINUTE);
			void host.deliver({ queryId: record._id }).catch(() => undefined);
			await until('the emit', () => host.staticData.includes(`"${record._id}"`));
			await host.kill();
			host.database = undefined;
			await startAgain();
			const inFirstMinute = [...host.started];
			shiftAllClocks(2 * A_MINUTE);
			await host.executed(1);
			await host.poll();
			expect([inFirstMinute, host.started]).toEqual([[], [record._id]]);
		},
	);

	it('starts nothing once more that its sender delivers again', async () => {
		await startProved();
		host.areExecutionsLong = true;
		const record = await sandbox.result();
		await host.deliver(record, proved.headers);
		await host.executed(1);
		await host.kill();
		await host.publish('init');
		const early = await host.deliver(record, proved.headers);
		shiftAllClocks(2 * A_MINUTE);
		const late = await host.deliver(record, proved.headers);
		expect([early.status, late.status, host.started]).toEqual([503, 200, [record._id]]);
	});

	it('restarts nothing of executions that ended together', async () => {
		await start();
		const ids: string[] = [];
		for (let count = 0; count < 3; count++) ids.push((await sandbox.result())._id);
		await host.poll();
		await host.ended(3);
		await host.endsSaved();
		await host.kill();
		await startAgain();
		expect(host.started.sort()).toEqual(ids.sort());
	});

	it('starts nothing once more in queue mode, where a worker goes on with it', async () => {
		await start({ hasWorkers: true });
		await sandbox.result();
		await host.poll();
		host.areExecutionsLong = true;
		const cutOff = await sandbox.result();
		const delivered = host.deliver(cutOff).catch(() => undefined); // n8n is gone before it answers
		await host.executed(2);
		await host.kill();
		await startAgain();
		await delivered;
		expect(host.executions).toHaveLength(2);
	});
});

describe('what a trigger remembers', () => {
	it('is apart from that of another workflow', async () => {
		await start();
		const other = await TriggerHost.start({ credentials: sandbox.credentials() });
		const record = await sandbox.result();
		await host.deliver(record);
		await other.deliver(record);
		await other.stop();
		expect(other.started).toEqual([record._id]);
	});
});
