import {
	classifySubmissionResponse,
	parseRecord,
	stateOfStatus,
} from '../../../../nodes/TaxQuery/client/record';
import type { SubmissionOutcome } from '../../../../nodes/TaxQuery/client/model';
import type { JsonResponseBody } from '../../../../nodes/shared/errors/requestProblem';
import { readTaxQueryApiMapping } from '../../../../nodes/shared/credentials/apiMapping';

const asDocumented = readTaxQueryApiMapping({});

const read = (body: unknown) =>
	classifySubmissionResponse(
		{ ok: true, status: 200, headers: {}, body: body as JsonResponseBody },
		asDocumented,
		2,
	);
const reported = (posted: SubmissionOutcome) =>
	posted.kind === 'accepted'
		? posted.queries.map(({ kind, id }) => `${kind} ${id}`).join()
		: posted.kind === 'uncertain'
			? posted.reason
			: posted.kind;
const record = { _id: 'q1', service: 'CRF', status: 'SUCCESS', query: {}, response: {} };

describe('what the response to a paid query says', () => {
	it.each<[unknown, string]>([
		[record, 'record q1'],
		[{ data: record }, 'record q1'],
		[[record], 'record q1'],
		[{ message: 'ok', queryId: 'q1' }, 'acknowledged q1'],
		[{ queryId: 'q1', status: 'SUCCESS' }, 'acknowledged q1'],
		[{ data: { queryId: 'q1' }, meta: { id: 'm1' } }, 'acknowledged q1'],
		[
			{ message: 'ok', results: [{ queryId: 'q1', period: '2026-01' }, { queryId: 'q2' }] },
			'acknowledged q1,acknowledged q2',
		],
		[{ results: [{ queryId: 'q1' }, { queryId: 'q2' }, { queryId: 'q3' }] }, 'unreadable'],
		[{ ok: true, folio: 'F-1' }, 'noId'],
		[{ status: 'COMPLETED', requestId: 'x9' }, 'noId'],
		[{ exito: true, mensaje: 'Recibido', turno: 12 }, 'noId'],
		[{ id: 'q1', service: 'CRF', status: 'SUCCESS' }, 'noId'],
		[{ service: 'CRF', status: 'SUCCESS', response: {} }, 'noId'],
		[{ message: 'Accepted' }, 'noId'],
		[{ status: 'PENDING', eta: 30 }, 'noId'],
		[{ id: 'q1' }, 'noId'],
		[{ _id: 'q1' }, 'noId'],
		[{ query_id: 'q1', message: 'ok' }, 'noId'],
		[{ idConsulta: 'q1', estatus: 'OK' }, 'noId'],
		[{ queryId: '', message: 'ok' }, 'noId'],
		[{ queryId: null, message: 'ok' }, 'noId'],
		[{ queryId: { value: 'q1' }, message: 'ok' }, 'noId'],
		[{ rfc: 'GODE561231GR8', received: true }, 'noId'],
		[{ data: { folio: 'F-1' } }, 'noId'],
		[{ data: { data: { queryId: 'q1' } } }, 'noId'],
		[{ jsonrpc: '2.0', id: 1, result: { ok: true } }, 'noId'],
		[{ access_token: 'abc', expires_in: 3600 }, 'noId'],
		[{ message: 'ok', results: [{ period: '2026-01' }] }, 'noId'],
		[['q1'], 'unreadable'],
		[[[{ queryId: 'q1' }]], 'noId'],
		[[{ folio: 1 }, { folio: 2 }], 'unreadable'],
		[{ one: { queryId: 'q1' }, other: { queryId: 'q2' } }, 'noId'],
		[[{ queryId: 'q1' }, { queryId: 'q2' }], 'unreadable'],
		[[{ queryId: 'q1' }, { message: 'ok' }], 'unreadable'],
		[{ results: [] }, 'noId'],
		[{}, 'unreadable'],
		[[], 'unreadable'],
	])('%j', (body, what) => {
		expect(reported(read(body))).toBe(what);
	});

	it.each([
		[{ kind: 'status' as const, status: 400 }, 'no' as const, 'rejected'],
		[{ kind: 'status' as const, status: 503 }, 'unknown' as const, 'status'],
		[{ kind: 'network' as const, code: 'ECONNRESET' }, 'unknown' as const, 'noAnswer'],
		[
			{ kind: 'body' as const, reason: 'notJson' as const, status: 200 },
			'unknown' as const,
			'unreadable',
		],
		[{ kind: 'failure' as const, status: 200 }, 'unknown' as const, 'status'],
	])('%j, accepted: %s', (problem, accepted, what) => {
		expect(
			reported(classifySubmissionResponse({ ok: false, problem, accepted }, asDocumented, 2)),
		).toBe(what);
	});
});

describe('the state of a record', () => {
	const mapping = readTaxQueryApiMapping({
		apiMapping: { statuses: { success: ['LISTO', 'MAL'], pending: ['EN FILA'], failed: ['MAL'] } },
	});
	it.each<[unknown, string]>([
		['SUCCESS', 'success'],
		['PENDING', 'pending'],
		['FAILED', 'failed'],
		['LISTO', 'success'],
		['EN FILA', 'pending'],
		['MAL', 'failed'],
		['COMPLETED', 'unknown'],
		['DONE', 'unknown'],
		['OK', 'unknown'],
		['READY', 'unknown'],
		['success', 'unknown'],
		[1, 'unknown'],
		[undefined, 'unknown'],
	])('%j is %s', (status, state) => {
		expect(stateOfStatus(status, mapping)).toBe(state);
	});
});

describe('a record', () => {
	const made = (createdAt: unknown) =>
		parseRecord({ ...record, createdAt } as object, asDocumented)?.createdAt;
	it('has a date only with a zone', () => {
		expect([
			made('2026-01-02T03:04:05Z'),
			made('2026-01-02T03:04:05-06:00'),
			made('2026-01-02T03:04:05'),
			made('2026-01-02'),
			made('01/02/2026'),
			made(1767323045000),
		]).toEqual([1767323045000, 1767344645000, undefined, undefined, undefined, 1767323045000]);
	});

	it('hides the CIEC wherever a tax profile repeats it', () => {
		const query = { rfc: 'GODE561231GR8', ciec: 'Secret_99' };
		const profile = { _id: 'q1', service: 'TAX_PROFILE', query, response: { note: 'Secret_99!' } };
		expect(JSON.stringify(parseRecord(profile, asDocumented))).not.toContain('Secret_99');
	});

	it.each([{ id: 'q1', service: 'CRF' }, { _id: 'q1' }, { service: 'CRF' }, [], 'q1', null])(
		'is not %j',
		(body) => {
			expect(parseRecord(body, asDocumented)).toBeUndefined();
		},
	);
});
