import { readTaxQueryMapping } from '../../../../nodes/shared/credentials/apiMapping';
import { asDocumented } from '../../../../nodes/TaxQuery/queries/catalog';
import {
	createdAt,
	echoOf,
	isBare,
	queryIdOf,
	reasonOf,
	stateOf,
	type QueryState,
} from '../../../../nodes/TaxQuery/queries';

const stateByWord: Record<QueryState, string[]> = {
	success: [
		...'SUCCESS success Succeeded COMPLETED complete DONE finished OK Ready'.split(' '),
		'  SUCCESS\n',
	],
	pending: [
		...'PENDING pendiente PROCESSING IN_PROGRESS in-progress InProgress IN_PROCESS EN_PROCESO QUEUE QUEUED'.split(
			' ',
		),
		...'SUBMITTED WORKING RUNNING STARTED CREATED ACCEPTED RECEIVED WAITING SCHEDULED NEW OPEN'.split(
			' ',
		),
		'in progress',
	],
	failed: [
		...'FAILED FAIL FAILURE Fallido ERROR REJECTED DENIED CANCELLED CANCELED ABORTED EXPIRED INVALID'.split(
			' ',
		),
		...'NOT_FOUND notFound TIMEOUT TIMED_OUT UNSUCCESSFUL'.split(' '),
	],
	unknown: [
		...'PROCESSED ENDED PARTIAL PARTIAL_SUCCESS COMPLETED_WITH_ERRORS NOT_OK NOT_READY INCOMPLETE'.split(
			' ',
		),
		...'SUCCESS_PENDING UNKNOWN CLOSED 200 1 EXITOSO constructor __proto__'.split(' '),
		...'ÉXITO EXITOSA COMPLETADO LISTO TERMINADO ERFOLG 成功 0K SUCCE\u0455S !OK OK? -DONE SUCCESS! [SUCCESS]'.split(
			' ',
		),
		'SUCCESS: none',
		'NOT SUCCESS',
		'',
		' ',
		'¿?',
	],
};
const table = Object.entries(stateByWord).flatMap(([state, words]) =>
	words.map((word) => [word, state] as const),
);

describe("a query's status", () => {
	it.each(table)('%j is %s', (status, state) => {
		expect(stateOf({ status, response: { rfc: 'x' } }, asDocumented)).toBe(state);
	});

	it('is told for more than 40 words, none of which passes for success by chance', () => {
		expect(table.length).toBeGreaterThanOrEqual(40);
	});

	it.each<[object, QueryState]>([
		[{}, 'pending'],
		[{ response: {} }, 'pending'],
		[{ response: { rfc: 'x' } }, 'unknown'],
		[{ status: null }, 'pending'],
		[{ status: true }, 'unknown'],
		[{ status: 200 }, 'unknown'],
		[{ status: ['SUCCESS'] }, 'unknown'],
		[{ status: { toString: 'SUCCESS' } }, 'unknown'],
		[{ status: { code: 'SUCCESS' } }, 'unknown'],
		[{ status: 0 }, 'unknown'],
		[{ status: [] }, 'unknown'],
	])('of %j, which is none, is %s', (record, state) => {
		expect(stateOf(record as never, asDocumented)).toBe(state);
	});

	const mapping = (statuses: object) =>
		readTaxQueryMapping({ apiMapping: JSON.stringify({ statuses }) });

	it.each<[string, object, QueryState]>([
		['LISTO', { success: ['listo'] }, 'success'],
		['EN ESPERA', { pending: ['EN_ESPERA'] }, 'pending'],
		['SIN_DATOS', { failed: ['Sin datos'] }, 'failed'],
		['READY', { pending: ['READY'] }, 'pending'],
		['DONE', { failed: ['DONE'] }, 'failed'],
		['BOTH', { success: ['BOTH'], failed: ['BOTH'] }, 'failed'],
		['LISTO', { success: ['LIST'] }, 'unknown'],
		['ÉXITO', { success: ['éxito'] }, 'success'],
	])('%s under the API Mapping %j is %s', (status, statuses, state) => {
		expect(stateOf({ status }, mapping(statuses))).toBe(state);
	});
});

