import type { TSchema } from '@sinclair/typebox';
import {
	ActiveVersion,
	Collection,
	Credential,
	DataDocument,
	FileAssociation,
	FormAssociation,
	ProfileAssociation,
	RestrictedSchema,
	User,
	Version,
} from '../../../contract/creditProfile';

/** Stands for a field that is left out. */
export const MISSING = Symbol('left out');

/** Several fields set together. */
export class Fields {
	constructor(readonly values: Record<string, unknown>) {}
}

/** One row of a table of the document: values (or `Fields`) that it allows, and such that break each constraint. */
interface Row {
	allowed?: unknown[];
	broken: unknown[];
}

/** One table of §2. */
export interface ResourceTable {
	section: string;
	name: keyof Samples;
	schema: TSchema;
	/** "No other properties". */
	isClosed: boolean;
	rows: Record<string, Row>;
}

/** What the running sandbox answered, by resource. */
export interface Samples {
	Credential: object[];
	Collection: object[];
	'Embedded version': object[];
	Version: object[];
	'Restricted schema': object[];
	User: object[];
	Document: object[];
	Profile: object[];
	Form: object[];
	'formConfig of a form': object[];
	File: object[];
}

const or = (row: Row, more: Partial<Row>): Row => ({
	allowed: [...(row.allowed ?? []), ...(more.allowed ?? [])],
	broken: [...row.broken, ...(more.broken ?? [])],
});
const required = (row: Row): Row => or(row, { broken: [MISSING] });
const optional = (row: Row): Row => or(row, { allowed: [MISSING] });
const nullable = ({ allowed = [], broken }: Row): Row => ({
	allowed: [...allowed, null],
	broken: broken.filter((value) => value !== null),
});

const string: Row = { broken: [5, null, ['x']] };
const number: Row = { allowed: [0, 1.5], broken: ['1', null, true] };
const integer: Row = { allowed: [7], broken: ['1', null, 1.5] };
const boolean: Row = { allowed: [true, false], broken: ['true', 1, null] };
const dateTime: Row = {
	allowed: ['2024-02-29T23:59:59Z', '2024-02-29T23:59:59.123-06:00'],
	broken: [5, null, '2024-02-29', '2023-02-29T10:00:00Z', '2024-02-29T24:00:00Z', 'yesterday'],
};
const date: Row = {
	allowed: ['2024-02-29'],
	broken: [5, null, '2023-02-29', '29/02/2024', '2024-02-29T00:00:00Z'],
};
const strings: Row = { allowed: [[], ['ñ']], broken: ['x', null, [5]] };
const freeForm: Row = { allowed: [{}, { any: [1] }], broken: ['x', null, 5] };
const user: Row = { broken: ['x', null, { role: 'owner' }] };
const email: Row = {
	allowed: ['a.b@c.example'],
	broken: [5, 'a.b', 'a b@c.example', '@c.example'],
};
const uri: Row = { allowed: ['https://a.example/b?c'], broken: [5, 'a/b', 'not a uri'] };
const oneOf = (...values: string[]): Row => ({
	allowed: values,
	broken: [5, null, '', values[0].toLowerCase() === values[0] ? 'XX' : values[0].toLowerCase()],
});
const TOO_LONG = 'x'.repeat(257);
const limited: Row = { allowed: ['', 'x'.repeat(256)], broken: [5, TOO_LONG] };
const personName: Row = {
	allowed: ["Ángel Ñoño-Güemes d'A. Ll", 'x'.repeat(256)],
	broken: [5, TOO_LONG, 'R2D2', 'a_b', 'a@b', 'a,b'],
};
const plain: Row = {
	allowed: ["Año 9 @&.-,'()/<> Ü", 'x'.repeat(256)],
	broken: [5, TOO_LONG, 'a_b', 'a#b', 'a"b', 'a;b'],
};
/** A row of text that may be null. */
const text = nullable(optional(string));

