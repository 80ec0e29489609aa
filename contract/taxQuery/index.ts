import { Type, type Static } from '@sinclair/typebox';
import { dateTime, freeForm } from '../shared';

const text = Type.String();

/** §2.2 */
export const RfcCalculatorResponse = Type.Object({ rfc: Type.String({ format: 'rfc' }) });

/** §2.3: local date and time without zone. */
const localDateTime = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$' });

/** §2.3; the shape of the items of RegimenesFiscales is not shown. */
export const FiscalResponse = Type.Object({
	RFC: Type.String({ format: 'rfc' }),
	RazonSocial: text,
	ValidoDesde: localDateTime,
	ValidoHasta: localDateTime,
	RFCRepresentante: text,
	CURPRepresentante: text,
	EmailContacto: text,
	EstadoCertificado: text,
	NumeroCertificado: text,
	Valido: Type.Boolean(),
	Municipio: text,
	Estado: text,
	Ciudad: text,
	OficinaPostal: text,
	Zona: text,
	EstadoISO: text,
	CodigoPostal: Type.String({ minLength: 5, maxLength: 5 }),
	RegimenesFiscales: Type.Optional(Type.Array(freeForm)),
});
export type FiscalResponse = Static<typeof FiscalResponse>;

/** §2.4 */
export const CurpResponse = Type.Object({
	rfc: text,
	estatus: text,
	codigoValidacion: text,
	curp: text,
	nombre: text,
	apellidoPaterno: text,
	apellidoMaterno: text,
	sexo: text,
	fechaNacimiento: Type.String({ pattern: '^\\d{2}/\\d{2}/\\d{4}$' }),
	paisNacimiento: text,
	estadoNacimiento: text,
	docProbatorio: Type.Integer(),
	datosDocProbatorio: freeForm,
	estatusCurp: text,
	codigoMensaje: text,
});
export type CurpResponse = Static<typeof CurpResponse>;

const record = {
	_id: Type.String({ minLength: 1 }),
	authentication: text,
	metadata: Type.Object({
		clientType: Type.Optional(Type.Union([Type.Literal('PF'), Type.Literal('PM')])),
		query: freeForm,
	}),
	query: freeForm,
	organizationId: Type.Integer(),
	organizationSlug: text,
	profileId: Type.Union([Type.Integer(), text]), // one documented response types it as string
	createdAt: dateTime,
	updatedAt: dateTime,
};

/** §2.1; `response` of a service whose contents are not shown, or of a query without a result, is any object. */
export const QueryRecord = Type.Object({
	...record,
	service: text,
	status: text,
	response: freeForm,
	state: freeForm,
});
export type QueryRecord = Static<typeof QueryRecord>;

const successful = <S extends string>(service: S) => ({
	...record,
	service: Type.Literal(service),
	status: Type.Literal('SUCCESS'),
});

/** §4.3: the state is an empty object. */
export const RfcCalculatorRecord = Type.Object({
	...successful('RFC_CALCULATOR'),
	response: RfcCalculatorResponse,
	state: Type.Object({}, { additionalProperties: false }),
});

/** §2.3: the state holds FISCAL_DATA; RegimenesFiscales is present for CRF. */
export const CrfRecord = Type.Object({
	...successful('CRF'),
	response: Type.Required(FiscalResponse),
	state: Type.Object({ FISCAL_DATA: freeForm }),
});
export const RfcRecord = Type.Object({
	...successful('RFC'),
	response: FiscalResponse,
	state: Type.Object({ FISCAL_DATA: freeForm }),
});

/** §4.6 */
export const CurpRecord = Type.Object({
	...successful('CURP'),
	response: CurpResponse,
	state: freeForm,
});

/** §2.5 */
export const Acknowledgement = Type.Object({ message: text, queryId: text });

/** §4.11: one item for each period, at first PENDING. */
export const InvoiceAcknowledgement = Type.Object({
	message: text,
	results: Type.Array(
		Type.Object({
			queryId: text,
			period: Type.String({ pattern: '^\\d{4}-(0[1-9]|1[0-2])$' }),
			status: text,
		}),
	),
});

const rfc = Type.String({ format: 'rfc' });
const curp = Type.String({ format: 'curp' });

/** §4.3 */
export const RfcCalculatorBody = Type.Object({
	name: Type.String({ minLength: 1 }),
	firstLastName: Type.String({ minLength: 1 }),
	secondLastName: Type.Optional(text),
	day: Type.Integer({ minimum: 1, maximum: 31 }),
	month: Type.Integer({ minimum: 1, maximum: 12 }),
	year: Type.Integer({ minimum: 1900, maximum: 2100 }),
});
export type RfcCalculatorBody = Static<typeof RfcCalculatorBody>;

/** §4.4, §4.5, §4.9; for §4.2 and §4.10 the field's name is not shown. */
export const RfcBody = Type.Object({ rfc });
export type RfcBody = Static<typeof RfcBody>;

/** §4.6; for §4.7 the field's name is not shown. */
export const CurpBody = Type.Object({ curp });
export type CurpBody = Static<typeof CurpBody>;

/** §4.8: the fields' names are not shown. */
export const TaxProfileBody = Type.Object({ rfc, ciec: Type.String({ minLength: 1 }) });
export type TaxProfileBody = Static<typeof TaxProfileBody>;

/** A month, or a day of it. */
const month = Type.Union([
	Type.String({ pattern: '^\\d{4}-(0[1-9]|1[0-2])$' }),
	Type.String({ format: 'date' }),
]);

/** §4.11: the fields' names and the period's format are not shown. */
export const InvoiceBody = Type.Object({ rfc, from: month, to: month });
export type InvoiceBody = Static<typeof InvoiceBody>;

/** §4.1: request and response are not shown; these are OAuth 2.0's (RFC 6749 §4.4, §6). */
export const TokenBody = Type.Object({
	grant_type: Type.Optional(
		Type.Union([Type.Literal('client_credentials'), Type.Literal('refresh_token')]),
	),
	client_id: Type.Optional(text),
	client_secret: Type.Optional(text),
	refresh_token: Type.Optional(text),
});
export type TokenBody = Static<typeof TokenBody>;

export const TokenResponse = Type.Object({
	access_token: text,
	token_type: Type.Literal('Bearer'),
	expires_in: Type.Number(),
	refresh_token: text,
});
