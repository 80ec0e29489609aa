import { until } from '../../../support/until';
import type { FaultRule } from '../../../../sandbox/plugins/faults';
import { codeOf, fieldErrorOf } from '../../support/errorCode';
import { type Query } from '../../support/queries';
import { failure, pass } from './triggerHost';
import { outOfOrder, triggerSuite } from './suite';

const { sandbox, host, start } = triggerSuite();

const calculation = { name: 'Emma', firstLastName: 'Gómez', day: 31, month: 12, year: 1956 };

describe('a poll', () => {
	it('starts each result since publishing once, oldest first', async () => {
		await sandbox.result();
		await start();
		const first = await sandbox.result();
		const second = await sandbox.result('/query/rfc-data');
		await host.poll();
		expect(host.executions.map((items) => items.map(({ queryId }) => queryId))).toEqual([
			[first._id],
			[second._id],
		]);
	});

	it('comes by itself, as often as the trigger says', async () => {
		await start({ parameters: { receiveBy: 'asking', settings: { checkEvery: 5 } } });
		const record = await sandbox.result();
		pass(5_000);
		await host.executed(1);
		expect(host.started).toEqual([record._id]);
	});

	it('comes six times as often after one that brought a result', async () => {
		await start({ parameters: { receiveBy: 'asking', settings: { checkEvery: 60 } } });
		const first = await sandbox.result();
		pass(60_000);
		await host.executed(1);
		const second = await sandbox.result();
		pass(10_000);
		await host.executed(2);
		expect(host.started).toEqual([first._id, second._id]);
	});

	it('marks each item as confirmed, with a deliveryId', async () => {
		await start();
		await sandbox.result();
		await host.poll();
		expect(host.items).toEqual([
			expect.objectContaining({
				confirmed: true,
				deliveryId: expect.stringMatching(/^[0-9a-f]{32}$/),
				rfc: 'GODE561231GR8',
			}),
		]);
	});

	it('emits a query that was pending at publishing once it has its result', async () => {
		const slow = await sandbox.pending();
		await start();
		const { _id } = await sandbox.result();
		await host.poll();
		expect({ started: host.started, slow: (await sandbox.query(slow)).status }).toEqual({
			started: [_id],
			slow: 'PENDING',
		});
	});

	it('leaves out what was answered at once, if no query is chosen', async () => {
		await start();
		await sandbox.service.post('/query/rfc-calculator', calculation);
		const later = await sandbox.result();
		await host.poll();
		expect(host.started).toEqual([later._id]);
	});

	it.each([
		['not left out', { services: ['any'] }],
		['chosen', { services: ['calculateRfc'] }],
	])('emits what was answered at once where that is %s', async (_, parameters) => {
		await start({ parameters });
		const { data } = await sandbox.service.post<{ _id: string }>(
			'/query/rfc-calculator',
			calculation,
		);
		await host.poll();
		expect(host.started).toEqual([data._id]);
	});

	it('emits no more than the most, and the next ones the rest, in order', async () => {
		await start({ parameters: { settings: { maxResults: 2 } } });
		const ids: string[] = [];
		for (let count = 0; count < 5; count++) ids.push((await sandbox.result())._id);
		await host.poll();
		const first = [...host.started];
		await host.executed(5);
		expect([first, host.started]).toEqual([ids.slice(0, 2), ids]);
	});

	it.each([
		['of different moments', (index: number) => index, '{}'],
		['of one moment', () => 0, '{"list": {"order": "newestFirst"}}'],
	])('emits each once, though they are more than are saved, and %s', async (_, age, apiMapping) => {
		const now = Date.now();
		const record = { service: 'CRF', status: 'SUCCESS', response: { RFC: 'X' } };
		const rows = Array.from({ length: 1200 }, (_, index) => ({
			...record,
			_id: `q${index}`,
			createdAt: new Date(now - age(index)).toISOString(),
		}));
		await sandbox.faults({ path: '/api/query', exact: true, fault: { status: 200, body: rows } });
		await start({
			parameters: { startFrom: 'hours', hours: 1, settings: { maxResults: 600 } },
			credentials: sandbox.credentials({ taxQueryApi: { pointsPerSecond: 0, apiMapping } }),
		});
		for (let poll = 0; poll < 20 && host.executions.length < 1200; poll++) {
			pass(60_000);
			await host.poll();
		}
		await host.poll();
		await host.poll();
		expect(host.started.sort()).toEqual(rows.map(({ _id }) => _id).sort());
		expect(host.staticData.length).toBeLessThan(100_000);
	});

	it('emits a late result of an old query, though its date is not renewed', async () => {
		const done = await sandbox.result();
		const old = { ...done, _id: 'old', updatedAt: '2026-01-01T00:00:00.000Z' };
		const waiting = { ...old, status: 'PENDING', response: undefined };
		const listing = async (row: object) =>
			await sandbox.faults({ path: '/api/query', fault: { status: 200, body: [done, row] } });
		await listing(waiting);
		await start();
		await host.poll();
		await listing(old);
		await host.poll();
		await host.poll();
		expect(host.started).toEqual(['old']);
	});

	it('reads a result by its ID where the list does not hold it', async () => {
		await start();
		const row: Partial<Record<string, unknown>> = await sandbox.result();
		delete row.response;
		await sandbox.faults({ path: '/api/query', times: 1, fault: { status: 200, body: [row] } });
		await host.poll();
		expect(host.items).toEqual([expect.objectContaining({ rfc: 'GODE561231GR8' })]);
	});

	it('loses nothing if the workflow is published again during a poll', async () => {
		await start();
		const record = await sandbox.result();
		await sandbox.faults({ path: '/api/query', times: 1, fault: { latency: 500 } });
		const slow = host.poll();
		await until('a look', async () => (await sandbox.requests('/api/query')).length >= 2);
		await host.publish('update');
		await slow;
		await host.poll();
		expect(host.started).toEqual([record._id]);
	});
});

