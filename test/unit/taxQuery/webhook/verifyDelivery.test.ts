import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { verifyDelivery } from '../../../../nodes/TaxQuery/webhook/verifyDelivery';

const SECRET = 'whsec nopal-7';
const NOW = Date.parse('2026-03-01T12:00:00Z');
const BODIES = {
	'a record': Buffer.from('{"_id":"a1","service":"CRF","status":"SUCCESS"}'),
	'letters with accents': Buffer.from('{"RazonSocial":"PEÑA Y ASOCIADOS, S.A. DE C.V. «ñ»"}'),
	'bytes that are no text': Buffer.of(0, 255, 254, 10, 13, 0),
	nothing: Buffer.alloc(0),
};

/** Windows has OpenSSL where Git has brought it. */
const OPENSSL =
	process.platform === 'win32' ? 'C:\\Program Files\\Git\\usr\\bin\\openssl.exe' : 'openssl';

/** The signature as OpenSSL makes it: an implementation that knows nothing of ours. */
function openssl(algorithm: string, secret: string, signed: Buffer, encoding: BufferEncoding) {
	const hmac = ['dgst', `-${algorithm}`, '-hmac', secret, '-binary'];
	return execFileSync(OPENSSL, hmac, { input: signed }).toString(encoding);
}

const credential = (fields: Record<string, string | number> = {}) => ({
	method: 'signature',
	secret: SECRET,
	furtherSecrets: '',
	signatureHeader: 'X-Signature',
	algorithm: 'sha256',
	encoding: 'hex',
	prefix: '',
	timestampHeader: '',
	separator: '.',
	tolerance: 300,
	...fields,
});

const spaceless = { secret: 'nopal-7' };

describe.each(['sha256', 'sha512'])('a signature by OpenSSL with %s', (algorithm) => {
	describe.each(['hex', 'base64', 'base64url'] as const)('written in %s', (encoding) => {
		it.each(Object.entries(BODIES))('is accepted over %s', (_, body) => {
			const signature = openssl(algorithm, SECRET, body, encoding);
			const rawHeaders = ['Host', 'x', 'X-Signature', signature];
			expect(verifyDelivery({ rawHeaders, body }, credential({ algorithm, encoding }), NOW)).toBe(
				true,
			);
		});

		it('is refused when one byte of the body differs', () => {
			const body = BODIES['a record'];
			const rawHeaders = ['X-Signature', openssl(algorithm, SECRET, body, encoding)];
			const changed = Buffer.from(body);
			changed[10] ^= 1;
			expect(
				verifyDelivery({ rawHeaders, body: changed }, credential({ algorithm, encoding }), NOW),
			).toBe(false);
		});
	});
});

describe('a signature over timestamp and body', () => {
	const body = BODIES['a record'];
	const accepts = (timestamp: string, fields: Record<string, string | number> = {}) => {
		const separator = String(fields.separator ?? '.');
		const signed = Buffer.concat([Buffer.from(timestamp + separator), body]);
		const rawHeaders = [
			'x-signature',
			openssl('sha256', SECRET, signed, 'hex'),
			'x-timestamp',
			timestamp,
		];
		const timestampHeader = 'X-Timestamp';
		return verifyDelivery({ rawHeaders, body }, credential({ timestampHeader, ...fields }), NOW);
	};

	it.each([
		['seconds', String(NOW / 1000)],
		['milliseconds', String(NOW)],
		['ISO 8601', '2026-03-01T06:00:00-06:00'],
		['seconds at the end of the tolerance', String(NOW / 1000 - 300)],
	])('is accepted in %s', (_, timestamp) => {
		expect(accepts(timestamp)).toBe(true);
	});

	it('is accepted with another separator', () => {
		expect(accepts(String(NOW / 1000), { separator: ':' })).toBe(true);
	});

	it('is refused beyond the tolerance', () => {
		expect(accepts(String(NOW / 1000 - 61), { tolerance: 60 })).toBe(false);
	});
});

describe('a credential that is not complete', () => {
	const body = BODIES['a record'];
	const signed = ['X-Signature', openssl('sha256', SECRET, body, 'hex')];
	it.each<[string, Record<string, string | number>, string[]]>([
		[
			'no user and password',
			{ method: 'basic', user: '', password: '' },
			['Authorization', 'Basic Og=='],
		],
		['a method that is not in the list', { method: 'none' }, signed],
		[
			'old secrets alone',
			{ secret: '', furtherSecrets: 'old' },
			['X-Signature', openssl('sha256', 'old', body, 'hex')],
		],
	])('accepts nothing: %s', (_what, fields, rawHeaders) => {
		const complete = credential({ ...fields, method: 'signature', secret: SECRET });
		expect(verifyDelivery({ rawHeaders: signed, body }, complete, NOW)).toBe(true);
		expect(verifyDelivery({ rawHeaders, body }, credential(fields), NOW)).toBe(false);
	});
});

describe('while a secret is being replaced', () => {
	const body = BODIES['a record'];
	const accepts = (secret: string, furtherSecrets: string) => {
		const rawHeaders = ['X-Signature', openssl('sha256', secret, body, 'hex')];
		return verifyDelivery({ rawHeaders, body }, credential({ ...spaceless, furtherSecrets }), NOW);
	};

	it.each(['nopal-7', 'agave-6', 'biznaga-5'])('the secret %s is accepted', (secret) => {
		expect(accepts(secret, 'agave-6 biznaga-5')).toBe(true);
	});

	it('one that is not named any more is refused', () => {
		expect(accepts('agave-6', 'biznaga-5')).toBe(false);
	});
});

