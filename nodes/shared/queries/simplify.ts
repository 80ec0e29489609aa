import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { echoOf, isObject, queryIdOf, stateOf } from './read';

/** Name of a simplified field: name in the service's response. */
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
	regimes: 'RegimenesFiscales',
	representativeRfc: 'RFCRepresentante',
	representativeCurp: 'CURPRepresentante',
	contactEmail: 'EmailContacto',
	zipCode: 'CodigoPostal',
	state: 'EstadoISO',
	stateName: 'Estado',
	municipality: 'Municipio',
	city: 'Ciudad',
	postOffice: 'OficinaPostal',
	zone: 'Zona',
};

/** §2.4 */
const CURP: Fields = {
	curp: 'curp',
	rfc: 'rfc',
	name: 'nombre',
	firstLastName: 'apellidoPaterno',
	secondLastName: 'apellidoMaterno',
	sex: 'sexo',
	birthDate: 'fechaNacimiento',
	birthState: 'estadoNacimiento',
	birthCountry: 'paisNacimiento',
	curpStatus: 'estatusCurp',
	lookupStatus: 'estatus',
	validationCode: 'codigoValidacion',
	messageCode: 'codigoMensaje',
	proofDocument: 'docProbatorio',
	proofDocumentData: 'datosDocProbatorio',
};

/** §2.2 to §2.4; a service that is not here has a response whose contents are not shown. */
const BY_SERVICE: Record<string, Fields> = {
	RFC_CALCULATOR: { rfc: 'rfc' },
	CRF: FISCAL,
	RFC: FISCAL,
	CURP,
};
const DATES = ['validFrom', 'validUntil', 'birthDate'];

/**
 * A query record (§2.1) as one flat item: query id, service and status; the fields of the request and then of the
 * result under readable names; client type and when it was created. Dates become ISO 8601, their original is kept in
 * a field …Original. `pending` is true while there is no result, `failed` is true if there will be none.
 */
export function simplifyRecord(record: IDataObject): IDataObject {
	const { service, status, metadata, createdAt, updatedAt } = record;
	const response = isObject(record.response) ? record.response : {};
	const state = stateOf(record);
	const fields = BY_SERVICE[String(service)];
	const result = state === 'success' && fields ? renamed(response, fields) : flattened(response);
	return defined({
		queryId: queryIdOf(record),
		service,
		status,
		...(state !== 'success' && { [state]: true }),
		...besides(echoOf(record), ['queryId', 'service', 'status']),
		...withDates(defined(result)),
		clientType: isObject(metadata) ? metadata.clientType : undefined,
		createdAt,
		updatedAt,
	});
}

const defined = (fields: IDataObject): IDataObject =>
	Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const besides = (fields: IDataObject, names: string[]): IDataObject =>
	Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

const renamed = (response: IDataObject, fields: Fields): IDataObject =>
	Object.fromEntries(Object.entries(fields).map(([name, original]) => [name, response[original]]));

/** Names that say something of the query itself, not of its result. */
const TAKEN = /^(queryId|service|status|pending|failed|clientType|createdAt|updatedAt)$/;
const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

/** A response whose contents are not shown: its own names; what is one level down under both names. */
function flattened(response: IDataObject): IDataObject {
	const flat: IDataObject = {};
	for (const [name, value] of Object.entries(response)) {
		if (isObject(value)) {
			for (const [inner, innerValue] of Object.entries(value)) {
				flat[name + capital(inner)] = innerValue;
			}
		} else {
			flat[TAKEN.test(name) ? `result${capital(name)}` : name] = value;
		}
	}
	return flat;
}

function withDates(result: IDataObject): IDataObject {
	const dated: IDataObject = {};
	for (const [name, value] of Object.entries(result)) {
		const isDate = DATES.includes(name) && typeof value === 'string' && value !== '';
		dated[name] = isDate ? toIso(value) : value;
		if (isDate) dated[`${name}Original`] = value;
	}
	return dated;
}

/** §2.3: local date-time without zone, §2.4: day/month/year. Null if it is neither. */
function toIso(text: string): string | null {
	const day = DateTime.fromFormat(text, 'd/M/yyyy');
	if (day.isValid) return day.toISODate();
	const local = DateTime.fromISO(text, { zone: 'utc' });
	if (!local.isValid) return null;
	const hasZone = /T.*(Z|[+-]\d\d:?\d\d)$/.test(text);
	if (!text.includes('T')) return local.toISODate();
	return local.toISO({ suppressMilliseconds: true, includeOffset: hasZone });
}
