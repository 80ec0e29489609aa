import type { FaultRule } from '../../../sandbox/faults';
import { sandboxWithQueries, type Query, type SandboxWithQueries } from '../support/queries';
import { failure, TriggerHost, type TriggerHostOptions } from './triggerHost';

let sandbox: SandboxWithQueries;
let host: TriggerHost;

beforeEach(async () => (sandbox = await sandboxWithQueries()));
afterEach(async () => {
	await host.stop();
	await sandbox.close();
});

const start = async (options: Partial<TriggerHostOptions> = {}) =>
	(host = await TriggerHost.start({ credentials: sandbox.credentials(), ...options }));

const polled = () => host.items.map(({ queryId }) => queryId);

describe('the polling trigger', () => {
	it('emits what has finished since the activation, oldest first, in one execution', async () => {
		await sandbox.result();
		await start();
		await host.activate();
		const first = await sandbox.result();
		const second = await sandbox.result('/query/rfc-data');
		await host.poll();
		expect(host.executions.map((items) => items.map(({ queryId }) => queryId))).toEqual([
			[first._id, second._id],
		]);
	});

	it('marks each item as confirmed, with a deliveryId', async () => {
		await start();
		await host.activate();
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

	it('emits a query that was pending at the activation once it has its result', async () => {
		const slow = await sandbox.ask('/query/crf', { rfc: await sandbox.reservedRfc('pending') });
		await start({ polling: { options: { ignorePending: true } } });
		await host.activate();
		const id = await sandbox.ask();
		await sandbox.finished(id);
		await host.poll();
		expect({ polled: polled(), pending: (await sandbox.query(slow)).status }).toEqual({
			polled: [id],
			pending: 'PENDING',
		});
	});

	it('leaves out what was answered at once, if no service is chosen', async () => {
		await start();
		await host.activate();
		await sandbox.service.post('/query/curp-data', { curp: 'GODE561231HDFMZM09' }).catch(() => {});
		await sandbox.service.post('/query/rfc-calculator', calculation);
		const later = await sandbox.result();
		await host.poll();
		expect(polled()).toEqual([later._id]);
	});

	it.each([
		['asked for', { options: { includeImmediate: true } }],
		['chosen', { services: ['RFC_CALCULATOR'] }],
	])('emits what was answered at once where that is %s', async (_, polling) => {
		await start({ polling });
		await host.activate();
		const { data } = await sandbox.service.post<{ _id: string }>(
			'/query/rfc-calculator',
			calculation,
		);
		await host.poll();
		expect(polled()).toEqual([data._id]);
	});

	it('emits no more than the most per poll, and the rest with the next ones', async () => {
		await start({ polling: { options: { maxResults: 2 } } });
		await host.activate();
		const ids: string[] = [];
		for (let count = 0; count < 5; count++) ids.push((await sandbox.result())._id);
		await host.poll();
		await host.poll();
		await host.poll();
		await host.poll();
		expect(host.executions.map((items) => items.map(({ queryId }) => queryId))).toEqual([
			ids.slice(0, 2),
			ids.slice(2, 4),
			ids.slice(4),
		]);
	});

	it.each([
		['of one moment', { updatedAt: new Date().toISOString() }],
		['without a date', {}],
	])('emits each once, though they are more than are remembered, and %s', async (_, dates) => {
		await start({ polling: { startFrom: 'hours', hours: 1, options: { maxResults: 1000 } } });
		const record = { service: 'CRF', status: 'SUCCESS', response: {}, ...dates };
		const rows = Array.from({ length: 5000 }, (_, index) => ({ ...record, _id: `q${index}` }));
		await sandbox.faults({ path: '/api/query', fault: { status: 200, body: rows } });
		await host.activate();
		for (let count = 0; count < 6; count++) await host.poll();
		expect(polled().sort()).toEqual(rows.map(({ _id }) => _id).sort());
	});

	it('emits a late result of an old query, though its date is not renewed', async () => {
		const done = await sandbox.result();
		const old = { ...done, _id: 'old', updatedAt: '2026-01-01T00:00:00.000Z' };
		const waiting = { ...old, status: 'PENDING', response: undefined };
		const listing = async (row: object) =>
			await sandbox.faults({ path: '/api/query', fault: { status: 200, body: [done, row] } });
		await start();
		await listing(waiting);
		await host.activate();
		await host.poll();
		await listing(old);
		await host.poll();
		await host.poll();
		expect(polled()).toEqual(['old']);
	});

	it('reads a result by its id where the list does not hold it', async () => {
		await start();
		await host.activate();
		const row: Partial<Record<string, unknown>> = await sandbox.result();
		delete row.response;
		await sandbox.faults({ path: '/api/query', times: 1, fault: { status: 200, body: [row] } });
		await host.poll();
		expect(host.items).toEqual([expect.objectContaining({ rfc: 'GODE561231GR8' })]);
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

	it('brings nothing that was delivered', async () => {
		await start();
		await list([]);
		await host.activate();
		const record = await sandbox.result();
		await host.deliver(record);
		await list([record]);
		await host.poll();
		expect(polled()).toEqual([record._id]);
	});

	it('brings nothing that was there before the activation, though it has no dates', async () => {
		await start();
		const [before, later] = [await sandbox.result(), await sandbox.result()];
		await list([before]);
		await host.activate();
		await list([before, later]);
		await host.poll();
		expect(polled()).toEqual([later._id]);
	});

	it('has each result read by its id once', async () => {
		await start();
		await list([]);
		await host.activate();
		const record = await sandbox.result();
		await list([record]);
		const before = (await readById(record)).length;
		for (let count = 0; count < 3; count++) await host.poll();
		expect([polled(), (await readById(record)).length - before]).toEqual([[record._id], 1]);
	});

	/** Polls two results, the first of which is answered so by its id; and then polls once more, without that. */
	const pollTwice = async (answer: FaultRule['fault']) => {
		await start();
		await list([]);
		await host.activate();
		const records = [await sandbox.result(), await sandbox.result()];
		await list(records, { path: `/api/query/${records[0]._id}`, fault: answer });
		await host.poll();
		await list(records);
		await host.poll();
		const [first, second] = records.map(({ _id }) => _id);
		return { first, second };
	};

	it.each<[string, FaultRule['fault']]>([
		['cannot be read', { status: 503 }],
		['is pending still', { status: 200, body: { _id: 'q', service: 'CRF', status: 'PENDING' } }],
	])('does not hold up the others by a result that %s', async (_, answer) => {
		const { first, second } = await pollTwice(answer);
		expect(polled()).toEqual([second, first]);
	});

	it('brings as it is listed what the service does not know by its id', async () => {
		const { first, second } = await pollTwice({ status: 404 });
		expect(polled().sort()).toEqual([first, second].sort());
	});

	it('tells why, if none can be read', async () => {
		await start();
		await list([]);
		await host.activate();
		const record = await sandbox.result();
		await list([record], { path: `/api/query/${record._id}`, fault: { status: 503 } });
		expect(await failure(host.poll())).toBe('The Tax Query Service failed with status 503');
	});
});

const calculation = { name: 'Emma', firstLastName: 'Gómez', day: 31, month: 12, year: 1956 };

describe('Start From', () => {
	it('takes the results of the last hours', async () => {
		const before = await sandbox.result();
		await start({ polling: { startFrom: 'hours', hours: 1 } });
		await host.activate();
		expect(polled()).toEqual([before._id]);
	});

	it('takes the results since a date', async () => {
		const before = await sandbox.result();
		await start({ polling: { startFrom: 'date', date: '2020-01-01T00:00:00' } });
		await host.activate();
		expect(polled()).toEqual([before._id]);
	});

	it('takes none before the date', async () => {
		await sandbox.result();
		await start({ polling: { startFrom: 'date', date: '2999-01-01T00:00:00' } });
		await host.activate();
		expect(polled()).toEqual([]);
	});

	it('names a date that is none', async () => {
		await start({ polling: { startFrom: 'date', date: 'soon' } });
		expect(await failure(host.activate())).toBe('"Date" of Start From is empty or not a date');
	});

	it('with activation leaves out what came while the workflow was not active', async () => {
		await start();
		await host.activate();
		const between = await sandbox.result();
		await host.activate('activate');
		expect(polled()).not.toContain(between._id);
	});

	it('goes on where it was when the workflow is published again', async () => {
		await start();
		await host.activate();
		const between = await sandbox.result();
		await host.activate('update');
		expect(polled()).toEqual([between._id]);
	});

	it('goes on where it was when the node was renamed', async () => {
		await start();
		await host.activate();
		const between = await sandbox.result();
		host.names.polling = 'Results of the night';
		await host.activate('update');
		expect(polled()).toEqual([between._id]);
	});
});

describe('a service that is slow or fails', () => {
	it('delays a result and does not lose it', async () => {
		await start();
		await host.activate();
		const record = await sandbox.result();
		await sandbox.faults({ path: '/api/query', fault: { status: 503 } });
		const message = await failure(host.poll());
		await sandbox.faults();
		await host.poll();
		expect({ message, polled: polled() }).toEqual({
			message: 'The Tax Query Service failed with status 503',
			polled: [record._id],
		});
	});

	it('does not keep n8n from activating the workflow when it starts', async () => {
		await start();
		await host.activate();
		const record = await sandbox.result();
		await host.restart();
		await sandbox.faults({ path: '/api/query', fault: { status: 503 } });
		await host.activate('init');
		await sandbox.faults();
		await host.poll();
		expect({ log: host.log, polled: polled() }).toEqual({
			log: [expect.stringMatching(/^warn: The first poll for query results has to wait: /)],
			polled: [record._id],
		});
	});

	it('is told to who activates the workflow', async () => {
		await start({ credentials: sandbox.credentials({ taxQueryApi: { clientSecret: 'wrong' } }) });
		expect(await failure(host.activate())).toMatch(/No access token/);
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
		await host.activate();
		const [a, b] = [await sandbox.result(), await sandbox.result()];
		await sandbox.faults(page([b], 2), page([a], 2));
		await host.poll();
		expect(polled()).toEqual([a._id, b._id]);
	});

	it('that holds less than it tells is not taken for the whole', async () => {
		await start();
		await host.activate();
		const [a, b] = [await sandbox.result(), await sandbox.result()];
		await sandbox.faults(page([b], 2), page([], 2));
		const message = await failure(host.poll());
		await sandbox.faults();
		await host.poll();
		expect({ message, polled: polled() }).toEqual({
			message: 'The list of queries could not be read as a whole',
			polled: [a._id, b._id],
		});
	});
});

describe('Fetch Test Event', () => {
	it('brings the latest result', async () => {
		await sandbox.result();
		const latest = await sandbox.result('/query/rfc-data');
		await start({ isManual: true });
		await host.activate();
		expect(polled()).toEqual([latest._id]);
	});

	it('brings it each time', async () => {
		await sandbox.result();
		await start({ isManual: true });
		await host.activate();
		await host.poll();
		expect(host.executions).toHaveLength(2);
	});

	it('says so where there is none', async () => {
		await start({ isManual: true });
		expect(await failure(host.activate())).toBe(
			'There is no result yet that this trigger would emit',
		);
	});
});
