import { deflateSync, gzipSync } from 'node:zlib';
import { decodeBody } from '../../../../nodes/TaxQuery/webhook/body';

const TEXT = '{"_id":"a1","RazonSocial":"PEÑA"}';
const MAX_BYTES = 16 * 1024 * 1024;
const decode = async (raw: Buffer, coding: string) => {
	const body = await decodeBody({ raw, coding });
	return Buffer.isBuffer(body) ? body.toString() : body.status;
};

describe('a coded body', () => {
	it.each(['gzip', 'x-gzip'])('is decoded: %s', async (coding) => {
		expect(await decode(gzipSync(TEXT), coding)).toBe(TEXT);
	});

	it('is taken as it came without a coding', async () => {
		expect(await decode(Buffer.from(TEXT), '')).toBe(TEXT);
	});

	it('may hold nothing', async () => {
		expect(await decode(gzipSync(''), 'gzip')).toBe('');
	});

	it('may be as large as one that is not coded', async () => {
		expect(await decode(gzipSync(Buffer.alloc(MAX_BYTES, '[')), 'gzip')).toHaveLength(MAX_BYTES);
	});

	const gzipped = gzipSync(TEXT);
	it.each<[number, string, Buffer, string]>([
		[400, 'an unknown coding', gzipped, 'zstd'],
		[400, 'a chain of codings', gzipSync(gzipped), 'gzip, gzip'],
		[400, 'another coding', deflateSync(TEXT), 'deflate'],
		[400, 'an attack in place of a coding', gzipped, '__proto__'],
		[400, 'no gzip', Buffer.from(TEXT), 'gzip'],
		[400, 'nothing in place of gzip', Buffer.alloc(0), 'gzip'],
		[400, 'a gzip that is cut off', gzipped.subarray(0, -9), 'gzip'],
		[413, 'a byte too many', gzipSync(Buffer.alloc(MAX_BYTES + 1, '[')), 'gzip'],
		[413, 'a bomb of gzip', gzipSync(Buffer.alloc(200_000_000, '[')), 'gzip'],
	])('is answered %i: %s', async (status, _, raw, coding) => {
		expect(await decode(raw, coding)).toBe(status);
	});
});
