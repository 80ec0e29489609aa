import type { ServerResponse } from 'node:http';
import { askStranger } from '../dialects/stranger';
import { give, oddService, type Kept } from './oddService';
import { curps, getCrf, operation, rfcs } from './support';

type Change = (kept: Kept) => Partial<Kept>;

const [RFC] = rfcs(1);
const [CURP] = curps(1);
const items = [{ rfc: RFC, curp: CURP }];
const crf = getCrf({}, { sendAgain: true });
const jobs = operation('person', 'getEmploymentHistory', { curp: CURP }, { sendAgain: true });
const emma = {
	name: 'Emma',
	firstLastName: 'Gómez',
	secondLastName: 'Díaz',
	birthDate: '1956-02-05',
};
const calculation = (person = {}) =>
	operation('taxpayer', 'calculateRfc', { ...emma, ...person, reuse: 'building' });
const before = (kept: Kept, ms: number) => new Date(Date.parse(kept.createdAt) - ms).toISOString();
const HOUR_MS = 3_600_000;

/** A service that keeps what it accepts with these changes; an answer that is lost is one of a gateway. */
async function serviceThat(change: Change, isLost: boolean, headers: Record<string, string> = {}) {
	const withHeaders = (response: ServerResponse) =>
		response.setHeaders(new Map(Object.entries(headers)));
	return await oddService({
		list: (kept, response) => give(withHeaders(response), [...kept].reverse()),
		post(accept, response) {
			const kept = accept();
			Object.assign(kept, change(kept));
			withHeaders(response);
			if (isLost) response.writeHead(502).end();
			else give(response, { message: 'Accepted', queryId: kept._id });
		},
	});
}

