import { createHmac } from 'node:crypto';
import { deflateSync, gzipSync } from 'node:zlib';
import { withWebhookVerification } from '../../../support/credentialFieldBuilders';
import { freshTriggerAndSandboxForEachTest } from './freshTriggerForEachTest';

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
	['Deflate', (text) => deflateSync(text)],
	['deflate, GZIP', (text) => gzipSync(deflateSync(text))],
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

describe('a webhook call as a form with one JSON field', () => {
	const urlencoded = 'application/x-www-form-urlencoded';
	const forms: Array<[string, string, (text: string) => string]> = [
		['URL-encoded', urlencoded, (text) => new URLSearchParams({ payload: text }).toString()],
		[
			'multipart',
			'multipart/form-data; boundary=form-7MA4YW',
			(text) =>
				`--form-7MA4YW\r\nContent-Disposition: form-data; name="json"\r\n\r\n${text}\r\n--form-7MA4YW--\r\n`,
		],
	];

	it.each(forms)('starts its result: %s', async (_, type, write) => {
		await start();
		const record = await sandbox.result();
		const { status } = await host.deliver(write(JSON.stringify(record)), { 'content-type': type });
		expect([status, host.started]).toEqual([200, [record._id]]);
	});

	it.each(forms)(
		'is verified by a signature over the form as it came: %s',
		async (_, type, write) => {
			await startSigned();
			const record = await sandbox.result();
			const body = write(JSON.stringify(record));
			const { status } = await host.deliver(body, { 'content-type': type, ...sign(body) });
			expect([status, host.started]).toEqual([200, [record._id]]);
		},
	);
});
