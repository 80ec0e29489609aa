import * as fc from 'fast-check';
import { readTaxQueryApiMapping } from '../../../../nodes/shared/credentials/apiMapping';
import { queryTypes } from '../../../../nodes/shared/queryTypes/catalog';
import { parseRecord } from '../../../../nodes/TaxQuery/client/record';
import type { QueryRecord } from '../../../../nodes/TaxQuery/client/model';
import { simplifyRecordToRow as simplify } from '../../../../nodes/TaxQuery/output/simplify';

const asDocumented = readTaxQueryApiMapping({});

const simplifyRecord = (record: object, mapping = asDocumented) =>
	simplify(parseRecord(record, mapping) as QueryRecord, mapping);
const record = (service: string, response: object, more: object = {}) => ({
	_id: 'q1',
	service,
	status: 'SUCCESS',
	metadata: { clientType: 'PF', query: { rfc: 'GODE561231GR8' } },
	query: { rfc: 'GODE561231GR8' },
	response,
	organizationSlug: 'lender',
	createdAt: '2026-01-02T03:04:05.000Z',
	updatedAt: '2026-01-02T03:04:06.000Z',
	...more,
});
const tail = (service: string) => ({
	outcome: 'result',
	reason: null,
	status: 'SUCCESS',
	service,
	createdAt: '2026-01-02T03:04:05.000Z',
	queryId: 'q1',
});
const CRF_COLUMNS = {
	...{ legalName: null, regimes: null, certificateValidUntil: null, certificateValid: null },
	...{ zipCode: null, federalState: null, representativeRfc: null },
};
/** It never resembles a finished result. */
const noResult = { outcome: 'pending', reason: expect.stringContaining('no result') };
/** Names and values, for the order counts. */
const columns = (row: object) => Object.entries(row);

