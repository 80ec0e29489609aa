import type { INodeParameters } from 'n8n-workflow';
import { startStubServer, type StubResponse } from '../../exhaustive/apiVariants/stubServer';
import { codeOf } from '../../support/errorCode';
import { runNodeInEngine } from '../../support/runNodeInEngine';
import { crfRecord, LEGAL_NAME, queryPostsIn } from './crfStubResponses';
import { curps, operationParameters, rfcs } from './support';

const [RFC] = rfcs(1);
const [CURP] = curps(1);
const BOM = '\uFEFF';

/** A query of each way in which results come. */
const ways: Record<string, INodeParameters> = {
	'whose result follows': operationParameters('taxpayer', 'getCrf', { rfc: RFC }),
	'whose result comes at once': operationParameters('person', 'getCurpData', { curp: CURP }),
	'of two months': operationParameters('taxAuthority', 'getInvoices', {
		...{ rfc: RFC, period: 'months', firstMonth: '2026-01', lastMonth: '2026-02' },
	}),
};
const [LATER, AT_ONCE, MONTHS] = Object.keys(ways);

const json = (body: unknown): StubResponse => ({ body });
const text = (body: string, type = 'application/json'): StubResponse => ({ body, type });
const crf = crfRecord('q1', RFC);
const curpData = {
	_id: 'q1',
	service: 'CURP',
	status: 'SUCCESS',
	query: { curp: CURP },
	response: { curp: CURP, nombre: 'EMMA', estatusCurp: 'RCN' },
};
const months = (...ids: unknown[]) =>
	ids.map((queryId, index) => ({ queryId, period: `2026-0${index + 1}`, status: 'PENDING' }));

/** Responses that identify no query. Bodies of JSON have a table of their own in the unit tests. */
const unidentified: Array<[what: string, response: StubResponse]> = [
	['an object without an ID', json({ ok: true, folio: 'F-1' })],
	['a part of a result', json({ RFC, curp: CURP, nombre: 'EMMA' })],
	['a record without an ID', json({ service: 'CRF', status: 'SUCCESS', response: { RFC } })],
	['an empty object', json({})],
	['an empty list', json([])],
	['errors', json({ errors: [{ message: 'No' }] })],
	['an HTML page', text('<html><body>Welcome</body></html>', 'text/html')],
	['a text', text('"q1"')],
	['a number', text('12')],
	['null', text('null')],
	['an empty body', text('')],
	['half a body', text('{"queryId":"q1"')],
	['204', { status: 204, body: '', type: '' }],
	['500', { status: 500, body: { message: 'Oops', queryId: 'q1' } }],
	['502 of a gateway', { status: 502, body: '<html></html>', type: 'text/html' }],
	['408', { status: 408, body: {} }],
	['302', { status: 302, body: '', headers: { location: '/api/query/q1' } }],
];

type Case = [way: string, what: string, response: StubResponse];
const uncertain: Case[] = [
	...Object.keys(ways).flatMap((way) => unidentified.map(([what, one]): Case => [way, what, one])),
	[
		MONTHS,
		'more queries than months',
		json({ results: [...months('q1', 'q2'), { queryId: 'q9', period: '2025-12' }] }),
	],
];
const failed: Array<[...Case, code: string]> = [
	...[400, 403, 404, 422].map((status): [...Case, string] => [
		...([LATER, String(status), { status, body: { message: 'No' } }] as Case),
		`status.${status}`,
	]),
	[LATER, 'a failed record', json({ ...crf, status: 'FAILED', response: {} }), 'failed'],
];

