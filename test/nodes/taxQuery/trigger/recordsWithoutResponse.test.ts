import { withWebhookVerification } from '../../../support/credentialFieldBuilders';
import { createHmac } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { fetchUnpooled } from '../../../../demo/fetchUnpooled';
import {
	startSandboxWithQueryHelpers,
	type SandboxWithQueryHelpers,
} from '../../../support/sandboxQueryClient';
import { secretHeaderFieldsAndProof } from './freshTriggerForEachTest';
import { shiftAllClocks, TriggerHost, type TriggerHostOptions } from './triggerHost';

let sandbox: SandboxWithQueryHelpers;
let host: TriggerHost;

beforeEach(async () => (sandbox = await startSandboxWithQueryHelpers()));
afterEach(async () => {
	await host.stop();
	await sandbox.close();
});

describe('Webhook Only without confirmation: a proved delivery without response', () => {
	const SECRET = 'whsec-flor-blanca';
	const start = async (options: Partial<TriggerHostOptions> = {}) => {
		const verification = {
			webhookVerification: 'header',
			webhookSecret: SECRET,
			webhookHeaderName: 'X-Secret',
		};
		host = await TriggerHost.start({
			parameters: { receiveBy: 'webhook', authenticity: 'credential', confirm: 'off' },
			...options,
			credentials: withWebhookVerification(
				options.credentials ?? sandbox.credentials(),
				verification,
			),
		});
		shiftAllClocks(60_000); // n8n has started
	};
	const deliver = async (body: object) => await host.deliver(body, { 'X-Secret': SECRET });

	it.each([
		['an ID alone', {}],
		['no response', { status: 'SUCCESS', response: null }],
	])('starts the workflow once, with the record that the service has: %s', async (_, more) => {
		await start();
		const { _id } = await sandbox.result();
		const first = await deliver({ queryId: _id, ...more });
		shiftAllClocks(1_000);
		const second = await deliver({ queryId: _id, ...more });
		expect([first.status, second.status, host.items]).toEqual([
			200,
			200,
			[expect.objectContaining({ queryId: _id, rfc: 'GODE561231GR8', confirmed: true })],
		]);
	});

	it('does so for more queries than are read in a second', async () => {
		await start();
		const ids: string[] = [];
		for (let count = 0; count < 5; count++) ids.push((await sandbox.result())._id);
		const { status } = await deliver(ids.map((queryId) => ({ queryId })));
		expect([status, new Set(host.started)]).toEqual([200, new Set(ids)]);
	});

	it('is answered 503 where the service has no result yet', async () => {
		await start();
		const { status } = await deliver({ queryId: await sandbox.pending() });
		expect([status, host.started]).toEqual([503, []]);
	});

	it.each(['PENDING', 'FAILED'])(
		'is taken as it is where it says that there is none: %s',
		async (word) => {
			await start();
			const { status } = await deliver({ queryId: 'q1', status: word });
			expect([status, host.items.map((item) => [item.status, item.confirmed])]).toEqual([
				200,
				word === 'FAILED' ? [['FAILED', false]] : [],
			]);
		},
	);

	it('returns 503 without a credential for reading, except for failures', async () => {
		await start({ credentials: {} });
		const alone = await deliver({ queryId: 'q1' });
		const lacking = await deliver({ queryId: 'q2', service: 'CRF', status: 'SUCCESS' });
		const failed = await deliver({ queryId: 'q3', service: 'CRF', status: 'FAILED' });
		expect([alone.status, lacking.status, failed.status, host.started]).toEqual([
			503,
			503,
			200,
			['q3'],
		]);
	});
});

describe('a proved delivery of a query that the service does not know by its ID', () => {
	const SECRET = 'whsec-flor-blanca';
	const start = async () => {
		const verification = {
			webhookVerification: 'header',
			webhookSecret: SECRET,
			webhookHeaderName: 'X-Secret',
		};
		host = await TriggerHost.start({
			parameters: { receiveBy: 'webhook', authenticity: 'credential', confirm: 'off' },
			credentials: withWebhookVerification(sandbox.credentials(), verification),
		});
		shiftAllClocks(60_000); // n8n has started
	};
	const deliver = async (body: object) => await host.deliver(body, { 'X-Secret': SECRET });

	it('starts nothing for a delivery whose query cannot be identified', async () => {
		await start();
		const { status } = await deliver({ queryId: 'w1', status: 'SUCCESS', result: { RFC: 'X' } });
		expect([status, host.started]).toEqual([404, []]);
	});

	it('reads an unknown query in two polls at most', async () => {
		await start();
		const ids: string[] = [];
		for (let count = 0; count < 5; count++) ids.push((await sandbox.result())._id);
		const readings = async () =>
			(await Promise.all(ids.map(async (id) => await sandbox.requests(`/api/query/${id}`)))).flat()
				.length;
		const before = await readings();
		const copies = Array.from(
			{ length: 10 },
			async () => await deliver(ids.map((queryId) => ({ queryId }))),
		);
		const statuses = (await Promise.all(copies)).map(({ status }) => status);
		const reads = (await readings()) - before;
		// 503: reading it took longer than a sender waits
		expect(statuses.filter((status) => ![200, 503].includes(status))).toEqual([]);
		expect(new Set(host.started)).toEqual(new Set(ids));
		expect(reads).toBeLessThanOrEqual(10);
	});
});

