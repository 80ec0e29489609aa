import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

/** Name of the simplified field: name in the service's response. */
type Fields = Record<string, string>;

/** §2.3 */
const FISCAL: Fields = {
	rfc: 'RFC',
	legalName: 'RazonSocial',
	valid: 'Valido',
	validFrom: 'ValidoDesde',
	validUntil: 'ValidoHasta',
	certificateStatus: 'EstadoCertificado',
	certificateNumber: 'NumeroCertificado',
	representativeRfc: 'RFCRepresentante',
	representativeCurp: 'CURPRepresentante',
	contactEmail: 'EmailContacto',
	municipality: 'Municipio',
	city: 'Ciudad',
	state: 'Estado',
	stateCode: 'EstadoISO',
	zipCode: 'CodigoPostal',
	regimes: 'RegimenesFiscales',
};

/** §2.4 */
const CURP: Fields = {
	curp: 'curp',
	rfc: 'rfc',
	name: 'nombre',
	firstLastName: 'apellidoPaterno',
	secondLastName: 'apellidoMaterno',
	sex: 'sexo',
	birthDateOriginal: 'fechaNacimiento',
	birthCountry: 'paisNacimiento',
	birthState: 'estadoNacimiento',
	curpStatus: 'estatusCurp',
	lookupStatus: 'estatus',
	validationCode: 'codigoValidacion',
};

/** §2.2 to §2.4; a service that is not here has a response whose contents are not shown. */
const BY_SERVICE: Record<string, Fields> = {
	RFC_CALCULATOR: { rfc: 'rfc' },
	CRF: FISCAL,
	RFC: FISCAL,
	CURP,
};

const isObject = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A query record (§2.1) as one flat item: id, service, status, dates, and the fields of its response under readable
 * names; the response of a service whose contents are not shown stands under `response` as it is. Days written
 * day/month/year become ISO, the original is kept beside.
 */
export function simplifyRecord(record: IDataObject): IDataObject {
	const metadata = isObject(record.metadata) ? record.metadata : {};
	const response = isObject(record.response) ? record.response : {};
	return {
		queryId: record._id ?? record.queryId,
		service: record.service,
		status: record.status,
		clientType: metadata.clientType,
		createdAt: record.createdAt,
		updatedAt: record.updatedAt,
		query: record.query ?? metadata.query,
		...responseOf(String(record.service), response),
	};
}

function responseOf(service: string, response: IDataObject): IDataObject {
	const fields = BY_SERVICE[service];
	if (!fields) return { response };
	const simple: IDataObject = {};
	for (const [name, original] of Object.entries(fields)) {
		if (response[original] !== undefined) simple[name] = response[original];
	}
	const birthDate = DateTime.fromFormat(String(simple.birthDateOriginal ?? ''), 'dd/MM/yyyy');
	if (birthDate.isValid) simple.birthDate = birthDate.toISODate();
	if (typeof response.message === 'string') simple.message = response.message;
	return simple;
}