describe('a prefix before the signature', () => {
	it('is taken off', () => {
		const body = BODIES['a record'];
		const rawHeaders = ['X-Signature', `sha256=${openssl('sha256', SECRET, body, 'hex')}`];
		expect(verifyDelivery({ rawHeaders, body }, credential({ prefix: 'sha256=' }), NOW)).toBe(true);
	});
});

describe('Standard Webhooks', () => {
	// the vectors that the specification's reference libraries are tested with
	const body = Buffer.from('{"test": 2432232314}');
	const credential = {
		method: 'standard',
		secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
		tolerance: 300,
	};
	const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
	const timestamp = '1614265330';
	const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
	const now = 1_614_265_330_000;
	const headers = (changes: Record<string, string> = {}, prefix = 'webhook') =>
		Object.entries({ id, timestamp, signature, ...changes }).flatMap(([name, value]) => [
			`${prefix}-${name}`,
			value,
		]);
	const accepts = (rawHeaders: string[], at = now, changes: object = {}) =>
		verifyDelivery({ rawHeaders, body }, { ...credential, ...changes }, at);

	it.each<[string, string[], number?, object?]>([
		['the vector of the specification', headers()],
		['its svix- names', headers({}, 'svix')],
		['a secret without whsec_', headers(), now, { secret: credential.secret.slice(6) }],
		['one of several signatures', headers({ signature: `v1,AAAA v2,xyz ${signature}` })],
		[
			'an old secret beside the new one',
			headers(),
			now,
			{ secret: 'whsec_AAAA', furtherSecrets: credential.secret },
		],
		['the end of the tolerance', headers(), now + 300_000],
	])('accepts %s', (_, rawHeaders, ...[at, changes]) => {
		expect(accepts(rawHeaders, at, changes)).toBe(true);
	});

	it.each<[string, string[], number?, object?]>([
		['another ID', headers({ id: 'msg_another' })],
		['another time', headers({ timestamp: '1614265331' })],
		['a time that is too old', headers(), now + 301_000],
		['a time of the future', headers(), now - 301_000],
		['a time that is none', headers({ timestamp: 'soon' })],
		['a signature of another version', headers({ signature: signature.replace('v1', 'v1a') })],
		['a signature without its version', headers({ signature: signature.slice(3) })],
		['no ID', headers().slice(2)],
		['an ID that is there twice', [...headers(), 'webhook-id', id]],
		['names of both kinds, mixed', [...headers().slice(0, 4), 'svix-signature', signature]],
		['another secret', headers(), now, { secret: 'whsec_AAAAAAAA' }],
		['a secret that is none', headers(), now, { secret: 'whsec_§' }],
	])('refuses %s', (_, rawHeaders, ...[at, changes]) => {
		expect(accepts(rawHeaders, at, changes)).toBe(false);
	});
});

/** The headers of a request that came as these bytes, as Node's server reads them. */
async function headersOf(name: string, value: Buffer): Promise<string[]> {
	const server = createServer();
	const received = new Promise<string[]>((resolve, reject) =>
		server.on('clientError', reject).on('request', ({ rawHeaders }, response) => {
			resolve(rawHeaders);
			response.end();
		}),
	);
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
	const [before, after] = [`POST / HTTP/1.1\r\nHost: x\r\n${name}: `, '\r\n\r\n'].map((text) =>
		Buffer.from(text),
	);
	socket.end(Buffer.concat([before, value, after]));
	const rawHeaders = await received;
	socket.destroy();
	await new Promise((done) => server.close(done));
	return rawHeaders;
}

describe.each(['peña-nogal-7', 'contraseña de José', 'clave-à', 'ü'])(
	'a secret with accents: %s',
	(secret) => {
		const body = BODIES['a record'];

		describe.each(['utf8', 'latin1'] as const)('that is sent in %s', (encoding) => {
			it.each<[string, object, string, (text: string) => Buffer]>([
				[
					'as a header',
					{ method: 'header', secret, headerName: 'X-Secret' },
					'X-Secret',
					(text) => Buffer.from(text, encoding),
				],
				[
					'as Basic Auth',
					{ method: 'basic', user: 'niño', password: secret },
					'Authorization',
					(text) =>
						Buffer.from(`Basic ${Buffer.from(`niño:${text}`, encoding).toString('base64')}`),
				],
			])('is accepted %s, and no other one', async (_, fields, name, write) => {
				const accepts = async (text: string) =>
					verifyDelivery(
						{ rawHeaders: await headersOf(name, write(text)), body },
						fields as Parameters<typeof verifyDelivery>[1],
						NOW,
					);
				const others = [`${secret}x`, secret.slice(0, -1)];
				expect(await accepts(secret)).toBe(true);
				for (const other of others) expect(await accepts(other)).toBe(false);
			});
		});
	},
);

it('a secret with a letter that Latin-1 does not have is not that of the letter with its last byte', async () => {
	const accepts = async (fields: object, name: string, sent: string) =>
		verifyDelivery(
			{ rawHeaders: await headersOf(name, Buffer.from(sent)), body: Buffer.alloc(0) },
			fields as Parameters<typeof verifyDelivery>[1],
			NOW,
		);
	const header = { method: 'header', secret: 'clave-Ł7', headerName: 'X-Secret' };
	const basic = { method: 'basic', user: 'niño', password: 'clave-Ł7' };
	const login = (password: string) => `Basic ${Buffer.from(`niño:${password}`).toString('base64')}`;
	expect(await accepts(header, 'X-Secret', 'clave-Ł7')).toBe(true);
	expect(await accepts(header, 'X-Secret', 'clave-A7')).toBe(false);
	expect(await accepts(basic, 'Authorization', login('clave-Ł7'))).toBe(true);
	const shortened = Buffer.from('niño:clave-Ł7', 'latin1').toString('base64');
	expect(await accepts(basic, 'Authorization', `Basic ${shortened}`)).toBe(false);
});
