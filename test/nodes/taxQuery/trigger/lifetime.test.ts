import { withWebhookVerification } from '../../../support/credentialFieldBuilders';
import { until } from '../../../support/until';
import { row } from './listService';
import { shiftAllClocks, TriggerHost } from './triggerHost';
import {
	triggerOnListServiceForEachTest,
	secretHeaderFieldsAndProof,
	freshTriggerAndSandboxForEachTest,
} from './freshTriggerForEachTest';

const A_SECOND = 1_000;
const A_MINUTE = 60 * A_SECOND;
const AN_HOUR = 60 * A_MINUTE;
const FIRST_POLL_MS = 15 * A_SECOND;
/** Defines what n8n 2.41 makes to activate a trigger. */
const ATTEMPTS = 5;

describe('a published trigger that cannot check', () => {
	const { sandbox, host, start } = freshTriggerAndSandboxForEachTest();

	it.each([
		['a date that is none', { startFrom: 'date', date: 'soon' }],
		['a parameter that cannot be used', { settings: { maxResults: 0 } }],
	])('reports %s at once and then hourly', async (_, parameters) => {
		await start({ activation: null, parameters });
		await host.publish('activate', {}, ATTEMPTS);
		await until('a failed execution', () => host.errors.length === 1);
		shiftAllClocks(AN_HOUR);
		await until('another one', () => host.errors.length === 2);
		expect(new Set(host.failures).size).toBe(1);
	});

	it('reports at once what is wrong when it is published anew', async () => {
		await start({ activation: null, parameters: { startFrom: 'date', date: 'soon' } });
		await host.publish('activate', {}, ATTEMPTS);
		await until('a failed execution', () => host.errors.length === 1);
		await host.publish('activate', { startFrom: 'now', settings: { maxResults: 0 } }, ATTEMPTS);
		await until('another one', () => host.errors.length === 2);
		expect(host.failures).toEqual(['field.date', 'field.number']);
	});

	it('reports refused credentials, and checks as soon as they work', async () => {
		const refused = { status: 401, body: { message: 'revoked' } };
		await sandbox.faults(
			{ path: '/api/oauth/token', fault: refused },
			{ path: '/api/query', fault: refused },
		);
		await start({ activation: null, parameters: { receiveBy: 'asking' } });
		await host.publish('activate', {}, ATTEMPTS);
		await until('a failed execution', () => host.errors.length === 1);
		await sandbox.faults();
		shiftAllClocks(A_MINUTE);
		await until('a check', async () => (await sandbox.requests('/api/query')).length > 0);
		const record = await sandbox.result();
		shiftAllClocks(10 * A_MINUTE);
		await host.executed(1);
		expect([host.started, host.errors.length]).toEqual([[record._id], 1]);
	});

	it('reports it after a start of n8n, too', async () => {
		await start({ activation: null, parameters: { startFrom: 'date', date: 'soon' } });
		await host.publish('init');
		shiftAllClocks(FIRST_POLL_MS);
		await until('a failed execution', () => host.failures.length === 1);
		expect(host.failures).toEqual(['field.date']);
	});
});

describe('a workflow that is imported while it runs', () => {
	const { sandbox, host, start } = freshTriggerAndSandboxForEachTest();

	it('has its old trigger closed by the new one', async () => {
		await start();
		host.forget();
		await host.publish('activate', { services: ['getRfcData'] });
		await sandbox.result(); // of a query type that only the old one was on
		const record = await sandbox.result('/query/rfc-data');
		shiftAllClocks(10 * A_MINUTE);
		await host.executed(1);
		await host.poll();
		expect(host.started).toEqual([record._id]);
	});

	it('starts nothing again, though the import emptied its static data', async () => {
		await start();
		const record = await sandbox.result();
		await host.poll();
		await host.ended(1);
		await host.endsSaved();
		host.forget();
		host.staticData = '{}';
		host.prune();
		await host.publish('activate');
		const next = await sandbox.result();
		await host.poll();
		expect(host.started).toEqual([record._id, next._id]);
	});
});

