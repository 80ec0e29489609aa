import type { TSchema } from '@sinclair/typebox';
import { firstViolation } from '../../contract/check';
import * as creditProfile from '../../contract/creditProfile';
import * as taxQuery from '../../contract/taxQuery';

type Fields = Record<string, unknown>;

/** One table of the documents, as a literal: the contract is validated by it and not by itself. */
interface Resource {
	section: string;
	schema: TSchema;
	/** Every field of the table, with a value that it allows. */
	example: Fields;
	/** Names of the fields that are required; that may be null; that are whole numbers; that no text fits. */
	required?: string;
	nullable?: string;
	integers?: string;
	formats?: string;
	isClosed?: boolean;
	/** Other values that it allows, and such that break a constraint. */
	valid?: Fields[];
	invalid?: Fields[];
}

const AT = '2024-02-29T23:59:59.123-06:00';
const dates = { createdAt: AT, updatedAt: AT };
const DATES = 'createdAt updatedAt';
const MAX = 'ñ'.repeat(256);
const TOO_LONG = 'ñ'.repeat(257);
const each = (names: string, value: unknown): Fields[] =>
	names.split(' ').map((name) => ({ [name]: value }));
/** An object whose fields all have this value. */
const filled = (names: string, value: unknown): Fields => Object.assign({}, ...each(names, value));
const ofState = (state: string | null, zipCode: string | null) => ({ state, zipCode });

const user = {
	...{ id: 1, organizationId: 1, name: 'Ana', lastName: 'Ruiz', ...dates, deletedAt: AT },
	...{ email: 'a@b.example', phone: '55', permissions: ['x'], role: 'admin' },
};
const version = {
	...{ id: 1, schema: {}, creatorId: 1, creator: user, createdAt: AT },
	...{ dataCollectionId: 1, organizationId: 1 },
};
const RFC = 'GODE561231GR8';
const NAMES = 'firstName middleName firstLastName secondLastName';
const PLAIN = 'tradeName address address2 exteriorNumber interiorNumber';
const LIMITED = 'externalId phone neighborhood city municipality';
const STATES =
	'AGU BCN BCS CAM CHP CHH CMX COA COL DUR GUA GRO HID JAL MEX MIC MOR NAY NLE OAX PUE QUE ROO SLP SIN SON TAB TAM TLA VER YUC ZAC AGS CHS CHI CDMX DGO GTO HGO EM MICH NL QRO QR TLAX';
const COUNTRIES =
	'AF AL DE AD AO AI AQ AG SA DZ AR AM AW AU AT AZ BS BH BD BB BE BZ BJ BM BY BO BQ BA BW BR BN BG BF BI BT CV KH CM CA CL CN CY CO CI CR HR CU CW DK DJ DM EC EG SV ER SK SI ES US EE ET FJ PH FI FR GA GM GS GH GI GD GR GL GP GU GT GY GF GG GN GW HT HN HK HU IN ID IQ IR IE BV IM CX HM NF IS AX KY CK FK FO MP MH PN RE SB VI VG IL IT JM JP JE JO QA KZ KE KG KI KW SY KR CD KP LA UM TC LS LV LB LR LY LI LT AE NL LU MO MK MG MY MW MV ML MT MA MQ MR MU YT MX FM MD MC MN ME MS MZ NA NR NP NI NE NG NU NO NC NZ OM PK PW PS PA PG PY PE PF PL PT PR GB CF CZ GE MM TD CG ST TL DO TZ RW RO RU EH AS WS BL KN SM MF PM VC SH LC SN RS SC SL SG SX SO LK ZA SD SS SE CH SR SJ SZ TH TW TJ IO CC TF TG TK TO TT TN TM TR TV UA UG KM UY UZ VU VA VE VN WF YE ZM ZW';
const FORM_TEXTS =
	'accountType firstName middleName firstLastName secondLastName rfc basicRFC curp nationality address address2 exteriorNumber interiorNumber neighborhood city state country municipality extraInformation phone nss';
