import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { verify } from '../../../../nodes/TaxQuery/webhook/verify';

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
	webhookVerification: 'signature',
	webhookSecret: SECRET,
	additionalWebhookSecrets: '',
	signatureFormat: 'plain',
	signatureHeader: 'X-Signature',
	keyEncoding: 'text',
	timestampTolerance: 300,
	...fields,
});

type Fields = Record<string, string | number>;
const RECORD = BODIES['a record'];
const fits = (rawHeaders: string[], fields: Fields = {}, body = RECORD) =>
	verify({ rawHeaders, body }, credential(fields), NOW);

describe.each(['sha256', 'sha384', 'sha512'])('a signature by OpenSSL with %s', (algorithm) => {
	describe.each(['hex', 'base64', 'base64url'] as const)('written in %s', (encoding) => {
		it.each(Object.entries(BODIES))('is accepted over %s', (_, body) => {
			const signature = openssl(algorithm, SECRET, body, encoding);
			expect(fits(['Host', 'x', 'X-Signature', signature], {}, body)).toBe(true);
		});

		it('is refused when one byte of the body differs', () => {
			const changed = Buffer.from(RECORD);
			changed[10] ^= 1;
			const signature = openssl(algorithm, SECRET, RECORD, encoding);
			expect(fits(['X-Signature', signature], {}, changed)).toBe(false);
		});

		it('is refused when its end is cut off', () => {
			const signature = openssl(algorithm, SECRET, RECORD, encoding).replace(/=+$/, '');
			const lengths = [...Array(signature.length).keys()];
			const accepted = lengths.filter((end) => fits(['X-Signature', signature.slice(0, end)]));
			expect(accepted).toEqual([]);
		});
	});
});

describe('several signatures in one call', () => {
	const hex = (secret: string, algorithm = 'sha256') => openssl(algorithm, secret, RECORD, 'hex');
	const base64 = (secret: string) => openssl('sha256', secret, RECORD, 'base64');
	const [old, valid] = [hex('old'), hex(SECRET)];

	it.each<[string, string[]]>([
		['old and new by a comma', [`sha256=${old},sha256=${valid}`]],
		['new and old by a comma', [`sha256=${valid},sha256=${old}`]],
		['by a comma and a blank', [`sha256=${old}, sha256=${valid}`]],
		['by a blank', [`sha256=${old} sha256=${valid}`]],
		['by a semicolon', [`sha256=${old};sha256=${valid}`]],
		['the header twice', [`sha256=${old}`, `sha256=${valid}`]],
		['the header twice, each with several', [`v0=${old},v1=${old}`, `v0=${old} v1=${valid}`]],
		['with and without a label', [`${old},sha256=${valid}`]],
		['labels in capitals', [`SHA256=${old.toUpperCase()},SHA256=${valid.toUpperCase()}`]],
		['in hexadecimal and base64', [`${old},${base64(SECRET)}`]],
		['in base64, both', [`v1=${base64('old')},v1=${base64(SECRET)}`]],
		['by two algorithms', [`sha1=${'ab'.repeat(20)},sha512=${hex(SECRET, 'sha512')}`]],
		['in quotes, among other parameters', [`keyId="k1",algorithm="hmac",signature="${valid}"`]],
		['after a scheme', [`HMAC-SHA256 Signature=${valid}`]],
		['a label with a colon', [`hmac:${valid}`]],
	])('are accepted if one fits: %s', (_, values) => {
		expect(fits(values.flatMap((value) => ['X-Signature', value]))).toBe(true);
	});

	it('are refused if none fits', () => {
		expect(fits(['X-Signature', `sha256=${old},sha256=${hex('older')}`])).toBe(false);
	});

	it.each([
		[
			'full-width digits',
			(text: string) =>
				text.replace(/[0-9]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)),
		],
		[
			'Cyrillic letters',
			(text: string) => text.replaceAll('a', '\u0430').replaceAll('c', '\u0441'),
		],
		['a zero-width space', (text: string) => `${text.slice(0, 32)}\u200b${text.slice(32)}`],
	])('are refused with a confusable letter: %s', (_, disguise) => {
		expect(disguise(valid)).not.toBe(valid);
		expect(fits(['X-Signature', `sha256=${disguise(valid)}`])).toBe(false);
	});

	it('are read up to a bound', () => {
		const many = (count: number) => `${`sha256=${old},`.repeat(count)}sha256=${valid}`;
		expect([fits(['X-Signature', many(10)]), fits(['X-Signature', many(1_000)])]).toEqual([
			true,
			false,
		]);
	});

	it.each([
		['100 kB of one letter', 'a'.repeat(100_000)],
		['100 kB of separators', ',;'.repeat(50_000)],
		['100 kB of labels', 'a='.repeat(50_000)],
		['100 kB of timestamps', 't=1700000000,'.repeat(7_000)],
	])('are refused without a long search: %s', (_, value) => {
		for (const signatureFormat of ['plain', 'timestamped']) {
			expect(fits(['X-Signature', value], { signatureFormat })).toBe(false);
		}
	});
});

