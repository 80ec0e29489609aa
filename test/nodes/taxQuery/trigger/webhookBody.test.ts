import { createHmac } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { withWebhookVerification } from '../../../support/credentialFieldBuilders';
import { freshTriggerAndSandboxForEachTest } from './freshTriggerForEachTest';
import { shiftAllClocks } from './triggerHost';

const SECRET = 'palo-verde-7';
const { start, sandbox, host } = freshTriggerAndSandboxForEachTest();

const startSigned = async () =>
	await start({
		credentials: withWebhookVerification(sandbox.credentials(), {
			webhookVerification: 'signature',
			webhookSecret: SECRET,
			signatureHeader: 'X-Signature',
		}),
		parameters: { authenticity: 'credential' },
	});
const sign = (bytes: string | Buffer, secret = SECRET) => ({
	'x-signature': `SHA256=${createHmac('sha256', secret).update(bytes).digest('hex')}`,
});

const codings: Array<[string, (text: string) => Buffer]> = [
	['gzip', (text) => gzipSync(text)],
	['GZIP', (text) => gzipSync(text)],
	['X-Gzip', (text) => gzipSync(text)],
];

describe.each(codings)('a webhook call with Content-Encoding %s', (coding, encode) => {
	const headers = { 'content-encoding': coding };

	it('starts its result', async () => {
		await start();
		const record = await sandbox.result();
		const { status } = await host.deliver(encode(JSON.stringify(record)), headers);
		expect([status, host.started]).toEqual([200, [record._id]]);
	});

	it.each(['before', 'after'])('is verified if it was signed %s it was coded', async (when) => {
		await startSigned();
		const record = await sandbox.result();
		const text = JSON.stringify(record);
		const coded = encode(text);
		const signature = sign(when === 'before' ? text : coded);
		const { status } = await host.deliver(coded, { ...headers, ...signature });
		expect([status, host.started]).toEqual([200, [record._id]]);
	});

	it('is answered 401 if its signature is by another secret', async () => {
		await startSigned();
		const coded = encode(JSON.stringify(await sandbox.result()));
		const { status } = await host.deliver(coded, { ...headers, ...sign(coded, 'guessed') });
		expect([status, host.started]).toEqual([401, []]);
	});
});

describe.each<[string, (text: string) => Buffer]>([
	['deflate', (text) => deflateSync(text)],
	['br', (text) => brotliCompressSync(text)],
	['gzip, gzip', (text) => gzipSync(gzipSync(text))],
])('a webhook call with Content-Encoding %s', (coding, encode) => {
	it('is answered 400, and the check that it causes starts its result', async () => {
		await start();
		const record = await sandbox.result();
		shiftAllClocks(1_000);
		const coded = encode(JSON.stringify(record));
		const { status } = await host.deliver(coded, { 'content-encoding': coding });
		await host.executed(1);
		expect([status, host.started]).toEqual([400, [record._id]]);
	});
});

describe('a signed call that is sent again as a form', () => {
	const forged = { _id: 'forged', service: 'CRF', status: 'SUCCESS', response: { RFC: 'FORGED' } };

	it.each<[string, object, () => string]>([
		['plain', {}, () => ''],
		['timestamped', { timestampHeader: 'X-Time' }, () => `${Math.floor(Date.now() / 1_000)}.`],
	])('starts nothing that a text of it holds: %s', async (signatureFormat, more, before) => {
		await start({
			credentials: withWebhookVerification(sandbox.credentials(), {
				webhookVerification: 'signature',
				webhookSecret: SECRET,
				signatureHeader: 'X-Signature',
				signatureFormat,
				...more,
			}),
			parameters: { authenticity: 'credential', confirm: 'off' },
		});
		const record = {
			...(await sandbox.result()),
			externalReference: `A&data=${JSON.stringify(forged)}&x=`,
		};
		const body = JSON.stringify(record);
		const time = before();
		const headers = { ...sign(time + body), 'x-time': time.replace('.', '') };
		for (const type of ['application/x-www-form-urlencoded', 'application/json'])
			await host.deliver(body, { ...headers, 'content-type': type });
		await host.executed(1);
		expect(host.started).toEqual([record._id]);
	});

	it('starts nothing that JSON in a text of it holds', async () => {
		await start({
			credentials: withWebhookVerification(sandbox.credentials(), {
				webhookVerification: 'signature',
				webhookSecret: SECRET,
				signatureHeader: 'X-Signature',
			}),
			parameters: { authenticity: 'credential', confirm: 'off' },
		});
		const body = JSON.stringify({ event: 'note', externalReference: JSON.stringify(forged) });
		const { status } = await host.deliver(body, sign(body));
		expect([status, host.started]).toEqual([404, []]);
	});
});

describe('a webhook call of several megabytes', () => {
	it('starts its result with Webhook Only', async () => {
		await start({ parameters: { receiveBy: 'webhook' } });
		const record = await sandbox.result();
		const body = { ...record, invoices: 'x'.repeat(12_000_000) };
		await host.deliver(body); // a busy machine may be too slow to answer 200 in time
		await host.executed(1);
		expect(host.started).toEqual([record._id]);
	});
});
