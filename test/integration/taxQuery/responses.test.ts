import type { INodeParameters } from 'n8n-workflow';
import { startStubServer, type StubResponse } from '../apiVariants/stubServer';
import { codeOf } from '../support/errorCode';
import { runNode } from '../support/runNode';
import { curps, operation, rfcs } from './support';

const [RFC, OTHER] = rfcs(2);
const [CURP, OTHER_CURP] = curps(2);

/** A query of each way in which results come. */
const ways: Record<string, { parameters: INodeParameters; path: string }> = {
	'whose result follows': {
		parameters: operation('taxpayer', 'getCrf', { rfc: RFC }),
		path: '/api/query/crf',
	},
	'whose result comes at once': {
		parameters: operation('person', 'getCurpData', { curp: CURP }),
		path: '/api/query/curp-data',
	},
	'of two months': {
		parameters: operation('taxAuthority', 'getInvoices', {
			rfc: RFC,
			period: 'months',
			firstMonth: '2026-01',
			lastMonth: '2026-02',
		}),
		path: '/api/query/tax/invoice',
	},
};
const LATER = 'whose result follows';
const AT_ONCE = 'whose result comes at once';
const MONTHS = 'of two months';

const json = (body: unknown): StubResponse => ({ body });
const text = (body: string, type = 'application/json'): StubResponse => ({ body, type });
const crf = {
	_id: 'q1',
	service: 'CRF',
	status: 'SUCCESS',
	query: { rfc: RFC },
	response: { RFC, RazonSocial: 'Emma' },
};
const curpData = {
	_id: 'q1',
	service: 'CURP',
	status: 'SUCCESS',
	query: { curp: CURP },
	response: { curp: CURP, nombre: 'EMMA', estatusCurp: 'RCN' },
};
const months = (...ids: unknown[]) =>
	ids.map((queryId, index) => ({ queryId, period: `2026-0${index + 1}`, status: 'PENDING' }));

/** These responses identify no query; none may resemble a result. */
const without: Array<[what: string, answer: StubResponse]> = [
	['a folio', json({ ok: true, folio: 'F-1' })],
	['a status and an ID of the request', json({ status: 'COMPLETED', requestId: 'x9' })],
	['a turn', json({ exito: true, mensaje: 'Recibido', turno: 12 })],
	['good words', json({ message: 'Accepted' })],
	['a status', json({ status: 'SUCCESS' })],
	['a pending status', json({ status: 'PENDING', eta: 30 })],
	['an id of whatever', json({ id: 'q1' })],
	[
		'a record under another ID',
		json({ id: 7, service: 'CRF', status: 'SUCCESS', response: { RFC } }),
	],
	['a record without an ID', json({ service: 'CRF', status: 'SUCCESS', response: { RFC } })],
	['the ID under another name', json({ query_id: 'q1', message: 'ok' })],
	['an ID in Spanish', json({ idConsulta: 'q1', estatus: 'OK' })],
	['an empty ID', json({ queryId: '', message: 'ok' })],
	['no ID', json({ queryId: null, message: 'ok' })],
	['an object as ID', json({ queryId: { value: 'q1' }, message: 'ok' })],
	['a bare _id', json({ _id: 'q1' })],
	['what was asked', json({ rfc: RFC, curp: CURP, received: true })],
	['a part of a result', json({ RFC, curp: CURP, nombre: 'EMMA' })],
	['data without an ID', json({ data: { folio: 'F-1' } })],
	['data within data', json({ data: { data: { queryId: 'q1' } } })],
	['JSON-RPC', json({ jsonrpc: '2.0', id: 1, result: { ok: true } })],
	['a token', json({ access_token: 'abc', expires_in: 3600 })],
	['two queries', json({ one: { queryId: 'q1' }, other: { queryId: 'q2' } })],
	['empty results', json({ message: 'ok', results: [] })],
	['results without IDs', json({ message: 'ok', results: [{ period: '2026-01' }] })],
	['an empty object', json({})],
	['an empty list', json([])],
	['a list of texts', json(['q1'])],
	['a list of lists', json([[{ queryId: 'q1' }]])],
	['a list of folios', json([{ folio: 1 }, { folio: 2 }])],
	['success: false', json({ success: false, message: 'No', queryId: 'q1' })],
	['errors', json({ errors: [{ message: 'No' }] })],
	['an HTML page', text('<html><body>Welcome</body></html>', 'text/html')],
	['a text', text('"q1"')],
	['a number', text('12')],
	['null', text('null')],
	['nothing', text('')],
	['half a response', text('{"queryId":"q1"')],
	['204', { status: 204, body: '', type: '' }],
	['500', { status: 500, body: { message: 'Oops', queryId: 'q1' } }],
	['502 of a gateway', { status: 502, body: '<html></html>', type: 'text/html' }],
	['408', { status: 408, body: {} }],
	['302', { status: 302, body: '', headers: { location: '/api/query/q1' } }],
];
const UNSURE = 'unsure';
const OTHER_QUERY = 'otherQuery';

