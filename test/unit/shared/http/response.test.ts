import {
	toBodyOrProblem,
	type ResponseOrExchangeFailure,
} from '../../../../nodes/shared/http/response';

const answer = (status: number, body: unknown = {}, headers = {}): ResponseOrExchangeFailure => ({
	response: { status, headers, body },
});
const read = (outcome: ResponseOrExchangeFailure, emptyAs?: [] | 'not found') =>
	toBodyOrProblem(outcome, { emptyAs, secrets: ['s3cret'] });

const table: Array<[what: string, outcome: ResponseOrExchangeFailure, expected: object]> = [
	['an object', answer(200, { a: 1 }), { body: { a: 1 } }],
	['a list', answer(201, [{ a: 1 }]), { body: [{ a: 1 }] }],
	[
		'a web page',
		answer(200, '<html>'),
		{ kind: 'body', reason: 'notJson', status: 200, isPage: true },
	],
	['a text', answer(200, 'OK'), { kind: 'body', reason: 'notJson', status: 200 }],
	[
		'JSON that was cut off',
		answer(200, '{"a":'),
		{ kind: 'body', reason: 'truncated', status: 200 },
	],
	['no body', answer(204, ''), { kind: 'body', reason: 'empty', status: 204 }],
	['null', answer(200, null), { kind: 'body', reason: 'scalar', status: 200 }],
	['a number', answer(200, 17), { kind: 'body', reason: 'scalar', status: 200 }],
	[
		'too much',
		{ tooLarge: { maxBytes: 5, status: 200 } },
		{ kind: 'body', reason: 'tooLarge', status: 200, maxBytes: 5 },
	],
	[
		'a broken connection',
		{ fault: { code: 'ECONNRESET' } },
		{ kind: 'network', code: 'ECONNRESET' },
	],
	['401', answer(401), { kind: 'status', status: 401, isTokenRefused: true }],
	[
		'400 by RFC 6750',
		answer(400, { error: 'invalid_token' }),
		{ kind: 'status', status: 400, serviceMessage: 'invalid_token', isTokenRefused: true },
	],
	[
		'403 by RFC 6750',
		answer(403, '', { 'www-authenticate': 'Bearer error="invalid_token"' }),
		{ kind: 'status', status: 403, isTokenRefused: true },
	],
	[
		'403 in other words',
		answer(403, { message: 'Token expired' }),
		{ kind: 'status', status: 403, serviceMessage: 'Token expired' },
	],
	[
		'a 403 page of a proxy',
		answer(403, '<html>denied'),
		{ kind: 'status', status: 403, isFromGateway: true },
	],
	[
		'a redirect, without login and query',
		answer(302, '', { location: 'https://a:b@host/x?token=1' }),
		{ kind: 'status', status: 302, location: 'https://host/x' },
	],
	[
		'a redirect that repeats a secret',
		answer(302, '', { location: 'https://host/s3cret' }),
		{ kind: 'status', status: 302 },
	],
	[
		'a list of details',
		answer(422, { message: 'Not valid', errors: [{ field: 'rfc' }] }),
		{ kind: 'status', status: 422, serviceMessage: "Not valid: {'field':'rfc'}" },
	],
	...['no: s3cret', 'no: S3CRET', 'no: czNjcmV0', 's%33cret s3cret'].map(
		(message): (typeof table)[number] => [
			`words that repeat a secret: ${message}`,
			answer(500, { error: { message } }),
			{ kind: 'status', status: 500, isWithheld: true },
		],
	),
];

describe('a response becomes a value or a problem', () => {
	it.each(table)('%s', (_, outcome, expected) => expect(read(outcome)).toEqual(expected));

	it.each(['', ' ', 'Not Found', '<html>', 'default backend - 404', null, [], 7])(
		"takes a 404 for a gateway's whose body is no object: %j",
		(body) => expect(read(answer(404, body))).toMatchObject({ isFromGateway: true }),
	);

	it('takes null for an empty list', () => {
		expect(read(answer(200, null), [])).toEqual({ body: [] });
	});

	it('reads an empty response as not found on demand', () => {
		const nothing = [answer(204, ''), answer(200, null)].map((one) => read(one, 'not found'));
		expect(nothing).toEqual(Array(2).fill({ kind: 'status', status: 404 }));
	});

	it('however deep an error body is nested', () => {
		let body = {};
		for (let i = 0; i < 50_000; i++) body = { error: body };
		expect(read(answer(400, body))).toMatchObject({ kind: 'status', status: 400 });
	});
});