const STATES =
	'AGU BCN BCS CAM CHP CHH CMX COA COL DUR GUA GRO HID JAL MEX MIC MOR NAY NLE OAX PUE QUE ROO SLP SIN SON TAB TAM TLA VER YUC ZAC AGS CHS CHI CDMX DGO GTO HGO EM MICH NL QRO QR TLAX';
const COUNTRIES =
	'AF AL DE AD AO AI AQ AG SA DZ AR AM AW AU AT AZ BS BH BD BB BE BZ BJ BM BY BO BQ BA BW BR BN BG BF BI BT CV KH CM CA CL CN CY CO CI CR HR CU CW DK DJ DM EC EG SV ER SK SI ES US EE ET FJ PH FI FR GA GM GS GH GI GD GR GL GP GU GT GY GF GG GN GW HT HN HK HU IN ID IQ IR IE BV IM CX HM NF IS AX KY CK FK FO MP MH PN RE SB VI VG IL IT JM JP JE JO QA KZ KE KG KI KW SY KR CD KP LA UM TC LS LV LB LR LY LI LT AE NL LU MO MK MG MY MW MV ML MT MA MQ MR MU YT MX FM MD MC MN ME MS MZ NA NR NP NI NE NG NU NO NC NZ OM PK PW PS PA PG PY PE PF PL PT PR GB CF CZ GE MM TD CG ST TL DO TZ RW RO RU EH AS WS BL KN SM MF PM VC SH LC SN RS SC SL SG SX SO LK ZA SD SS SE CH SR SJ SZ TH TW TJ IO CC TF TG TK TO TT TN TM TR TV UA UG KM UY UZ VU VA VE VN WF YE ZM ZW';

const place = (state: string | null, zipCode: string | null) => new Fields({ state, zipCode });
const zipCode: Row = {
	allowed: [
		place('CMX', '01000'),
		place('CDMX', '16999'),
		place('ZAC', '99000'),
		place(null, '00000'),
	],
	broken: [5, '123', '123456', place('CMX', '17000'), place('JAL', '01000'), place('EM', '58000')],
};
const state: Row = {
	allowed: [...STATES.split(' '), null].map((code) => place(code, null)),
	broken: [5, 'DF', 'jal', ''].map((code) => new Fields({ state: code, zipCode: null })),
};
const country: Row = {
	allowed: [...COUNTRIES.split(' '), null],
	broken: [5, 'MEX', 'mx', '', 'XX'],
};

