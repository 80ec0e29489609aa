import {
	maskNamed,
	redactLongSecretsInValue,
	redactSecretsInValue,
} from '../../../../nodes/shared/utils/redact';
import { holdsSecret } from '../../../../nodes/shared/utils/secretDetector';

const SECRET = 'sécret with blanks/77';

describe('a text repeats a secret', () => {
	const base64 = (text: string) => Buffer.from(text).toString('base64');
	it.each<[how: string, text: string]>([
		['as it is', `no: ${SECRET}!`],
		['in other case', `no: ${SECRET.toUpperCase()}`],
		['URL-encoded', `?p=${encodeURIComponent(SECRET)}`],
		['in a form', `p=${encodeURIComponent(SECRET).replaceAll('%20', '+')}`],
		['in JSON', JSON.stringify({ p: SECRET })],
		['in base64', `Basic ${base64(SECRET)}`],
		['in base64 behind one byte', base64(`a${SECRET}`)],
		['in base64 behind two bytes', base64(`ab${SECRET}`)],
		['in base64 behind a user', base64(`client:${SECRET}`)],
		['in base64url', Buffer.from(`ab${SECRET}`).toString('base64url')],
	])('%s', (_, text) => expect(holdsSecret(text, [SECRET])).toBe(true));

	it.each<[how: string, text: string]>([
		['in JSON with quotes', JSON.stringify({ password: 'Contraseña/2026"x&y' })],
		['URL-encoded but for punctuation', encodeURIComponent('Contraseña/2026"x&y')],
		['in HTML', 'Contraseña/2026&quot;x&amp;y'],
		['in decomposed Unicode', 'Contraseña/2026"x&y'.normalize('NFD')],
	])('%s', (_, text) =>
		expect(holdsSecret(`Bad body: ${text}`, ['Contraseña/2026"x&y'])).toBe(true),
	);

	it('in base64url, with the letters that base64 does not have', () => {
		const secret = '??>>~~ÿÿ??>>~~ÿÿ';
		const text = `id_${Buffer.from(secret).toString('base64url')}`;
		expect([/-/.test(text), /_/.test(text), holdsSecret(text, [secret])]).toEqual([
			true,
			true,
			true,
		]);
	});

	it('by a line of a key', () => {
		const key = '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END KEY-----';
		expect(holdsSecret('near MIIEvQIBADANBgkqhkiG9w0B', [key])).toBe(true);
	});

	it.each(['', 'abc', 'a sentence of its own'])('not by "%s"', (text) =>
		expect(holdsSecret(text, [SECRET, 'abc', ''])).toBe(false),
	);
});

describe('values', () => {
	it('that repeat a secret are masked, at any depth, and nothing else', () => {
		const json = { a: [`x ${SECRET}`, 40718822, 'fine'], b: { c: null, d: true, '40718822': 1 } };
		expect(redactSecretsInValue(json, [SECRET, '40718822'])).toEqual({
			a: ['***', '***', 'fine'],
			b: { c: null, d: true, '***': 1 },
		});
	});

	it('come back as they are where there is no secret', () => {
		const json = { a: 1 };
		expect(redactSecretsInValue(json, [''])).toBe(json);
	});

	it('that are nested without end are masked whole', () => {
		let json: object = {};
		for (let i = 0; i < 50_000; i++) json = { inner: json };
		expect(() => redactSecretsInValue(json, [SECRET])).not.toThrow();
	});

	it('of a good response are masked by secrets that are surely random', () => {
		const body = { head: `Bearer ${SECRET}`, folio: '40718822', user: 'admin' };
		expect(redactLongSecretsInValue(body, [SECRET, '40718822', 'admin'])).toEqual({
			...body,
			head: '***',
		});
	});

	it('masks values at any depth below a name, and returns them', () => {
		const found: string[] = [];
		const json = { ciec: 'abc', in: [{ Ciec: 77 }], of: { CIEC: { text: ['def'] } }, other: 'x' };
		const masked = maskNamed(json, ['ciec'], found);
		expect([masked, found]).toEqual([
			{ ciec: '***', in: [{ Ciec: '***' }], of: { CIEC: { text: ['***'] } }, other: 'x' },
			['abc', '77', 'def'],
		]);
	});
});
