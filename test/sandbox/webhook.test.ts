import { createHmac } from 'node:crypto';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { until } from '../support/until';
import type { Delivery } from '../../sandbox/webhook/delivery';
import { sharedSandboxWithClients, PERSON_RFC, withSandboxClients } from './support/clients';
import { startReceiver, type Receiver } from './support/receiver';

/** Reserved: ends as FAILED. */
const FAILING = 'FASF850314N67';
const SECRET = 'a-secret-of-the-webhook';

const bench = sharedSandboxWithClients();
let receiver: Receiver;
beforeEach(async () => {
	await bench.control.delete('/webhook');
	await bench.control.delete('/deliveries');
});
afterEach(async () => await receiver?.close());

/** Registers a receiver that answers with the statuses given. */
async function register(settings: object = {}, ...statuses: number[]): Promise<void> {
	receiver = await startReceiver(...statuses);
	const all = { url: receiver.url, backoff: 1, ...settings };
	expect((await bench.control.put('/webhook', all)).status).toBe(200);
}

/** Registers a receiver, makes a query, and returns the first call to the receiver with the query's ID. */
async function deliver(settings: object = {}, rfc = PERSON_RFC) {
	await register(settings);
	const queryId = await bench.requestCrf(rfc);
	const [call] = await receiver.arrived(1);
	return { ...call, queryId, signature: call.headers['x-webhook-signature'] };
}

/** The webhook calls once each has come to an end. */
const settled = async (): Promise<Delivery[]> =>
	await until('the end of each webhook call', async () => {
		const { data } = await bench.control.get<Delivery[]>('/deliveries');
		return data.length > 0 && data.every(({ status }) => status !== 'waiting') && data;
	});

const parsed = (body: string) => JSON.parse(body) as Record<string, unknown>;
const hmac = (text: string | Buffer, secret: string | Buffer = SECRET) =>
	createHmac('sha256', secret).update(text).digest('hex');

describe('webhook calls and retries', () => {
	it('a webhook call carries the record that GET /query/{id} shows', async () => {
		const { body, queryId } = await deliver();
		expect(parsed(body)).toEqual((await bench.taxQuery.get(`/query/${queryId}`)).data);
	});

	it.each([
		['envelope', (queryId: string) => ({ event: 'query.finished', data: { _id: queryId } })],
		['id', (queryId: string) => ({ queryId, status: 'SUCCESS' })],
	])('a webhook call has the shape %s', async (shape, expected) => {
		const { body, queryId } = await deliver({ shape });
		expect(parsed(body)).toMatchObject(expected(queryId));
		expect('response' in parsed(body)).toBe(false);
	});

	it('a webhook call is repeated until the receiver takes it, each attempt visible', async () => {
		await register({}, 500, 503, 200);
		await bench.requestCrf();
		const [{ attempts, status }] = await settled();
		expect([status, attempts.map(({ answer }) => answer)]).toEqual(['delivered', [500, 503, 200]]);
	});

	it('a webhook call fails after as many attempts as are set', async () => {
		await register({ attempts: 2 }, 500);
		await bench.requestCrf();
		const [{ attempts, status }] = await settled();
		expect([status, attempts.length]).toEqual(['failed', 2]);
	});

	it('a result without a webhook is unsent, and is sent on demand once there is one', async () => {
		await bench.finished(await bench.requestCrf());
		const [{ id, status }] = await settled();
		const resend = async () => (await bench.control.post(`/deliveries/${id}/resend`)).status;
		expect([status, await resend()]).toEqual(['unsent', 409]);
		await register();
		await resend();
		expect(await receiver.arrived(1)).toHaveLength(1);
	});

	it('a webhook call is sent again on demand, with the same body', async () => {
		await deliver();
		const [{ id }] = await settled();
		await bench.control.post(`/deliveries/${id}/resend`);
		const [first, second] = await receiver.arrived(2);
		expect(second.body).toBe(first.body);
	});

	it.each([
		['delayed', { delay: 400 }],
		['held back', { reorder: 1 }],
	])('a reset cancels a call that is %s', async (_, faults) => {
		await withSandboxClients({}, async (own) => {
			receiver = await startReceiver();
			await own.control.put('/webhook', { url: receiver.url, faults });
			await own.finished(await own.requestCrf());
			await own.control.post('/reset');
			await own.control.put('/webhook', { url: receiver.url });
			const sent = [await own.requestCrf()];
			await receiver.arrived(1);
			await own.control.put('/webhook', { faults: { delay: 800 } });
			sent.push(await own.requestCrf());
			const arrived = await receiver.arrived(2);
			expect(arrived.map(({ body }) => parsed(body)._id)).toEqual(sent);
		});
	});

	it.each(
		(['full', 'no-response'] as const).flatMap((record) =>
			(['array', 'page', 'summary'] as const).flatMap((queryList) =>
				(['record', 'envelope'] as const).map((shape) => ({ record, queryList, shape })),
			),
		),
	)('a call carries the result ($record, $queryList, $shape)', async ({ shape, ...options }) => {
		await withSandboxClients(options, async (own) => {
			receiver = await startReceiver();
			await own.control.put('/webhook', { url: receiver.url, shape });
			const queryId = await own.requestCrf();
			const [{ body }] = await receiver.arrived(1);
			const { data: stored } = await own.taxQuery.get<object>(`/query/${queryId}`);
			const record = { ...stored, response: { RFC: PERSON_RFC } };
			expect(parsed(body)).toMatchObject(shape === 'envelope' ? { data: record } : record);
		});
	});
});

