import { withWebhookVerification } from '../../../support/credentialFieldBuilders';
import type { FaultRule } from '../../../../sandbox/plugins/faults';
import { until } from '../../../support/until';
import { freshTriggerAndSandboxForEachTest } from './freshTriggerForEachTest';

const { sandbox, host, start } = freshTriggerAndSandboxForEachTest();

const now = Date.now();
const A_MINUTE = 60_000;
/** A finished query of so many minutes ago. */
const row = (_id: string, minutes: number, more: object = {}) => {
	const at = new Date(now - minutes * A_MINUTE).toISOString();
	const record = { service: 'CRF', status: 'SUCCESS', response: { RFC: 'X' } };
	return { _id, ...record, createdAt: at, updatedAt: at, ...more };
};
type Row = ReturnType<typeof row>;
const past = (count: number) =>
	Array.from({ length: count }, (_, each) => row(`p${each}`, each + 90));

/** The service lists these rows, so many on a page, and has each by its ID. */
async function listing(rows: Row[], pageSize: number, ...further: FaultRule[]): Promise<void> {
	const pages = Array.from({ length: Math.ceil(rows.length / pageSize) }, (_, page) => {
		const data = rows.slice(page * pageSize, (page + 1) * pageSize);
		const body = { data, total: rows.length };
		return { path: '/api/query', exact: true, times: 1, fault: { status: 200, body } };
	});
	const byId = rows.slice(0, 10).map((record) => ({
		path: `/api/query/${record._id}`,
		fault: { status: 200, body: record },
	}));
	await sandbox.faults(...further, ...pages, ...byId);
}

describe('a trigger that begins anew', () => {
	it('takes the whole list for old, though its first page holds no news', async () => {
		const rows = past(300);
		await listing(rows, 100);
		await start({ parameters: { startFrom: 'hours', hours: 1 } });
		await listing(rows, 100);
		await host.publish('update', { startFrom: 'activation' });
		await listing([row('new', 0), ...rows], 100);
		await host.poll();
		await listing([row('new', 0), ...rows], 100);
		await host.poll();
		expect(host.started).toEqual(['new']);
	});

	it('starts nothing that it started before, of which n8n keeps no execution any more', async () => {
		const rows = [row('came', 30), ...past(10)];
		await listing(rows, 100);
		await start({ parameters: { startFrom: 'hours', hours: 1 } });
		await host.endsSaved();
		await host.kill();
		host.prune();
		await listing([row('new', 0), ...rows], 100);
		await host.publish('update', { startFrom: 'hours', hours: 1.2 });
		await host.ended(2);
		await listing([row('newest', 0), row('new', 0), ...rows], 100);
		await host.poll();
		await host.ended(3);
		expect(host.started).toEqual(['came', 'new', 'newest']);
	});
});

describe('a list in pages', () => {
	it('shows behind its first page what was delivered while n8n could not start it', async () => {
		await listing([], 2, {
			path: '/api/query',
			exact: true,
			times: 1,
			fault: { status: 200, body: [] },
		});
		await start({
			parameters: { authenticity: 'credential', confirm: 'off' },
			credentials: withWebhookVerification(sandbox.credentials(), {
				webhookVerification: 'header',
				webhookSecret: 'whsec-1',
				webhookHeaderName: 'X-Secret',
			}),
		});
		const [a, b, c] = [row('a', 3), row('b', 2), row('c', 1)];
		const deliver = async (record: Row) => await host.deliver(record, { 'X-Secret': 'whsec-1' });
		host.isBroken = true;
		await deliver(a);
		await until('a failed start', () => host.refusals > 0);
		host.isBroken = false;
		await deliver(b);
		await deliver(c);
		await host.executed(2);
		await listing([c, b, a], 2);
		await host.publish('update');
		await host.executed(3);
		expect(host.started).toEqual(['b', 'c', 'a']);
	});

	it('is read on for queries that were delivered, many at once, behind its first page', async () => {
		const waiting = Array.from({ length: 50 }, (_, each) =>
			row(`w${each}`, 10 + each, { status: 'PENDING', response: undefined }),
		);
		await listing(waiting, 5);
		await start();
		const newer = [row('n0', 1), row('n1', 2), row('n2', 3), row('n3', 4), row('n4', 5)];
		await listing([...newer, ...waiting], 5);
		await host.poll();
		const done = waiting.map(({ _id }, each) => row(_id, 10 + each));
		await listing([...newer, ...done], 5);
		await host.deliver(done.map(({ _id }) => ({ queryId: _id })));
		await host.executed(55);
		expect(new Set(host.started).size).toBe(55);
	});
});
