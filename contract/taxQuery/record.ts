import { Type, type Static } from '@sinclair/typebox';
import { dateTime, freeForm } from '../builders';

const text = Type.String();

/** TQ §2.2 */
export const RfcCalculatorRecordResponseContent = Type.Object({
	rfc: Type.String({ format: 'rfc' }),
});

/** TQ §2.3: local date and time without zone; ISO 8601 allows a fraction of the second. */
const localDateTime = Type.String({
	pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?$',
});

/** TQ §2.3; the shape of the items of RegimenesFiscales is not shown. */
export const FiscalRecordResponseContent = Type.Object({
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
export type FiscalRecordResponseContent = Static<typeof FiscalRecordResponseContent>;

/** TQ §2.4 */
export const CurpRecordResponseContent = Type.Object({
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
export type CurpRecordResponseContent = Static<typeof CurpRecordResponseContent>;

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

/** TQ §2.1; `response` of a service whose contents are not shown, or of a query without a result, is any object. */
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

/** TQ §4.3: the state is an empty object. */
export const RfcCalculatorRecord = Type.Object({
	...successful('RFC_CALCULATOR'),
	response: RfcCalculatorRecordResponseContent,
	state: Type.Object({}, { additionalProperties: false }),
});

/** TQ §2.3: the state holds FISCAL_DATA; RegimenesFiscales is present for CRF. */
export const CrfRecord = Type.Object({
	...successful('CRF'),
	response: Type.Required(FiscalRecordResponseContent),
	state: Type.Object({ FISCAL_DATA: freeForm }),
});
export const RfcRecord = Type.Object({
	...successful('RFC'),
	response: FiscalRecordResponseContent,
	state: Type.Object({ FISCAL_DATA: freeForm }),
});

/** TQ §4.6 */
export const CurpRecord = Type.Object({
	...successful('CURP'),
	response: CurpRecordResponseContent,
	state: freeForm,
});
