import { createHmac } from 'node:crypto';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { until } from '../../support/until';
import type { Delivery } from '../../../sandbox/webhook/webhookDelivery';
import { startReceiver, type Received, type Receiver } from './support/receiver';
import { startTaxQueryBench, taxQueryBenchForTests } from './support/taxQuery';

const RFC = 'GODE561231GR8';
/** Reserved: ends as FAILED. */
const FAILING_RFC = 'FASF850314N67';
const SECRET = 'a-secret-of-the-webhook';

const bench = taxQueryBenchForTests();
let receiver: Receiver;
beforeEach(async () => {
	await bench.control.delete('/webhook');
	await bench.control.delete('/deliveries');
});
afterEach(async () => await receiver?.close());

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

const ask = async (rfc = RFC) =>
	(await bench.service.post<{ queryId: string }>('/query/crf', { rfc })).data.queryId;

const deliveries = async () => (await bench.control.get<Delivery[]>('/deliveries')).data;

/** The deliveries once each has come to an end. */
const settled = async (): Promise<Delivery[]> =>
	await until('the end of each webhook call', async () => {
		const all = await deliveries();
		return all.length > 0 && all.every(({ status }) => status !== 'waiting') && all;
	});

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

	it('waits for a webhook to be registered, and is then sent on demand', async () => {
		await bench.finished(await ask());
		const [{ id, status }] = await settled();
		const refused = await bench.control.post(`/deliveries/${id}/resend`);
		expect([status, refused.status]).toEqual(['unsent', 409]);
		await register();
		await bench.control.post(`/deliveries/${id}/resend`);
		expect(await receiver.arrived(1)).toHaveLength(1);
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

describe('a webhook call', () => {
	const shapes = [
		['record', (payload: object) => payload],
		['envelope', (payload: { data?: object }) => payload.data],
	] as const;
	const rows = (['full', 'lean'] as const).flatMap((record) =>
		(['array', 'page', 'lean'] as const).flatMap((queryList) =>
			shapes.map(([shape, recordIn]) => ({ record, queryList, shape, recordIn })),
		),
	);

	it.each(rows)(
		'carries the result ($record, $queryList, $shape)',
		async ({ record, queryList, shape, recordIn }) => {
			const own = await startTaxQueryBench({ record, queryList });
			receiver = await startReceiver();
			await own.control.put('/webhook', { url: receiver.url, shape });
			const { data } = await own.service.post<{ queryId: string }>('/query/crf', { rfc: RFC });
			const [{ body }] = await receiver.arrived(1);
			const stored = (await own.service.get<object>(`/query/${data.queryId}`)).data;
			await own.sandbox.close();
			expect(recordIn(JSON.parse(body) as object)).toMatchObject({
				...stored,
				response: { RFC },
			});
		},
	);
});

describe('the body of a webhook call', () => {
	const FORM_TYPES = {
		form: /^application\/x-www-form-urlencoded/,
		multipart: /^multipart\/form-data/,
	};

	it.each(['form', 'multipart'] as const)('may be a form with one JSON field: %s', async (body) => {
		await register({ body });
		const queryId = await ask();
		const [{ bytes, headers }] = await receiver.arrived(1);
		const type = String(headers['content-type']);
		const form = await new Response(bytes, { headers: { 'content-type': type } }).formData();
		expect(type).toMatch(FORM_TYPES[body]);
		expect([...form.keys()]).toEqual(['payload']);
		expect(JSON.parse(String(form.get('payload')))).toMatchObject({ _id: queryId });
	});

	it.each<[string, (bytes: Buffer) => Buffer]>([
		['gzip', gunzipSync],
		['GZIP', gunzipSync],
		['deflate', inflateSync],
		['br', brotliDecompressSync],
		['gzip, BR', (bytes) => gunzipSync(brotliDecompressSync(bytes))],
	])('may be coded: %s', async (coding, decode) => {
		await register({ coding, signing: { type: 'hmac', secret: SECRET } });
		const queryId = await ask();
		const [{ bytes, headers }] = await receiver.arrived(1);
		expect(headers['content-encoding']).toBe(coding);
		expect(JSON.parse(decode(bytes).toString())).toMatchObject({ _id: queryId });
		expect(headers['x-webhook-signature']).toBe(
			createHmac('sha256', SECRET).update(bytes).digest('hex'),
		);
	});
});

describe('a test call', () => {
	it('goes to the address that it names, and changes nothing that is saved', async () => {
		await register();
		const other = await startReceiver();
		const before = (await bench.control.get('/webhook')).data as object;
		await bench.control.post('/deliveries/test', { url: other.url, shape: 'id' });
		const [{ body }] = await other.arrived(1);
		const [{ url }] = await settled();
		await other.close();
		expect([url, Object.keys(JSON.parse(body) as object)]).toEqual([
			other.url,
			['queryId', 'status'],
		]);
		expect([(await bench.control.get('/webhook')).data, receiver.received]).toEqual([before, []]);
	});

	it('goes to the saved address if it names none', async () => {
		await register();
		await bench.control.post('/deliveries/test');
		await receiver.arrived(1);
		expect((await settled())[0].url).toBe(receiver.url);
	});

	it('is refused without an address', async () => {
		await register();
		const { status } = await bench.control.post('/deliveries/test', { url: '' });
		expect(status).toBe(409);
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

	const hmac = (text: string, secret: string | Buffer = SECRET) =>
		createHmac('sha256', secret).update(text).digest('hex');

	it('may have the time in its own header', async () => {
		const signing = { type: 'hmac', secret: SECRET, hasTimestampInHeader: true };
		const { headers, body } = await deliver(signing);
		const [, at] = /^t=(\d+),v1=/.exec(String(headers['x-webhook-signature'])) ?? [];
		expect(headers['x-webhook-signature']).toBe(`t=${at},v1=${hmac(`${at}.${body}`)}`);
	});

	it.each([
		['seconds', /^\d{10}$/],
		['fractional', /^\d{10}\.\d{3}$/],
		['milliseconds', /^\d{13}$/],
		['iso', /^\d{4}-\d\d-\d\dT[\d:.]+Z$/],
	])('may be over a text of its own with the time in %s', async (timestamps, expected) => {
		const { headers, body } = await deliver({
			type: 'hmac',
			secret: SECRET,
			label: 'v0=',
			signedText: 'v0:{timestamp}:{body}',
			timestampHeader: 'X-Time',
			timestamps,
		});
		const at = String(headers['x-time']);
		expect(at).toMatch(expected);
		expect(headers['x-webhook-signature']).toBe(`v0=${hmac(`v0:${at}:${body}`)}`);
	});

	it.each([
		['comma', (old: string, own: string) => [`sha256=${old},sha256=${own}`]],
		['blank', (old: string, own: string) => [`sha256=${old} sha256=${own}`]],
		['header', (old: string, own: string) => [`sha256=${old}`, `sha256=${own}`]],
	])('may be by two secrets, joined by %s', async (joinedBy, expected) => {
		const signing = { type: 'hmac', secret: SECRET, oldSecret: 'old', label: 'sha256=', joinedBy };
		const { headersDistinct, body } = await deliver(signing);
		expect(headersDistinct['x-webhook-signature']).toEqual(expected(hmac(body, 'old'), hmac(body)));
	});

	it.each(['hex', 'base64'] as const)('may have its secret in %s', async (secretEncoding) => {
		const key = Buffer.of(0, 255, 7, 10);
		const secret = key.toString(secretEncoding);
		const { headers, body } = await deliver({ type: 'hmac', secret, secretEncoding });
		expect(headers['x-webhook-signature']).toBe(hmac(body, key));
	});

	it('may be by Standard Webhooks, with one ID for every copy of a message', async () => {
		const key = Buffer.from('0123456789abcdefghijklmn');
		await register({
			signing: { type: 'standard', secret: `whsec_${key.toString('base64')}` },
			faults: { duplicate: 1 },
		});
		await ask();
		const [{ headers, body }, second] = await receiver.arrived(2);
		const { 'webhook-id': id, 'webhook-timestamp': at } = headers;
		const signed = `${String(id)}.${String(at)}.${body}`;
		expect(headers['webhook-signature']).toBe(
			`v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
		);
		expect(second.headers['webhook-id']).toBe(id);
		await ask();
		const all = await receiver.arrived(4);
		expect(new Set(all.map((one) => one.headers['webhook-id'])).size).toBe(2);
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

	it.each(['hmac', 'header', 'basic'])(
		'%s uses the secret that the page names when none is given',
		async (type) => {
			const { headers, body } = await deliver({ type });
			const { data } = await bench.control.get<{ webhook: { secret: string } }>('/state');
			const { secret } = data.webhook;
			const proofs = {
				hmac: createHmac('sha256', secret).update(body).digest('hex'),
				header: secret,
				basic: `Basic ${Buffer.from(`sandbox:${secret}`).toString('base64')}`,
			};
			expect([
				headers['x-webhook-signature'] ?? headers['x-webhook-secret'] ?? headers.authorization,
			]).toEqual([proofs[type as keyof typeof proofs]]);
		},
	);

	it.each([
		[{ type: 'none' }, 'not signed'],
		[{ type: 'header' }, 'the secret in the header X-Webhook-Secret'],
		[{ type: 'basic' }, 'basic authentication, user "sandbox", the secret as password'],
		[
			{ type: 'hmac', algorithm: 'sha512', encoding: 'base64', header: 'X-S' },
			'HMAC sha512 over the raw body, as base64, in the header X-S',
		],
		[
			{ type: 'hmac', timestampHeader: 'X-T' },
			'HMAC sha256 over "<Unix seconds>.<raw body>", the time in the header X-T, as hex, in the header X-Webhook-Signature',
		],
	])('describes the signing in words: %j', async (signing, words) => {
		await register({ signing });
		const { data } = await bench.control.get<{ webhook: { signed: string } }>('/state');
		expect(data.webhook.signed).toBe(words);
	});

	it('keeps the signing when another setting changes', async () => {
		await register({ signing: { type: 'header', header: 'X-Kept', secret: SECRET } });
		await bench.control.put('/webhook', { shape: 'id' });
		await ask();
		const [{ headers }] = await receiver.arrived(1);
		expect(headers['x-kept']).toBe(SECRET);
	});

	it('is never shown by GET /sandbox/webhook', async () => {
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

	it.each([
		[RFC, 'FAILED'],
		[FAILING_RFC, 'SUCCESS'],
	])('tamper: delivers the opposite outcome of %s', async (rfc, status) => {
		await register({ faults: { tamper: 1 } });
		await ask(rfc);
		const [{ body }] = await receiver.arrived(1);
		expect(JSON.parse(body)).toMatchObject({ status });
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
		['signing', { signing: { type: 'hmac', secret: '' } }],
		['faults.drop', { faults: { drop: 2 } }],
		['attempts', { attempts: 0 }],
	])('are refused: %s', async (field, settings) => {
		receiver = await startReceiver();
		const { status, data } = await bench.control.put('/webhook', settings);
		expect([status, data.field]).toEqual([400, field]);
	});
});