const FORM_NUMBERS =
	'monthlyIncome loanAmount profileId customPagesConfigId nipSmsSentCount nipEmailSentCount';
const QUERIES = 'bureauPM bureauPF taxBlackList taxRFC curpRegistryCurp bl-busqueda_judicial';

const formConfig = {
	...{ id: 1.5, organizationId: 1.5, ...filled('name accountType slug', 'x'), ...dates },
	...filled('bureauAuthTradeName formCompletedURL', 'x'),
	...{ serviceQueries: filled(QUERIES, true), customPagesConfigId: 1.5 },
};

const resources: Resource[] = [
	{
		section: 'CP §2.1 credential',
		schema: creditProfile.ProviderCredential,
		example: {
			...{ id: 1.5, createdAt: 'x', updatedAt: 'x', organizationId: 1.5, type: 'x', user: 'x' },
			...{ metadata: { expirationDate: '2024-02-29' }, isEnabled: true, ownerId: 1.5 },
			configuration: { isAutoRenewEnabled: true },
		},
		required: 'id createdAt updatedAt organizationId type isEnabled',
		nullable: 'user metadata ownerId',
		isClosed: true,
		valid: [{ metadata: {} }, { metadata: { expirationDate: null } }, { configuration: {} }],
		invalid: [
			...each('metadata', { expirationDate: '2023-02-29' }),
			...each('configuration', { isAutoRenewEnabled: 'no' }),
		],
	},
	{
		section: 'CP §2.2 collection',
		schema: creditProfile.Collection,
		example: {
			...{ id: 1, name: 'x', creatorId: 1, creator: user, ...dates, slug: 'a-B-9', tags: ['x'] },
			...{ activeDataCollectionVersionId: 1.5, activeDataCollectionVersion: version },
			...{ parentCollectionId: 1, processorKey: 'x' },
		},
		required: 'id name creatorId activeDataCollectionVersionId tags',
		nullable: 'activeDataCollectionVersion parentCollectionId processorKey',
		integers: 'id creatorId parentCollectionId',
		formats: `${DATES} slug`,
		isClosed: true,
		invalid: [{ slug: '' }, { slug: 'a_b' }, { slug: 'á' }, { creator: { role: 'owner' } }],
	},
	{
		section: 'CP §2.3 embedded version',
		schema: creditProfile.ActiveCollectionVersion,
		example: version,
		required: 'id schema creatorId createdAt dataCollectionId organizationId',
		integers: 'id creatorId dataCollectionId organizationId',
		formats: 'createdAt',
	},
	{
		section: 'CP §2.4 version in the list',
		schema: creditProfile.Version,
		example: { id: 1, createdAt: AT, creatorId: 1, isActive: true, schema: {} },
		required: 'id createdAt creatorId isActive schema',
		integers: 'id creatorId',
		formats: 'createdAt',
		isClosed: true,
		invalid: [{ schema: { minimum: 1 } }, { schema: { properties: { a: { $ref: '#' } } } }],
	},
	{
		section: 'CP §2.5 restricted schema',
		schema: creditProfile.CollectionVersionJsonSchema,
		example: {
			...{ title: 'x', description: 'x', type: 'object', pattern: '^[A-ZÑ&]{3,4}$' },
			...{ format: 'uuid', properties: { 'b c': { type: 'null' } }, items: {} },
			...{ required: ['a'], enum: ['a'], additionalProperties: false },
		},
		formats: 'type format',
		isClosed: true,
		valid: [
			...'array boolean integer null number object string'.split(' ').map((type) => ({ type })),
			...'uuid email date-time time date hostname uri'.split(' ').map((format) => ({ format })),
			...each('type', ['string', 'null']),
		],
		invalid: [
			...[['string'], ['string', 'integer'], ['null', 'null'], ['string', 'integer', 'null']].map(
				(type) => ({ type }),
			),
			...each('required enum', ['a', 'a']),
			...each('items', { type: 'text' }),
			...each('properties', { a: { oneOf: [] } }),
			{ pattern: '[' },
		],
	},
	{
		section: 'CP §2.6 user',
		schema: creditProfile.User,
		example: user,
		nullable: 'name lastName deletedAt',
		formats: `${DATES} deletedAt email role`,
		valid: ['member', 'base'].map((role) => ({ role })),
	},
	{
		section: 'CP §2.7 document',
		schema: creditProfile.DataDocument,
		example: {
			...{ id: 1.5, externalId: 'x', tags: ['x'], document: { any: [1] }, ...dates },
			...{ dataCollectionVersionId: 1.5, dataCollectionId: 1.5, creatorId: 1.5 },
			associations: ['Profiles', 'Forms', 'Files'].map((type) => ({ type, association: null })),
		},
		nullable: 'externalId creatorId',
		formats: DATES,
		invalid: [
			...each('associations', [{ type: 'Reports', association: null }]),
			...each('associations', [{ type: 'Profiles' }]),
			...each('associations', [{ type: 'Profiles', association: { filetype: 'pdf' } }]),
		],
	},
	{
		section: 'CP §2.8 profile',
		schema: creditProfile.AssociatedProfile,
		example: {
			...{ id: 1.5, organizationId: 1.5, ...dates, tags: ['x'], tagIds: [1], accountType: 'PF' },
			...filled(NAMES, "Ángel Ñoño-Güemes d'A. Ll"),
			...filled(PLAIN, "Año 9 @&.-,'()/<> Ü"),
			...filled(LIMITED, MAX),
			...{ email: 'a@b.example', rfc: RFC, basicRFC: 'GODE561231', curp: 'SABC560626MDFLRN01' },
			...{ ...ofState('CMX', '01000'), country: 'MX', nationality: 'MX' },
			...{ nss: '12345678903', birthdate: 'x' },
		},
		required: 'accountType',
		nullable: `email externalId middleName secondLastName ${PLAIN} rfc basicRFC phone curp neighborhood city municipality state zipCode country nationality nss birthdate`,
		formats: `${DATES} accountType ${NAMES} ${PLAIN} email rfc basicRFC curp state zipCode country nationality nss`,
		isClosed: true,
		valid: [
			...[...STATES.split(' '), null].map((state) => ofState(state, null)),
			...COUNTRIES.split(' ').flatMap((code) => each('country nationality', code)),
			...each(NAMES, 'x'.repeat(256)),
			...each(PLAIN, MAX),
			...each('rfc', 'EKU9003173C9'),
			...[ofState('CDMX', '16999'), ofState('JAL', ''), ofState(null, '00000')],
			{ accountType: 'PM' },
		],
		invalid: [
			...each(`${NAMES} ${PLAIN} ${LIMITED}`, TOO_LONG),
			...each(NAMES, 'R2D2'),
			...each(PLAIN, 'a_b'),
			...[{ rfc: 'GODE561231' }, { basicRFC: RFC }, { tagIds: [1.5] }],
			...[ofState('CMX', '17000'), ofState('JAL', '01000'), { zipCode: '1000' }],
			...each('state country nationality', ''),
		],
	},
	{
		section: 'CP §2.9 form',
		schema: creditProfile.AssociatedForm,
		example: {
			...{ id: 1.5, ...filled(FORM_TEXTS, '§ x'), tradeName: 'Año 9', birthdate: '2024-02-29' },
			...{ state: 'CMX', zipCode: '01000', ...filled(FORM_NUMBERS, 1.5), completedDate: AT },
			...{ isNipConfirmed: true, ...dates, email: 'a@b.example', tagIds: [1.5], tags: ['x'] },
			...{ tagsAssociation: [{ id: 1, label: 'a' }], customPagesAnswers: { any: 1 }, formConfig },
		},
		nullable: `${FORM_TEXTS} ${FORM_NUMBERS} tradeName birthdate zipCode completedDate isNipConfirmed email tagsAssociation customPagesAnswers`,
		formats: `state tradeName birthdate zipCode completedDate ${DATES} email`,
		valid: [{ tradeName: MAX }],
		invalid: [
			...[{ tradeName: TOO_LONG }, { birthdate: AT }, { zipCode: '' }, ofState('JAL', '01000')],
			...each('tagsAssociation', [{ id: 1.5, label: 'a' }]),
			...each('tagsAssociation', [{ id: 1 }]),
			...each(QUERIES, 'yes').map((serviceQueries) => ({ formConfig: { serviceQueries } })),
		],
	},
	{
		section: 'CP §2.9 formConfig',
		schema: creditProfile.AssociatedForm.allOf[0].properties.formConfig,
		example: formConfig,
		nullable: 'name accountType bureauAuthTradeName formCompletedURL customPagesConfigId',
		formats: DATES,
	},
	{
		section: 'CP §2.10 file',
		schema: creditProfile.AssociatedFile,
		example: {
			...{ id: 1, uploadedAt: AT, ...dates, size: 1.5, organizationId: 1, filetype: 'pdf' },
			...{ filelabel: 'x', externalId: 'x', uploaderId: 1, originalFilename: 'x', tags: ['x'] },
			...{ ...filled('url previewUrl', 'https://a.example/b?c'), fileCollectionId: 1 },
		},
		nullable:
			'uploadedAt size externalId uploaderId originalFilename url previewUrl fileCollectionId',
		integers: 'id organizationId uploaderId fileCollectionId',
		formats: `uploadedAt ${DATES} filetype url previewUrl`,
		isClosed: true,
		valid: ['jpeg', 'png', 'csv', 'json'].map((filetype) => ({ filetype })),
		invalid: [{ fileCollectionId: 0 }],
	},
];