describe('the body of a webhook call', () => {
	it.each([
		['form', /^application\/x-www-form-urlencoded/],
		['multipart', /^multipart\/form-data/],
	])('the body may be a %s with one JSON field', async (body, expected) => {
		const { bytes, headers, queryId } = await deliver({ body });
		const type = String(headers['content-type']);
		const form = await new Response(bytes, { headers: { 'content-type': type } }).formData();
		expect(type).toMatch(expected);
		expect([...form.keys()]).toEqual(['payload']);
		expect(parsed(String(form.get('payload')))).toMatchObject({ _id: queryId });
	});

	it.each<[string, (bytes: Buffer) => Buffer]>([
		['gzip', gunzipSync],
		['GZIP', gunzipSync],
		['deflate', inflateSync],
		['br', brotliDecompressSync],
		['gzip, BR', (bytes) => gunzipSync(brotliDecompressSync(bytes))],
	])('the body may be coded as %s, and is signed so', async (coding, decode) => {
		const signing = { type: 'hmac', secret: SECRET };
		const { bytes, headers, queryId, signature } = await deliver({ coding, signing });
		expect([headers['content-encoding'], signature]).toEqual([coding, hmac(bytes)]);
		expect(parsed(decode(bytes).toString())).toMatchObject({ _id: queryId });
	});
});

describe('test calls (/sandbox/deliveries/test)', () => {
	it('a test call uses the settings that it names, and changes no saved ones', async () => {
		await register();
		const other = await startReceiver();
		const saved = async () => (await bench.control.get<object>('/webhook')).data;
		const before = await saved();
		await bench.control.post('/deliveries/test', { url: other.url, shape: 'id' });
		const [{ body }] = await other.arrived(1);
		const [{ url }] = await settled();
		await other.close();
		expect([url, Object.keys(parsed(body))]).toEqual([other.url, ['queryId', 'status']]);
		expect([await saved(), receiver.received]).toEqual([before, []]);
	});

	it('a test call goes to the saved URL, with a query that is listed and not billed', async () => {
		await register();
		await bench.control.delete('/ledger');
		const { data } = await bench.control.post('/deliveries/test');
		const [{ body }] = await receiver.arrived(1);
		const [{ url }] = await settled();
		const { data: list } = await bench.taxQuery.get<object[]>('/query');
		const { data: ledger } = await bench.control.get<object[]>('/ledger');
		expect([url, parsed(body), list[0], ledger]).toEqual([receiver.url, data, data, []]);
		// of a kind that comes later: what comes at once starts no trigger that is as it was made
		expect(data).toMatchObject({
			service: 'CRF',
			response: { RegimenesFiscales: expect.any(Array) as unknown[] },
		});
	});

	it('a test call without a URL is a 409', async () => {
		const test = async (body?: object) =>
			(await bench.control.post('/deliveries/test', body)).status;
		expect(await test()).toBe(409);
		await register();
		expect(await test({ url: '' })).toBe(409);
	});
});

