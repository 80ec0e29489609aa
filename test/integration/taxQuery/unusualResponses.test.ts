import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { codeOf } from '../support/errorCode';
import { fakeService, give, type StoredQuery } from './fakeService';
import { createTaxProfile, getCrf, operation, rfcs } from './support';

const calculateRfc = (name: string) =>
	operation('taxpayer', 'calculateRfc', {
		name,
		firstLastName: 'Gómez',
		birthDateAs: 'date',
		birthDate: '1990-01-31',
	});

type Odd = Parameters<typeof fakeService>[0];
type Handler = NonNullable<NonNullable<Odd>['post']>;

/** The first query is answered so, all others as they should be. */
const first = (handler: Handler): Handler => {
	let count = 0;
	return async (accept, response) =>
		await (count++ === 0 ? handler(accept, response) : give(response, { queryId: accept()._id }));
};
const raw =
	(status: number, type: string, body: string | Buffer, headers: object = {}) =>
	(accept: () => StoredQuery, response: ServerResponse) => {
		const { _id } = accept();
		const text = typeof body === 'string' ? body.replaceAll('ID', _id) : body;
		response.writeHead(status, { ...(type && { 'content-type': type }), ...headers }).end(text);
	};
const JSON_TYPE = 'application/json';

/** No response takes that long, however busy the machine is. */
const LONG = 600;

const found: Array<[string, Handler]> = [
	[
		'201 with its ID in Location only',
		(a, r) => void r.writeHead(201, { location: `/query/${a()._id}` }).end(),
	],
	['202 without a body, of JSON', raw(202, JSON_TYPE, '')],
	['204', raw(204, '', '')],
	[
		'gzip that breaks off',
		raw(
			200,
			JSON_TYPE,
			gzipSync(JSON.stringify({ queryId: 'x'.repeat(5000), r: Math.random() })).subarray(0, 30),
			{ 'content-encoding': 'gzip' },
		),
	],
	[
		'an encoding that nobody knows',
		raw(200, JSON_TYPE, Buffer.from([200, 1, 2, 3]), { 'content-encoding': 'zstd' }),
	],
	['303 to its record', (a, r) => void r.writeHead(303, { location: `/query/${a()._id}` }).end()],
	['408 of a gateway', raw(408, JSON_TYPE, '{"message":"timeout"}')],
	['503 with Retry-After 3600', raw(503, 'text/html', 'busy', { 'retry-after': '3600' })],
	[
		'a reset after the head',
		(accept, response) => {
			accept();
			response.writeHead(200, { 'content-type': JSON_TYPE }).flushHeaders();
			setTimeout(() => response.socket?.resetAndDestroy(), 20);
		},
	],
	[
		'an answer larger than 5 MB',
		raw(200, JSON_TYPE, JSON.stringify({ queryId: 'ID', pad: 'x'.repeat(6_000_000) })),
	],
	[
		'a head that breaks HTTP',
		(accept, response) => {
			accept();
			response.socket?.end(
				'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 9\r\n\r\nhello',
			);
		},
	],
];

afterEach(() => jest.restoreAllMocks()); // the clock

describe('a query that was accepted, whatever came as its answer', () => {
	it.each<[string, Handler, number?]>([...found, ['no answer', (accept) => void accept(), 10]])(
		'%s: is found, and paid for once',
		async (_what, handler, timeout = LONG) => {
			const service = await fakeService({ post: first(handler) });
			const items = rfcs(3).map((rfc) => ({ rfc }));
			const result = await service.run(getCrf({}, { timeout }), { items, maxTries: 2 });
			await service.close();
			const ids = service.billed.map(({ _id }) => _id).sort();
			expect([
				result.error?.message,
				result.items.map(({ json }) => json.queryId).sort(),
				service.sent(),
			]).toEqual([undefined, ids, 3]);
		},
	);
});