describe('a signature over timestamp and body', () => {
	const timed = { signatureFormat: 'timestamped' };
	const accepts = (timestamp: string, fields: Fields = {}) => {
		const signed = Buffer.concat([Buffer.from(`${timestamp}.`), RECORD]);
		const signature = openssl('sha256', SECRET, signed, 'hex');
		const rawHeaders = ['x-signature', signature, 'x-timestamp', timestamp];
		return fits(rawHeaders, { ...timed, timestampHeader: 'X-Timestamp', ...fields });
	};

	it.each([
		['seconds', String(NOW / 1000)],
		['seconds with a fraction', `${NOW / 1000}.123`],
		['milliseconds', String(NOW)],
		['milliseconds with a fraction', `${NOW}.5`],
		['microseconds', `${NOW}000`],
		['nanoseconds', `${NOW}000000`],
		['ISO 8601', '2026-03-01T06:00:00-06:00'],
		['ISO 8601 with milliseconds', '2026-03-01T12:00:00.123Z'],
		['ISO 8601 in its basic form', '20260301T120000Z'],
		['ISO 8601 without a zone, which is UTC', '2026-03-01T12:00:00'],
		['seconds at the end of the tolerance', String(NOW / 1000 - 300)],
	])('is accepted in %s', (_, timestamp) => {
		expect(accepts(timestamp)).toBe(true);
	});

	it.each([
		['beyond the tolerance', String(NOW / 1000 - 61)],
		['from the future', String(NOW / 1000 + 61)],
		['from the far future', '99999999999'],
		['beyond what a number holds', '9'.repeat(30)],
		['below zero', `-${NOW / 1000}`],
		['with an exponent', '1.7723664e9'],
		['of Infinity', 'Infinity'],
		['that is empty', ''],
		['that is a word', 'today'],
		['in hexadecimal', '0x69a42f40'],
	])('is refused with a timestamp %s', (_, timestamp) => {
		expect(accepts(timestamp, { timestampTolerance: 60 })).toBe(false);
	});

	it('is refused if the time is that of another call', () => {
		const signature = openssl('sha256', SECRET, Buffer.concat([Buffer.from('1.'), RECORD]), 'hex');
		const rawHeaders = ['X-Signature', signature, 'X-Timestamp', String(NOW / 1000)];
		expect(fits(rawHeaders, { ...timed, timestampHeader: 'X-Timestamp' })).toBe(false);
	});
});

describe('a timestamp inside the signature header', () => {
	const at = String(NOW / 1000);
	const sign = (timestamp: string, secret = SECRET, text = '.') =>
		openssl('sha256', secret, Buffer.concat([Buffer.from(timestamp + text), RECORD]), 'hex');
	const accepts = (...values: string[]) =>
		fits(
			values.flatMap((value) => ['X-Signature', value]),
			{ signatureFormat: 'timestamped' },
		);
	const iso = '2026-03-01T12:00:00.5Z';
	const late = String(NOW / 1000 - 301);

	it.each<[string, string[]]>([
		['t and v1', [`t=${at},v1=${sign(at)}`]],
		['blanks around', [` t=${at}, v1=${sign(at)} `]],
		['v1 before t', [`v1=${sign(at)},t=${at}`]],
		['several v1, one by an old secret', [`t=${at},v1=${sign(at, 'old')},v1=${sign(at)}`]],
		['another scheme beside it', [`t=${at},v0=${'0'.repeat(64)},v1=${sign(at)}`]],
		['ts and h1 by a semicolon', [`ts=${at};h1=${sign(at)}`]],
		['the header twice', [`t=${at},v1=${sign(at, 'old')}`, `t=${at},v1=${sign(at)}`]],
		['two times, each with its own', [`t=1,v1=${sign('1')},t=${at},v1=${sign(at)}`]],
		['milliseconds', [`t=${NOW},v1=${sign(String(NOW))}`]],
		['a fraction', [`t=${at}.123,v1=${sign(`${at}.123`)}`]],
		['ISO 8601', [`t=${iso},v1=${sign(iso)}`]],
		['no labels', [`${at},${sign(at)}`]],
		['one pair by a colon', [`${at}:${sign(at)}`]],
	])('is accepted: %s', (_, values) => {
		expect(accepts(...values)).toBe(true);
	});

	it.each<[string, string[]]>([
		['no time', [`v1=${sign(at)}`]],
		['too old', [`t=${late},v1=${sign(late)}`]],
		['a fresh time that was not signed', [`t=${at},v1=${sign(late)}`]],
		['a fresh time beside the old one', [`t=${at},t=${late},v1=${sign(late)}`]],
		['the body alone is signed', [`t=${at},v1=${openssl('sha256', SECRET, RECORD, 'hex')}`]],
		['another secret', [`t=${at},v1=${sign(at, 'guessed')}`]],
		['a signature that is cut off', [`t=${at},v1=${sign(at).slice(0, 32)}`]],
	])('is refused: %s', (_, values) => {
		expect(accepts(...values)).toBe(false);
	});
});

