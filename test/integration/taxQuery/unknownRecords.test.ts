import type { ServerResponse } from 'node:http';
import { runAgainstStub } from '../apiVariants/stubServer';
import { codeOf } from '../support/errorCode';
import { aRecord, fakeService, give, type StoredQuery } from './fakeService';
import { curps, getCrf, operation, rfcs } from './support';

type Change = (stored: StoredQuery) => Partial<StoredQuery>;

const [RFC] = rfcs(1);
const [CURP] = curps(1);
const items = [{ rfc: RFC, curp: CURP }];
const crf = getCrf({}, { spendingLimits: { sendAgain: true } });
const jobs = operation(
	'person',
	'getEmploymentHistory',
	{ curp: CURP },
	{ spendingLimits: { sendAgain: true } },
);
const emma = {
	name: 'Emma',
	firstLastName: 'Gómez',
	secondLastName: 'Díaz',
	birthDate: '1956-02-05',
};
const calculation = (person = {}) =>
	operation('taxpayer', 'calculateRfc', { ...emma, ...person, reuse: 'building' });
const before = (stored: StoredQuery, ms: number) =>
	new Date(Date.parse(stored.createdAt) - ms).toISOString();
const HOUR_MS = 3_600_000;

/** A service that keeps what it accepts with these changes; an answer that is lost is one of a gateway. */
async function serviceThat(change: Change, isLost: boolean, headers: Record<string, string> = {}) {
	const withHeaders = (response: ServerResponse) =>
		response.setHeaders(new Map(Object.entries(headers)));
	return await fakeService({
		list: (stored, response) => give(withHeaders(response), [...stored].reverse()),
		post(accept, response) {
			const stored = accept();
			Object.assign(stored, change(stored));
			withHeaders(response);
			if (isLost) response.writeHead(502).end();
			else give(response, { message: 'Accepted', queryId: stored._id });
		},
	});
}

describe('Send Again If Unsure after a lost response with a possible match', () => {
	it.each<[string, typeof crf, Change]>([
		['under a service that nobody knows', jobs, () => ({ service: 'EMPLOYMENT_HISTORY' })],
		['with one field more', crf, ({ query }) => ({ query: { ...query, channel: 'api' } })],
		['without what was asked', crf, () => ({ query: {} })],
		['without a date', crf, () => ({ createdAt: undefined })],
		[
			"in the service's local time, without a zone",
			crf,
			(stored) => ({ createdAt: before(stored, 6 * HOUR_MS).slice(0, 19) }),
		],
		['a minute before it was sent', crf, (stored) => ({ createdAt: before(stored, 60_000) })],
	])('pays once and names it: %s', async (_how, parameters, change) => {
		const service = await serviceThat(change, true);
		const { error } = await service.run(parameters, { items });
		await service.close();
		expect([service.billed.length, codeOf(error), error?.context?.possible]).toEqual([
			1,
			'unsure',
			[service.billed[0]._id],
		]);
	});

	it('sends again once the list shows a later query and no possible match', async () => {
		const [, other, later] = rfcs(3);
		const listed: StoredQuery[] = [];
		let [lost, onLost] = [0, () => {}];
		const isLost = new Promise<void>((resolve) => (onLost = resolve));
		const service = await fakeService({
			async post(accept, response) {
				if (lost++ === 0) {
					onLost();
					response.writeHead(502).end();
				} else {
					listed.unshift(accept());
					give(response, { queryId: listed[0]._id });
				}
			},
			list: (_stored, response) => give(response, listed),
		});
		const stored = (query: StoredQuery['query'], more: Partial<StoredQuery> = {}): StoredQuery => ({
			_id: `other-${listed.length}`,
			service: 'CRF',
			status: 'SUCCESS',
			query,
			response: {},
			createdAt: new Date().toISOString(),
			...more,
		});
		listed.push(
			stored({ rfc: other, channel: 'api' }),
			stored({ rfc: other }, { service: 'VEHICLE' }),
			stored({ rfc: RFC }, { service: 'RFC' }),
			stored({ rfc: RFC }, { createdAt: new Date(Date.now() - 48 * HOUR_MS).toISOString() }),
		);
		const running = service.run(crf, { items });
		await isLost;
		await service.run(getCrf(), { items: [{ rfc: later }] });
		const { items: given, hints, metadata } = await running;
		await service.close();
		expect([service.sent(), given.map(({ json }) => json.queryId)]).toEqual([3, [listed[0]._id]]);
		expect([hints.length, metadata.paidQueries, metadata.unsureQueries]).toEqual([1, '1', '1']);
	});

	it('sends nothing again for an equal query of the last day, whatever its date says', async () => {
		const service = await fakeService({
			post: (_accept, response) => void response.writeHead(502).end(),
		});
		const createdAt = new Date(Date.now() - 20 * HOUR_MS).toISOString();
		service.billed.push(aRecord({ _id: 'earlier', query: { rfc: RFC }, createdAt }));
		const { error } = await service.run(crf, { items });
		await service.close();
		expect([service.sent(), error?.description]).toEqual([1, expect.stringContaining('earlier')]);
	});

	it("finds it where the service's clock is behind, and its answers name an age of 0", async () => {
		const behind = () => new Date(Date.now() - 20_000);
		const headers = { age: '0', date: behind().toUTCString() };
		const service = await serviceThat(() => ({ createdAt: behind().toISOString() }), true, headers);
		const { items: given } = await service.run(crf, { items });
		await service.close();
		expect([service.billed.length, given[0].json.recovered]).toEqual([1, true]);
	});
});

