import { fetchUnpooled } from '../../../../demo/http';
import { until } from '../../../support/until';
import { type Query } from '../../support/queries';
import { pass } from './triggerHost';
import { triggerSuite } from './suite';

const A_DAY = 24 * 3_600_000;
const FIRST_POLL_MS = 15_000;

const { sandbox, host, start } = triggerSuite();

type Row = Partial<Query> & { _id: string };
const at = (ms: number) => new Date(Date.UTC(2026, 4, 1, 12) + ms).toISOString();
/** A finished query, dated so many milliseconds after noon of a day. */
const row = (_id: string, ms: number, more: object = {}): Row => {
	const dates = { createdAt: at(ms), updatedAt: at(ms) };
	return { _id, service: 'CRF', status: 'SUCCESS', response: { RFC: 'X' }, ...dates, ...more };
};
const many = (name: string, count: number, more: object = {}) =>
	Array.from({ length: count }, (_, index) => row(`${name}${index}`, 0, more));

/** The service lists these rows, and has these records by their IDs. */
const listing = async (rows: Row[], records: Row[] = []) =>
	await sandbox.faults(
		{ path: '/api/query', exact: true, fault: { status: 200, body: rows } },
		...records.map((record) => ({
			path: `/api/query/${encodeURIComponent(record._id)}`,
			fault: { status: 200, body: record },
		})),
	);
const killed = async () => {
	await host.endsSaved();
	await host.kill();
	await host.publish('init');
	pass(FIRST_POLL_MS);
	await host.poll();
	await host.poll();
};

describe('results are started once each, and those from before are not, where', () => {
	it('the clock of the service is set back by a day', async () => {
		const before = row('before', A_DAY);
		await listing([before]);
		await start();
		await listing([row('after', 0), before]);
		await host.poll();
		await killed();
		expect(host.started).toEqual(['after']);
	});

	it('a row is dated in the year 9999', async () => {
		const unknown = row('unknown', 0, { updatedAt: '9999-12-31T00:00:00Z' });
		await listing([unknown]);
		await start();
		await listing([row('a', 1_000), unknown]);
		await host.poll();
		await killed();
		await listing([row('b', 2_000), row('a', 1_000), unknown]);
		await host.poll();
		expect(host.started).toEqual(['a', 'b']);
	});

	it.each([['1,500 rows have no date', { createdAt: undefined, updatedAt: undefined }]])(
		'%s, in an order that the API Mapping names',
		async (_, dates) => {
			const old = many('old', 1_500, dates);
			await listing(old);
			const apiMapping = '{"list": {"order": "newestFirst", "paging": "none"}}';
			await start({ credentials: sandbox.credentials({ taxQueryApi: { apiMapping } }) });
			await listing([row('a', 0, dates), ...old]);
			await host.poll();
			await killed();
			expect(host.started).toEqual(['a']);
			await listing([row('b', 0, dates), row('a', 0, dates), ...old]);
			await host.poll();
			expect(host.started).toEqual(['a', 'b']);
		},
	);

	it.each([null, {}])('rows say success and have %j as response', async (response) => {
		await start({ parameters: { settings: { simplify: false } } });
		await listing([row('lean', 0, { response })], [row('lean', 0)]);
		await host.poll();
		await host.poll();
		expect(host.items).toEqual([expect.objectContaining({ response: { RFC: 'X' } })]);
	});

	it('a result comes with a date of days only', async () => {
		const today = { createdAt: '2026-05-01', updatedAt: '2026-05-01' };
		await listing([row('old', 0, today)]);
		await start();
		await listing([row('old', 0, today), row('new', 0, today)]);
		await host.poll();
		await killed();
		expect(host.started).toEqual(['new']);
	});

	it('rows have a date of creation only, and the result comes after an hour', async () => {
		const once = { updatedAt: undefined };
		const waiting = { ...row('slow', -3_600_000, once), status: 'PENDING', response: {} };
		await listing([waiting]);
		await start();
		const others = Array.from({ length: 5 }, (_, index) => row(`other${index}`, index, once));
		await listing([...others, waiting]);
		await host.poll();
		await listing([...others, row('slow', -3_600_000, once)]);
		await host.poll();
		await host.poll();
		expect(host.started).toEqual([...others.map(({ _id }) => _id), 'slow']);
	});

	it('the list begins with the oldest', async () => {
		const rows = Array.from({ length: 5 }, (_, index) => row(`q${index}`, index * 1_000));
		await listing(rows.slice(0, 2));
		await start();
		await listing(rows);
		await host.poll();
		await host.poll();
		expect(host.started).toEqual(['q2', 'q3', 'q4']);
	});

	it('IDs are unusual', async () => {
		const ids = ['a/b?c#d', 'á é', '%2e%2e', "'; DROP TABLE", '🂡', 'x'.repeat(90), '__proto__'];
		await listing([]);
		await start();
		const rows = ids.map((id, index) => row(id, index));
		const withoutResponse = rows.map((each) => ({ ...each, response: undefined }));
		await listing(withoutResponse, rows);
		await host.poll();
		await killed();
		expect([host.started, host.log]).toEqual([ids, []]);
	});

	it.each<[string, (ms: number) => number | string]>([
		['seconds since the epoch', (ms) => ms / 1_000],
	])('dates are %s, and the list is long', async (_, written) => {
		const noon = Date.UTC(2026, 4, 1, 12);
		const dated = (name: string, ms: number) => {
			const date = written(noon + ms);
			return row(name, 0, { createdAt: date, updatedAt: date });
		};
		const old = Array.from({ length: 1_500 }, (__, index) => dated(`old${index}`, -index * 1_000));
		await listing(old);
		await start();
		await listing([dated('a', 1_000), ...old]);
		await host.poll();
		await host.endsSaved();
		await host.kill();
		await listing([dated('b', 2_000), dated('a', 1_000), ...old]);
		await host.publish('init');
		pass(FIRST_POLL_MS);
		await host.poll();
		await host.poll();
		expect([host.started, host.log]).toEqual([['a', 'b'], []]);
	});

	it('IDs are numbers, in the list and in deliveries', async () => {
		await listing([]);
		await start();
		const numbered = (id: number) => row(id as unknown as string, id);
		await listing([numbered(7)]);
		const statuses = [(await host.deliver({ queryId: 7 })).status];
		await listing([numbered(8), numbered(7)]);
		pass(1_000);
		statuses.push((await host.deliver(numbered(8))).status);
		expect([statuses, host.started]).toEqual([
			[200, 200],
			['7', '8'],
		]);
	});

	it('a result changes from failed to success', async () => {
		await listing([]);
		await start();
		await listing([row('a', 0, { status: 'FAILED', response: { message: 'no' } })]);
		await host.poll();
		await listing([row('a', 5_000)]);
		await host.poll();
		await host.poll();
		expect(host.items.map(({ queryId, status }) => [queryId, status])).toEqual([
			['a', 'FAILED'],
			['a', 'SUCCESS'],
		]);
		expect(new Set(host.items.map(({ deliveryId }) => deliveryId)).size).toBe(2);
	});
});