describe('a saved credential with a template of the signed text', () => {
	const at = String(NOW / 1000);
	const accepts = (signedText: string, signed: string, timestampHeader = 'X-Time') => {
		const signature = openssl('sha256', SECRET, Buffer.from(signed), 'hex');
		const fields = { signatureFormat: 'template', signedText, timestampHeader };
		return fits(['X-Signature', signature, 'X-Time', at], fields);
	};
	const body = RECORD.toString();

	it.each([
		['the body', '{body}', body],
		['the time and the body', '{timestamp}.{body}', `${at}.${body}`],
	])('is verified as before where the format has a successor: %s', (_, text, signed) => {
		expect(accepts(text, signed)).toBe(true);
	});

	it('accepts nothing with another text', () => {
		expect(accepts('v0:{timestamp}:{body}', `v0:${at}:${body}`)).toBe(false);
	});

	it('accepts nothing if the header of the time is none', () => {
		expect(accepts('{timestamp}.{body}', `${at}.${body}`, 'ñ')).toBe(false);
	});
});

describe('a secret in another encoding', () => {
	const key = Buffer.of(0, 200, 7, 255, 66, 91, 13, 10);
	const signature = createHmac('sha256', key).update(RECORD).digest('hex');
	const accepts = (webhookSecret: string, keyEncoding: string, additionalWebhookSecrets = '') =>
		fits(['X-Signature', signature], { webhookSecret, keyEncoding, additionalWebhookSecrets });

	it.each([
		['hexadecimal', key.toString('hex'), 'hex'],
		['hexadecimal in capitals', key.toString('hex').toUpperCase(), 'hex'],
		['base64', key.toString('base64'), 'base64'],
		['base64url', key.toString('base64url'), 'base64'],
	])('is accepted: %s', (_, secret, encoding) => {
		expect(accepts(secret, encoding)).toBe(true);
		expect(accepts(encoding === 'hex' ? 'abcd' : 'AAAA', encoding, secret)).toBe(true);
	});

	it.each([
		['the text of it', key.toString('hex'), 'text'],
		['half a byte', `${key.toString('hex')}a`, 'hex'],
		['what is no hexadecimal', `${key.toString('hex')}zz`, 'hex'],
		['an encoding that is not in the list', key.toString('hex'), 'toString'],
		['one additional secret that is none', key.toString('hex'), 'hex', 'zz'],
	])('is refused: %s', (_, secret, encoding, ...[additional]) => {
		expect(accepts(secret, encoding, additional)).toBe(false);
	});
});

describe('a credential that is not complete', () => {
	const signed = ['X-Signature', openssl('sha256', SECRET, RECORD, 'hex')];
	const empty = ['X-Signature', createHmac('sha256', '').update(RECORD).digest('hex')];
	it.each<[string, Fields, string[]]>([
		[
			'no user and password',
			{ webhookVerification: 'basic', webhookUser: '', webhookPassword: '' },
			['Authorization', 'Basic Og=='],
		],
		['no verification', { webhookVerification: 'none' }, signed],
		['a verification that is not in the list', { webhookVerification: 'all' }, signed],
		['a format that is not in the list', { signatureFormat: 'any' }, signed],
		['an empty secret', { webhookSecret: '' }, empty],
		['a secret of blanks', { webhookSecret: '  ' }, empty],
		['an empty secret in hexadecimal', { webhookSecret: '', keyEncoding: 'hex' }, empty],
		[
			'an empty secret of Standard Webhooks',
			{ webhookSecret: 'whsec_', signatureFormat: 'standard' },
			empty,
		],
		[
			'old secrets alone',
			{ webhookSecret: '', additionalWebhookSecrets: 'old' },
			['X-Signature', openssl('sha256', 'old', RECORD, 'hex')],
		],
	])('accepts nothing: %s', (_what, fields, rawHeaders) => {
		expect(fits(signed)).toBe(true);
		expect(fits(rawHeaders, fields)).toBe(false);
	});
});

