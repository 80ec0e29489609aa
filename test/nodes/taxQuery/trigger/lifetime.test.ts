import { DateTime } from 'luxon';
import { withWebhookVerification } from '../../../support/credentialFields';
import { until } from '../../../support/until';
import { many, row } from './listService';
import { TriggerHost, rejectionOrUndefined, shiftAllClocks } from './triggerHost';
import {
	freshTriggerAndSandboxForEachTest,
	secretHeaderFieldsAndProof,
	serviceUnavailableFault,
	triggerOnListServiceForEachTest,
} from './freshTrigger';
import { codeAndFieldOf, codeOf } from '../../../support/errorCode';
import { shiftWallClock } from '../../../support/clock';

const A_SECOND = 1_000;
const A_MINUTE = 60 * A_SECOND;
const AN_HOUR = 60 * A_MINUTE;
const FIRST_POLL_MS = 15 * A_SECOND;

/** n8n 2.41 makes so many. */
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

	describe('begins with what came since it was published, once it can', () => {
		const list = { path: '/api/query', exact: true };
		const isDown = { ...list, fault: serviceUnavailableFault };
		const publishWhileDown = async (activation: 'activate' | 'init', parameters = {}) => {
			const old = await sandbox.result();
			shiftAllClocks(20 * A_MINUTE);
			await sandbox.faults(isDown);
			await start({ activation: null, parameters });
			await host.publish(activation, {}, ATTEMPTS);
			shiftAllClocks(A_MINUTE);
			await until('a failed check', () => host.log.some((line) => line.includes('not check')));
			return old;
		};
		const mend = async () => {
			await sandbox.faults();
			shiftAllClocks(10 * A_MINUTE);
		};

		it.each(['activate', 'init'] as const)('after %s', async (activation) => {
			await publishWhileDown(activation, { receiveBy: 'asking' });
			const since = await sandbox.result();
			await mend();
			await host.executed(1);
			expect(host.started).toEqual([since._id]);
		});

		it('not with what came between a publication that n8n refused and the next', async () => {
			await publishWhileDown('activate');
			await host.unpublish();
			await sandbox.result();
			await sandbox.faults();
			shiftAllClocks(20 * A_MINUTE);
			await host.publish('activate');
			const since = await sandbox.result();
			await host.poll();
			expect(host.started).toEqual([since._id]);
		});

		it('also where it is published anew with what was wrong corrected', async () => {
			await publishWhileDown('activate');
			const since = await sandbox.result();
			await host.unpublish();
			await sandbox.faults();
			shiftAllClocks(10 * A_MINUTE);
			await host.publish('activate');
			await host.executed(1);
			expect(host.started).toEqual([since._id]);
		});

		it('and asks senders to repeat their calls until then', async () => {
			const old = await publishWhileDown('activate');
			await sandbox.faults({ ...list, fault: 'hang' });
			const { status } = await host.deliver({ queryId: old._id });
			expect(status).toBe(503);
		});
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

describe('publishing again', () => {
	const { proof, verification } = secretHeaderFieldsAndProof('whsec-la-brecha');
	const { service, host, start } = triggerOnListServiceForEachTest();

	beforeEach(async () => {
		service.rows = many('old', 30, 100);
		await start({
			parameters: { authenticity: 'credential', confirm: 'off' },
			credentials: withWebhookVerification(service.credentials(), verification),
		});
	});

	/** Lets the trigger check the list now. */
	async function check(): Promise<void> {
		shiftAllClocks(30_000);
		await host.deliver({ queryId: 'a-doorbell' }, proof);
	}

	describe('a list in pages of 10 with 25 new results, one of them undelivered,', () => {
		// the newest, one in the midst of a page that was delivered, the last of a page, the oldest
		it.each([0, 14, 19, 24])(
			'has the lost one started by the next check: number %i',
			async (lost) => {
				const fresh = Array.from({ length: 25 }, (_, each) => row(`new${each}`, 1 + each));
				service.rows = [...fresh, ...service.rows];
				for (const each of fresh.filter((_, index) => index !== lost).reverse()) {
					expect((await host.deliver(each, proof)).status).toBe(200);
				}
				await host.ended(24);
				await check();
				await host.executed(25);
				await check();
				expect([...host.started].sort()).toEqual(fresh.map(({ _id }) => _id).sort());
			},
		);
	});

	describe('a list in pages of 10, where one query is listed late,', () => {
		it('the next poll starts a result listed late behind a known one', async () => {
			const fresh = many('new', 9, 1);
			const [newest, ...old] = service.rows;
			service.rows = [...fresh, newest, row('late', 100.5), ...old];
			await check();
			await host.executed(10);
			expect([...host.started].sort()).toEqual([...fresh.map(({ _id }) => _id), 'late'].sort());
		});
	});
});

const A_DAY = 24 * 60;

describe('Start From at the sandbox', () => {
	const { sandbox, host, start } = freshTriggerAndSandboxForEachTest();

	it('takes the results of the last hours', async () => {
		const before = await sandbox.result();
		await start({ parameters: { startFrom: 'hours', hours: 1 } });
		await host.executed(1);
		expect(host.started).toEqual([before._id]);
	});

	it('takes the results since a date', async () => {
		const before = await sandbox.result();
		await start({ parameters: { startFrom: 'date', date: '2020-01-01T00:00:00' } });
		await host.executed(1);
		expect(host.started).toEqual([before._id]);
	});

	it('takes none before the date', async () => {
		await sandbox.result();
		await start({ parameters: { startFrom: 'date', date: '2999-01-01T00:00:00' } });
		await host.poll();
		expect(host.started).toEqual([]);
	});

	it('takes what is made after a date in the future, and nothing before it', async () => {
		const date = new Date(Date.now() + 3_600_000).toISOString();
		await start({ parameters: { startFrom: 'date', date } });
		await host.poll();
		await sandbox.result();
		shiftAllClocks(60_000);
		await host.poll();
		expect(host.started).toEqual([]);
	});

	it('names a date that is none', async () => {
		await start({ activation: null });
		const publishing = host.publish('activate', { startFrom: 'date', date: 'soon' });
		expect(codeAndFieldOf(await rejectionOrUndefined(publishing))).toEqual(['field.date', 'Date']);
	});

	it('Start From Publishing skips results of an hour without publishing', async () => {
		await start();
		await host.unpublish();
		const between = await sandbox.result();
		shiftAllClocks(3_600_000);
		await host.publish('activate');
		await host.poll();
		expect(host.started).not.toContain(between._id);
	});

	it.each(['update', 'activate'] as const)(
		'goes on where it was when the workflow is published again (%s)',
		async (activation) => {
			await start();
			await host.unpublish();
			const between = await sandbox.result();
			await host.publish(activation);
			await host.executed(1);
			expect(host.started).toEqual([between._id]);
		},
	);

	it('goes on where it was when the node was renamed', async () => {
		await start();
		const between = await sandbox.result();
		host.name = 'Results of the night';
		await host.publish('update');
		await host.executed(1);
		expect(host.started).toEqual([between._id]);
	});
});

describe('Start From: Date', () => {
	const { service, host, start } = triggerOnListServiceForEachTest();
	const sevenDaysAgo = DateTime.now().minus({ days: 7 });

	it.each([
		['a DateTime of an expression', '={{ $now.minus({ days: 7 }) }}'],
		['a Date of an expression', `={{ new Date(${sevenDaysAgo.toMillis()}) }}`],
		['day/month/year', sevenDaysAgo.toFormat('d/M/yyyy')],
		['a date and a time apart by a blank', sevenDaysAgo.toFormat('yyyy-MM-dd HH:mm')],
		['a day alone', sevenDaysAgo.toISODate()],
		['what the date picker writes', sevenDaysAgo.toFormat("yyyy-MM-dd'T'HH:mm:ss")],
	])('starts with queries made since %s', async (_, date) => {
		service.rows = [row('new', 2 * A_DAY), row('old', 10 * A_DAY)];
		await start({ parameters: { startFrom: 'date', date } });
		await host.ended(1);
		expect([host.started, host.failures]).toEqual([['new'], []]);
	});

	it('starts with a query that was made at that very moment', async () => {
		const anHourAgo = Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000;
		const date = new Date(anHourAgo).toISOString();
		service.rows = [row('equal', 0, { createdAt: date })];
		await start({ parameters: { startFrom: 'date', date } });
		await host.ended(1);
		expect(host.started).toEqual(['equal']);
	});

	it.each(['', 'soon', '45000', '2026-13-45'])(
		'is refused if the date is "%s", and says so in the executions list',
		async (date) => {
			await start({ activation: null, parameters: { startFrom: 'date', date } });
			const error = await rejectionOrUndefined(host.publish('activate'));
			expect(String(codeOf(error))).toMatch(/^field\.(date|serial)$/);
			expect(host.failures).toEqual([codeOf(error)]);
		},
	);
});

describe('Start From: Hours', () => {
	const { service, host, start } = triggerOnListServiceForEachTest();

	it("misses no later result though the service's dates are hours behind", async () => {
		service.rows = [row('old', 5 * 60)];
		await start({ parameters: { startFrom: 'hours', hours: 1 } });
		service.rows = [row('new', 6 * 60), ...service.rows];
		await host.poll();
		expect(host.started).toEqual(['new']);
	});

	it.each([0, 'abc'])('is refused for %j hours', async (hours) => {
		const starting = start({ parameters: { startFrom: 'hours', hours } });
		expect(codeAndFieldOf(await rejectionOrUndefined(starting))).toEqual(['field.number', 'Hours']);
		await start();
	});
});

describe("where the clock of n8n's machine is set back by an hour", () => {
	const AN_HOUR = 3_600_000;
	const { sandbox, host, start } = freshTriggerAndSandboxForEachTest();
	const clockIsSetBack = () => shiftWallClock(-AN_HOUR);

	it('handles a delivery after the clock was set back', async () => {
		await start();
		await host.poll();
		clockIsSetBack();
		const record = await sandbox.result();
		const { status } = await host.deliver(record);
		expect([status, host.started]).toEqual([200, [record._id]]);
	});

	it('continues to poll at intervals after the clock was set back', async () => {
		await start({ parameters: { receiveBy: 'asking', settings: { checkEvery: 60 } } });
		clockIsSetBack();
		const record = await sandbox.result();
		await host.executed(1);
		expect(host.started).toEqual([record._id]);
	});

	it('a query is read by its ID where there is no list', async () => {
		const apiMapping = '{"paths": {"getAll": ""}}';
		await start({ credentials: sandbox.credentials({ taxQueryApi: { apiMapping } }) });
		for (let count = 0; count < 2; count++) {
			await host.deliver({ queryId: (await sandbox.result())._id });
			shiftAllClocks(1_000);
		}
		clockIsSetBack();
		const record = await sandbox.result();
		const { status } = await host.deliver({ queryId: record._id });
		expect([status, host.started.at(-1)]).toEqual([200, record._id]);
	});

	it('a secret that was replaced is not taken any more', async () => {
		const method = { webhookVerification: 'header', webhookHeaderName: 'X-Secret' };
		const credentials = (secret: string) =>
			withWebhookVerification(sandbox.credentials(), { ...method, webhookSecret: secret });
		const options = {
			credentials: credentials('whsec-agave'),
			parameters: { authenticity: 'credential' },
		};
		await start(options);
		const deliver = async () =>
			(await host.deliver(await sandbox.result(), { 'X-Secret': 'whsec-agave' })).status;
		const before = await deliver();
		Object.assign(options.credentials, credentials('whsec-maguey'));
		clockIsSetBack();
		expect([before, await deliver()]).toEqual([200, 401]);
	});
});