describe('a record', () => {
	it.each<[object, string]>([
		[{ response: { message: 'No taxpayer' } }, 'The service says: "No taxpayer"'],
		[{ response: { errorMessage: 'No taxpayer' } }, 'The service says: "No taxpayer"'],
		[{ response: { error: { detail: 'No taxpayer' } } }, 'The service says: "No taxpayer"'],
		[{ error: 'No taxpayer' }, 'The service says: "No taxpayer"'],
		[{ response: 'gone' }, 'The service says: "gone"'],
		[{ response: { mensaje: 'Sin datos' } }, 'The service says: "Sin datos"'],
		[{ response: '<p>gone</p>' }, ''],
		[{ response: { message: { toString: 'x' } } }, 'The service says: "toString: x"'],
	])('that failed as %j says why', (record, reason) => {
		expect(reasonOf(record as never)).toBe(reason);
	});

	it.each<[object, string | undefined]>([
		[{ _id: 'a', queryId: 'b' }, 'b'],
		[{ queryId: 7 }, '7'],
		[{ query_id: 'd' }, 'd'],
		[{ queryID: 8, status: 'PENDING' }, '8'],
		[{ query_id: 'd', _id: 'a' }, 'a'],
		[{ queryId: JSON.parse('1234567890123456789') as number }, undefined],
		[{ queryId: 1e21, _id: 'e' }, 'e'],
		[{ queryId: true }, undefined],
		[{ _id: null, id: 'c' }, 'c'],
		[{ _id: { toString: 'x' } }, undefined],
		[{ _id: '' }, undefined],
		[{ _id: '', id: 'd' }, 'd'],
	])('like %j has the ID %s', (record, id) => {
		expect(queryIdOf(record as never)).toBe(id);
	});

	const TECHNICAL = { endpoint: '/query/crf', source: 'api' };

	it.each<[object, object]>([
		[{ query: { rfc: 'x' }, metadata: { clientType: 'PF', query: TECHNICAL } }, { rfc: 'x' }],
		[{ query: {}, metadata: { query: { rfc: 'x' } } }, { rfc: 'x' }],
		[{ query: null, metadata: { query: { rfc: 'x' } } }, { rfc: 'x' }],
		[{ query: ['x'], metadata: { query: { rfc: 'x' } } }, { rfc: 'x' }],
		[{ query: { rfc: 'x' }, metadata: null }, { rfc: 'x' }],
		[{ query: 'x', metadata: { query: 'y' } }, {}],
		[{}, {}],
	])('%j echoes %j', (record, echo) => {
		expect(echoOf(record as never)).toEqual(echo);
	});

	it.each<[object, boolean]>([
		[{ query: { rfc: 'x' }, metadata: { query: TECHNICAL } }, false],
		[{ query: { clave: 'x' } }, false],
		[{ metadata: { query: { rfc: 'x', source: 'api' } } }, false],
		[{ metadata: { query: { constructor: 'x' } } }, true],
		[{ metadata: { query: TECHNICAL } }, true],
		[{ query: {}, metadata: { query: TECHNICAL } }, true],
		[{ query: [] }, true],
		[{}, true],
	])('%j does not say what was asked: %s', (record, bare) => {
		expect(isBare(record as never, asDocumented)).toBe(bare);
	});

	it('says what was asked in its metadata by the names of the deployment', () => {
		const fields = { getCrf: { rfc: 'clave' } };
		const own = readTaxQueryMapping({ apiMapping: JSON.stringify({ fields }) });
		expect(isBare({ metadata: { query: { clave: 'x' } } }, own)).toBe(false);
	});

	it('without a time has none', () => {
		expect(createdAt({ createdAt: { toString: 'x' } } as never)).toBeNaN();
	});
});