/** The code of the error, or the rows. */
type Case = [way: string, what: string, answer: StubResponse, expected: string | object[]];
const cases: Case[] = [
	...Object.keys(ways).flatMap((way) =>
		without.map(([what, answer]): Case => [way, what, answer, UNSURE]),
	),
	...[400, 403, 404, 422].map((status): Case => [
		LATER,
		String(status),
		{ status, body: { message: 'No' } },
		`status.${status}`,
	]),
	[
		LATER,
		'an acknowledgement',
		json({ message: 'ok', queryId: 'q1' }),
		[{ queryId: 'q1', pending: true }],
	],
	[
		LATER,
		'one with SUCCESS',
		json({ status: 'SUCCESS', queryId: 'q1' }),
		[{ queryId: 'q1', pending: true }],
	],
	[
		LATER,
		'one that is wrapped',
		json({ data: { queryId: 'q1' }, ok: true }),
		[{ queryId: 'q1', pending: true }],
	],
	[
		LATER,
		'a number as ID',
		json({ message: 'ok', queryId: 17 }),
		[{ queryId: '17', pending: true }],
	],
	[LATER, 'a record', json(crf), [{ queryId: 'q1', legalName: 'Emma', pending: false }]],
	[LATER, 'a record in a list', json([crf]), [{ queryId: 'q1', legalName: 'Emma' }]],
	[
		LATER,
		'a record that is wrapped',
		json({ consulta: crf }),
		[{ queryId: 'q1', legalName: 'Emma' }],
	],
	[
		LATER,
		'a record in a word that nobody knows',
		json({ ...crf, status: 'DONE' }),
		[{ queryId: 'q1', statusUnknown: true }],
	],
	[
		LATER,
		'a pending record',
		json({ ...crf, status: 'PENDING', response: {} }),
		[{ queryId: 'q1', pending: true }],
	],
	[LATER, 'a failed record', json({ ...crf, status: 'FAILED', response: {} }), 'failed'],
	[LATER, 'another person', json({ ...crf, query: { rfc: OTHER } }), OTHER_QUERY],
	[LATER, 'another query type', json({ ...crf, service: 'RFC' }), OTHER_QUERY],
	[AT_ONCE, 'a record', json(curpData), [{ queryId: 'q1', name: 'EMMA', curpActive: true }]],
	[AT_ONCE, 'another person', json({ ...curpData, query: { curp: OTHER_CURP } }), OTHER_QUERY],
	[AT_ONCE, 'another query type', json({ ...curpData, service: 'RFC_CALCULATOR' }), OTHER_QUERY],
	[
		MONTHS,
		'two acknowledgements',
		json({ message: 'ok', results: months('q1', 'q2') }),
		[
			{ queryId: 'q1', period: '2026-01', pending: true },
			{ queryId: 'q2', period: '2026-02' },
		],
	],
	[
		MONTHS,
		'fewer of them',
		json({ message: 'ok', results: months('q1') }),
		[{ queryId: 'q1', warnings: [expect.objectContaining({ code: 'fewerQueries' })] }],
	],
	[
		MONTHS,
		'more of them',
		json({ results: [...months('q1', 'q2'), { queryId: 'q9', period: '2025-12' }] }),
		UNSURE,
	],
];

/** Runs an operation once against a service that answers so, and lists nothing. */
async function ask(way: string, answer: StubResponse, run: number) {
	const { parameters, path } = ways[way];
	const service = await startStubServer((requests) => {
		if (requests.method === 'POST' && requests.path === path) return answer;
		return requests.path === '/api/query' ? json([]) : { status: 404, body: {} };
	});
	const { items, error } = await runNode({
		type: 'taxQuery',
		parameters,
		executionId: `responses-${run}`,
		credentials: {
			taxQueryApi: {
				baseUrl: `${service.url}/api`,
				grant: 'accessToken',
				pastedToken: `pasted-token-${run}`,
				pointsPerSecond: 0,
			},
		},
	});
	await service.close();
	const sent = service.requests.filter(({ method }) => method === 'POST').length;
	return { rows: items.map(({ json: row }) => row), error, sent };
}

describe('the response to a paid query', () => {
	const results: Array<Awaited<ReturnType<typeof ask>>> = [];
	// side by side, for whatever is unsure is looked for during four seconds
	beforeAll(async () => {
		const left = cases.entries();
		const worker = async () => {
			for (const [index, [way, , answer]] of left) results[index] = await ask(way, answer, index);
		};
		await Promise.all(Array.from({ length: 24 }, worker));
	});

	it.each(cases.map(([way, what, , expected], index) => [way, what, expected, index] as const))(
		'%s: %s',
		(_way, _what, expected, index) => {
			const { rows, error, sent } = results[index];
			expect(sent).toBe(1);
			if (typeof expected === 'string') {
				expect([rows, codeOf(error)]).toEqual([[], expected]);
			} else {
				expect([error?.message, rows]).toEqual([
					undefined,
					expected.map((row) => expect.objectContaining(row)),
				]);
			}
		},
	);
});
