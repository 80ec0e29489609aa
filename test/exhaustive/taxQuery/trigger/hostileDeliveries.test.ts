import { withWebhookVerification } from '../../../support/credentialFields';
import { hostileDeliveries, postWithExactHeaders } from './hostileCases';
import {
	inventHostileDeliveries,
	verificationMethods,
	type InventedDelivery,
} from './inventDeliveries';
import {
	startSandboxWithQueryHelpers,
	type SandboxWithQueryHelpers,
} from '../../../support/sandboxQueryClient';
import { shiftAllClocks, TriggerHost } from '../../../nodes/taxQuery/trigger/triggerHost';

/** An operator finds it in n8n's log, once an hour. */
const REFUSED = expect.stringMatching(/^warn: [^{}]*\(401\)[^{}]*$/) as string;
const NOT_READ = expect.stringMatching(/^warn: [\w -]+: [\w -]+$/) as string;
/** Larger bodies are refused unread. */
const MAX_BYTES = 16 * 1024 * 1024;
const LINES: Record<number, string[]> = {
	400: [NOT_READ],
	401: [REFUSED],
	413: [NOT_READ],
};

describe('a hostile delivery starts nothing, and is refused:', () => {
	let sandbox: SandboxWithQueryHelpers;
	let record: Record<string, unknown>;
	beforeAll(async () => {
		sandbox = await startSandboxWithQueryHelpers();
		record = await sandbox.result();
	});
	afterAll(async () => await sandbox.close());

	it('the table has 40 kinds at least', () => {
		expect(hostileDeliveries.length).toBeGreaterThanOrEqual(40);
	});

	it.each(hostileDeliveries.map((one) => [one.what, one.expected, one] as const))(
		'%s: %i',
		async (_what, expected, { credential, body, headers = () => [], isLong }) => {
			const host = await TriggerHost.start({
				credentials: withWebhookVerification(sandbox.credentials(), credential ?? {}),
				parameters: { authenticity: credential ? 'credential' : 'none' },
				// else a credential without a secret could not be published
				activation: credential?.webhookSecret === '' ? 'init' : 'activate',
			});
			const content = body(record);
			const status = await postWithExactHeaders(host.url, content, headers(content));
			await host.handled();
			await host.stop();
			expect(isLong ? [expected, 503] : [expected]).toContain(status);
			expect(host.executions).toEqual([]);
			// one that is answered before it was read is logged later
			if (status === expected)
				expect(host.log).toEqual(content.length > MAX_BYTES ? [] : (LINES[expected] ?? []));
		},
	);
});

describe('a trigger that verifies webhook calls', () => {
	it.each([
		['no method', {}],
		['no secret', { webhookVerification: 'signature', webhookSecret: '' }],
	])('is not published with a credential that has %s', async (_what, fields) => {
		const sandbox = await startSandboxWithQueryHelpers();
		const publishing = TriggerHost.start({
			credentials: withWebhookVerification(sandbox.credentials(), fields),
			parameters: { authenticity: 'credential' },
		});
		await expect(publishing).rejects.toMatchObject({ context: { code: 'credential.webhook' } });
		await sandbox.close();
	});
});

describe('a trigger that gets unproved deliveries', () => {
	it('logs them once an hour, without their content', async () => {
		const sandbox = await startSandboxWithQueryHelpers();
		const verification = {
			webhookVerification: 'header',
			webhookSecret: 'whsec-palo',
			webhookHeaderName: 'X-Secret',
		};
		const host = await TriggerHost.start({
			credentials: withWebhookVerification(sandbox.credentials(), verification),
			parameters: { authenticity: 'credential' },
		});
		const deliver = async () =>
			(await host.deliver({ queryId: 'forged' }, { 'X-Secret': 'guessed' })).status;
		const statuses = [await deliver(), await deliver(), await deliver()];
		const log = [...host.log];
		shiftAllClocks(3_600_000);
		await deliver();
		await host.stop();
		await sandbox.close();
		expect({ statuses, log, later: host.log }).toEqual({
			...{ statuses: [401, 401, 401], log: [REFUSED], later: [REFUSED, REFUSED] },
		});
		expect(log.join()).not.toMatch(/forged|guessed/);
	});
});

describe('125 invented deliveries', () => {
	it.each(Object.keys(verificationMethods) as Array<InventedDelivery['mode']>)(
		'start nothing and throw nothing, with authenticity %s',
		async (mode) => {
			const sandbox = await startSandboxWithQueryHelpers();
			const credential = verificationMethods[mode];
			const host = await TriggerHost.start({
				credentials: withWebhookVerification(sandbox.credentials(), credential ?? {}),
				parameters: { authenticity: credential ? 'credential' : 'none' },
			});
			const known = await sandbox.result();
			await host.poll();
			const statuses = new Map<number, number>();
			const deliveries = inventHostileDeliveries(known, 125).filter((each) => each.mode === mode);
			for (let at = 0; at < deliveries.length; at += 25) {
				shiftAllClocks(1_000);
				const answers = deliveries
					.slice(at, at + 25)
					.map(async ({ body, headers }) => await postWithExactHeaders(host.url, body, headers));
				for (const status of await Promise.all(answers)) {
					statuses.set(status, (statuses.get(status) ?? 0) + 1);
				}
			}
			await host.stop();
			await sandbox.close();
			expect(host.started).toEqual([known._id]);
			expect([...host.log].sort()).toEqual(credential ? [NOT_READ, REFUSED] : [NOT_READ]);
			// 202 where the machine was too slow to read the record before the sender is answered
			const documented = [200, 202, 400, 401, 404, 413];
			expect([...statuses.keys()].filter((status) => !documented.includes(status))).toEqual([]);
			expect([...statuses.values()].reduce((sum, count) => sum + count)).toBe(125);
		},
	);
});
