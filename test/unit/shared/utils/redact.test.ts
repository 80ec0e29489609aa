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

	const [lower, php] = [
		(text: string) => text.replace(/%..|\\u..../g, (escape) => escape.toLowerCase()),
		(text: string) =>
			JSON.stringify(text)
				.replaceAll('/', '\\/')
				.replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`),
	];
	const html = (text: string) => text.replace(/[&<>"'/=+]/g, (one) => `&#${one.charCodeAt(0)};`);
	const FORMS: Record<string, (secret: string) => string> = {
		'as a form': (secret) => new URLSearchParams({ secret }).toString(),
		'as a form in lower case': (secret) => lower(new URLSearchParams({ secret }).toString()),
		'in a URL within a URL': (secret) => encodeURIComponent(`/?a=${encodeURIComponent(secret)}`),
		'in JSON as PHP writes it': php,
		'in JSON as .NET writes it': (secret) =>
			JSON.stringify(secret).replace(
				/[^ -~]|[+&<>']/g,
				(one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`,
			),
		'in JSON within JSON': (secret) => JSON.stringify(JSON.stringify({ secret })),
		'in JSON of PHP within JSON': (secret) => JSON.stringify(php(secret)),
		'in HTML': (secret) => `<p>${html(secret)}</p>`,
		'in HTML with named entities': (secret) =>
			secret.replace(/[&"'ñé]/g, (one) => `&${NAMES[one as keyof typeof NAMES]};`),
		'in JSON, in HTML': (secret) => html(JSON.stringify({ secret })),
		'in the letters of Latin-1': (secret) => Buffer.from(secret).toString('latin1'),
		'in base64 in a URL': (secret) => encodeURIComponent(Buffer.from(secret).toString('base64')),
		'in base64 in JSON of PHP': (secret) => php(Buffer.from(secret).toString('base64')),
	};
	const NAMES = { '&': 'amp', '"': 'quot', "'": 'apos', ñ: 'ntilde', é: 'eacute' };
	const SECRETS = {
		'a secret of a generator': 'Abc8Q~xyz!1234',
		'a secret with blanks, slashes and accents': 'sécrét/with blañks(77)',
		'a secret of signs': `a1\\b"c'd&e+f/g=h<i>j%k`,
		'a secret in which backslashes and quotes follow each other': 'x7\\\\"\\"\'\'\\\\\\y9-z',
		'a secret beyond the first plane': 'clave-🔑-ñandú-77',
	};

	describe.each(Object.entries(SECRETS))('%s', (_name, secret) => {
		it.each(Object.entries(FORMS))('is not there %s', (_form, echo) => {
			const text = echo(secret);
			const blotted = redact(`Refused: ${text}!`, [secret]);
			expect(blotted).toContain('***');
			// of what stood before, nothing is left but the frame
			const [before, after] = blotted.split('***');
			const [pre, post] = [echo(''), echo('')];
			expect(before.length + after.length).toBeLessThanOrEqual(
				'Refused: !'.length + Math.max(pre.length, post.length),
			);
		});
	});

	const lines = [
		'-----BEGIN KEY-----',
		'MIIEvQIBADANBgkqhkiG/9w0BAQEFAAS+CBKcw',
		'/Qz7s9kLm+aa//bbTT0011==',
		'Zz==',
		'-----END KEY-----',
	];
	const key = lines.join('\n');
	it.each<[string, string]>([
		['joined by blanks', lines.join(' ')],
		['joined by nothing', lines.join('')],
		['with the line breaks of Windows', lines.join('\r\n')],
		['in JSON', JSON.stringify(key)],
		['in JSON of PHP', php(key)],
		['in JSON within JSON', JSON.stringify(JSON.stringify(key))],
		['in a form', new URLSearchParams({ key }).toString().slice('key='.length)],
		['in a form with the line breaks of Windows', encodeURIComponent(lines.join('\r\n'))],
	])('shows nothing of a key with its lines %s', (_, text) => {
		expect(redact(`refused: ${text}`, [key]).replace(/[\\"]+/g, '')).toBe('refused: ***');
	});

	it.each<[string, (line: string) => string]>([
		['as it is', (line) => line],
		['in JSON of PHP', php],
		['in a form', (line) => new URLSearchParams({ line }).toString()],
	])('shows nothing of one line of a key %s', (_, echo) => {
		for (const line of lines.slice(1, 3)) {
			const blotted = redact(`bad line: ${echo(line)} (2)`, [key]);
			expect(blotted).toMatch(/^bad line: (line=)?"?\*\*\*"? \(2\)$/);
		}
	});

	it.each<[string, string, string]>([
		['a number', '1', 'in 1 of 10 cases, see %31'],
		['a word of three letters', 'SAT', 'the SAT refused it, SATISFIED'],
		['a blank', ' ', 'one + two = %20'],
		['a sign', '+', 'one + two &amp; three'],
	])('keeps its words where %s is secret', (_, secret, text) => {
		expect(redact(text, [secret])).toBe(text);
	});

	it('shows nothing of a secret that was sent with blanks around it', () => {
		expect(redact('bad: "Abc8Q-1234"', [' Abc8Q-1234\n'])).toBe('bad: "***"');
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

	it('hides a number and a key that are a secret, and no longer ones', () => {
		const secrets = ['12345678', ' Passw0rd_1', '98765432109876543210', '007', '0012345'];
		const answer = JSON.parse(
			'{"a": 12345678, "b": [98765432109876543210, 123456789, 0.12345678], "Passw0rd_1": 1, "Passw0rd_11": 7, "c": {"12345678": 12345}}',
		) as object;
		expect(redactValues(answer, secrets)).toEqual({
			...{ a: '***', b: ['***', 123456789, 0.12345678], '***': 1, Passw0rd_11: 7 },
			c: { '***': '***' },
		});
	});

	it('keeps keys, and numbers that do not stand under one of the names, where there are names', () => {
		const answer = { Ab12: 1, n: 12345678, error: { code: 12345678, '12345678': 1 } };
		expect(redactValues(answer, ['12345678', 'Ab12'], ['error'])).toEqual({
			...{ Ab12: 1, n: 12345678 },
			error: { code: '***', '12345678': 1 },
		});
	});

	it('keeps every text that does not stand under one of the names, where there are names', () => {
		const answer = {
			...{ message: 'of Ab12', queryId: 'xAb12', response: { tags: ['Ab12'] } },
			data: { error: { detail: ['Ab12'] } },
		};
		expect(redactValues(answer, ['Ab12'], ['message', 'error'])).toEqual({
			...{ ...answer, message: 'of ***' },
			data: { error: { detail: ['***'] } },
		});
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
