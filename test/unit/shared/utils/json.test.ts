import { parseJson } from '../../../../nodes/shared/utils/json';

describe('JSON of a service', () => {
	it.each([
		['a CLABE', '{"clabe":646180157042875763}', { clabe: '646180157042875763' }],
		['a negative number', '[-9007199254740993]', ['-9007199254740993']],
		['at the top', '9007199254740993', '9007199254740993'],
		['a fraction beyond 2^53', '{"a": 9007199254740993.25}', { a: '9007199254740993.25' }],
		['an exponent', '{"a":1e400,"b":12E+30}', { a: '1e400', b: '12E+30' }],
		[
			'beside an escaped quote',
			'{"a\\"":"\\\\","b":9007199254740993}',
			{ 'a"': '\\', b: '9007199254740993' },
		],
	])('keeps the digits of a number beyond 2^53: %s', (_, text, expected) => {
		expect(parseJson(text)).toEqual(expected);
	});

	it.each(['9007199254740991', '0.30000000000000004', '1.5e3', '12345678.1234567890123456'])(
		'leaves a number that JavaScript holds: %s',
		(text) => expect(parseJson(`{"a": ${text} }`)).toEqual({ a: Number(text) }),
	);

	it('leaves digits inside texts and keys', () => {
		const value = { '9007199254740993': 'at 9007199254740993, 1e9 ":1111111111111111111"' };
		expect(parseJson(JSON.stringify(value))).toEqual(value);
	});

	it('is undefined where the text is none', () => {
		expect(['', '{', '9007199254740993 x', '{"a":646180157042875763'].map(parseJson)).toEqual(
			Array(4).fill(undefined),
		);
	});
});
