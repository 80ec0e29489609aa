import { type Query } from '../../../support/sandboxQueryClient';
import { many, row as listed } from './listService';
import { shiftAllClocks } from './triggerHost';
import {
	triggerOnListServiceForEachTest,
	freshTriggerAndSandboxForEachTest,
} from './freshTriggerForEachTest';

const FIRST_POLL_MS = 15_000;
const { sandbox, host, start } = freshTriggerAndSandboxForEachTest();

type Row = Partial<Query> & { _id: string };
/** A finished query, dated so many milliseconds after noon of a day. */
const row = (_id: string, ms: number, more: object = {}): Row => {
	const at = new Date(Date.UTC(2026, 4, 1, 12) + ms).toISOString();
	return {
		...{ _id, service: 'CRF', status: 'SUCCESS', response: { RFC: 'X' } },
		...{ createdAt: at, updatedAt: at, ...more },
	};
};
/** The service lists these rows, and has these records by their IDs. */
const listing = async (rows: Row[], records: Row[] = []) =>
	await sandbox.faults(
		{ path: '/api/query', exact: true, fault: { status: 200, body: rows } },
		...records.map((record) => ({
			path: `/api/query/${encodeURIComponent(record._id)}`,
			fault: { status: 200, body: record },
		})),
	);

it('results of IDs with any characters are read by these, and start once each', async () => {
	const ids = ['a/b?c#d', 'á é', '%2e%2e', "'; DROP TABLE", '🂡', 'x'.repeat(90), '__proto__'];
	await listing([]);
	await start();
	const records = ids.map((id, index) => row(id, index));
	await listing(
		records.map((each) => ({ ...each, response: undefined })),
		records,
	);
	await host.poll();
	await host.endsSaved();
	await host.kill();
	await host.publish('init');
	shiftAllClocks(FIRST_POLL_MS);
	await host.poll();
	await host.poll();
	expect({ started: host.started, log: host.log }).toEqual({ started: ids, log: [] });
});

it('results of numeric IDs are delivered by these, and start once each', async () => {
	await listing([]);
	await start();
	const numbered = (id: number) => row(id as unknown as string, id);
	await listing([numbered(7)]);
	const first = await host.deliver({ queryId: 7 });
	await listing([numbered(8), numbered(7)]);
	shiftAllClocks(1_000);
	const second = await host.deliver(numbered(8));
	expect({ statuses: [first.status, second.status], started: host.started }).toEqual({
		...{ statuses: [200, 200], started: ['7', '8'] },
	});
});

describe('an ID that a call writes in other letters than the service', () => {
	const { service, host, start } = triggerOnListServiceForEachTest();

	it.each(['webhook', 'both'])('starts its result once: %s', async (receiveBy) => {
		const id = 'abcdef00-0000-4000-8000-000000000500';
		service.readsAnyCase = true;
		service.rows = many('old', 30, 1);
		await start({ parameters: { receiveBy } });
		service.rows = [listed(id, 0), ...service.rows];
		for (const queryId of [id, id, id.toUpperCase(), id.toUpperCase()]) {
			shiftAllClocks(5_000);
			await host.deliver({ queryId });
			await host.handled();
		}
		expect(host.started).toEqual([id]);
	});
});
