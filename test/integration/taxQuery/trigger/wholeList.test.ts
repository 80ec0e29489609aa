import type { FaultRule } from '../../../../sandbox/plugins/faults';
import { sandboxWithQueries, type SandboxWithQueries } from '../../support/queries';
import { TriggerHost, type TriggerHostOptions } from './triggerHost';

let sandbox: SandboxWithQueries;
let host: TriggerHost;

beforeEach(async () => (sandbox = await sandboxWithQueries()));
afterEach(async () => {
	await host.stop();
	await sandbox.close();
});

const start = async (options: Partial<TriggerHostOptions> = {}) =>
	(host = await TriggerHost.start({ credentials: sandbox.credentials(), ...options }));

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
const requests = async () => (await sandbox.requests('/api/query')).length;

describe('another service or client behind the same credential', () => {
	let other: SandboxWithQueries;
	beforeEach(async () => (other = await sandboxWithQueries({ pastQueries: 30, seed: 7 })));
	afterEach(async () => await other.close());

	it.each([
		['before it has shown any query', 0],
		['after it has shown some', 2],
	])('does not start what it has done before: exchanged %s', async (_, count) => {
		const credentials = sandbox.credentials();
		await start({ credentials });
		for (let each = 0; each < count; each++) await sandbox.result();
		await host.look();
		const before = host.started.length;
		Object.assign(credentials, other.credentials());
		await host.publish('update');
		await host.look();
		const record = await other.result();
		await host.look();
		expect([before, host.started.slice(before)]).toEqual([count, [record._id]]);
		expect(host.log.join()).toMatch(/another service or client/);
	});

	it('does not start it where the base URL was edited and nothing was published', async () => {
		const credentials = sandbox.credentials();
		await start({ credentials });
		Object.assign(credentials, other.credentials());
		await host.look();
		const record = await other.result();
		await host.look();
		expect(host.started).toEqual([record._id]);
	});

	it('loses nothing where it is the same service under another name or client', async () => {
		const credentials = sandbox.credentials();
		await start({ credentials });
		const first = await sandbox.result();
		await host.look();
		const between = await sandbox.result();
		const { taxQueryApi } = credentials as { taxQueryApi: { baseUrl: string } };
		taxQueryApi.baseUrl = taxQueryApi.baseUrl.replace('127.0.0.1', 'localhost');
		await host.publish('update');
		await host.executed(2);
		expect(host.started).toEqual([first._id, between._id]);
	});

	it('is no other where what was saved does not tell', async () => {
		await start();
		const { _id } = await sandbox.result();
		await host.unpublish();
		const saved = JSON.parse(host.staticData) as {
			global: { taxQueryCursor: Record<string, Record<string, unknown>> };
		};
		delete saved.global.taxQueryCursor['node-1'].account;
		host.staticData = JSON.stringify(saved);
		await host.kill();
		await host.publish('update');
		await host.executed(1);
		expect(host.started).toEqual([_id]);
	});
});

describe('a trigger that begins anew', () => {
	it('takes the whole list for old, though its first page holds no news', async () => {
		const rows = past(300);
		await listing(rows, 100);
		await start({ parameters: { startFrom: 'hours', hours: 1 } });
		await listing(rows, 100);
		await host.publish('update', { startFrom: 'activation' });
		await listing([row('new', 0), ...rows], 100);
		await host.look();
		await listing([row('new', 0), ...rows], 100);
		await host.look();
		expect(host.started).toEqual(['new']);
	});
});

describe('a list in pages', () => {
	it('that begins with the oldest is read to its end, though the dates of a page are equal', async () => {
		const [q0, q1] = [row('q0', 60), row('q1', 60)];
		await listing([q0, q1], 2);
		await start();
		await listing([q0, q1], 2);
		await host.look();
		await listing([q0, q1, row('q2', 0)], 2);
		await host.look();
		expect(host.started).toEqual(['q2']);
	});

	it('from the newest on is not read to its end, though the dates of a page are equal', async () => {
		const rows = [row('q0', 1), row('q1', 1), ...past(20)];
		await listing(rows, 2);
		await start();
		await listing(rows, 2);
		const before = await requests();
		await host.look();
		expect([host.started, (await requests()) - before]).toEqual([[], 2]);
	});

	it('shows behind its first page what was delivered while n8n could not start it', async () => {
		await listing([], 2, {
			path: '/api/query',
			exact: true,
			times: 1,
			fault: { status: 200, body: [] },
		});
		await start({
			parameters: { authenticity: 'credential', confirm: false },
			credentials: {
				...sandbox.credentials(),
				taxQueryWebhookApi: { method: 'header', secret: 'whsec-1', headerName: 'X-Secret' },
			},
		});
		const [a, b, c] = [row('a', 3), row('b', 2), row('c', 1)];
		const deliver = async (record: Row) => await host.deliver(record, { 'X-Secret': 'whsec-1' });
		host.isBroken = true;
		await deliver(a);
		await new Promise((resolve) => setTimeout(resolve, 50));
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
		await host.look();
		const done = waiting.map(({ _id }, each) => row(_id, 10 + each));
		await listing([...newer, ...done], 5);
		await host.deliver(done.map(({ _id }) => ({ queryId: _id })));
		await host.executed(55);
		expect(new Set(host.started).size).toBe(55);
	});
});