describe('a simplified query record', () => {
	it('of the RFC calculator holds the requested person and the RFC', () => {
		const query = { name: 'Emma', firstLastName: 'Gómez', day: 31, month: 12, year: 1956 };
		const simple = simplifyRecord(record('RFC_CALCULATOR', { rfc: 'GODE561231GR8' }, { query }));
		expect(columns(simple)).toEqual(
			columns({
				name: 'Emma',
				firstLastName: 'Gómez',
				secondLastName: null,
				birthDate: '1956-12-31',
				rfc: 'GODE561231GR8',
				...tail('RFC_CALCULATOR'),
			}),
		);
	});

	it('of CRF holds person, regimes, null for missing fields, and the ID last', () => {
		const regimes = [{ clave: '605' }];
		const response = {
			RFC: 'GODE561231GR8',
			RazonSocial: 'EMMA GOMEZ DIAZ',
			ValidoHasta: '2028-05-06T07:08:09',
			Valido: true,
			CodigoPostal: '06700',
			EstadoISO: 'CMX',
			RegimenesFiscales: regimes,
		};
		const state = { FISCAL_DATA: { some: 'thing' } };
		expect(columns(simplifyRecord(record('CRF', response, { state })))).toEqual(
			columns({
				legalName: 'EMMA GOMEZ DIAZ',
				rfc: 'GODE561231GR8',
				regimes,
				certificateValid: true,
				certificateValidUntil: '2028-05-06T07:08:09',
				representativeRfc: null,
				zipCode: '06700',
				federalState: 'CMX',
				...tail('CRF'),
			}),
		);
	});

	it.each(
		queryTypes.flatMap(({ code, resultFields }) => (resultFields ? [[code, resultFields]] : [])),
	)('of %s has the same columns, whatever its response lacks', (code, fields) => {
		const names = Object.values(fields as Record<string, string>);
		const rows = names.map((name) => simplifyRecord(record(code as string, { [name]: 'X' })));
		const [first, ...others] = rows.map((row) => Object.keys(row));
		expect(others.filter((keys) => keys.join() !== first.join())).toEqual([]);
	});

	it.each([
		['31/12/1956', '1956-12-31'],
		['1/2/2003', '2003-02-01'],
		['unknown', 'unknown'],
		['1956', '1956'],
		['1956-12', '1956-12'],
	])('of CURP has the birth date %s as %s', (fechaNacimiento, birthDate) => {
		expect(simplifyRecord(record('CURP', { fechaNacimiento })).birthDate).toBe(birthDate);
	});

	it.each([
		['RCN', true, 'corrected'],
		['an', true, 'registered'],
		['BD', false, 'ended: death'],
		['ZZ', null, null],
		['constructor', null, null],
	])('of CURP says what the status %s means', (estatusCurp, curpActive, curpStatusMeaning) => {
		expect(simplifyRecord(record('CURP', { estatusCurp }))).toMatchObject({
			curpActive,
			curpStatus: estatusCurp,
			curpStatusMeaning,
		});
	});

	it.each([
		[
			{ estatus: 'NO EXITOSO', codigoMensaje: 'La CURP no existe' },
			'NO EXITOSO: La CURP no existe',
		],
		[{ estatus: 'NO EXITOSO', nombre: null, curp: 'GODE561231HVZRSN09' }, 'NO EXITOSO'],
		[{ codigoMensaje: '06' }, '06'],
	])('of a CURP that the registry did not find says so in its words: %j', (response, reason) => {
		expect(simplifyRecord(record('CURP', response))).toMatchObject({
			outcome: 'notFound',
			reason,
			name: null,
			curpActive: null,
		});
	});

	it.each([
		{ estatus: 'EXITOSO', nombre: 'EMMA', codigoMensaje: '01' },
		{ nombre: 'EMMA' },
		{ estatusCurp: 'BD' },
		{ estatus: 'NO VIGENTE', nombre: 'EMMA' },
		{ estatus: 'EXITOSO', codigoMensaje: '0', curp: 'GODE561231HVZRSN09', rfc: 'GODE561231GR8' },
	])('of a CURP that it found does not: %j', (response) => {
		const row = simplifyRecord(record('CURP', response));
		expect([row.outcome, row.reason]).toEqual(['result', null]);
	});

	it('of a service whose result is not shown has its own names and nesting', () => {
		const response = { status: 'ACTIVO', address: { city: 'León' }, regimes: [1] };
		expect(columns(simplifyRecord(record('CSF', response)))).toEqual(
			columns({
				rfc: 'GODE561231GR8',
				resultStatus: 'ACTIVO',
				address: { city: 'León' },
				regimes: [1],
				...tail('CSF'),
			}),
		);
	});

	it.each<[string, unknown, object]>([
		['CSF', [{ name: 'A', percentage: 60 }], { response: [{ name: 'A', percentage: 60 }] }],
		['CRF', ['A'], { response: ['A'] }],
		['CSF', 'JVBERi0xLjQK', { response: 'JVBERi0xLjQK' }],
		['CRF', 'JVBERi0xLjQK', { response: 'JVBERi0xLjQK' }],
		['CURP', 0, { response: 0 }],
		['CRF', { data: { RFC: 'X' } }, { data: { RFC: 'X' } }],
		['CURP', { nombres: 'EMMA', status: 'ok' }, { nombres: 'EMMA', resultStatus: 'ok' }],
		['CURP', { nombres: 'EMMA', error: 'no' }, { nombres: 'EMMA', resultError: 'no' }],
		['CRF', { rfc: 'x', RazonSocial: 'EMMA' }, { ...CRF_COLUMNS, legalName: 'EMMA' }],
		['CSF', '', noResult],
		['CSF', [], {}],
		['CRF', null, noResult],
		['CRF', undefined, noResult],
		['CRF', {}, noResult],
	])('of %s has what was paid for, though its response is %j', (service, response, result) => {
		const { rfc, ...row } = simplifyRecord(record(service, response as object));
		expect([rfc, row]).toEqual(['GODE561231GR8', { ...tail(service), ...result }]);
	});

	it('that failed says why where its response is a text', () => {
		const simple = simplifyRecord(record('CRF', 'No taxpayer' as never, { status: 'FAILED' }));
		expect([simple.outcome, simple.response]).toEqual(['failed', 'No taxpayer']);
	});

	it.each<[object, object]>([
		[{ addressCalle: 'own', address: { calle: 'inner' } }, {}],
		[
			{ status: 'ACTIVO', resultStatus: 'own' },
			{ resultResultStatus: 'ACTIVO', resultStatus: 'own' },
		],
		[
			{ event: 'alta', warnings: ['x'], queryId: 7 },
			{ resultEvent: 'alta', resultWarnings: ['x'], resultQueryId: 7 },
		],
	])('loses none of %j', (response, renamed) => {
		const row = simplifyRecord(record('CSF', response));
		const result = Object.keys(renamed).length > 0 ? renamed : response;
		expect(row).toEqual({ rfc: 'GODE561231GR8', ...result, ...tail('CSF') });
	});

	it('has the same columns for an object, whatever stands beside it', () => {
		const address = { calle: 'Juárez', colonia: 'Centro' };
		const more = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`f${index}`, index]));
		const rows = [{ address }, { address, ...more }].map((one) =>
			simplifyRecord(record('CSF', one)),
		);
		expect(rows.map((row) => row.address)).toEqual([address, address]);
	});

	it.each(queryTypes.map((one) => [one.operation, one] as const))(
		'of %s takes eight documented fields at most, beside pending and queryId',
		(_operation, { resultFields = {} }) =>
			expect(Object.keys(resultFields).length).toBeLessThanOrEqual(8),
	);

	it('has its fields under the names of the document where the environment has others', () => {
		const mapping = readTaxQueryApiMapping({
			apiMapping: {
				services: { getCsf: 'SITUACION' },
				fields: { getCsf: { rfc: 'clave' } },
				statuses: { success: ['LISTO'] },
			},
		} as never);
		const own = { query: { clave: 'GODE561231GR8' }, metadata: {}, status: 'LISTO' };
		expect(columns(simplifyRecord(record('SITUACION', { name: 'EMMA' }, own), mapping))).toEqual(
			columns({
				rfc: 'GODE561231GR8',
				name: 'EMMA',
				...tail('SITUACION'),
				status: 'LISTO',
			}),
		);
	});

	it.each([
		['PENDING', 'pending'],
		['IN_PROGRESS', 'uncertain'],
		['FAILED', 'failed'],
		['NOT_FOUND', 'uncertain'],
		['PROCESSED', 'uncertain'],
		['SUCCESS', 'pending'],
	])('with status %s shows its outcome', (status, outcome) => {
		const row = simplifyRecord(record('CRF', {}, { status }));
		expect(row).toMatchObject({ outcome, reason: expect.any(String) });
	});

	it.each([
		[{ response: { message: 'No taxpayer was found' } }],
		[{ error: 'No taxpayer was found' }],
	])('that failed says why, once: %j', (more) => {
		const simple = simplifyRecord(record('CRF', {}, { status: 'FAILED', ...more }));
		expect([simple.reason, simple.message]).toEqual(['No taxpayer was found', undefined]);
	});

	it('reads the request from the metadata where it is not echoed', () => {
		expect(simplifyRecord(record('CRF', {}, { query: undefined })).rfc).toBe('GODE561231GR8');
	});

	it('is made of any JSON, however hostile', () => {
		const any = fc.jsonValue({ maxDepth: 3 });
		const hostile = fc.constantFrom<unknown>({ toString: 'x', valueOf: 1 }, [[]], null, 1e400);
		const value = fc.oneof(any, hostile);
		const records = fc.record(
			{
				_id: value,
				service: fc.oneof(value, fc.constantFrom('CRF', 'CURP', '__proto__', 'constructor')),
				status: fc.oneof(value, fc.constantFrom('SUCCESS', 'FAILED')),
				metadata: value,
				query: fc.oneof(value, fc.record({ day: value, month: value, year: value })),
				response: fc.oneof(value, fc.record({ estatusCurp: value, fechaNacimiento: value })),
				state: fc.oneof(value, fc.record({ FISCAL_DATA: value })),
				createdAt: value,
			},
			{ requiredKeys: [] },
		);
		fc.assert(
			fc.property(records, (one) => {
				const read = parseRecord({ ...one, _id: 'q1', metadata: one.metadata ?? {} }, asDocumented);
				const row = simplify(read as QueryRecord, asDocumented);
				expect(Object.values(row)).not.toContain(undefined);
			}),
			{ numRuns: 3_000 },
		);
	});
});