describe('two executions with 100 equal items and unusual responses', () => {
	it('lose no query, share none, and leave none unexplained', async () => {
		const odd = found.map(([, handler]) => handler);
		let count = 0;
		const service = await fakeService({
			post: async (accept, response) => {
				const turn = count++ % (2 * odd.length + 2);
				if (turn % 2 === 0) return give(response, { queryId: accept()._id });
				const handler = odd[(turn - 1) / 2];
				if (handler) return await handler(accept, response);
				response.socket?.resetAndDestroy();
			},
		});
		const items = [...rfcs(50), ...rfcs(50)].map((rfc) => ({ rfc }));
		const onError = 'continueRegularOutput';
		const runs = await Promise.all(
			[1, 2].map(
				async () =>
					await service.run(getCrf({ reuse: 'never' }, { timeout: LONG }), { items, onError }),
			),
		);
		await service.close();
		const rows = runs.flatMap((run) => run.items.map(({ json }) => json));
		const given = rows.flatMap(({ queryId }) => (typeof queryId === 'string' ? [queryId] : []));
		const unsure = runs.flatMap((run) => run.items.filter(({ json }) => codeOf(json) === 'unsure'));
		expect([given.sort(), unsure.length, rows.length]).toEqual([
			service.billed.map(({ _id }) => _id).sort(),
			200 - service.billed.length, // what the service reset
			200,
		]);
	});
});

describe('a response without an ID that repeats a secret', () => {
	it.each(['fake-token-1234', 'Secret_of_fake'])('comes out without it: %s', async (secret) => {
		const service = await fakeService({
			post: (_accept, response) => give(response, { message: 'Taken', of: `Bearer ${secret}` }),
		});
		const result = await service.run(createTaxProfile(rfcs(1)[0]));
		await service.close();
		expect([service.sent(), result.items.length]).toEqual([1, 1]);
		expect(inspect(result, { depth: 20 })).not.toContain(secret);
	});
});

/** It is accepted, then the connection breaks. */
const lost: Handler = (accept, response) => {
	accept();
	response.socket?.resetAndDestroy();
};

describe('a query whose answer is lost', () => {
	const [RFC] = rfcs(1);

	it('is found by the next try where the list shows it late', async () => {
		let reads = 0;
		const service = await fakeService({
			post: first(lost),
			list: (stored, response) => give(response, ++reads > 4 ? stored : []),
		});
		const result = await service.run(getCrf(), { items: [{ rfc: RFC }], maxTries: 2 });
		await service.close();
		expect([result.items[0]?.json.recovered, service.sent()]).toEqual([true, 1]);
	});

	it.each([
		['in another form of the same letters', 'José  Ángel'.normalize('NFD'), 'JOSÉ  ÁNGEL'],
		['with single blanks', 'Jose\u00a0  Angel', 'Jose Angel'],
	])('is found where the service repeats names %s', async (_what, sentName, stored) => {
		const service = await fakeService({
			post: first((accept, response) => {
				accept().query.name = stored;
				response.socket?.resetAndDestroy();
			}),
		});
		const { items } = await service.run(calculateRfc(sentName));
		await service.close();
		expect([items[0]?.json.queryId, items[0]?.json.recovered]).toEqual([
			service.billed[0]._id,
			true,
		]);
	});

	it.each([3_600_000, -3_600_000])(
		'is found, and no other for it, though the clock of n8n is set by %i ms meanwhile',
		async (byMs) => {
			const now = Date.now.bind(Date);
			const clock = jest.spyOn(Date, 'now');
			const service = await fakeService({
				post: first((accept, response) => {
					clock.mockImplementation(() => now() + byMs);
					void lost(accept, response);
				}),
			});
			const old = new Date(now() - 1_800_000).toISOString();
			const record = { service: 'CRF', status: 'SUCCESS', query: { rfc: RFC }, response: {} };
			service.billed.push({ ...record, _id: 'of-another-program', createdAt: old });
			const { items } = await service.run(getCrf(), { items: [{ rfc: RFC }] });
			await service.close();
			expect(items[0]?.json.queryId).toBe(service.billed[1]._id);
		},
	);

	it("does not match an equal item's record with two different IDs", async () => {
		let count = 0;
		const service = await fakeService({
			post: (accept, response) => {
				const stored = accept();
				const queryId = `q${++count}`;
				Object.assign(stored, { queryId });
				if (count === 2) response.socket?.resetAndDestroy();
				else give(response, { queryId });
			},
		});
		const never = getCrf({ reuse: 'never' });
		const { items } = await service.run(never, { items: [{ rfc: RFC }, { rfc: RFC }] });
		await service.close();
		expect(items.map(({ json }) => json.queryId).sort()).toEqual(['q1', 'q2']);
	});
});