/** The tables of §2 of the Credit Profile document, with what the sandbox's contract must let pass and refuse. */
export const resourceTables: ResourceTable[] = [
	{
		section: '2.1',
		name: 'Credential',
		schema: Credential,
		isClosed: true,
		rows: {
			id: required(number),
			createdAt: required(string),
			updatedAt: required(string),
			organizationId: required(number),
			type: required(string),
			user: text,
			metadata: {
				allowed: [MISSING, null, {}, { expirationDate: null }, { expirationDate: '2027-01-31' }],
				broken: ['x', { expirationDate: '2027-02-30' }, { expirationDate: 5 }],
			},
			configuration: {
				allowed: [MISSING, {}, { isAutoRenewEnabled: false }],
				broken: [null, 'x', { isAutoRenewEnabled: 'no' }],
			},
			isEnabled: required(boolean),
			ownerId: nullable(optional(number)),
		},
	},
	{
		section: '2.2',
		name: 'Collection',
		schema: Collection,
		isClosed: true,
		rows: {
			id: required(integer),
			name: required(string),
			creatorId: required(integer),
			creator: optional(user),
			activeDataCollectionVersionId: required(number),
			activeDataCollectionVersion: { allowed: [MISSING, null], broken: ['x', {}, { id: 1 }] },
			createdAt: optional(dateTime),
			updatedAt: optional(dateTime),
			slug: { allowed: [MISSING, 'a-B-9'], broken: [5, null, '', 'a_b', 'a b', 'á'] },
			parentCollectionId: nullable(optional(integer)),
			tags: required(strings),
			processorKey: text,
		},
	},
	{
		section: '2.3',
		name: 'Embedded version',
		schema: ActiveVersion,
		isClosed: false,
		rows: {
			id: required(integer),
			schema: required(freeForm),
			creatorId: required(integer),
			creator: optional(user),
			createdAt: required(dateTime),
			dataCollectionId: required(integer),
			organizationId: required(integer),
		},
	},
	{
		section: '2.4',
		name: 'Version',
		schema: Version,
		isClosed: true,
		rows: {
			id: required(integer),
			createdAt: required(dateTime),
			creatorId: required(integer),
			isActive: required(boolean),
			schema: required({
				allowed: [{}, { type: 'object', properties: { a: { items: { type: 'string' } } } }],
				broken: [
					'x',
					null,
					{ minimum: 1 },
					{ properties: { a: { $ref: '#' } } },
					{ items: { oneOf: [] } },
				],
			}),
		},
	},
	{
		section: '2.5',
		name: 'Restricted schema',
		schema: RestrictedSchema,
		isClosed: true,
		rows: {
			title: optional(string),
			description: optional(string),
			type: {
				allowed: [
					...['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'],
					['string', 'null'],
					['null', 'integer'],
				],
				broken: [
					'text',
					5,
					['string'],
					['string', 'integer'],
					['null', 'null'],
					['string', 'integer', 'null'],
				],
			},
			pattern: { allowed: ['^[A-ZÑ&]{3,4}$'], broken: ['[', 5, null] },
			format: oneOf('uuid', 'email', 'date-time', 'time', 'date', 'hostname', 'uri'),
			properties: {
				allowed: [{}, { a: {}, 'b c': { type: 'null' } }],
				broken: [[], 'x', { a: 'string' }, { a: { type: 'text' } }],
			},
			items: { allowed: [{}], broken: ['string', [{}], { type: 'text' }] },
			required: { allowed: [[], ['a', 'b']], broken: ['a', ['a', 'a'], [1]] },
			enum: { allowed: [['a']], broken: ['a', ['a', 'a'], [1]] },
			additionalProperties: { allowed: [true, false], broken: [{}, 'false', null] },
		},
	},
	{
		section: '2.6',
		name: 'User',
		schema: User,
		isClosed: false,
		rows: {
			id: number,
			organizationId: number,
			name: text,
			lastName: text,
			createdAt: dateTime,
			deletedAt: nullable(dateTime),
			updatedAt: dateTime,
			email,
			phone: string,
			permissions: strings,
			role: oneOf('admin', 'member', 'base'),
		},
	},
	{
		section: '2.7',
		name: 'Document',
		schema: DataDocument,
		isClosed: false,
		rows: {
			id: number,
			externalId: text,
			tags: strings,
			document: freeForm,
			dataCollectionVersionId: number,
			dataCollectionId: number,
			creatorId: nullable(number),
			createdAt: dateTime,
			updatedAt: dateTime,
			associations: {
				allowed: [MISSING, [], [{ type: 'Forms', association: null }]],
				broken: [
					'x',
					[{ type: 'Reports', association: null }],
					[{ type: 'Profiles' }],
					[{ association: null }],
					[{ type: 'Profiles', association: { filetype: 'pdf' } }],
				],
			},
		},
	},
	{
		section: '2.8',
		name: 'Profile',
		schema: ProfileAssociation,
		isClosed: true,
		rows: {
			id: optional(number),
			organizationId: optional(number),
			createdAt: optional(dateTime),
			updatedAt: optional(dateTime),
			tags: optional(strings),
			tagIds: { allowed: [MISSING, [1]], broken: [[1.5], ['1'], null] },
			email: nullable(email),
			externalId: nullable(limited),
			firstName: or(personName, { broken: [null] }),
			middleName: nullable(personName),
			firstLastName: or(personName, { broken: [null] }),
			secondLastName: nullable(personName),
			tradeName: nullable(plain),
			rfc: {
				allowed: [null, 'GODE561231GR8', 'ÑEX121116KM4', 'H&E951128469', 'XAXX010101000'],
				broken: [
					5,
					'GODE561231',
					'GODE561331GR8',
					'gode561231gr8',
					'GODE561231GR88',
					'GO561231GR8',
				],
			},
			basicRFC: {
				allowed: [null, 'GODE561231', 'EKU900317'],
				broken: [5, 'GODE561231GR8', 'GODE561331', 'GO561231'],
			},
			phone: nullable(limited),
			curp: {
				allowed: [null, 'SABC560626MDFLRN01'],
				broken: [
					5,
					'SABC560626MDFLRN0',
					'SABC560626MDFLRN09',
					'SABC561326MDFLRN01',
					'SABC560626MXXLRN01',
				],
			},
			accountType: required(oneOf('PF', 'PM')),
			neighborhood: nullable(limited),
			address: nullable(plain),
			address2: nullable(plain),
			exteriorNumber: nullable(plain),
			interiorNumber: nullable(plain),
			city: nullable(limited),
			municipality: nullable(limited),
			state,
			zipCode: or(zipCode, { allowed: [place('JAL', ''), place('JAL', null)] }),
			country,
			nationality: country,
			nss: {
				allowed: [null, '12345678903'],
				broken: [5, '12345678901', '1234567890', '1234567890A'],
			},
			birthdate: text,
		},
	},
	{
		section: '2.9',
		name: 'Form',
		schema: FormAssociation,
		isClosed: false,
		rows: {
			id: number,
			...Object.fromEntries(
				'accountType firstName middleName firstLastName secondLastName rfc basicRFC curp nationality address address2 exteriorNumber interiorNumber neighborhood city country municipality extraInformation phone nss'
					.split(' ')
					.map((field) => [field, text]),
			),
			state: { allowed: [place(null, null)], broken: [new Fields({ state: 5 })] },
			tradeName: nullable(plain),
			birthdate: nullable(date),
			zipCode: or(zipCode, { broken: ['', '1234A'] }),
			monthlyIncome: nullable(number),
			loanAmount: nullable(number),
			completedDate: nullable(dateTime),
			profileId: nullable(number),
			isNipConfirmed: nullable(boolean),
			createdAt: dateTime,
			updatedAt: dateTime,
			email: nullable(email),
			tagIds: { allowed: [[1]], broken: [['1'], null] },
			tags: strings,
			tagsAssociation: {
				allowed: [null, [], [{ id: 1, label: 'a' }]],
				broken: ['x', [{ id: 1.5, label: 'a' }], [{ id: 1 }], [{ label: 'a' }]],
			},
			customPagesConfigId: nullable(number),
			customPagesAnswers: nullable(freeForm),
			nipSmsSentCount: nullable(number),
			nipEmailSentCount: nullable(number),
			formConfig: { broken: ['x', null] },
		},
	},
	{
		section: '2.9 formConfig',
		name: 'formConfig of a form',
		schema: FormAssociation.allOf[0].properties.formConfig,
		isClosed: false,
		rows: {
			id: number,
			organizationId: number,
			name: text,
			accountType: text,
			serviceQueries: {
				allowed: [{}],
				broken: 'bureauPM bureauPF taxBlackList taxRFC curpRegistryCurp bl-busqueda_judicial'
					.split(' ')
					.map((key): unknown => ({ [key]: 'yes' })),
			},
			bureauAuthTradeName: text,
			formCompletedURL: text,
			slug: string,
			createdAt: dateTime,
			updatedAt: dateTime,
			customPagesConfigId: nullable(number),
		},
	},
	{
		section: '2.10',
		name: 'File',
		schema: FileAssociation,
		isClosed: true,
		rows: {
			id: integer,
			uploadedAt: nullable(dateTime),
			createdAt: dateTime,
			updatedAt: dateTime,
			size: nullable(number),
			organizationId: integer,
			filetype: oneOf('jpeg', 'png', 'pdf', 'csv', 'json'),
			filelabel: string,
			externalId: text,
			uploaderId: nullable(integer),
			originalFilename: text,
			url: nullable(uri),
			previewUrl: nullable(uri),
			fileCollectionId: { allowed: [null, 1], broken: [0, -1, 1.5, '1'] },
			tags: strings,
		},
	},
];