describe('a query that is pending', () => {
	it('sends no request for a pending row without response', async () => {
		await listing([]);
		await start();
		const withoutResponse = Array.from({ length: 50 }, (_, index) => ({
			...row(`p${index}`, index),
			status: 'PENDING',
			response: undefined,
		}));
		await listing(withoutResponse);
		await host.poll();
		await sandbox.control.delete('/requests');
		await host.poll();
		expect((await sandbox.requests()).length).toBe(1);
	});
});

describe('a sender', () => {
	it('that hangs up at once has its result started, once', async () => {
		await start();
		const record = await sandbox.result();
		const hangUp = new AbortController();
		const sent = fetchUnpooled(host.url, {
			method: 'POST',
			body: JSON.stringify(record),
			signal: hangUp.signal,
		}).catch(() => undefined);
		const before = (await sandbox.requests('/api/query')).length;
		await until('a look', async () => {
			pass(100);
			return (await sandbox.requests('/api/query')).length > before;
		});
		hangUp.abort();
		await sent;
		await host.executed(1);
		await host.deliver(record);
		expect(host.started).toEqual([record._id]);
	});
});

describe('a credential that is revoked in the middle', () => {
	it('reports a revoked credential once, and loses nothing with a new one', async () => {
		const credentials = sandbox.credentials();
		await start({ credentials });
		const before = await sandbox.result();
		await host.poll();
		const refused = { status: 401, body: { message: 'revoked' } };
		await sandbox.faults(
			{ path: '/api/query', fault: refused },
			{ path: '/api/oauth/token', fault: refused },
		);
		const after = await sandbox.result().catch(() => undefined);
		const answers: number[] = [];
		for (let count = 0; count < 4; count++) answers.push((await host.poll()).status);
		await sandbox.faults();
		pass(60_000); // a refused login is not tried again for a while
		const between = after ?? (await sandbox.result());
		await host.poll();
		await host.poll();
		expect({ answers, reported: host.failures.length, started: host.started }).toEqual({
			answers: [503, 503, 503, 503],
			reported: 1,
			started: [before._id, between._id],
		});
	});
});
