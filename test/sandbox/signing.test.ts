import { createHmac } from 'node:crypto';
import { resolveSigning } from '../../sandbox/webhook/settings';
import { describeSigningForReceiver, proofHeadersOf } from '../../sandbox/webhook/proof';

type Choice = Parameters<typeof resolveSigning>[0];

const OWN = 'the-secret-of-the-sandbox';
const SECRET = 'a-secret-of-the-webhook';
const BODY = '{"año":1}';
const AT = Date.UTC(2026, 0, 31, 12, 30, 15, 250);
const SECONDS = '1769862615';

const proof = (choice: Choice, id = 'msg_1') =>
	proofHeadersOf(resolveSigning(choice, OWN), { body: Buffer.from(BODY), id, sentAt: AT });
const hmac = (text: string, secret: string | Buffer = SECRET) =>
	createHmac('sha256', secret).update(text).digest('hex');
const basic = (login: string) => `Basic ${Buffer.from(login).toString('base64')}`;

it.each([
	['sha256', 'hex'],
	['sha256', 'base64'],
	['sha512', 'hex'],
	['sha512', 'base64'],
] as const)('a signature is HMAC %s over the raw body as %s', (algorithm, encoding) => {
	const signing = { type: 'hmac', secret: SECRET, header: 'X-Own', algorithm, encoding } as const;
	const expected = createHmac(algorithm, SECRET).update(BODY).digest(encoding);
	expect(proof(signing)).toEqual({ 'X-Own': expected });
});

const KEY = Buffer.of(0, 255, 7, 10);
it.each<[what: string, choice: object, signature: string | string[], headers?: object]>([
	['of the body', {}, hmac(BODY)],
	['after a label', { label: 'sha256=' }, `sha256=${hmac(BODY)}`],
	[
		'of time and body',
		{ timestampHeader: 'X-Time' },
		hmac(`${SECONDS}.${BODY}`),
		{ 'X-Time': SECONDS },
	],
	[
		'with the time beside it',
		{ hasTimestampInHeader: true },
		`t=${SECONDS},v1=${hmac(`${SECONDS}.${BODY}`)}`,
	],
	[
		'of a text of its own',
		{ signedText: 'v0:{timestamp}:{body}', label: 'v0=' },
		`v0=${hmac(`v0:${SECONDS}:${BODY}`)}`,
	],
	['by a secret in hex', { secret: KEY.toString('hex'), secretEncoding: 'hex' }, hmac(BODY, KEY)],
	[
		'by a secret in base64',
		{ secret: KEY.toString('base64'), secretEncoding: 'base64' },
		hmac(BODY, KEY),
	],
	['by two secrets', { oldSecret: 'old' }, `${hmac(BODY, 'old')},${hmac(BODY)}`],
	[
		'by two secrets, joined by a blank',
		{ oldSecret: 'old', joinedBy: 'blank' },
		`${hmac(BODY, 'old')} ${hmac(BODY)}`,
	],
	[
		'by two secrets in two headers',
		{ oldSecret: 'old', joinedBy: 'header', label: 'a=' },
		[`a=${hmac(BODY, 'old')}`, `a=${hmac(BODY)}`],
	],
])('a signature may be %s', (_what, choice, signature, headers = {}) => {
	const signing = { type: 'hmac', secret: SECRET, ...choice } as Choice;
	expect(proof(signing)).toEqual({ 'X-Webhook-Signature': signature, ...headers });
});

it.each([
	['seconds', SECONDS],
	['fractional', `${SECONDS}.250`],
	['milliseconds', `${SECONDS}250`],
	['iso', '2026-01-31T12:30:15.250Z'],
])('the time of a signature may be written as %s', (timestamps, time) => {
	const signing = { type: 'hmac', secret: SECRET, timestampHeader: 'X-Time', timestamps } as Choice;
	const signature = hmac(`${time}.${BODY}`);
	expect(proof(signing)).toEqual({ 'X-Webhook-Signature': signature, 'X-Time': time });
});

it('Standard Webhooks sign the ID of the message, the time and the body', () => {
	const key = Buffer.from('0123456789abcdefghijklmn');
	const signed = `msg_7.${SECONDS}.${BODY}`;
	const signature = createHmac('sha256', key).update(signed).digest('base64');
	expect(proof({ type: 'standard', secret: `whsec_${key.toString('base64')}` }, 'msg_7')).toEqual({
		'webhook-id': 'msg_7',
		'webhook-timestamp': SECONDS,
		'webhook-signature': `v1,${signature}`,
	});
});

it.each<[Choice, object]>([
	[{ type: 'none' }, {}],
	[{ type: 'header', header: 'X-Own', secret: SECRET }, { 'X-Own': SECRET }],
	[{ type: 'basic', user: 'me', password: SECRET }, { Authorization: basic(`me:${SECRET}`) }],
	[{ type: 'header' }, { 'X-Webhook-Secret': OWN }],
	[{ type: 'basic' }, { Authorization: basic(`sandbox:${OWN}`) }],
	[{ type: 'hmac' }, { 'X-Webhook-Signature': hmac(BODY, OWN) }],
	[{ type: 'hmac', secretEncoding: 'base64' }, { 'X-Webhook-Signature': hmac(BODY, OWN) }],
])('%j proves the sender, by the own secret unless another is given', (choice, headers) => {
	expect(proof(choice)).toEqual(headers);
});

it.each<[Choice, string, string]>([
	[{ type: 'none' }, 'not signed', ''],
	[{ type: 'header' }, 'the secret in the header X-Webhook-Secret', OWN],
	[{ type: 'basic' }, 'basic authentication, user "sandbox", the secret as password', OWN],
	[
		{ type: 'hmac', algorithm: 'sha512', encoding: 'base64', header: 'X-S' },
		'HMAC sha512 over the raw body, as base64, in the header X-S',
		OWN,
	],
	[
		{ type: 'hmac', timestampHeader: 'X-T' },
		'HMAC sha256 over "<Unix seconds>.<raw body>", the time in the header X-T, as hex, in the header X-Webhook-Signature',
		OWN,
	],
])('the signing %j is described in words, with its secret', (choice, signed, secret) => {
	expect(describeSigningForReceiver(resolveSigning(choice, OWN))).toEqual({ signed, secret });
});
