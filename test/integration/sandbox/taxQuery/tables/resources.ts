import type { TSchema } from '@sinclair/typebox';
import {
	Acknowledgement,
	CrfRecord,
	CurpRecord,
	CurpResponse,
	FiscalResponse,
	InvoiceAcknowledgement,
	QueryRecord,
	RfcCalculatorRecord,
	RfcCalculatorResponse,
	RfcRecord,
} from '../../../../../contract/taxQuery';
import {
	boolean,
	dateTime,
	freeForm,
	integer,
	optional,
	or,
	required,
	string,
	type Row,
} from '../../support/constraints';

/** Holds a person and a company that tests query. */
export const PERSON = 'GODE561231GR8';
export const COMPANY = 'EKU9003173C9';

const localDateTime: Row = {
	allowed: ['2026-01-31T23:59:59', '2026-01-31T23:59:59.123'],
	broken: [5, null, '2026-01-31', '2026-01-31T23:59:59Z', '31/01/2026'],
};
const slashedDate: Row = { allowed: ['31/12/1956'], broken: [5, null, '1956-12-31', '1/2/1956'] };
const fiveCharacters: Row = { allowed: ['01000'], broken: [5, null, '1000', '010000'] };
const rfc: Row = { allowed: [PERSON, COMPANY], broken: [5, null, '', 'GODE561331GR8'] };
const fixed = (...values: unknown[]): Row => ({ broken: [5, null, ...values] });

const ofRecord: Record<string, Row> = {
	_id: required(or(string, { broken: [''] })),
	service: required(or(string, { allowed: ['RFC_CALCULATOR', 'CRF', 'RFC', 'CURP', 'OTHER'] })),
	status: required(or(string, { allowed: ['SUCCESS', 'PENDING', 'OTHER'] })),
	authentication: required(string),
	metadata: required({
		allowed: ['PF', 'PM', undefined].map((clientType) => ({
			...(clientType && { clientType }),
			query: {},
		})),
		broken: [5, null, {}, { clientType: 'XX', query: {} }, { clientType: 'PF', query: 'x' }],
	}),
	query: required(freeForm),
	response: required(freeForm),
	state: required(freeForm),
	organizationId: required(integer),
	organizationSlug: required(string),
	profileId: required({ allowed: [7, '7'], broken: [null, 1.5, true] }), // one response types it as string
	createdAt: required(dateTime),
	updatedAt: required(dateTime),
};

const strings = (names: string) =>
	Object.fromEntries(names.split(' ').map((name) => [name, required(string)]));

/** Describes what the running sandbox answered, by resource. */
export interface Samples {
	'Query record': object;
	'response of RFC_CALCULATOR': object;
	'record of RFC_CALCULATOR': object;
	'response of CRF and RFC': object;
	'record of CRF': object;
	'record of RFC': object;
	'response of CURP': object;
	'record of CURP': object;
	Acknowledgement: object;
	'Acknowledgement of invoices': object;
}

interface Table {
	section: string;
	name: keyof Samples;
	schema: TSchema;
	rows: Record<string, Row>;
}

/** The tables of TQ §2, and what TQ §4 adds to them, with what the contract must let pass and refuse. */
export const tables: Table[] = [
	{ section: '2.1', name: 'Query record', schema: QueryRecord, rows: ofRecord },
	{
		section: '2.2',
		name: 'response of RFC_CALCULATOR',
		schema: RfcCalculatorResponse,
		rows: { rfc: required(rfc) },
	},
	{
		section: '4.3',
		name: 'record of RFC_CALCULATOR',
		schema: RfcCalculatorRecord,
		rows: {
			...ofRecord,
			service: required(fixed('CRF')),
			status: required(fixed('PENDING')),
			response: required({ broken: [null, {}, { rfc: 5 }] }),
			state: required({ allowed: [{}], broken: [null, { FISCAL_DATA: {} }] }), // an empty object
		},
	},
	{
		section: '2.3',
		name: 'response of CRF and RFC',
		schema: FiscalResponse,
		rows: {
			RFC: required(rfc),
			ValidoDesde: required(localDateTime),
			ValidoHasta: required(localDateTime),
			...strings(
				'RazonSocial RFCRepresentante CURPRepresentante EmailContacto EstadoCertificado NumeroCertificado',
			),
			Valido: required(boolean),
			...strings('Municipio Estado Ciudad OficinaPostal Zona EstadoISO'),
			CodigoPostal: required(fiveCharacters),
			RegimenesFiscales: optional({ allowed: [[], [{}]], broken: [null, {}, ['605']] }),
		},
	},
	{
		section: '2.3',
		name: 'record of CRF',
		schema: CrfRecord,
		rows: {
			...ofRecord,
			service: required(fixed('RFC')),
			status: required(fixed('PENDING')),
			response: required({ broken: [null, {}] }),
			state: required({ allowed: [{ FISCAL_DATA: {} }], broken: [null, {}, { FISCAL_DATA: 'x' }] }),
		},
	},
	{
		section: '2.3',
		name: 'record of RFC',
		schema: RfcRecord,
		rows: {
			...ofRecord,
			service: required(fixed('CRF')),
			status: required(fixed('PENDING')),
			response: required({ broken: [null, {}] }),
			state: required({ allowed: [{ FISCAL_DATA: {} }], broken: [null, {}, { FISCAL_DATA: 'x' }] }),
		},
	},
	{
		section: '2.4',
		name: 'response of CURP',
		schema: CurpResponse,
		rows: {
			...strings(
				'rfc estatus codigoValidacion curp nombre apellidoPaterno apellidoMaterno sexo paisNacimiento',
			),
			...strings('estadoNacimiento estatusCurp codigoMensaje'),
			fechaNacimiento: required(slashedDate),
			docProbatorio: required(integer),
			datosDocProbatorio: required(freeForm),
		},
	},
	{
		section: '4.6',
		name: 'record of CURP',
		schema: CurpRecord,
		rows: {
			...ofRecord,
			service: required(fixed('RFC')),
			status: required(fixed('PENDING')),
			response: required({ broken: [null, {}] }),
		},
	},
	{
		section: '2.5',
		name: 'Acknowledgement',
		schema: Acknowledgement,
		rows: strings('message queryId'),
	},
	{
		section: '4.11',
		name: 'Acknowledgement of invoices',
		schema: InvoiceAcknowledgement,
		rows: {
			message: required(string),
			results: required({
				allowed: [[], [{ queryId: 'a', period: '2026-12', status: 'PENDING' }]],
				broken: [
					null,
					{},
					[{ period: '2026-12', status: 'PENDING' }],
					[{ queryId: 'a', period: '2026-13', status: 'PENDING' }],
					[{ queryId: 'a', period: '2026-1', status: 'PENDING' }],
					[{ queryId: 'a', period: '2026-12' }],
				],
			}),
		},
	},
];
