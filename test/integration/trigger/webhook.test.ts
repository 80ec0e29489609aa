import { sandboxWithQueries, type SandboxWithQueries } from '../support/queries';
import { TriggerHost, type TriggerHostOptions } from './triggerHost';

let sandbox: SandboxWithQueries;
let host: TriggerHost;

beforeAll(async () => (sandbox = await sandboxWithQueries()));
afterAll(async () => await sandbox.close());
afterEach(async () => await host.stop());

const start = async (options: Partial<TriggerHostOptions> = {}) =>
	(host = await TriggerHost.start({ credentials: sandbox.credentials(), ...options }));

type NodeParameters = TriggerHostOptions['webhook'];
const pendingToo = { settings: { ignorePending: false } };

describe('a delivered result', () => {
	it('is answered 200 in a few bytes', async () => {
		await start();
		const answer = await host.deliver(await sandbox.result());
		expect(answer).toEqual({ status: 200, body: '{"message":"Accepted"}' });
	});

	it('starts one execution with the record that the service has', async () => {
		await start({ webhook: { simplify: false } });
		const record = await sandbox.result();
		await host.deliver({ queryId: record._id });
		expect(host.executions).toEqual([
			[{ ...record, confirmed: true, deliveryId: expect.stringMatching(/^[0-9a-f]{32}$/) }],
		]);
	});

	it('is simplified as by the action node', async () => {
		await start();
		const record = await sandbox.result();
		await host.deliver(record);
		expect(host.items).toEqual([
			expect.objectContaining({ queryId: record._id, service: 'CRF', rfc: 'GODE561231GR8' }),
		]);
	});

	it('carries the kind of event that its envelope names', async () => {
		await start();
		await host.deliver({ event: 'query.finished', data: await sandbox.result() });
		expect(host.items).toEqual([expect.objectContaining({ event: 'query.finished' })]);
	});

	it('cannot bring in a forged record: the true one is emitted', async () => {
		await start({ webhook: { simplify: false } });
		const record = await sandbox.result();
		await host.deliver({ ...record, response: { RFC: 'XAXX010101000' } });
		expect(host.items).toEqual([expect.objectContaining({ response: record.response })]);
	});

	it('is as it was delivered, and says so, where confirmation is off', async () => {
		await start({ webhook: { simplify: false, confirm: false } });
		await host.deliver({ _id: 'a1', service: 'CRF', status: 'SUCCESS', response: { RFC: 'X' } });
		expect(host.items).toEqual([
			expect.objectContaining({ _id: 'a1', response: { RFC: 'X' }, confirmed: false }),
		]);
	});

	it('is answered 404 if the service does not know the query', async () => {
		await start();
		const { status } = await host.deliver({ _id: '0123456789abcdef01234567', status: 'SUCCESS' });
		expect({ status, executions: host.executions }).toEqual({ status: 404, executions: [] });
	});

	it('is answered 503 while the service cannot be asked, and accepted when it comes again', async () => {
		await start();
		const record = await sandbox.result();
		await sandbox.faults({ path: '/api/query/:id', fault: { status: 503 } });
		const first = await host.deliver(record);
		await sandbox.reset();
		const second = await host.deliver(record);
		expect([first.status, second.status, host.executions.length]).toEqual([503, 200, 1]);
	});

	it.each<[string, object, NodeParameters]>([
		['it says is there', { status: 'SUCCESS' }, {}],
		['it says is there, though pending ones are not ignored', { status: 'SUCCESS' }, pendingToo],
		['it may mean', {}, {}],
		['it may mean, of the statuses chosen', {}, { ...pendingToo, statuses: ['SUCCESS'] }],
	])('is answered 503 if the service does not have yet what %s', async (_, said, webhook) => {
		await start({ webhook });
		const queryId = await sandbox.pending();
		const { status } = await host.deliver({ queryId, ...said });
		expect({ status, executions: host.executions }).toEqual({ status: 503, executions: [] });
	});

	it('arrives also while a delivery of its earlier state is being confirmed', async () => {
		await start();
		const record = await sandbox.result();
		const pending = { ...record, status: 'PENDING', response: undefined };
		const path = `/api/query/${record._id}`;
		await sandbox.faults(
			{ path, times: 1, fault: { latency: 300 } },
			{ path, times: 1, fault: { status: 200, body: pending } },
		);
		const asked = (await sandbox.requests(path)).length;
		const earlier = host.deliver(pending);
		while ((await sandbox.requests(path)).length === asked);
		const statuses = [(await host.deliver(record)).status, (await earlier).status];
		expect({ statuses, executions: host.executions.length }).toEqual({
			statuses: [200, 200],
			executions: 1,
		});
	});

	it('is answered 500 if n8n cannot start the execution, and accepted when it comes again', async () => {
		await start();
		const record = await sandbox.result();
		host.isBroken = true;
		const first = await host.deliver(record);
		host.isBroken = false;
		const second = await host.deliver(record);
		expect([first.status, second.status, host.executions.length]).toEqual([500, 200, 1]);
	});

	it('comes together with others of one array, unknown ones left out', async () => {
		await start();
		const records = [await sandbox.result(), await sandbox.result('/query/rfc-data')];
		await host.deliver([...records, { _id: 'unknown1', status: 'SUCCESS' }]);
		expect(host.executions.map((items) => items.map(({ queryId }) => queryId))).toEqual([
			records.map(({ _id }) => _id),
		]);
	});
});