describe('a list that holds less than the records', () => {
	/** The service lists these, by id and status alone. */
	const list = async (records: Query[], ...further: FaultRule[]) => {
		const body = records.map(({ _id, status }) => ({ _id, status }));
		await sandbox.faults(
			{ path: '/api/query', exact: true, fault: { status: 200, body } },
			...further,
		);
	};
	const readById = async ({ _id }: Query) => await sandbox.requests(`/api/query/${_id}`);

	it('brings nothing that was there before, though it has no dates', async () => {
		const before = await sandbox.result();
		await list([before]);
		await start();
		const later = await sandbox.result();
		await list([before, later]);
		await host.poll();
		expect(host.started).toEqual([later._id]);
	});

	it('has each result read by its ID once', async () => {
		await list([]);
		await start();
		const record = await sandbox.result();
		await list([record]);
		const before = (await readById(record)).length;
		for (let count = 0; count < 3; count++) await host.poll();
		expect([host.started, (await readById(record)).length - before]).toEqual([[record._id], 1]);
	});

	it('reads a row without a status by its ID once', async () => {
		await list([]);
		await start();
		const [bare, { _id, status }] = [await sandbox.result(), await sandbox.result()];
		const body = [
			{ _id: bare._id, service: 'CRF' },
			{ _id, status },
		];
		await sandbox.faults({ path: '/api/query', exact: true, fault: { status: 200, body } });
		const before = (await readById(bare)).length;
		for (let count = 0; count < 3; count++) await host.poll();
		expect([host.started.length, (await readById(bare)).length - before]).toEqual([2, 1]);
	});

	it('is filtered by the record that was read', async () => {
		await list([]);
		await start({ parameters: { services: ['getRfcData'] } });
		const records = [await sandbox.result(), await sandbox.result('/query/rfc-data')];
		await list(records);
		await host.poll();
		expect(host.started).toEqual([records[1]._id]);
	});

	/** Polls two results, the first of which fails by its ID, and polls again without that. */
	const pollTwice = async (answer: FaultRule['fault']) => {
		await list([]);
		await start();
		const records = [await sandbox.result(), await sandbox.result()];
		await list(records, { path: `/api/query/${records[0]._id}`, fault: answer });
		await host.poll();
		await list(records);
		await host.poll();
		const [first, second] = records.map(({ _id }) => _id);
		return { first, second };
	};

	it.each<[string, FaultRule['fault']]>([
		['cannot be read', { status: 400 }],
		['is pending still', { status: 200, body: { _id: 'q', service: 'CRF', status: 'PENDING' } }],
	])('does not hold up the others by a result that %s', async (_, answer) => {
		const { first, second } = await pollTwice(answer);
		expect(host.started).toEqual([second, first]);
	});

	it('brings as it is listed what the service does not know by its ID', async () => {
		const { first, second } = await pollTwice({ status: 404 });
		expect(host.started.sort()).toEqual([first, second].sort());
	});

	it('reports an unreadable row once, and puts it aside', async () => {
		await list([]);
		await start();
		const record = await sandbox.result();
		await list([record], { path: `/api/query/${record._id}`, fault: { status: 400 } });
		for (let count = 0; count < 7; count++) {
			pass(60_000);
			await host.poll();
		}
		expect([host.started, host.errors.map(({ context }) => context)]).toEqual([
			[],
			[expect.objectContaining({ code: 'putAside', queryId: record._id })],
		]);
	});
});

