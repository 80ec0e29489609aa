/** A type of query, which paid queries, triggers and outputs read. */
export interface QueryType {
	/** The value of the operation that sends it; the API Mapping names it by that. */
	operation: string;
	/** The name of the query type in records (TQ §2.1); it is a guess unless `isCodeShown` is set. */
	code: string;
	isCodeShown?: true;
	label: string;
	/** Below the base URL (TQ §4). */
	path: string;
	/** The fields of its body: the API reference's names, or the usual ones where it shows none. */
	fields: string[];
	/** Further fields that its record echoes. */
	echo?: string[];
	/** The result comes with the response, by the API reference. */
	isImmediate?: true;
	/** The result comes by webhook (TQ §6.1). */
	isDelivered?: true;
	/**
	 * The simplified result, in this order: readable name → name in the response (TQ §2.2 to §2.4). Not set where the
	 * API reference does not show the response. With the query's ID at most ten: docs/output.md.
	 */
	resultFields?: Record<string, string>;
	/** Fields of its record (TQ §2.1) that are part of its result, if the service gives them. */
	recordFields?: string[];
	/** A text about other fields of the response, which Simplify leaves out. */
	leftOut?: string;
}

/** TQ §2.3: what both have, the person or company first. */
const HOLDER = { legalName: 'RazonSocial', rfc: 'RFC' };
const CERTIFICATE = {
	certificateValid: 'Valido',
	certificateValidUntil: 'ValidoHasta',
	representativeRfc: 'RFCRepresentante',
};
const PLACE = { zipCode: 'CodigoPostal', federalState: 'EstadoISO' };
const MORE = 'contact e-mail, certificate, rest of the address, fiscal data';

/** TQ §2.4 */
const CURP_DATA = {
	name: 'nombre',
	firstLastName: 'apellidoPaterno',
	secondLastName: 'apellidoMaterno',
	birthDate: 'fechaNacimiento',
	curp: 'curp',
	rfc: 'rfc',
	curpStatus: 'estatusCurp',
};

const rows = {
	/** TQ §4.2 */
	getShareholders: {
		code: 'COMPANY_SHAREHOLDERS',
		label: 'Company Shareholders',
		path: '/query/company-shareholders',
		fields: ['rfc'],
		isDelivered: true,
	},
	/** TQ §4.3 */
	calculateRfc: {
		code: 'RFC_CALCULATOR',
		isCodeShown: true,
		label: 'RFC Calculation',
		path: '/query/rfc-calculator',
		fields: ['name', 'firstLastName', 'secondLastName', 'day', 'month', 'year'],
		isImmediate: true,
		resultFields: { rfc: 'rfc' },
	},
	/** TQ §4.4 */
	getCrf: {
		code: 'CRF',
		isCodeShown: true,
		label: 'Fiscal Regime Certificate (CRF)',
		path: '/query/crf',
		fields: ['rfc'],
		isDelivered: true,
		resultFields: { ...HOLDER, regimes: 'RegimenesFiscales', ...CERTIFICATE, ...PLACE },
		leftOut: MORE,
	},
	/** TQ §4.5 */
	getRfcData: {
		code: 'RFC',
		isCodeShown: true,
		label: 'RFC Data',
		path: '/query/rfc-data',
		fields: ['rfc'],
		isDelivered: true,
		resultFields: { ...HOLDER, ...CERTIFICATE, ...PLACE, municipality: 'Municipio' },
		leftOut: MORE,
	},
	/** TQ §4.6 */
	getCurpData: {
		code: 'CURP',
		isCodeShown: true,
		label: 'CURP Data',
		path: '/query/curp-data',
		fields: ['curp'],
		isImmediate: true,
		resultFields: CURP_DATA,
		leftOut: 'sex, state and country of birth, proof of birth, validation code',
	},
	/** TQ §4.7 */
	getEmploymentHistory: {
		code: 'JOB_HISTORY',
		label: 'Employment History',
		path: '/query/job-history',
		fields: ['curp'],
		isDelivered: true,
	},
	/** TQ §4.8 */
	createTaxProfile: {
		code: 'TAX_PROFILE',
		label: 'Tax Profile',
		path: '/query/tax/profile',
		fields: ['rfc', 'ciec'],
		recordFields: ['profileId'],
	},
	/** TQ §4.9 */
	getCsf: {
		code: 'CSF',
		label: 'Fiscal Situation (CSF)',
		path: '/query/tax/csf',
		fields: ['rfc'],
	},
	/** TQ §4.10 */
	getComplianceOpinion: {
		code: 'COMPLIANCE_OPINION',
		label: 'Compliance Opinion (32D)',
		path: '/query/tax/compliance-opinion',
		fields: ['rfc'],
		isDelivered: true,
	},
	/** TQ §4.11 */
	getInvoices: {
		code: 'INVOICE',
		label: 'Invoices',
		path: '/query/tax/invoice',
		fields: ['rfc', 'from', 'to'],
		isDelivered: true,
		echo: ['period'],
	},
} satisfies Record<string, Omit<QueryType, 'operation'>>;

/** Every query of TQ §4.2 to §4.11. */
export const queryTypes: QueryType[] = Object.entries(rows).map(([operation, row]) => ({
	operation,
	...row,
}));

export const queryTypesByOperation = Object.fromEntries(
	queryTypes.map((queryType) => [queryType.operation, queryType]),
) as Record<keyof typeof rows, QueryType>;