const record = {
	...{ _id: 'x', service: 'CURP', status: 'SUCCESS', authentication: 'x', query: { any: 1 } },
	...{ metadata: { clientType: 'PF', query: {} }, response: { any: 1 }, state: { any: 1 } },
	...{ organizationId: 1, organizationSlug: 'x', profileId: 1, ...dates },
};
const RECORD = Object.keys(record).join(' ');
const FISCAL_TEXTS =
	'RazonSocial RFCRepresentante CURPRepresentante EmailContacto EstadoCertificado NumeroCertificado Municipio Estado Ciudad OficinaPostal Zona EstadoISO';
const FISCAL = `RFC ValidoDesde ValidoHasta ${FISCAL_TEXTS} Valido CodigoPostal`;
const fiscal = {
	...{ RFC, ValidoDesde: '2026-01-31T23:59:59', ValidoHasta: '2026-01-31T23:59:59.123' },
	...{ ...filled(FISCAL_TEXTS, 'x'), Valido: true, CodigoPostal: '01000' },
	RegimenesFiscales: [{}],
};
const CURP_TEXTS =
	'rfc estatus codigoValidacion curp nombre apellidoPaterno apellidoMaterno sexo paisNacimiento estadoNacimiento estatusCurp codigoMensaje';
const curp = {
	...{ ...filled(CURP_TEXTS, 'x'), fechaNacimiento: '31/12/1956' },
	...{ docProbatorio: 1, datosDocProbatorio: {} },
};

