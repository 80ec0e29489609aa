import { execFileSync } from 'node:child_process';
import { isAuthentic } from '../../../nodes/TaxQueryTrigger/authenticity';

const SECRET = 'whsec nopal-7';
const NOW = Date.parse('2026-03-01T12:00:00Z');
const BODIES = {
	'a record': Buffer.from('{"_id":"a1","service":"CRF","status":"SUCCESS"}'),
	'letters with accents': Buffer.from('{"RazonSocial":"PEÑA Y ASOCIADOS, S.A. DE C.V. «ñ»"}'),
	'bytes that are no text': Buffer.of(0, 255, 254, 10, 13, 0),
	nothing: Buffer.alloc(0),
};

/** The signature as OpenSSL makes it: an implementation that knows nothing of ours. */
function openssl(algorithm: string, secret: string, signed: Buffer, encoding: BufferEncoding) {
	const hmac = ['dgst', `-${algorithm}`, '-hmac', secret, '-binary'];
	return execFileSync('openssl', hmac, { input: signed }).toString(encoding);
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
			expect(isAuthentic({ rawHeaders, body }, credential({ algorithm, encoding }), NOW)).toBe(
				true,
			);
		});

		it('is refused when one byte of the body differs', () => {
			const body = BODIES['a record'];
			const rawHeaders = ['X-Signature', openssl(algorithm, SECRET, body, encoding)];
			const changed = Buffer.from(body);
			changed[10] ^= 1;
			expect(
				isAuthentic({ rawHeaders, body: changed }, credential({ algorithm, encoding }), NOW),
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
		return isAuthentic({ rawHeaders, body }, credential({ timestampHeader, ...fields }), NOW);
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

describe('while a secret is being replaced', () => {
	const body = BODIES['a record'];
	const accepts = (secret: string, furtherSecrets: string) => {
		const rawHeaders = ['X-Signature', openssl('sha256', secret, body, 'hex')];
		return isAuthentic({ rawHeaders, body }, credential({ ...spaceless, furtherSecrets }), NOW);
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
		expect(isAuthentic({ rawHeaders, body }, credential({ prefix: 'sha256=' }), NOW)).toBe(true);
	});
});