describe('a delivery that is not asked for starts nothing and is answered 200:', () => {
	it('a pending query', async () => {
		await start();
		const queryId = await sandbox.pending();
		const { status } = await host.deliver({ queryId, status: 'PENDING' });
		expect({ status, executions: host.executions }).toEqual({ status: 200, executions: [] });
	});

	it.each([
		['another service', { services: ['INVOICE'] }],
		['another status', { statuses: ['FAILED'] }],
	])('%s', async (_, webhook) => {
		await start({ webhook });
		const { status } = await host.deliver(await sandbox.result());
		expect({ status, executions: host.executions }).toEqual({ status: 200, executions: [] });
	});
});

describe('what a filter lets through', () => {
	it.each([
		['a chosen service', { services: ['CRF', 'INVOICE'] }],
		['a chosen status', { statuses: ['SUCCESS'] }],
		['a service under another name', { settings: { otherServices: 'invoices, crf' } }],
	])('%s', async (_, webhook) => {
		await start({ webhook });
		await host.deliver(await sandbox.result());
		expect(host.executions).toHaveLength(1);
	});

	it.each<[string, object, NodeParameters]>([
		['where pending ones are not ignored', { status: 'PENDING' }, pendingToo],
		['by its id alone, where pending ones are not ignored', {}, pendingToo],
		['by its id alone, where Pending is chosen', {}, { statuses: ['PENDING'] }],
	])('a pending query %s', async (_, said, webhook) => {
		await start({ webhook });
		await host.deliver({ queryId: await sandbox.pending(), ...said });
		expect(host.items).toEqual([expect.objectContaining({ status: 'PENDING' })]);
	});
});

describe('a body that names no query', () => {
	it('is emitted as unrecognized where that is asked for', async () => {
		await start({ webhook: { settings: { emitUnrecognized: true } } });
		await host.deliver({ hello: 'world' });
		expect(host.items).toEqual([
			{
				unrecognized: true,
				reason: 'The body names no query',
				body: '{"hello":"world"}',
				confirmed: false,
				deliveryId: expect.stringMatching(/^[0-9a-f]{32}$/),
			},
		]);
	});
});

describe('a test event', () => {
	it('starts each time, and takes nothing away from production', async () => {
		await start({ isManual: true });
		const record = await sandbox.result();
		await host.deliver(record);
		await host.deliver(record);
		expect({ started: host.executions.length, memory: host.staticData }).toEqual({
			started: 2,
			memory: '{}',
		});
	});
});
