import { redact, redactValues } from '../../../../nodes/shared/utils/redact';

const SECRET = 'p4ss wörd/"x"';

describe('a service that echoes a secret', () => {
	it.each([
		['as it is', SECRET],
		['in JSON', JSON.stringify({ echo: SECRET })],
		['in a URL', `/a?b=${encodeURIComponent(SECRET)}`],
		['in base64', `Basic ${Buffer.from(SECRET).toString('base64')}`],
		['in base64 for URLs', Buffer.from(SECRET).toString('base64url')],
	])('shows nothing of it %s', (_, text) => {
		const forms = [SECRET, Buffer.from(SECRET).toString('base64').replace(/=+$/, '')];
		expect(redact(text, [SECRET])).toContain('***');
		for (const form of forms) expect(redact(text, [SECRET])).not.toContain(form);
	});

	it('shows nothing of a key whose lines it joined', () => {
		const key = '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG\n-----END KEY-----';
		expect(redact(`refused: ${key.replace(/\n/g, ' ')}`, [key])).toBe('refused: ***');
	});
});

describe('an answer that is masked by value', () => {
	it('keeps its keys and numbers, and every text that is not the secret', () => {
		const answer = { _id: 'a1', n: 1, rows: [{ one: '1', '1': 'x1y' }], ok: true, none: null };
		expect(redactValues(answer, ['1'])).toEqual({
			...answer,
			rows: [{ one: '***', '1': 'x1y' }],
		});
	});

	it('hides a secret of four letters or more inside a text', () => {
		expect(redactValues({ said: 'ciec Ab12 taken' }, ['Ab12'])).toEqual({ said: 'ciec *** taken' });
	});

	it('keeps a key that no object should have an own one', () => {
		const answer = JSON.parse('{"__proto__": "Ab12", "toString": 1}') as object;
		expect(JSON.stringify(redactValues(answer, ['Ab12']))).toBe('{"__proto__":"***","toString":1}');
	});

	it('is the same object where there is no secret', () => {
		const answer = { a: 1 };
		expect(redactValues(answer, ['', ''])).toBe(answer);
	});
});
