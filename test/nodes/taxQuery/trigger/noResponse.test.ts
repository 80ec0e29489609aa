import { withWebhookVerification } from '../../../support/credentialFieldBuilders';
import type { FaultRule } from '../../../../sandbox/plugins/faults';
import { until } from '../../../support/until';
import {
	startSandboxWithQueryHelpers,
	type Query,
	type SandboxWithQueryHelpers,
} from '../../../support/sandboxQueryClient';
import { shiftAllClocks, TriggerHost, type TriggerHostOptions } from './triggerHost';

const A_MINUTE = 60_000;
const A_SECOND = 1_000;
/** Longer than any request of the node. */
const LONGEST_REQUEST_MS = 10 * A_MINUTE;
/** Senders are answered before. */
const ANSWER_MS = 2_000;
const NO_LIST = '{"paths": {"getAll": ""}}';

let sandbox: SandboxWithQueryHelpers;
let host: TriggerHost;

beforeEach(async () => (sandbox = await startSandboxWithQueryHelpers()));
afterEach(async () => {
	await host.stop();
	await sandbox.close();
});

const secret = { 'X-Secret': 'whsec-nopal' };
/** A trigger with Webhook Only. */
const start = async (
	parameters: TriggerHostOptions['parameters'] = {},
	{ apiMapping = '{}', ...options }: Partial<TriggerHostOptions> & { apiMapping?: string } = {},
) =>
	(host = await TriggerHost.start({
		...options,
		credentials: withWebhookVerification(sandbox.credentials({ taxQueryApi: { apiMapping } }), {
			webhookVerification: 'header',
			webhookSecret: secret['X-Secret'],
			webhookHeaderName: 'X-Secret',
		}),
		parameters: { receiveBy: 'webhook', ...parameters },
	}));
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

	it('comes through a flood of forged IDs, of which two are read in a second at most', async () => {
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