describe('a message of Standard Webhooks', () => {
	const key = Buffer.from('agua-clara-del-valle-2026');
	const startSigned = async () =>
		(host = await TriggerHost.start({
			parameters: { receiveBy: 'webhook', authenticity: 'credential' },
			credentials: withWebhookVerification(sandbox.credentials(), {
				webhookVerification: 'signature',
				signatureFormat: 'standard',
				webhookSecret: `whsec_${key.toString('base64')}`,
			}),
		}));
	const sendSigned = async (id: string, body: object) => {
		shiftAllClocks(1_000);
		const timestamp = String(Math.floor(Date.now() / 1000));
		const text = JSON.stringify(body);
		const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${text}`);
		return await host.deliver(text, {
			'webhook-id': id,
			'webhook-timestamp': timestamp,
			'webhook-signature': `v1,${signature.digest('base64')}`,
		});
	};

	it('that was answered 503 is taken when it comes again', async () => {
		await startSigned();
		const { _id } = await sandbox.result();
		const send = async () => await sendSigned('msg_1', { queryId: _id, status: 'SUCCESS' });
		await sandbox.faults({ path: '/api/query', fault: { status: 403 } });
		const first = await send();
		await sandbox.faults();
		const second = await send();
		expect([first.status, second.status, host.started]).toEqual([503, 200, [_id]]);
	});

	it('that came before is not read again: a copy, or a replay', async () => {
		await startSigned();
		const { _id } = await sandbox.result();
		const send = async () => await sendSigned('msg_2', { queryId: _id, status: 'SUCCESS' });
		await send();
		const before = (await sandbox.requests()).length;
		const { status } = await send();
		expect([status, (await sandbox.requests()).length - before, host.started]).toEqual([
			200,
			0,
			[_id],
		]);
	});

	it('accepts a result whose message ID equals its query ID', async () => {
		await startSigned();
		const { _id } = await sandbox.result();
		const send = async (body: object) => await sendSigned(_id, body);
		const first = await send({ queryId: await sandbox.pending(), status: 'PENDING' });
		const second = await send({ queryId: _id, status: 'SUCCESS' });
		const copy = await send({ queryId: _id, status: 'SUCCESS' });
		expect([first.status, second.status, copy.status, host.started]).toEqual([
			200,
			200,
			200,
			[_id],
		]);
	});
});

describe('a delivery of a shape that nobody knows', () => {
	it('refuses an unreadable delivery, and polls for its result', async () => {
		host = await TriggerHost.start({ credentials: sandbox.credentials() });
		const { _id } = await sandbox.result();
		shiftAllClocks(1_000);
		const { status } = await host.deliver({ type: 'query.completed', subject: { key: _id } });
		await host.executed(1);
		expect([status, host.started, host.log]).toEqual([
			400,
			[_id],
			[expect.stringMatching(/^warn: /)],
		]);
	});
});

describe('deliveries that nothing proves, while the service is slow', () => {
	/** Each of the bodies takes about 10 MB of memory once it is parsed. */
	const [BODIES, MOST_MB] = [20, 80];

	it('leave nothing of their bodies in memory', async () => {
		host = await TriggerHost.start({ credentials: sandbox.credentials() });
		setFlagsFromString('--expose-gc');
		const collect = runInNewContext('gc') as () => void;
		const heap = () => {
			collect();
			return process.memoryUsage().heapUsed / 1024 / 1024;
		};
		await sandbox.faults({ path: '/api/query', fault: 'hang' });
		shiftAllClocks(1_000);
		const gone = new AbortController();
		const body = JSON.stringify({ queryId: 'forged', response: Array(250_000).fill([]) });
		const send = async () =>
			await fetchUnpooled(host.url, { method: 'POST', body, signal: gone.signal }).catch(
				() => undefined,
			);
		const before = heap();
		const waiting = Array.from({ length: 200 }, async () => {
			const small = JSON.stringify({ queryId: 'forged' });
			await fetchUnpooled(host.url, { method: 'POST', body: small, signal: gone.signal }).catch(
				() => {},
			);
		});
		const statuses = [];
		for (let count = 0; count < BODIES; count++) statuses.push((await send())?.status);
		const grown = heap() - before;
		gone.abort();
		await Promise.all(waiting);
		expect(new Set(statuses)).toEqual(new Set([202]));
		expect(grown).toBeLessThan(MOST_MB);
	});
});

describe('a proved result of a query that the service still shows as pending', () => {
	it('starts the workflow once its record is finished, though without a response', async () => {
		const { verification, proof } = secretHeaderFieldsAndProof('whsec-nopal');
		host = await TriggerHost.start({
			credentials: withWebhookVerification(sandbox.credentials(), verification),
			parameters: { receiveBy: 'both', authenticity: 'credential' },
		});
		shiftAllClocks(60_000); // n8n has started
		const record = await sandbox.result();
		const show = async (status: string) => {
			const row = { ...record, status, response: null };
			await sandbox.faults(
				{ path: '/api/query', exact: true, fault: { status: 200, body: [row] } },
				{ path: `/api/query/${record._id}`, fault: { status: 200, body: row } },
			);
		};
		await show('PENDING');
		shiftAllClocks(2_000);
		const { status } = await host.deliver(record, proof);
		await host.handled();
		expect({ status, started: host.started }).toEqual({ status: 503, started: [] });
		await show(record.status);
		shiftAllClocks(60_000);
		await host.deliver(record, proof); // its sender repeats it
		await host.executed(1);
		expect(host.items).toMatchObject([{ queryId: record._id, rfc: 'GODE561231GR8' }]);
	});
});
