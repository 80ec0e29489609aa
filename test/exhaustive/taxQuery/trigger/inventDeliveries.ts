import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import {
	basicAuthCredential,
	headerCredential,
	signatureCredential,
	signatureHeaders,
} from './hostileCases';

type Headers = Array<[string, string]>;
export interface InventedDelivery {
	mode: keyof typeof verificationMethods;
	body: Buffer;
	headers: Headers;
}

/** The ways in which a delivery is proved, by their webhook credential. */
export const verificationMethods = {
	none: undefined,
	signature: signatureCredential,
	header: headerCredential,
	basic: basicAuthCredential,
};

/** The service itself would send these to prove a body. */
const proofs: Record<keyof typeof verificationMethods, (body: Buffer) => Headers> = {
	none: () => [],
	signature: signatureHeaders(),
	header: () => [['X-Secret', headerCredential.webhookSecret]],
	basic: () => [
		[
			'Authorization',
			`Basic ${Buffer.from(`${basicAuthCredential.webhookUser}:${basicAuthCredential.webhookPassword}`).toString('base64')}`,
		],
	],
};

const names = fc.constantFrom(
	...['_id', 'id', 'queryId', 'status', 'service', 'response', 'data', 'payload', 'query', 'event'],
	...['__proto__', 'constructor', 'toString', 'valueOf', 'then', 'toJSON', 'length', '', '\u0000'],
);
const leaf = fc.oneof(
	fc.constantFrom<unknown>(
		...[null, true, -0, 1e308, '', 'forged1', 'SUCCESS', '../oauth/token', '{{ $env }}', '=1+1'],
		...["'; DROP TABLE", '<script>', '\ud800', 'a'.repeat(5_000), { $ne: null }, [[]], {}],
	),
	fc.string(),
	fc.double(),
);
const { json } = fc.letrec((tie) => ({
	json: fc.oneof(
		{ maxDepth: 4 },
		leaf,
		fc.array(tie('json'), { maxLength: 4 }),
		fc.dictionary(names, tie('json'), { maxKeys: 5 }),
	),
}));

/** Bodies of somebody who knows a query whose result has been started, and nothing else that is true. */
const bodiesAbout = (known: Record<string, unknown>) => {
	const forged = fc.dictionary(names, json, { maxKeys: 6 });
	const text = fc.oneof(
		{ weight: 3, arbitrary: json.map((value) => JSON.stringify(value) ?? '') },
		{ weight: 3, arbitrary: forged.map((fields) => JSON.stringify({ _id: 'forged2', ...fields })) },
		{
			weight: 2,
			arbitrary: forged.map((fields) => JSON.stringify({ ...known, ...fields, _id: known._id })),
		},
		forged.map((fields) => JSON.stringify([known, fields])),
		fc.nat(900).map((cut) => JSON.stringify(known).slice(0, cut)),
		fc.integer({ min: 1, max: 30_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
		fc
			.integer({ min: 90, max: 2_000 })
			.map((count) =>
				JSON.stringify(Array.from({ length: count }, (_, index) => ({ queryId: `f${index}` }))),
			),
		fc.string(),
	);
	return fc.oneof(
		{ weight: 6, arbitrary: text.map((body) => Buffer.from(body)) },
		fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
		fc.constantFrom(Buffer.alloc(1_100_000, '1'), gzipSync(JSON.stringify(known)), Buffer.of(0xff)),
	);
};

const value = fc.stringMatching(/^[!-~]{0,80}$/);
const odd: fc.Arbitrary<Headers> = fc.array(
	fc.oneof(
		fc.tuple(
			fc.constantFrom('X-Webhook-Signature', 'X-Webhook-Timestamp', 'X-Secret', 'Authorization'),
			value,
		),
		fc.constantFrom<[string, string]>(
			['Content-Encoding', 'gzip'],
			['Content-Encoding', 'br'],
			['Content-Type', 'multipart/form-data'],
			['Content-Type', 'application/xml'],
			['Content-Type', 'application/json; charset=utf-16'],
			['Content-Type', 'application/x-www-form-urlencoded'],
			['X-HTTP-Method-Override', 'DELETE'],
			['Authorization', 'Basic Og=='],
			['Authorization', 'Bearer null'],
			['X-Webhook-Timestamp', '0'],
			['X-Webhook-Timestamp', '99999999999999999999'],
		),
	),
	{ maxLength: 4 },
);

/** So many hostile deliveries for each mode, the same ones each time; every third one is proved as the service does. */
export function inventHostileDeliveries(
	known: Record<string, unknown>,
	count: number,
): InventedDelivery[] {
	const bodies = fc.sample(bodiesAbout(known), { numRuns: count, seed: 500 });
	const headers = fc.sample(odd, { numRuns: count, seed: 501 });
	return Object.entries(proofs).flatMap(([mode, proof]) =>
		bodies.map((body, index) => ({
			mode: mode as InventedDelivery['mode'],
			body,
			headers: index % 3 === 0 ? proof(body) : headers[index],
		})),
	);
}