describe('Send Again If Unsure, where the answer was lost and the list has what may be the query', () => {
	it.each<[string, typeof crf, Change]>([
		['under a service that nobody knows', jobs, () => ({ service: 'EMPLOYMENT_HISTORY' })],
		['with one field more', crf, ({ query }) => ({ query: { ...query, channel: 'api' } })],
		['with the field called otherwise', crf, () => ({ query: { taxId: RFC } })],
		['without what was asked', crf, () => ({ query: {} })],
		['without a date', crf, () => ({ createdAt: undefined })],
		[
			"in the service's local time, without a zone",
			crf,
			(kept) => ({ createdAt: before(kept, 6 * HOUR_MS).slice(0, 19) }),
		],
		['by its day alone', crf, ({ createdAt }) => ({ createdAt: createdAt.slice(0, 10) })],
		['a minute before it was sent', crf, (kept) => ({ createdAt: before(kept, 60_000) })],
	])('pays once and names it: %s', async (_how, parameters, change) => {
		const service = await serviceThat(change, true);
		const { error } = await service.run(parameters, { items });
		await service.close();
		expect([service.billed.length, error?.description]).toEqual([
			1,
			expect.stringContaining(
				`may be it, though their service, fields or date differ: ${service.billed[0]._id}.`,
			),
		]);
	});

	it('sends again where the list has only queries of others, old ones, and those of another service', async () => {
		const service = await serviceThat(() => ({}), true);
		const kept = (query: Kept['query'], more: Partial<Kept> = {}): Kept => ({
			_id: `other-${service.billed.length}`,
			service: 'CRF',
			status: 'SUCCESS',
			query,
			response: {},
			createdAt: new Date().toISOString(),
			...more,
		});
		service.billed.push(
			kept({ rfc: rfcs(2)[1], channel: 'api' }),
			kept({ rfc: rfcs(2)[1] }, { service: 'VEHICLE' }),
			kept({ rfc: RFC }, { service: 'RFC' }),
			kept({ rfc: RFC }, { createdAt: new Date(Date.now() - HOUR_MS).toISOString() }),
		);
		const lost = await oddService({
			post: (_accept, response) => void response.writeHead(502).end(),
			list: (_kept, response) => give(response, service.billed),
		});
		await lost.run(crf, { items });
		await Promise.all([service.close(), lost.close()]);
		expect(lost.sent()).toBe(3);
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
	const MUTE =
		'Reuse Results: CRF queries are left out that do not say what was asked, or hide it: 1';
	const twice = async (change: Change, first: typeof crf, second = first) => {
		const service = await serviceThat(change, false);
		await service.run(first, { items, mode: 'manual' });
		const { hints } = await service.run(second, { items, mode: 'manual' });
		await service.close();
		return [service.billed.length, hints.map(({ message }) => message).join()];
	};

	it.each<[string, typeof crf, Change, string]>([
		[
			'a service that nobody knows',
			jobs,
			() => ({ service: 'EMPLOYMENT_HISTORY' }),
			'Reuse Results: Queries are left out whose service is not known: EMPLOYMENT_HISTORY. If they are meant, set services.getEmploymentHistory',
		],
		[
			'a status that nobody knows',
			getCrf(),
			() => ({ status: 'LISTO' }),
			'Queries are left out whose status is not known: LISTO. If they are meant, set statuses.success or statuses.pending',
		],
		[
			'one field more',
			getCrf(),
			({ query }) => ({ query: { ...query, tipo: 'PF' } }),
			'CRF queries that may be the same are left out, for what they hold under tipo. If a field is only called otherwise, set fields.getCrf',
		],
		[
			'the field called otherwise',
			getCrf(),
			() => ({ query: { taxId: RFC } }),
			'for what they hold under taxId',
		],
		[
			'no date',
			getCrf(),
			() => ({ createdAt: undefined }),
			'CRF queries are left out that tell no date (createdAt)',
		],
		[
			'a date without a zone, which may be local time',
			getCrf(),
			() => ({ createdAt: new Date(Date.now() - 30 * HOUR_MS).toISOString().slice(0, 19) }),
			'Reuse Results: CRF queries that may be the same are left out: their date (createdAt) has no zone',
		],
		['no fields', getCrf(), () => ({ query: {} }), MUTE],
		['masked fields', getCrf(), () => ({ query: { rfc: 'GODE*********' } }), MUTE],
		['hashed fields', getCrf(), () => ({ query: { rfcHash: 'ab12' } }), MUTE],
	])(
		'says why it pays again for what the list has with %s',
		async (_what, parameters, change, why) => {
			expect(await twice(change, parameters)).toEqual([2, expect.stringContaining(why)]);
		},
	);

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
		expect(await twice(change, calculation())).toEqual([1, expect.stringMatching(/^1 reused/)]);
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
	const paged = (kept: Kept[], response: ServerResponse) => {
		const from = Number(new URL(String(response.req.url), 'http://any').searchParams.get('offset'));
		const rows = [...kept].reverse();
		give(response, { data: rows.slice(from, from + PAGE), total: rows.length });
	};
	async function serviceWith(isLost: boolean) {
		const service = await oddService({
			list: paged,
			post(accept, response) {
				const kept = accept();
				if (isLost) response.writeHead(502).end();
				else give(response, { queryId: kept._id });
			},
		});
		const old = (index: number): Kept => ({
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
		['is counted for Max Queries per Day', {}, { maxQueriesPerDay: 1 }, false, 0],
		['shows what was accepted', {}, { sendAgain: true }, true, 1],
	])('%s', async (_what, parameters, options, isLost, paid) => {
		const service = await serviceWith(isLost);
		await service.run(getCrf({ ...parameters }, { ...options }), { items });
		await service.close();
		expect(service.sent()).toBe(paid);
	});

	it('is read on to the first older date only, if it runs from the newest to the oldest', async () => {
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
		expect(service.asked).toEqual(['GET /query', 'GET /query', 'POST /query/crf']);
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
		operation('person', 'getCurpData', { curp: CURP, simplify: false }),
		operation('query', 'get', { queryId: 'q1', simplify: false }),
		operation('query', 'getAll', { returnAll: true, simplify: false }),
	])('tells no secret of the credential: $operation', async (parameters) => {
		const { rows } = await askStranger(
			({ method, path }) => ({
				body: method === 'GET' && path === '/api/query' ? [person] : person,
			}),
			parameters,
			{ token: { access_token: TOKEN }, secrets: [TOKEN, person.authentication] },
		);
		expect(rows).toEqual([
			{
				...person,
				metadata: { request: { headers: { authorization: 'Bearer ***' } } },
				authentication: '***',
			},
		]);
	});
});