describe('while a secret is being replaced', () => {
	const accepts = (secret: string, additionalWebhookSecrets: string) =>
		fits(['X-Signature', openssl('sha256', secret, RECORD, 'hex')], {
			webhookSecret: 'nopal-7',
			additionalWebhookSecrets,
		});

	it.each(['nopal-7', 'agave-6', 'biznaga-5'])('the secret %s is accepted', (secret) => {
		expect(accepts(secret, 'agave-6 biznaga-5')).toBe(true);
	});

	it('one that is not named any more is refused', () => {
		expect(accepts('agave-6', 'biznaga-5')).toBe(false);
	});
});

describe('Standard Webhooks', () => {
	// the vectors that the specification's reference libraries are tested with
	const body = Buffer.from('{"test": 2432232314}');
	const credential = {
		webhookVerification: 'signature',
		signatureFormat: 'standard',
		webhookSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
		timestampTolerance: 300,
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
		verify({ rawHeaders, body }, { ...credential, ...changes }, at);

	it.each<[string, string[], number?, object?]>([
		['the vector of the specification', headers()],
		['its svix- names', headers({}, 'svix')],
		[
			'a secret without whsec_',
			headers(),
			now,
			{ webhookSecret: credential.webhookSecret.slice(6) },
		],
		['one of several signatures', headers({ signature: `v1,AAAA v2,xyz ${signature}` })],
		[
			'an old secret beside the new one',
			headers(),
			now,
			{ webhookSecret: 'whsec_AAAA', additionalWebhookSecrets: credential.webhookSecret },
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
		['another secret', headers(), now, { webhookSecret: 'whsec_AAAAAAAA' }],
		['a secret that is none', headers(), now, { webhookSecret: 'whsec_§' }],
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
					{ webhookVerification: 'header', webhookSecret: secret, webhookHeaderName: 'X-Secret' },
					'X-Secret',
					(text) => Buffer.from(text, encoding),
				],
				[
					'as Basic Auth',
					{ webhookVerification: 'basic', webhookUser: 'niño', webhookPassword: secret },
					'Authorization',
					(text) =>
						Buffer.from(`Basic ${Buffer.from(`niño:${text}`, encoding).toString('base64')}`),
				],
			])('is accepted %s, and no other one', async (_, fields, name, write) => {
				const accepts = async (text: string) =>
					verify(
						{ rawHeaders: await headersOf(name, write(text)), body },
						fields as Parameters<typeof verify>[1],
						NOW,
					);
				const others = [`${secret}x`, secret.slice(0, -1)];
				expect(await accepts(secret)).toBe(true);
				for (const other of others) expect(await accepts(other)).toBe(false);
			});
		});
	},
);

it('a secret with a letter beyond Latin-1 is not confused by its last byte', async () => {
	const accepts = async (fields: object, name: string, sent: string) =>
		verify(
			{ rawHeaders: await headersOf(name, Buffer.from(sent)), body: Buffer.alloc(0) },
			fields as Parameters<typeof verify>[1],
			NOW,
		);
	const header = {
		webhookVerification: 'header',
		webhookSecret: 'clave-Ł7',
		webhookHeaderName: 'X-Secret',
	};
	const basic = { webhookVerification: 'basic', webhookUser: 'niño', webhookPassword: 'clave-Ł7' };
	const login = (password: string) => `Basic ${Buffer.from(`niño:${password}`).toString('base64')}`;
	expect(await accepts(header, 'X-Secret', 'clave-Ł7')).toBe(true);
	expect(await accepts(header, 'X-Secret', 'clave-A7')).toBe(false);
	expect(await accepts(basic, 'Authorization', login('clave-Ł7'))).toBe(true);
	const shortened = Buffer.from('niño:clave-Ł7', 'latin1').toString('base64');
	expect(await accepts(basic, 'Authorization', `Basic ${shortened}`)).toBe(false);
});