describe('the signing of webhook calls', () => {
	it('an HMAC signature covers the body and the time in its header', async () => {
		const signing = { type: 'hmac', secret: SECRET, timestampHeader: 'X-Time' };
		const { headers, body, signature } = await deliver({ signing });
		expect(signature).toBe(hmac(`${String(headers['x-time'])}.${body}`));
	});

	it('signatures by two secrets may be two headers of one name', async () => {
		const signing = { type: 'hmac', secret: SECRET, oldSecret: 'old', joinedBy: 'header' };
		const { headersDistinct, body } = await deliver({ signing });
		expect(headersDistinct['x-webhook-signature']).toEqual([hmac(body, 'old'), hmac(body)]);
	});

	it('Standard Webhooks have one ID for every copy of a message', async () => {
		await deliver({ signing: { type: 'standard' }, faults: { duplicate: 1 } });
		await receiver.arrived(2);
		await bench.requestCrf();
		const ids = (await receiver.arrived(4)).map(({ headers }) => headers['webhook-id']);
		expect([ids[1], new Set(ids).size]).toEqual([ids[0], 2]);
	});

	it('the page names the signing in words, and the secret that it uses', async () => {
		const { body, signature } = await deliver({ signing: { type: 'hmac' } });
		const { data } = await bench.control.get<{ webhook: Record<string, string> }>('/state');
		expect(data.webhook.signed).toMatch(/^HMAC sha256 over the raw body/);
		expect(signature).toBe(hmac(body, data.webhook.secret));
	});

	it('the signing stays when another setting changes, and its secret is masked', async () => {
		await register({ signing: { type: 'header', header: 'X-Own', secret: SECRET } });
		const { data } = await bench.control.put<object>('/webhook', { shape: 'id' });
		await bench.requestCrf();
		const [{ headers }] = await receiver.arrived(1);
		const { data: shown } = await bench.control.get<object>('/webhook');
		expect(headers['x-own']).toBe(SECRET);
		expect(JSON.stringify([data, shown])).not.toContain(SECRET);
	});
});

describe('faults of webhook calls', () => {
	const signing = { type: 'hmac', secret: SECRET };

	it('the fault drop sends nothing', async () => {
		await register({ faults: { drop: 1 } });
		await bench.requestCrf();
		const [{ status, attempts }] = await settled();
		expect([status, attempts, receiver.received]).toEqual(['dropped', [], []]);
	});

	it('the fault duplicate sends the same body twice', async () => {
		const { body } = await deliver({ faults: { duplicate: 1 } });
		expect((await receiver.arrived(2))[1].body).toBe(body);
	});

	it('the fault reorder sends a later result first', async () => {
		await register({ faults: { reorder: 1 } });
		const first = await bench.requestCrf();
		await bench.finished(first);
		const second = await bench.requestCrf();
		const order = (await receiver.arrived(2)).map(({ body }) => parsed(body)._id);
		expect(order).toEqual([second, first]);
	});

	it.each([
		[PERSON_RFC, 'FAILED'],
		[FAILING, 'SUCCESS'],
	])('the fault tamper makes %s %s after signing', async (rfc, status) => {
		const { body, signature } = await deliver({ faults: { tamper: 1 }, signing }, rfc);
		expect(parsed(body)).toMatchObject({ status });
		expect(signature).toMatch(/^[\da-f]{64}$/);
		expect(signature).not.toBe(hmac(body));
	});

	it('the fault forge sends an invented result beside the true one, unsigned', async () => {
		await deliver({ faults: { forge: 1 }, signing });
		const calls = await receiver.arrived(2);
		const forged = calls.filter(({ headers }) => headers['x-webhook-signature'] === undefined);
		expect(forged.map(({ body }) => parsed(body).response)).toEqual([{ RFC: 'XAXX010101000' }]);
	});
});

it.each([
	['url', { url: 'ftp://example.com' }],
	['shape', { shape: 'xml' }],
	['signing', { signing: { type: 'hmac', secret: '' } }],
	['faults.drop', { faults: { drop: 2 } }],
	['attempts', { attempts: 0 }],
])('PUT /sandbox/webhook refuses an invalid %s by name', async (field, settings) => {
	const { status, data } = await bench.control.put('/webhook', settings);
	expect([status, data.field]).toEqual([400, field]);
});
