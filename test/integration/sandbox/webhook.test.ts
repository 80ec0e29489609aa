import { createHmac } from 'node:crypto';
import type { Delivery } from '../../../sandbox/webhook';
import { startReceiver, type Received, type Receiver } from './receiver';
import { startTaxQueryBench, type TaxQueryBench } from './taxQueryClient';

const RFC = 'GODE561231GR8';
const SECRET = 'a-secret-of-the-webhook';

let bench: TaxQueryBench;
let receiver: Receiver;

beforeAll(async () => {
	bench = await startTaxQueryBench();
});
afterAll(async () => await bench.sandbox.close());
beforeEach(async () => {
	await bench.control.delete('/webhook');
	await bench.control.delete('/deliveries');
});
afterEach(async () => await receiver.close());

/** Registers a receiver that answers with the statuses given. */
async function register(settings: object = {}, ...statuses: number[]): Promise<void> {
	receiver = await startReceiver(...statuses);
	const { status } = await bench.control.put('/webhook', {
		url: receiver.url,
		backoff: 1,
		...settings,
	});
	expect(status).toBe(200);
}

const ask = async () =>
	(await bench.service.post<{ queryId: string }>('/query/crf', { rfc: RFC })).data.queryId;

const deliveries = async () => (await bench.control.get<Delivery[]>('/deliveries')).data;

/** The deliveries once each has come to an end. */
async function settled(): Promise<Delivery[]> {
	for (;;) {
		const all = await deliveries();
		if (all.length > 0 && all.every(({ status }) => status !== 'waiting')) return all;
	}
}

describe('a result', () => {
	it('is delivered as the record that GET /query/{id} shows', async () => {
		await register();
		const queryId = await ask();
		const [{ body }] = await receiver.arrived(1);
		expect(JSON.parse(body)).toEqual((await bench.service.get(`/query/${queryId}`)).data);
	});

	it.each([
		['envelope', (queryId: string) => ({ event: 'query.finished', data: { _id: queryId } })],
		['id', (queryId: string) => ({ queryId, status: 'SUCCESS' })],
	])('is delivered in the shape %s', async (shape, expected) => {
		await register({ shape });
		const queryId = await ask();
		const [{ body }] = await receiver.arrived(1);
		expect(JSON.parse(body)).toMatchObject(expected(queryId));
	});

	it('is delivered again until the receiver takes it, each attempt visible', async () => {
		await register({}, 500, 503, 200);
		await ask();
		const [{ attempts, status }] = await settled();
		expect([status, attempts.map(({ answer }) => answer)]).toEqual(['delivered', [500, 503, 200]]);
	});

	it('is given up after as many attempts as are set', async () => {
		await register({ attempts: 2 }, 500);
		await ask();
		const [{ attempts, status }] = await settled();
		expect([status, attempts.length]).toEqual(['failed', 2]);
	});

	it('is sent again on demand, the same body', async () => {
		await register();
		await ask();
		const [{ id }] = await settled();
		await bench.control.post(`/deliveries/${id}/resend`);
		const [first, second] = await receiver.arrived(2);
		expect(second.body).toBe(first.body);
	});
});

describe('signing', () => {
	const deliver = async (signing: object): Promise<Received> => {
		await register({ signing });
		await ask();
		return (await receiver.arrived(1))[0];
	};

	it.each([
		['sha256', 'hex'],
		['sha256', 'base64'],
		['sha512', 'hex'],
		['sha512', 'base64'],
	] as const)('is HMAC %s over the raw body as %s', async (algorithm, encoding) => {
		const { headers, body } = await deliver({
			type: 'hmac',
			secret: SECRET,
			algorithm,
			encoding,
			header: 'X-My-Signature',
		});
		expect(headers['x-my-signature']).toBe(
			createHmac(algorithm, SECRET).update(body).digest(encoding),
		);
	});

	it('covers the time, if it is sent', async () => {
		const { headers, body } = await deliver({
			type: 'hmac',
			secret: SECRET,
			timestampHeader: 'X-My-Time',
		});
		const signed = `${String(headers['x-my-time'])}.${body}`;
		expect(headers['x-webhook-signature']).toBe(
			createHmac('sha256', SECRET).update(signed).digest('hex'),
		);
	});

	it('may be a secret in a header', async () => {
		const { headers } = await deliver({ type: 'header', header: 'X-My-Secret', secret: SECRET });
		expect(headers['x-my-secret']).toBe(SECRET);
	});

	it('may be basic authentication', async () => {
		const { headers } = await deliver({ type: 'basic', user: 'sandbox', password: SECRET });
		const login = Buffer.from(`sandbox:${SECRET}`).toString('base64');
		expect(headers.authorization).toBe(`Basic ${login}`);
	});

	it('is never shown', async () => {
		await register({ signing: { type: 'header', secret: SECRET } });
		const { data } = await bench.control.get('/webhook');
		expect(JSON.stringify(data)).not.toContain(SECRET);
	});
});

describe('faults of the delivery', () => {
	it('drop: nothing is sent', async () => {
		await register({ faults: { drop: 1 } });
		await ask();
		const [{ status, attempts }] = await settled();
		expect([status, attempts, receiver.received]).toEqual(['dropped', [], []]);
	});

	it('duplicate: the same body comes twice', async () => {
		await register({ faults: { duplicate: 1 } });
		await ask();
		const [first, second] = await receiver.arrived(2);
		expect(second.body).toBe(first.body);
	});

	it('reorder: a later result comes first', async () => {
		await register({ faults: { reorder: 1 } });
		const first = await ask();
		await bench.finished(first);
		const second = await ask();
		const order = (await receiver.arrived(2)).map(
			({ body }) => (JSON.parse(body) as { _id: string })._id,
		);
		expect(order).toEqual([second, first]);
	});

	it('tamper: the body no longer fits its signature', async () => {
		await register({ faults: { tamper: 1 }, signing: { type: 'hmac', secret: SECRET } });
		await ask();
		const [{ headers, body }] = await receiver.arrived(1);
		expect(headers['x-webhook-signature']).not.toBe(
			createHmac('sha256', SECRET).update(body).digest('hex'),
		);
	});

	it('forge: an invented result comes beside the true one, unsigned', async () => {
		await register({ faults: { forge: 1 }, signing: { type: 'hmac', secret: SECRET } });
		await ask();
		const both = await receiver.arrived(2);
		const forged = both.find(({ headers }) => headers['x-webhook-signature'] === undefined);
		expect(forged?.body).toContain('XAXX010101000');
	});
});

describe('settings that make no sense', () => {
	it.each([
		['url', { url: 'ftp://example.com' }],
		['shape', { shape: 'xml' }],
		['signing', { signing: { type: 'hmac' } }],
		['faults.drop', { faults: { drop: 2 } }],
		['attempts', { attempts: 0 }],
	])('are refused: %s', async (field, settings) => {
		receiver = await startReceiver();
		const { status, data } = await bench.control.put('/webhook', settings);
		expect([status, data.field]).toEqual([400, field]);
	});
});