describe('a list that shows queries late', () => {
	it('lets no equal item pay again with Reuse', async () => {
		const service = await fakeService({ list: (_stored, response) => give(response, []) });
		const ask = async () =>
			await service.run(getCrf({ reuse: 'hours', reuseHours: 24 }), {
				items: [{ rfc: rfcs(1)[0] }],
			});
		const runs = [await ask(), await ask()];
		await service.close();
		expect([runs.map(({ items }) => items[0].json.reused), service.billed.length]).toEqual([
			[undefined, true],
			1,
		]);
	});
});

describe('records whose metadata hold technical fields instead of the request', () => {
	const metadata = { clientType: 'PF', query: { endpoint: '/query/crf', source: 'api' } };
	const items = rfcs(2).map((rfc) => ({ rfc }));
	const reuse = getCrf({ reuse: 'hours', reuseHours: 24 });
	const whole = (stored: StoredQuery) => ({ ...stored, metadata });
	const withoutResponse = (stored: StoredQuery) => ({
		...whole(stored),
		query: undefined,
		response: undefined,
	});

	it.each<[string, (stored: StoredQuery) => object]>([
		['beside it', whole],
		['in rows without it', withoutResponse],
	])('are reused and found again, and their fields are no columns: %s', async (_where, row) => {
		const service = await fakeService({
			post: lost,
			list: (stored, response) => give(response, stored.map(row)),
			get: (one, response) => give(response, whole(one as StoredQuery)),
		});
		const before = { service: 'CRF', status: 'SUCCESS', response: { RazonSocial: 'X' } };
		const createdAt = new Date(Date.now() - 600_000).toISOString();
		service.billed.push(
			...items.map((query) => ({ ...before, createdAt, query, _id: `of-${query.rfc}` })),
		);
		const reused = await service.run(reuse, { items });
		const lostOne = await service.run(getCrf(), { items: items.slice(0, 1) });
		await service.close();
		const reported = [...reused.items, ...lostOne.items].map(({ json }) => json);
		expect([
			reported.map(({ rfc, reused, recovered, endpoint }) => [rfc, reused, recovered, endpoint]),
			service.sent(),
		]).toEqual([
			[
				...items.map(({ rfc }) => [rfc, true, undefined, undefined]),
				[items[0].rfc, undefined, true, undefined],
			],
			1,
		]);
	});
});

describe('a query by its ID', () => {
	const waiting = getCrf({ waitForResult: true, maxWait: 2 });
	const items = rfcs(1).map((rfc) => ({ rfc }));
	const pending: Handler = (accept, response) => give(response, { queryId: accept()._id });

	it('is never given what another query has', async () => {
		const service = await fakeService({
			post: pending,
			get: (one, response) =>
				give(response, { ...one, _id: 'of-somebody-else', query: {}, response: { rfc: 'XYZ' } }),
		});
		const result = await service.run(waiting, { items });
		await service.close();
		expect(result.items.map(({ json }) => [json.queryId, json.pending, json.lastProblem])).toEqual([
			[service.billed[0]._id, true, expect.any(String)],
		]);
	});

	it('is read beyond 5 MB: it has been paid for', async () => {
		const waiting = getCrf({ waitForResult: true, maxWait: LONG });
		const service = await fakeService({
			get: (one, response) =>
				give(response, { ...one, response: { RazonSocial: 'x'.repeat(5_300_000) } }),
		});
		const result = await service.run(waiting, { items });
		await service.close();
		const [{ json }] = result.items;
		expect([
			json.lastProblem,
			json.pending,
			JSON.stringify(json).includes('x'.repeat(5_300_000)),
		]).toEqual([undefined, false, true]);
	});

	it('is waited for no longer than Max Wait, though the clock of n8n is set back', async () => {
		const now = Date.now.bind(Date);
		const clock = jest.spyOn(Date, 'now');
		const service = await fakeService({
			get: (one, response) => {
				clock.mockImplementation(() => now() - 3_600_000);
				give(response, { ...one, status: 'PENDING' });
			},
		});
		const result = await service.run(waiting, { items });
		await service.close();
		expect(result.items[0].json.pending).toBe(true);
	});
});
