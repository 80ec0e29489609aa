import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';

const SECRET = 'whsec-tr4nquil-cactus';
const OLD_SECRET = 'whsec-0ld-agave';
export const signatureCredential = {
	webhookVerification: 'signature',
	webhookSecret: SECRET,
	additionalWebhookSecrets: '',
	signatureFormat: 'timestamped',
	signatureHeader: 'X-Webhook-Signature',
	timestampHeader: 'X-Webhook-Timestamp',
	timestampTolerance: 300,
};
export const headerCredential = {
	webhookVerification: 'header',
	webhookSecret: SECRET,
	additionalWebhookSecrets: '',
	webhookHeaderName: 'X-Secret',
};
export const basicAuthCredential = {
	webhookVerification: 'basic',
	webhookUser: 'service',
	webhookPassword: SECRET,
};

/** Headers as they go over the wire: a list, so that one can be there twice. */
type Headers = Array<[string, string]>;
export interface HostileDelivery {
	what: string;
	/** The webhook credential; none by default, and then the service confirms. */
	credential?: Record<string, string | number>;
	/** The body, given a record that the service really has. */
	body: (record: Record<string, unknown>) => string | Buffer;
	headers?: (body: string | Buffer) => Headers;
	expected: number;
	/** It is decoded for so long that a slow machine answers 503 before that ends. */
	isLong?: true;
}

const json = JSON.stringify;
const real = (record: object) => json(record);
const secondsFromNow = (seconds: number) => String(Math.floor(Date.now() / 1000) + seconds);
const now = () => secondsFromNow(0);
const hmac = (body: string | Buffer, { secret = SECRET, algorithm = 'sha256', at = now() } = {}) =>
	createHmac(algorithm, secret).update(`${at}.`).update(body);
/** The headers of a body signed by the credential `signatureCredential`, or otherwise. */
export const signatureHeaders =
	(options: { secret?: string; algorithm?: string; at?: string } = {}) =>
	(body: string | Buffer): Headers => {
		const at = options.at ?? now();
		return [
			['X-Webhook-Signature', hmac(body, { ...options, at }).digest('hex')],
			['X-Webhook-Timestamp', at],
		];
	};
const login = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const nested = (depth: number, inner: string) =>
	'{"data":'.repeat(depth) + inner + '}'.repeat(depth);

