import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { decompressBody } from '../../../../nodes/TaxQuery/webhook/rawBody';

const TEXT = '{"_id":"a1","RazonSocial":"PEÑA"}';
const MAX_BYTES = 1_000_000;
const encoders: Record<string, (body: Buffer) => Buffer> = {
	gzip: (body) => gzipSync(body),
	'x-gzip': (body) => gzipSync(body),
	deflate: (body) => deflateSync(body),
	br: (body) => brotliCompressSync(body),
};
const encode = (codings: string[], body: Buffer) =>
	codings.reduce((coded, coding) => encoders[coding](coded), body);
/** Returns what a small body can grow to. */
const bomb = (bytes: number) => Buffer.alloc(bytes, '[');

function knowsBrotli(): boolean {
	try {
		return Boolean(new DecompressionStream('brotli' as 'gzip'));
	} catch {
		return false;
	}
}

const decode = async (raw: Buffer, ...codings: string[]) => {
	const body = await decompressBody({ raw, codings });
	return Buffer.isBuffer(body) ? body.toString() : body.status;
};

describe('a coded body', () => {
	it.each([
		[['gzip']],
		[['x-gzip']],
		[['deflate']],
		[['gzip', 'deflate']],
		[['deflate', 'gzip']],
		[['gzip', 'gzip', 'gzip', 'gzip']],
		[[]],
	])('is decoded in the reverse order of its codings: %j', async (codings) => {
		expect(await decode(encode(codings, Buffer.from(TEXT)), ...codings)).toBe(TEXT);
	});

	it('is decoded without the header of zlib, as some senders deflate', async () => {
		expect(await decode(deflateRawSync(TEXT), 'deflate')).toBe(TEXT);
	});

	it.each([[['br']], [['gzip', 'br']], [['br', 'gzip']]])(
		'is decoded by brotli if Node can: %j',
		async (codings) => {
			const expected = knowsBrotli() ? TEXT : 415;
			expect(await decode(encode(codings, Buffer.from(TEXT)), ...codings)).toBe(expected);
		},
	);

	it('may hold nothing', async () => {
		expect(await decode(gzipSync(''), 'gzip')).toBe('');
	});

	it('may be as large as one that is not coded', async () => {
		expect(await decode(gzipSync(bomb(MAX_BYTES)), 'gzip')).toHaveLength(MAX_BYTES);
	});
});

describe('a body that cannot be decoded', () => {
	const gzipped = gzipSync(TEXT);

	it.each<[number, string, Buffer, string[]]>([
		[415, 'an unknown coding', gzipped, ['zstd']],
		[415, 'an unknown coding below a known one', gzipSync(gzipped), ['compress', 'gzip']],
		[415, 'more codings than four', encode(Array(5).fill('gzip') as string[], gzipped), Array(5).fill('gzip') as string[]],
		[415, 'an attack in place of a coding', gzipped, ['__proto__']],
		[400, 'no gzip', Buffer.from(TEXT), ['gzip']],
		[400, 'no deflate', Buffer.from(TEXT), ['deflate']],
		[400, 'nothing in place of gzip', Buffer.alloc(0), ['gzip']],
		[400, 'a gzip that is cut off', gzipped.subarray(0, -9), ['gzip']],
		[400, 'one gzip too few', gzipped, ['gzip', 'gzip']],
		[413, 'a byte too many', gzipSync(bomb(MAX_BYTES + 1)), ['gzip']],
		[413, 'a bomb of gzip', gzipSync(bomb(200_000_000)), ['gzip']],
		[413, 'a bomb of raw deflate', deflateRawSync(bomb(50_000_000)), ['deflate']],
		[413, 'a bomb in a bomb', gzipSync(gzipSync(gzipSync(bomb(50_000_000)))), ['gzip', 'gzip', 'gzip']],
	])('is answered %i: %s', async (status, _, raw, codings) => {
		expect(await decode(raw, ...codings)).toBe(status);
	}); // prettier-ignore
});
