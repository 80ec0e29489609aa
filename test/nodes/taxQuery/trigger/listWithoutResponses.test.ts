import type { FaultRule } from '../../../../sandbox/plugins/faults';
import { withWebhookVerification } from '../../../support/credentialFieldBuilders';
import { type Query } from '../../../support/sandboxQueryClient';
import { many, row, type Row } from './listService';
import { shiftAllClocks } from './triggerHost';
import {
	triggerOnListServiceForEachTest,
	secretHeaderFieldsAndProof,
	freshTriggerAndSandboxForEachTest,
} from './freshTriggerForEachTest';

describe('a list of IDs and statuses', () => {
	const { sandbox, host, start } = freshTriggerAndSandboxForEachTest();

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
		const [unknown, { _id, status }] = [await sandbox.result(), await sandbox.result()];
		const body = [
			{ _id: unknown._id, service: 'CRF' },
			{ _id, status },
		];
		await sandbox.faults({ path: '/api/query', exact: true, fault: { status: 200, body } });
		const before = (await readById(unknown)).length;
		for (let count = 0; count < 3; count++) await host.poll();
		const reads = (await readById(unknown)).length - before;
		expect({ started: host.started.length, reads }).toEqual({ started: 2, reads: 1 });
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
			shiftAllClocks(60_000);
			await host.poll();
		}
		expect([host.started, host.errors.map(({ context }) => context)]).toEqual([
			[],
			[expect.objectContaining({ code: 'putAside', queryId: record._id })],
		]);
	});
});

describe('a listed result without its response', () => {
	const { service, host, start } = triggerOnListServiceForEachTest();

	const withoutResponse = (one: Row) => ({ ...one, response: undefined });

	it('waits for its record where that lags behind the list', async () => {
		await start({ parameters: { settings: { simplify: false } } });
		const one = row('q', 0);
		service.listed = () => [withoutResponse(one)];
		await host.poll();
		service.rows = [one];
		await host.poll();
		expect(host.items).toEqual([expect.objectContaining({ _id: 'q', response: { RFC: 'X' } })]);
	});

	it('is put aside as an error after five minutes without its record', async () => {
		await start();
		service.listed = () => [withoutResponse(row('q', 0))];
		for (let minutes = 0; minutes < 6; minutes++) {
			shiftAllClocks(60_000);
			await host.poll();
		}
		expect([host.started, host.errors.map(({ context }) => context)]).toEqual([
			[],
			[expect.objectContaining({ code: 'putAside', queryId: 'q' })],
		]);
	});

	it('starts though its record takes longer than the first poll allows', async () => {
		await start();
		service.rows = [row('q', 0)];
		service.listed = () => service.rows.map(withoutResponse);
		service.slowMs = 6_000;
		await host.poll();
		await host.poll();
		await host.executed(1);
		expect(host.started).toEqual(['q']);
	});

	it.each([undefined, null, {}])(
		'is read by its ID where the list shows %j as response',
		async (response) => {
			await start({ parameters: { settings: { simplify: false } } });
			service.rows = [row('q', 0)];
			service.listed = () => service.rows.map((one) => ({ ...one, response }) as Row);
			await host.poll();
			await host.poll();
			expect(host.items).toEqual([expect.objectContaining({ response: { RFC: 'X' } })]);
		},
	);

	it('costs no request of its own while it is pending', async () => {
		service.page = () => service.listed();
		await start();
		service.rows = many('p', 50, 1, { status: 'PENDING', response: undefined });
		await host.poll();
		await host.poll();
		expect(service.requests.filter((path) => path.startsWith('/query/p'))).toEqual([]);
	});
});

describe('a listed success without its response, of which a proved call brings one,', () => {
	const { verification, proof } = secretHeaderFieldsAndProof('whsec-nopal-azul');
	const { service, host, start } = triggerOnListServiceForEachTest();

	it.each([
		['PENDING', { progress: 50 }],
		['FAILED', { error: 'first attempt failed' }],
	])('starts nothing if that is about another status: %s', async (status, response) => {
		service.rows = [row('q1', 0, { response: undefined })];
		await start({
			credentials: withWebhookVerification(service.credentials(), verification),
			parameters: { receiveBy: 'webhook', authenticity: 'credential' },
		});
		await host.deliver({ _id: 'q1', service: 'CRF', status, response }, proof);
		await host.handled();
		expect(host.items).toEqual([]);
	});
});
