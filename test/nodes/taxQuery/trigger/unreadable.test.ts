import { until } from '../../../support/until';
import type { FaultRule } from '../../../../sandbox/plugins/faults';
import { shiftAllClocks } from './triggerHost';
import { freshTriggerAndSandboxForEachTest } from './freshTriggerForEachTest';

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
/** Returns the service's response about a query by its ID; by default its record. */
type ShownMessage = Record<string, Fault>;

/** The service lists these rows, from the newest on; in pages of two where `isPaged`. */
async function listing(rows: Row[], message: ShownMessage = {}, isPaged = false): Promise<void> {
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
	it.each<[string, Fault]>([['a notice of maintenance', answer({ message: 'Under maintenance' })]])(
		'loses nothing when many polls in a short time meet %s',
		async (_, fault) => {
			await listing([]);
			await start();
			await listing([bad], { bad: fault });
			await pollCount(8);
			await listing([bad]);
			await pollCount(1);
			expect([host.started, host.failures]).toEqual([['bad'], []]);
		},
	);

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