/** Deliveries that are forged, broken or about nothing, and the status that each is answered with. */
export const hostileDeliveries: HostileDelivery[] = [
	// Not signed as agreed
	{ what: 'no signature', credential: signatureCredential, body: real, expected: 401 },
	{
		what: 'a signature by another secret',
		credential: signatureCredential,
		body: real,
		headers: signatureHeaders({ secret: 'guessed' }),
		expected: 401,
	},
	{
		what: 'a signature by a secret that was rotated out',
		credential: signatureCredential,
		body: real,
		headers: signatureHeaders({ secret: OLD_SECRET }),
		expected: 401,
	},
	{
		what: 'a body tampered with after it was signed',
		credential: signatureCredential,
		body: (record) => json({ ...record, status: 'FAILED' }),
		headers: () => signatureHeaders()('{"_id":"another"}'),
		expected: 401,
	},
	{
		what: 'a replay after the tolerance',
		credential: signatureCredential,
		body: real,
		headers: (body) => signatureHeaders({ at: secondsFromNow(-301) })(body),
		expected: 401,
	},
	{
		what: 'a timestamp of the future',
		credential: signatureCredential,
		body: real,
		headers: (body) => signatureHeaders({ at: secondsFromNow(600) })(body),
		expected: 401,
	},
	{
		what: 'a replay with a fresh timestamp that was not signed',
		credential: signatureCredential,
		body: real,
		headers: (body) => [
			['X-Webhook-Signature', hmac(body, { at: '1700000000' }).digest('hex')],
			['X-Webhook-Timestamp', now()],
		],
		expected: 401,
	},
	{
		what: 'a timestamp that is none',
		credential: signatureCredential,
		body: real,
		headers: signatureHeaders({ at: 'yesterday' }),
		expected: 401,
	},
	{
		what: 'no timestamp',
		credential: signatureCredential,
		body: real,
		headers: (body) => [['X-Webhook-Signature', hmac(body).digest('hex')]],
		expected: 401,
	},
	{
		what: 'a signature by SHA-1',
		credential: signatureCredential,
		body: real,
		headers: signatureHeaders({ algorithm: 'sha1' }),
		expected: 401,
	},
	{
		what: 'the signature in another header',
		credential: signatureCredential,
		body: real,
		headers: (body) => signatureHeaders()(body).map(([name, value]) => [`${name}-2`, value]),
		expected: 401,
	},
	{
		what: 'two forged signatures',
		credential: signatureCredential,
		body: real,
		headers: (body) => [
			['X-Webhook-Signature', 'ab'.repeat(32)],
			...signatureHeaders({ secret: 'guessed' })(body),
		],
		expected: 401,
	},
	{
		what: 'two timestamps',
		credential: signatureCredential,
		body: real,
		headers: (body) => [...signatureHeaders()(body), ['X-Webhook-Timestamp', now()]],
		expected: 401,
	},
	{
		what: 'a cut-off signature',
		credential: signatureCredential,
		body: real,
		headers: (body) =>
			signatureHeaders()(body).map(([name, value], index) => [
				name,
				index ? value : value.slice(0, 32),
			]),
		expected: 401,
	},
	{
		what: 'an empty signature',
		credential: signatureCredential,
		body: real,
		headers: () => [
			['X-Webhook-Signature', ''],
			['X-Webhook-Timestamp', now()],
		],
		expected: 401,
	},
	{
		what: 'garbage that is signed by nobody',
		credential: signatureCredential,
		body: () => 'not json',
		expected: 401,
	},
	{
		what: 'a credential without a secret, and a signature by the empty one',
		credential: { ...signatureCredential, webhookSecret: '' },
		body: real,
		headers: signatureHeaders({ secret: '' }),
		expected: 401,
	},
	// Not the agreed secret
	{ what: 'no secret header', credential: headerCredential, body: real, expected: 401 },
	{
		what: 'a wrong secret header',
		credential: headerCredential,
		body: real,
		headers: () => [['X-Secret', `${SECRET}!`]],
		expected: 401,
	},
	{
		what: 'the secret header twice',
		credential: headerCredential,
		body: real,
		headers: () => [
			['X-Secret', SECRET],
			['X-Secret', SECRET],
		],
		expected: 401,
	},
	{
		what: 'a wrong password',
		credential: basicAuthCredential,
		body: real,
		headers: () => [['Authorization', login('service:guess')]],
		expected: 401,
	},
	{
		what: 'a bearer token in place of basic auth',
		credential: basicAuthCredential,
		body: real,
		headers: () => [['Authorization', `Bearer ${SECRET}`]],
		expected: 401,
	},
	{
		what: 'a second Authorization header',
		credential: basicAuthCredential,
		body: real,
		headers: () => [
			['Authorization', login(`service:${SECRET}`)],
			['Authorization', login('x:y')],
		],
		expected: 401,
	},
	// Not a delivery
	{ what: 'a body of zero bytes', body: () => '', expected: 400 },
	{ what: 'text that is not JSON', body: () => 'SUCCESS', expected: 400 },
	{ what: 'JSON that is cut off', body: (record) => json(record).slice(0, -5), expected: 400 },
	{
		what: 'a form',
		body: ({ _id }) => `queryId=${String(_id)}`,
		headers: () => [['Content-Type', 'application/x-www-form-urlencoded']],
		expected: 400,
	},
	{
		what: 'what is no gzip',
		body: real,
		headers: () => [['Content-Encoding', 'gzip']],
		expected: 400,
	},
	{
		what: 'a bomb of gzip',
		isLong: true,
		body: () => gzipSync(Buffer.alloc(100_000_000, '[')),
		headers: () => [['Content-Encoding', 'GZIP']],
		expected: 413,
	},
	{
		what: 'a bomb in a bomb',
		isLong: true,
		body: () => gzipSync(gzipSync(Buffer.alloc(100_000_000, '['))),
		headers: () => [['Content-Encoding', 'gzip, gzip']],
		expected: 400,
	},
	{
		what: 'an unknown coding',
		body: real,
		headers: () => [['Content-Encoding', 'zstd']],
		expected: 400,
	},
	{
		what: 'a bomb of gzip that nobody signed',
		isLong: true,
		credential: signatureCredential,
		body: () => gzipSync(Buffer.alloc(100_000_000, '[')),
		headers: () => [['Content-Encoding', 'gzip'], ...signatureHeaders({ secret: 'guessed' })('')],
		expected: 401,
	},
	{
		what: 'a signature over the JSON in a form',
		credential: signatureCredential,
		body: (record) => `payload=${encodeURIComponent(json(record))}`,
		headers: (body) => [
			['Content-Type', 'application/x-www-form-urlencoded'],
			...signatureHeaders()(decodeURIComponent(String(body)).slice('payload='.length)),
		],
		expected: 401,
	},
	{
		what: 'invalid UTF-8',
		body: (record) =>
			Buffer.concat([Buffer.from(json(record)).subarray(0, -1), Buffer.of(0xff, 0x7d)]),
		expected: 400,
	},
	{ what: 'a record without an id', body: (record) => json({ ...record, _id: '' }), expected: 400 },
	{ what: 'an id that is a path', body: () => '{"_id":"../oauth/token"}', expected: 400 },
	{ what: 'an id that is an object', body: () => '{"_id":{"$ne":null}}', expected: 400 },
	{ what: 'null', body: () => 'null', expected: 400 },
	{ what: 'an empty array', body: () => '[]', expected: 400 },
	{
		what: 'an array of which one is no query',
		body: (record) => json([record, 7]),
		expected: 400,
	},
	{
		what: 'a prototype key, escaped',
		body: ({ _id }) => `{"_id":"${String(_id)}","\\u005f_proto__":{"status":"SUCCESS"}}`,
		expected: 400,
	},
	{
		what: 'a constructor key, deep down',
		body: ({ _id }) => `{"_id":"${String(_id)}","state":{"constructor":{"prototype":{"x":1}}}}`,
		expected: 400,
	},
	{
		what: 'nesting of 200,000 levels',
		body: ({ _id }) => nested(200_000, `{"_id":"${String(_id)}"}`),
		expected: 400,
	},
	{
		what: 'an array of 500,000 numbers',
		body: () => json(new Array(500_000).fill(1)),
		expected: 400,
	},
	{
		what: 'an array of 101 results',
		body: ({ _id }) => json(Array.from({ length: 101 }, () => ({ _id }))),
		expected: 413,
	},
	{ what: 'a body of 17 MB', body: () => Buffer.alloc(17 * 1024 * 1024, 0x20), expected: 413 },
	// Not a query that the service has
	{
		what: 'an unknown query',
		body: () => '{"_id":"0123456789abcdef01234567","service":"CRF","status":"SUCCESS"}',
		expected: 404,
	},
	{
		what: 'an unknown query of an unknown service and status',
		body: () => '{"_id":"x1","service":"LOTTERY","status":"WON"}',
		expected: 404,
	},
];

/** So much n8n reads of a webhook call. */
const LARGEST = 16 * 1024 * 1024;

/** Sends the headers just as they are listed. */
export async function postWithExactHeaders(
	url: string,
	body: string | Buffer,
	headers: Headers,
): Promise<number> {
	return await new Promise((resolve, reject) => {
		const call = request(url, { method: 'POST', agent: false }, (response) => {
			response.resume();
			resolve(response.statusCode as number);
		});
		// who refuses a large body may close the connection before it is written whole, and the response with it
		call.on('error', (error) => (body.length > LARGEST ? resolve(413) : reject(error)));
		for (const [name] of headers) {
			const values = headers.filter(([other]) => other === name).map(([, value]) => value);
			call.setHeader(name, values.length > 1 ? values : values[0]);
		}
		call.end(body);
	});
}
