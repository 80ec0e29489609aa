import { gzipSync } from 'node:zlib';
import { codeOf } from '../../support/errorCode';
import { fakeService, respondToFirstPost, respondJson, type PostHandler } from './fakeService';
import {
	buildCrfFaultRule,
	getCrfParameters,
	itemsForRfcs,
	rfcs,
	taxQuerySandbox,
} from './support';

const JSON_TYPE = 'application/json';
/** No response takes that long, however busy the machine is. */
const LONG = 600;

/** Accepts the query and responds like this; "ID" stands for that of the query. */
const raw =
	(status: number, type: string, body: string | Buffer, headers: object = {}): PostHandler =>
	(accept, response) => {
		const { _id } = accept();
		const text = typeof body === 'string' ? body.replaceAll('ID', _id) : body;
		response.writeHead(status, { ...(type && { 'content-type': type }), ...headers }).end(text);
	};
const led =
	(status: number): PostHandler =>
	(accept, response) =>
		void response.writeHead(status, { location: `/query/${accept()._id}` }).end();

/** Responses that identify no query, each to a query that was accepted. */
const responses: Array<[what: string, handler: PostHandler]> = [
	['201 with its ID in Location only', led(201)],
	['202 of JSON without a body', raw(202, JSON_TYPE, '')],
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
		'an unknown content encoding',
		raw(200, JSON_TYPE, Buffer.from([200, 1, 2, 3]), { 'content-encoding': 'zstd' }),
	],
	['303 to its record', led(303)],
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
		'a body larger than 5 MB',
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

describe('an accepted query', () => {
	it.each<[string, PostHandler, number?]>([
		...responses,
		['no response', (accept) => void accept(), 10],
	])('is recovered, and billed once, after %s', async (_what, handler, timeout = LONG) => {
		const service = await fakeService({ post: respondToFirstPost(handler) });
		const { items, error } = await service.run(getCrfParameters({}, { timeout }), {
			items: itemsForRfcs(rfcs(3)),
			maxTries: 2,
		});
		await service.close();
		expect({
			error: error?.message,
			ids: items.map(({ json }) => json.queryId).sort(),
			sent: service.sent(),
		}).toEqual({
			error: undefined,
			ids: service.billed.map(({ _id }) => _id).sort(),
			sent: 3,
		});
	});
});

it('two executions of 20 equal items lose no query, and share none', async () => {
	let count = 0;
	const service = await fakeService({
		post: async (accept, response) => {
			const turn = count++ % (2 * responses.length + 2);
			if (turn % 2 === 0) return respondJson(response, { queryId: accept()._id });
			const fault = responses[(turn - 1) / 2];
			if (fault) return await fault[1](accept, response);
			response.socket?.resetAndDestroy();
		},
	});
	const requests = {
		items: itemsForRfcs([...rfcs(10), ...rfcs(10)]),
		onError: 'continueRegularOutput' as const,
	};
	const never = getCrfParameters({ reuse: 'never' }, { timeout: LONG });
	const runs = await Promise.all([1, 2].map(async () => await service.run(never, requests)));
	await service.close();
	const rows = runs.flatMap((run) => run.items.map(({ json }) => json));
	const ids = rows.flatMap(({ queryId }) => (typeof queryId === 'string' ? [queryId] : []));
	expect({
		ids: ids.sort(),
		uncertain: rows.filter((row) => codeOf(row) === 'unsure').length,
		rows: rows.length,
	}).toEqual({
		ids: service.billed.map(({ _id }) => _id).sort(),
		uncertain: 40 - service.billed.length, // what the service reset
		rows: 40,
	});
});

it('a token that expires in the middle of a run costs one more token, and no query', async () => {
	const sandbox = await taxQuerySandbox();
	await sandbox.faults(buildCrfFaultRule('expiredToken', { times: 4 }));
	const { error } = await sandbox.run(getCrfParameters(), { items: itemsForRfcs(rfcs(20)) });
	const tokens = (await sandbox.requests('/api/oauth/token')).length;
	const billed = (await sandbox.ledger()).length;
	await sandbox.close();
	expect({ error, tokens, billed }).toEqual({ error: undefined, tokens: 2, billed: 20 });
});

describe('a 2xx with a query ID and a filled error', () => {
	it.each([
		['an acknowledgement', (id: string) => ({ queryId: id, error: 'The queue is full' })],
		['a wrapped one', (id: string) => ({ data: { queryId: id }, error: { code: 7 } })],
		['a failed success flag', (id: string) => ({ queryId: id, success: false })],
	])('is accepted: %s', async (_what, body) => {
		const service = await fakeService({
			post: (accept, response) => respondJson(response, body(accept()._id)),
			list: (_stored, response) => respondJson(response, []),
		});
		const { items } = await service.run(getCrfParameters(), { items: itemsForRfcs(rfcs(1)) });
		await service.close();
		expect(items.map(({ json }) => json.queryId)).toEqual(service.billed.map(({ _id }) => _id));
	});

	it('is uncertain if only the error names an ID', async () => {
		const service = await fakeService({
			post: (_accept, response) => respondJson(response, { error: { queryId: 'other' } }),
			list: (_stored, response) => respondJson(response, []),
		});
		const { error } = await service.run(getCrfParameters(), { items: itemsForRfcs(rfcs(1)) });
		await service.close();
		expect(codeOf(error)).toBe('unsure');
	});
});