describe('Reuse Results, while the workflow is built', () => {
	const UNCOMPARED = "'Reuse Results': 1 query";
	const twice = async (change: Change, first: typeof crf, second = first) => {
		const service = await serviceThat(change, false);
		await service.run(first, { items, mode: 'manual' });
		const { hints } = await service.run(second, { items, mode: 'manual' });
		await service.close();
		return [service.billed.length, hints.map(({ message }) => message).join()];
	};

	it.each<[string, typeof crf, Change]>([
		['a service that nobody knows', jobs, () => ({ service: 'EMPLOYMENT_HISTORY' })],
		['a status that nobody knows', getCrf(), () => ({ status: 'LISTO' })],
		['one field more', getCrf(), ({ query }) => ({ query: { ...query, tipo: 'PF' } })],
		['no date', getCrf(), () => ({ createdAt: undefined })],
		[
			'a date without a zone, which may be local time',
			getCrf(),
			() => ({ createdAt: new Date(Date.now() - 30 * HOUR_MS).toISOString().slice(0, 19) }),
		],
		['masked fields', getCrf(), () => ({ query: { rfc: 'GODE*********' } })],
	])('says why it pays again for what the list has with %s', async (_what, parameters, change) => {
		expect(await twice(change, parameters)).toEqual([2, expect.stringContaining(UNCOMPARED)]);
	});

	it.each<[string, Change]>([
		[
			'names without accents, in capitals',
			({ query }) => ({
				query: { ...query, name: 'EMMA', firstLastName: 'GOMEZ', secondLastName: 'DIAZ' },
			}),
		],
		[
			'days and months of two digits',
			({ query }) => ({ query: { ...query, day: '05', month: '02' } }),
		],
	])('pays once where the service repeats %s', async (_what, change) => {
		expect(await twice(change, calculation())).toEqual([1, expect.stringContaining(' 1 reused')]);
	});

	it('pays for Peña and for Pena', async () => {
		const [billed] = await twice(
			() => ({}),
			calculation({ firstLastName: 'Peña' }),
			calculation({ firstLastName: 'Pena' }),
		);
		expect(billed).toBe(2);
	});
});

describe('a list from the oldest to the newest, on whose first page all have one date', () => {
	const PAGE = 10;
	const paged = (stored: StoredQuery[], response: ServerResponse) => {
		const from = Number(new URL(String(response.req.url), 'http://any').searchParams.get('offset'));
		const rows = [...stored].reverse();
		give(response, { data: rows.slice(from, from + PAGE), total: rows.length });
	};
	async function serviceWith(isLost: boolean) {
		const service = await fakeService({
			list: paged,
			post(accept, response) {
				const stored = accept();
				if (isLost) response.writeHead(502).end();
				else give(response, { queryId: stored._id });
			},
		});
		const old = (index: number): StoredQuery => ({
			_id: `${service.baseUrl}-${index}`,
			service: 'INVOICE',
			status: 'SUCCESS',
			query: { rfc: RFC, period: `2025-${index}` },
			response: {},
			createdAt: '2026-01-05T10:00:00.000Z',
		});
		service.billed.push(...Array.from({ length: 12 }, (_, index) => old(index)));
		const newest = { service: 'CRF', query: { rfc: RFC }, createdAt: new Date().toISOString() };
		service.billed.push({ ...old(12), ...newest });
		return service;
	}

	it.each<[string, object, object, boolean, number]>([
		['lets a result be reused', { reuse: 'hours', reuseHours: 1 }, {}, false, 0],
		[
			'is counted for Max Queries per Day',
			{},
			{ spendingLimits: { maxQueriesPerDay: 1 } },
			false,
			0,
		],
		['shows what was accepted', {}, { spendingLimits: { sendAgain: true } }, true, 1],
	])('%s', async (_what, parameters, options, isLost, paid) => {
		const service = await serviceWith(isLost);
		await service.run(getCrf({ ...parameters }, { ...options }), { items });
		await service.close();
		expect(service.sent()).toBe(paid);
	});

	it('reads a list from newest to oldest up to the first older date', async () => {
		const now = Date.now();
		const hour = (index: number) => (index < 12 ? 1 : index);
		const service = await serviceWith(false);
		service.billed.splice(
			0,
			Infinity,
			...Array.from({ length: 200 }, (_, index) => ({
				...service.billed[0],
				_id: `${service.baseUrl}-old-${index}`,
				createdAt: new Date(now - (100 + hour(index)) * HOUR_MS).toISOString(),
			})),
		);
		await service.run(getCrf({ reuse: 'hours', reuseHours: 1 }), { items });
		await service.close();
		expect(service.requests).toEqual(['GET /query', 'GET /query', 'POST /query/crf']);
	});
});

describe('a record that repeats the head of its request', () => {
	const TOKEN = 'an-access-token-of-the-service';
	const person = {
		_id: 'q1',
		service: 'CURP',
		status: 'SUCCESS',
		query: { curp: CURP },
		metadata: { request: { headers: { authorization: `Bearer ${TOKEN}` } } },
		authentication: Buffer.from('secret-of-the-client').toString('base64'),
		response: { curp: CURP, nombre: 'EMMA' },
		createdAt: new Date().toISOString(),
	};
	it.each([
		operation('person', 'getCurpData', { curp: CURP, options: { simplify: false } }),
		operation('query', 'get', { queryId: 'q1', options: { simplify: false } }),
		operation('query', 'getAll', { returnAll: true, options: { simplify: false } }),
	])('reveals no secret of the credential: $operation', async (parameters) => {
		const { rows } = await runAgainstStub(
			({ method, path }) => ({
				body: method === 'GET' && path === '/api/query' ? [person] : person,
			}),
			parameters,
			{ token: { access_token: TOKEN }, secrets: [TOKEN, person.authentication] },
		);
		expect(rows).toEqual([
			{
				...person,
				metadata: { request: { headers: { authorization: '***' } } },
				authentication: '***',
			},
		]);
	});
});
