import { sandboxWithQueries, type SandboxWithQueries } from '../support/queries';
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

const handedOver = () => host.executions.map((items) => items.map(({ queryId }) => queryId));

/** A minute passes, then another result is delivered, and n8n ends: what was before came through for sure. */
async function endAMinuteLater(): Promise<void> {
	await host.deliver(await sandbox.result());
	const data = JSON.parse(host.staticData) as {
		global: { taxQueryDelivered: Record<string, number> };
	};
	const { taxQueryDelivered: delivered } = data.global;
	for (const id of Object.keys(delivered).slice(0, -1)) delivered[id] -= 60_000;
	host.staticData = JSON.stringify(data);
	await host.restart();
}

describe('the same result starts one execution', () => {
	it('when it is delivered twice', async () => {
		await start();
		const record = await sandbox.result();
		const answers = [await host.deliver(record), await host.deliver(record)];
		expect({ answers, started: host.executions.length }).toMatchObject({
			answers: [{ status: 200 }, { status: 200, body: '{"message":"Nothing new"}' }],
			started: 1,
		});
	});

	it('when it is delivered in different shapes', async () => {
		await start();
		const record = await sandbox.result();
		await host.deliver(record);
		await host.deliver({ event: 'done', data: { queryId: record._id, status: 'SUCCESS' } });
		await host.deliver([record, record]);
		expect(handedOver()).toEqual([[record._id]]);
	});

	it('when 100 copies are delivered at the same time', async () => {
		await start();
		const record = await sandbox.result();
		const answers = await Promise.all(Array.from({ length: 100 }, () => host.deliver(record)));
		expect({
			refused: answers.filter(({ status }) => status !== 200).length,
			executions: handedOver(),
		}).toEqual({ refused: 0, executions: [[record._id]] });
	});

	it('when it is delivered 100 times at once without confirmation', async () => {
		await start({ webhook: { confirm: false } });
		const record = await sandbox.result();
		await Promise.all(Array.from({ length: 100 }, () => host.deliver(record)));
		expect(handedOver()).toEqual([[record._id]]);
	});

	it('when it is polled after it was delivered', async () => {
		await start();
		await host.activate();
		const record = await sandbox.result();
		await host.deliver(record);
		await host.poll();
		expect(handedOver()).toEqual([[record._id]]);
	});

	it('when it is delivered after it was polled', async () => {
		await start();
		await host.activate();
		const record = await sandbox.result();
		await host.poll();
		await host.deliver(record);
		expect(handedOver()).toEqual([[record._id]]);
	});

	it('when it is delivered and polled at the same time', async () => {
		await start();
		await host.activate();
		const record = await sandbox.result();
		await Promise.all([host.deliver(record), host.poll(), host.deliver(record), host.poll()]);
		expect(handedOver()).toEqual([[record._id]]);
	});

	it('but a later state of the same query starts another', async () => {
		await start({ webhook: { confirm: false } });
		const record = await sandbox.result();
		await host.deliver({ ...record, updatedAt: '2026-01-01T00:00:00.000Z' });
		await host.deliver({ ...record, updatedAt: '2026-01-02T00:00:00.000Z' });
		expect(host.executions).toHaveLength(2);
	});

	it('whichever way its date is written', async () => {
		await start({ webhook: { confirm: false } });
		const record = await sandbox.result();
		await host.deliver({ ...record, updatedAt: '2026-01-01T00:00:00.000Z' });
		await host.deliver({ ...record, updatedAt: '2025-12-31T18:00:00-06:00' });
		expect(host.executions).toHaveLength(1);
	});
});

describe('a restart of n8n', () => {
	it('remembers what was delivered by either trigger', async () => {
		await start();
		await host.activate();
		const delivered = await sandbox.result();
		await host.deliver(delivered);
		const polled = await sandbox.result();
		await host.poll();
		await endAMinuteLater();
		await host.activate('init');
		await host.deliver(delivered);
		await host.deliver(polled);
		const ids = handedOver().flat();
		expect(ids.filter((id) => [delivered._id, polled._id].includes(String(id)))).toHaveLength(2);
	});

	it('remembers what the webhook saved, though the poller saved an older copy after it', async () => {
		await start();
		await host.activate();
		const delivered = await sandbox.result();
		await host.deliver(delivered);
		const polled = await sandbox.result('/query/rfc-data');
		await host.poll();
		await endAMinuteLater();
		await host.deliver(delivered);
		await host.deliver(polled);
		expect(host.executions).toHaveLength(3);
	});

	it('hands over once more, with the same deliveryId, what may have been cut off', async () => {
		await start();
		await host.activate();
		await host.deliver(await sandbox.result());
		await host.restart();
		await host.activate('init');
		const [first, second] = host.items;
		expect(second).toEqual(first);
	});

	it('hands that over once, not at each further poll', async () => {
		await start();
		await host.activate();
		await host.deliver(await sandbox.result());
		await host.restart();
		await host.activate('init');
		await host.poll();
		expect(host.executions).toHaveLength(2);
	});

	it('accepts from the sender what may have been cut off', async () => {
		await start();
		const record = await sandbox.result();
		await host.deliver(record);
		await host.restart();
		await host.deliver(record);
		expect(new Set(host.items.map(({ deliveryId }) => deliveryId)).size).toBe(1);
		expect(host.executions).toHaveLength(2);
	});

	it('does not forget what finished while n8n was down', async () => {
		await start();
		await host.activate();
		const record = await sandbox.result();
		await host.restart();
		await host.activate('init');
		expect(handedOver()).toEqual([[record._id]]);
	});
});

describe('the memory of a workflow', () => {
	it('keeps the last 2,000 results', async () => {
		await start({ webhook: { confirm: false } });
		const record = await sandbox.result();
		for (let batch = 0; batch < 21; batch++) {
			await host.deliver(
				Array.from({ length: 100 }, (_, index) => ({ ...record, _id: `q${batch}-${index}` })),
			);
		}
		const { global } = JSON.parse(host.staticData) as {
			global: { taxQueryDelivered: object };
		};
		expect(Object.keys(global.taxQueryDelivered)).toHaveLength(2000);
	});

	it('is apart from that of another workflow', async () => {
		await start();
		const record = await sandbox.result();
		await host.deliver(record);
		const other = await TriggerHost.start({ credentials: sandbox.credentials() });
		await other.deliver(record);
		await other.stop();
		expect(other.executions).toHaveLength(1);
	});
});