describe('two main processes over one database', () => {
	const { sandbox, host, start } = freshTriggerAndSandboxForEachTest();
	let other: TriggerHost | undefined;
	afterEach(async () => {
		await other?.stop();
		other = undefined;
	});

	it('start each result once while they lead in turn, also if n8n deletes executions', async () => {
		await start({ hasWorkers: true });
		other = await TriggerHost.start({
			credentials: sandbox.credentials(),
			activation: null,
			hasWorkers: true,
			sharedWith: host as unknown as TriggerHost,
		});
		const both = [host as unknown as TriggerHost, other];
		const ids: string[] = [];
		const lead = async (leader: TriggerHost, follower: TriggerHost) => {
			await follower.unpublish();
			await leader.publish('leadershipChange');
			shiftAllClocks(FIRST_POLL_MS);
			await leader.poll();
		};
		const deliverResult = async (leader: TriggerHost) => {
			for (let count = 0; count < 3; count++) ids.push((await sandbox.result())._id);
			await leader.poll();
			await until('all results', () => both.flatMap(({ started }) => started).length >= ids.length);
			await leader.ended(leader.executions.length);
		};
		await deliverResult(both[0]);
		await lead(both[1], both[0]);
		await deliverResult(both[1]);
		await deliverResult(both[1]);
		shiftAllClocks(10 * A_MINUTE);
		host.prune(3);
		await lead(both[0], both[1]);
		await deliverResult(both[0]);
		await both[0].poll();
		expect(both.flatMap(({ started }) => started).sort()).toEqual([...ids].sort());
	});
});

describe('a call that comes while the workflow is not published in this process', () => {
	const { sandbox, host, start } = freshTriggerAndSandboxForEachTest();
	const { verification, proof } = secretHeaderFieldsAndProof('whsec-brecha');

	it.each([
		['202 where the list brings the result', 'both', 'result', 202],
		['503 with Webhook Only', 'webhook', 'result', 503],
		['503 where only the call may hold the result', 'both', 'statusOnly', 503],
		['503 where the call is trusted', 'both', 'off', 503],
	])('is answered %s, and its result starts once', async (_, receiveBy, confirm, expected) => {
		await start({
			parameters: { receiveBy, confirm, authenticity: confirm === 'off' ? 'credential' : 'none' },
			credentials: withWebhookVerification(sandbox.credentials(), verification),
		});
		const record = await sandbox.result();
		await host.unpublish();
		const { status } = await host.deliver(record, proof);
		await host.publish('update');
		if (status === 503) await host.deliver(record, proof);
		await host.executed(1);
		await host.poll();
		expect([status, host.started]).toEqual([expected, [record._id]]);
	});

	it('is stored nowhere: each of 150 different queries is answered 202', async () => {
		await start({ activation: null });
		const ids = Array.from({ length: 150 }, (_, each) => `query-${each}`);
		const statuses = new Set<number>();
		for (const queryId of ids) statuses.add((await host.deliver({ queryId })).status);
		expect([...statuses]).toEqual([202]);
	});
});

describe('with Webhook Only, while the workflow is published again,', () => {
	const { service, host, start } = triggerOnListServiceForEachTest();

	it('a call that the service takes long to check is answered 503', async () => {
		service.rows = [row('q1', 0, { status: 'PENDING', response: undefined })];
		await start({ parameters: { receiveBy: 'webhook' } });
		await host.publish('update');
		shiftAllClocks(5 * A_SECOND);
		service.slowMs = 2 * A_SECOND;
		const { status } = await host.deliver({ queryId: 'q1', status: 'SUCCESS' });
		await host.handled();
		expect(status).toBe(503);
	});
});

describe('a trigger whose static data are damaged', () => {
	const { service, host, start } = triggerOnListServiceForEachTest();

	it('starts new results alone after a restart of n8n', async () => {
		service.rows = [row('old', 10)];
		await start();
		await host.poll();
		await host.kill();
		const damage = (name: string, value: unknown): unknown =>
			['pending', 'starting'].includes(name) ? null : value;
		host.staticData = JSON.stringify(JSON.parse(host.staticData), damage);
		await host.publish('init');
		service.rows = [row('new', 0), ...service.rows];
		for (let minutes = 0; minutes < 2; minutes++) {
			shiftAllClocks(A_MINUTE);
			await host.poll();
		}
		expect(host.started).toEqual(['new']);
	});
});

describe('a result that n8n cannot start', () => {
	const { sandbox, host, start } = freshTriggerAndSandboxForEachTest();

	it('is reported with its query and the reason, and starts by the repeated call', async () => {
		const { verification, proof } = secretHeaderFieldsAndProof('whsec-retry');
		await start({
			parameters: { receiveBy: 'webhook', authenticity: 'credential', confirm: 'off' },
			credentials: withWebhookVerification(sandbox.credentials(), verification),
		});
		const record = await sandbox.result();
		host.isBroken = true;
		const { status } = await host.deliver(record, proof);
		host.isBroken = false;
		await host.deliver(record, proof);
		expect([status, host.failures, host.started]).toEqual([503, ['notStarted'], [record._id]]);
		expect(host.errors[0].message).toMatch(new RegExp(`${record._id}.*the database is gone`));
	});
});