describe('Start From', () => {
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

	it('names a date that is none', async () => {
		await start({ activation: null });
		const publishing = host.publish('activate', { startFrom: 'date', date: 'soon' });
		expect(fieldErrorOf(await failure(publishing))).toEqual(['field.date', 'Date']);
	});

	it('Start From Publishing skips results of an hour without publishing', async () => {
		await start();
		await host.unpublish();
		const between = await sandbox.result();
		pass(3_600_000);
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

describe('a service that is slow or fails', () => {
	const isDown = { path: '/api/query', fault: outOfOrder };

	it('delays a result and does not lose it', async () => {
		await start();
		const record = await sandbox.result();
		await sandbox.faults(isDown);
		const { status } = await host.poll();
		await sandbox.faults();
		await host.poll();
		expect([status, host.started]).toEqual([503, [record._id]]);
	});

	it('does not keep n8n from publishing the workflow when it starts', async () => {
		await start();
		const record = await sandbox.result();
		await host.kill();
		await sandbox.faults(isDown);
		await host.publish('init');
		pass(15_000);
		await host.poll();
		await sandbox.faults();
		await host.poll();
		expect(host.started).toEqual([record._id]);
	});

	it('refuses publishing when the service fails', async () => {
		const credentials = sandbox.credentials({ taxQueryApi: { clientSecret: 'wrong' } });
		await start({ activation: null, credentials });
		expect(codeOf(await failure(host.publish('activate')))).toBe('login.refused');
	});

	it('reports an outage once, from its second failed poll on', async () => {
		await start();
		const text: number[] = [];
		for (const fault of [isDown, isDown, isDown, undefined, isDown, isDown]) {
			await sandbox.faults(...(fault ? [fault] : []));
			await host.poll();
			text.push(host.failures.length);
		}
		expect({ reported: text, log: host.log.filter((line) => line.startsWith('info')) }).toEqual({
			reported: [0, 1, 1, 1, 1, 2],
			log: [expect.any(String)],
		});
	});

	it('reports a revoked secret right after a start', async () => {
		await start({ activation: null });
		await host.stop();
		await start({
			activation: 'init',
			credentials: sandbox.credentials({ taxQueryApi: { clientSecret: 'revoked' } }),
		});
		pass(15_000);
		await host.poll();
		pass(60_000);
		await host.poll();
		expect(host.failures).toEqual(['login.refused']);
	});
});

describe('a list in pages', () => {
	const page = (rows: object[], total: number) => ({
		path: '/api/query',
		times: 1,
		fault: { status: 200, body: { data: rows, total } },
	});

	it('is read to its end', async () => {
		await start();
		const [a, b] = [await sandbox.result(), await sandbox.result()];
		await sandbox.faults(page([b], 2), page([a], 2));
		await host.poll();
		expect(host.started).toEqual([a._id, b._id]);
	});

	it('loses nothing with a list shorter than reported, and logs it', async () => {
		await start();
		const [a, b] = [await sandbox.result(), await sandbox.result()];
		await sandbox.faults(page([b], 2), page([], 2));
		await host.poll();
		await sandbox.faults();
		await host.poll();
		expect([host.started, host.log]).toEqual([
			[b._id, a._id],
			[expect.stringMatching(/^warn: .* 2 .* 1 .*list\.offset/)],
		]);
	});
});

describe('the test in the editor, without a delivery,', () => {
	it('brings the latest result, each time', async () => {
		await sandbox.result();
		const latest = await sandbox.result('/query/rfc-data');
		await start({ parameters: { receiveBy: 'asking' } });
		const [first, second] = [await host.testInEditor(), await host.testInEditor()];
		expect([first[0].queryId, second[0].queryId]).toEqual([latest._id, latest._id]);
	});

	it('says so where there is none', async () => {
		await start({ parameters: { receiveBy: 'asking' } });
		expect(codeOf(await failure(host.testInEditor()))).toBe('noResultYet');
	});
});