/** TQ §2.1 with what TQ §4 adds for one service. */
const recordOf = (service: string, schema: TSchema, own: Fields, invalid: Fields[]): Resource => ({
	...{ section: `TQ §4 record of ${service}`, schema, example: { ...record, service, ...own } },
	...{ required: RECORD, integers: 'organizationId profileId', formats: `${DATES} service status` },
	invalid: [{ status: 'PENDING' }, ...invalid],
});
const state = { FISCAL_DATA: { any: 1 } };
const noFiscalData: Fields[] = [{ state: {} }, { state: { FISCAL_DATA: 'x' } }];
const withoutRegimes = { ...fiscal, RegimenesFiscales: undefined };

resources.push(
	{
		section: 'TQ §2.1 query record',
		schema: taxQuery.QueryRecord,
		example: record,
		required: RECORD,
		integers: 'organizationId profileId',
		formats: DATES,
		valid: [{ profileId: '7' }, { metadata: { clientType: 'PM', query: {} } }, { response: {} }],
		invalid: [{ _id: '' }, { metadata: {} }, { metadata: { clientType: 'XX', query: {} } }],
	},
	{
		section: 'TQ §2.2 response of RFC_CALCULATOR',
		schema: taxQuery.RfcCalculatorRecordResponseContent,
		...{ example: { rfc: RFC }, required: 'rfc', formats: 'rfc' },
	},
	{
		section: 'TQ §2.3 response of CRF and RFC',
		schema: taxQuery.FiscalRecordResponseContent,
		example: fiscal,
		required: FISCAL,
		formats: 'RFC ValidoDesde ValidoHasta CodigoPostal',
		invalid: [{ ValidoDesde: '2026-01-31T23:59:59Z' }, { CodigoPostal: '1000' }],
	},
	{
		section: 'TQ §2.4 response of CURP',
		schema: taxQuery.CurpRecordResponseContent,
		example: curp,
		required: Object.keys(curp).join(' '),
		integers: 'docProbatorio',
		formats: 'fechaNacimiento',
		invalid: [{ fechaNacimiento: '1956-12-31' }, { fechaNacimiento: '1/2/1956' }],
	},
	{
		section: 'TQ §2.5 acknowledgement',
		schema: taxQuery.Acknowledgement,
		...{ example: { message: 'x', queryId: 'x' }, required: 'message queryId' },
	},
	{
		section: 'TQ §4.11 acknowledgement of invoices',
		schema: taxQuery.InvoiceAcknowledgement,
		example: { message: 'x', results: [{ queryId: 'x', period: '2026-12', status: 'PENDING' }] },
		required: 'message results',
		invalid: [
			{ results: [{ period: '2026-12', status: 'PENDING' }] },
			{ results: [{ queryId: 'x', period: '2026-13', status: 'PENDING' }] },
			{ results: [{ queryId: 'x', period: '2026-12' }] },
		],
	},
	recordOf('RFC_CALCULATOR', taxQuery.RfcCalculatorRecord, { response: { rfc: RFC }, state: {} }, [
		{ response: {} },
		{ state },
	]),
	recordOf('CRF', taxQuery.CrfRecord, { response: fiscal, state }, [
		{ response: withoutRegimes },
		...noFiscalData,
	]),
	recordOf('RFC', taxQuery.RfcRecord, { response: withoutRegimes, state }, [
		{ response: {} },
		...noFiscalData,
	]),
	recordOf('CURP', taxQuery.CurpRecord, { response: curp }, [{ response: {} }]),
);