const pending = [{ queryId: 'q1', pending: true }];
const acknowledgement = JSON.stringify({ queryId: 'q1' });
const acknowledged: Array<[...Case, rows: object[]]> = [
	[LATER, 'an acknowledgement', json({ message: 'ok', queryId: 'q1' }), pending],
	[LATER, 'an acknowledgement with 202', { status: 202, body: { queryId: 'q1' } }, pending],
	[LATER, 'an acknowledgement with SUCCESS', json({ status: 'SUCCESS', queryId: 'q1' }), pending],
	[LATER, 'a wrapped acknowledgement', json({ data: { queryId: 'q1' }, ok: true }), pending],
	[LATER, 'a list of one acknowledgement', json([{ message: 'ok', queryId: 'q1' }]), pending],
	[LATER, 'an acknowledgement as text', text(acknowledgement, 'text/plain'), pending],
	[LATER, 'an acknowledgement without a type', text(acknowledgement, ''), pending],
	[LATER, 'an acknowledgement behind a BOM', text(BOM + acknowledgement), pending],
	[LATER, 'a pending record', json({ ...crf, status: 'PENDING', response: {} }), pending],
	[LATER, 'a record', json(crf), [{ queryId: 'q1', legalName: LEGAL_NAME, pending: false }]],
	[LATER, 'a list of one record', json([crf]), [{ queryId: 'q1', legalName: LEGAL_NAME }]],
	[LATER, 'a wrapped record', json({ consulta: crf }), [{ queryId: 'q1', legalName: LEGAL_NAME }]],
	[
		LATER,
		'a record of an unknown status',
		json({ ...crf, status: 'DONE' }),
		[{ queryId: 'q1', statusUnknown: true }],
	],
	[AT_ONCE, 'a record', json(curpData), [{ queryId: 'q1', name: 'EMMA', curpActive: true }]],
	[
		AT_ONCE,
		'a record without a status',
		json({ queryId: 'q1', response: { nombre: 'EMMA' } }),
		[{ queryId: 'q1', pending: false }],
	],
	[
		MONTHS,
		'two acknowledgements',
		json({ message: 'ok', results: months('q1', 'q2') }),
		[
			{ queryId: 'q1', period: '2026-01', pending: true },
			{ queryId: 'q2', period: '2026-02' },
		],
	],
];

/** Runs an operation once against a service that responds so, and lists nothing. */
async function run(way: string, response: StubResponse) {
	const service = await startStubServer(({ method, path }) => {
		if (method === 'POST') return response;
		return path === '/api/query' ? json([]) : { status: 404, body: {} };
	});
	const { items, error } = await runNodeInEngine({
		type: 'taxQuery',
		parameters: ways[way],
		executionId: `acknowledged-${service.url}`,
		credentials: {
			taxQueryApi: {
				baseUrl: `${service.url}/api`,
				grant: 'accessToken',
				pastedToken: `pasted-token-${service.url}`,
				pointsPerSecond: 0,
			},
		},
	});
	await service.close();
	return {
		code: codeOf(error),
		rows: items.map(({ json: row }) => row),
		sent: queryPostsIn(service.requests).length,
	};
}
type Outcome = Awaited<ReturnType<typeof run>>;

describe('the response to a billed query', () => {
	const outcomes = new Map<StubResponse, Map<string, Outcome>>();
	const outcomeOf = (way: string, response: StubResponse) => outcomes.get(response)?.get(way);

	// side by side, for a query that is uncertain is searched during four seconds
	beforeAll(async () => {
		const left = [...uncertain, ...failed, ...acknowledged].values();
		const worker = async () => {
			for (const [way, , response] of left) {
				const ofWays = outcomes.get(response) ?? new Map<string, Outcome>();
				outcomes.set(response, ofWays);
				ofWays.set(way, await run(way, response));
			}
		};
		await Promise.all(Array.from({ length: 24 }, worker));
	});

	it.each(uncertain)('a query %s is uncertain after %s', (way, _what, response) => {
		expect(outcomeOf(way, response)).toEqual({ code: 'unsure', rows: [], sent: 1 });
	});

	it.each(failed)('a query %s fails after %s', (way, _what, response, code) => {
		expect(outcomeOf(way, response)).toEqual({ code, rows: [], sent: 1 });
	});

	it.each(acknowledged)('a query %s is identified by %s', (way, _what, response, rows) => {
		expect(outcomeOf(way, response)).toMatchObject({ code: undefined, rows, sent: 1 });
	});
});