const sorted = (names = '') => names.split(' ').filter(Boolean).sort();

it.each(resources)('the contract has the table of $section', (resource) => {
	const { schema, example, required, nullable, integers, formats, isClosed = false } = resource;
	const isValid = (change: Fields) => !firstViolation(schema, { ...example, ...change });
	const without = (name: string) =>
		Object.fromEntries(Object.entries(example).filter(([one]) => one !== name));
	const names = Object.keys(example).sort();
	const ofType = (type: string) => names.filter((name) => typeof example[name] === type);
	const { valid = [], invalid = [] } = resource;
	expect(firstViolation(schema, example)).toBeUndefined();
	expect({
		required: names.filter((name) => firstViolation(schema, without(name))),
		nullable: names.filter((name) => isValid({ [name]: null })),
		integers: ofType('number').filter((name) => !isValid({ [name]: 1.5 })),
		formats: ofType('string').filter((name) => !isValid({ [name]: '§' })),
		untyped: names.filter((name) => isValid({ [name]: () => undefined })),
		isClosed: !isValid({ somethingElse: 1 }),
		refused: valid.filter((change) => !isValid(change)),
		passed: invalid.filter(isValid),
	}).toEqual({
		required: sorted(required),
		nullable: sorted(nullable),
		integers: sorted(integers),
		formats: sorted(formats),
		...{ untyped: [], isClosed, refused: [], passed: [] },
	});
});
