import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Item } from '../shared/operation';
import {
	curpCheckOptions,
	readCurp,
	readRfc,
	rfcCheckOptions,
	type Checked,
	type Warning,
} from './check';
import { birthDateFields, readBirthDate } from './dates';
import { companyRfcField, curpField, readText, rfcField, textField } from './fields';
import { periodFields, periodFormatOption, readPeriod } from './period';
import { profileFields, readProfile } from './profile';

/** What an item asks for, read from its parameters and checked offline. */
export interface Question {
	/** The fields of the body under their default names; an empty text is left out of it. */
	fields: IDataObject;
	/** Names of those that must appear in no error, output or comparison. */
	secret?: string[];
	/** What a record of this query echoes, if that is not the fields; one for each query that it makes. */
	echoes?: IDataObject[];
	warnings: Warning[];
}

/** One of the queries that cost money (§4.2 to §4.11): they differ only by path and fields. */
export interface QueryKind {
	resource: 'taxpayer' | 'person' | 'company' | 'taxAuthority';
	name: string;
	value: string;
	action: string;
	description: string;
	path: string;
	/** The record's `service`; a guess where `isServiceShown` is not set. */
	service: string;
	isServiceShown?: true;
	/** Its result comes at once, by its document. */
	isSynchronous?: true;
	needsProfile?: true;
	/** It gets no data that a second run could reuse. */
	isNotReusable?: true;
	fields: INodeProperties[];
	options?: INodeProperties[];
	/** Fields whose names the document does not show, by their default name: what they hold. */
	openNames?: Record<string, string>;
	/** Throws a UserError that names the field. */
	read(item: Item): Question | Promise<Question>;
}

const about = (name: 'rfc' | 'curp', { value, warnings }: Checked): Question => ({
	fields: { [name]: value },
	warnings,
});
const byRfc = {
	fields: [rfcField],
	options: rfcCheckOptions,
	read: (item: Item) => about('rfc', readRfc(item)),
};
const byCurp = {
	fields: [curpField],
	options: curpCheckOptions,
	read: (item: Item) => about('curp', readCurp(item)),
};
const LATER = 'The result follows later. Each query costs money';
const AT_ONCE = 'The result comes at once. Each query costs money';

export const kinds: QueryKind[] = [
	{
		...byRfc, // §4.2
		resource: 'company',
		name: 'Get Shareholders',
		value: 'getShareholders',
		action: 'Get shareholders of a company',
		description: `Ask who owns a company, and how much of it. ${LATER}.`,
		path: '/query/company-shareholders',
		service: 'COMPANY_SHAREHOLDERS',
		fields: [companyRfcField],
		openNames: { rfc: 'RFC' },
		read: (item) => about('rfc', readRfc(item, 'PM')),
	},
	{
		resource: 'taxpayer', // §4.3
		name: 'Calculate RFC',
		value: 'calculateRfc',
		action: 'Calculate an RFC',
		description: `Calculate the RFC of a natural person from name and birth date. ${AT_ONCE}.`,
		path: '/query/rfc-calculator',
		service: 'RFC_CALCULATOR',
		isServiceShown: true,
		isSynchronous: true,
		fields: [
			textField('Given Names', 'name', 'e.g. Emma', 'All given names'),
			textField('First Last Name', 'firstLastName', 'e.g. Gómez', "The father's surname"),
			{
				displayName: 'Second Last Name',
				name: 'secondLastName',
				type: 'string',
				default: '',
				placeholder: 'e.g. Díaz',
				description: "The mother's surname; leave empty if there is none",
			},
			...birthDateFields,
		],
		read: (item) => ({
			fields: {
				name: readText(item, 'name', 'Given Names'),
				firstLastName: readText(item, 'firstLastName', 'First Last Name'),
				secondLastName: String(item.parameter('secondLastName') ?? '').trim(),
				...readBirthDate(item),
			},
			warnings: [],
		}),
	},
	{
		...byRfc, // §4.4
		resource: 'taxpayer',
		name: 'Get Fiscal Regime Certificate (CRF)',
		value: 'getCrf',
		action: 'Get a fiscal regime certificate (CRF)',
		description: `Ask for the fiscal regimes of an RFC. ${LATER}.`,
		path: '/query/crf',
		service: 'CRF',
		isServiceShown: true,
	},
	{
		...byRfc, // §4.5
		resource: 'taxpayer',
		name: 'Get RFC Data',
		value: 'getRfcData',
		action: 'Get RFC data',
		description: `Ask for name, address and certificate that belong to an RFC. ${LATER}.`,
		path: '/query/rfc-data',
		service: 'RFC',
		isServiceShown: true,
	},
	{
		...byCurp, // §4.6
		resource: 'person',
		name: 'Get CURP Data',
		value: 'getCurpData',
		action: 'Get CURP data',
		description: `Get the personal data and the RFC that belong to a CURP. ${AT_ONCE}.`,
		path: '/query/curp-data',
		service: 'CURP',
		isServiceShown: true,
		isSynchronous: true,
	},
	{
		...byCurp, // §4.7
		resource: 'person',
		name: 'Get Employment History',
		value: 'getEmploymentHistory',
		action: 'Get employment history of a person',
		description: `Ask where a person was employed, and when. ${LATER}.`,
		path: '/query/job-history',
		service: 'JOB_HISTORY',
		openNames: { curp: 'CURP' },
	},
	{
		resource: 'taxAuthority', // §4.8
		name: 'Create Tax Profile',
		value: 'createTaxProfile',
		action: 'Create a tax profile',
		description:
			'Allow the queries of the tax authority about an RFC, by its CIEC; needed once before them. May cost money.',
		path: '/query/tax/profile',
		service: 'TAX_PROFILE',
		isNotReusable: true,
		fields: profileFields,
		options: rfcCheckOptions,
		openNames: { rfc: 'RFC', ciec: 'CIEC' },
		read: readProfile,
	},
	{
		...byRfc, // §4.9
		resource: 'taxAuthority',
		name: 'Get Fiscal Situation (CSF)',
		value: 'getCsf',
		action: 'Get a fiscal situation (CSF)',
		description:
			'Ask for the fiscal situation of an RFC, which needs a tax profile. Each query costs money.',
		path: '/query/tax/csf',
		service: 'CSF',
		needsProfile: true,
	},
	{
		...byRfc, // §4.10
		resource: 'taxAuthority',
		name: 'Get Compliance Opinion (32D)',
		value: 'getComplianceOpinion',
		action: 'Get a compliance opinion (32D)',
		description: `Ask for the opinion on the tax compliance of an RFC, which needs a tax profile. ${LATER}.`,
		path: '/query/tax/compliance-opinion',
		service: 'COMPLIANCE_OPINION',
		needsProfile: true,
		openNames: { rfc: 'RFC' },
	},
	{
		resource: 'taxAuthority', // §4.11
		name: 'Get Invoices',
		value: 'getInvoices',
		action: 'Get invoices of a taxpayer',
		description:
			'Ask for the invoices of an RFC in a period; it needs a tax profile. Gives one item for each month, each of which costs money; the results follow later.',
		path: '/query/tax/invoice',
		service: 'INVOICE',
		needsProfile: true,
		fields: [rfcField, ...periodFields],
		options: [...rfcCheckOptions, periodFormatOption],
		openNames: { rfc: 'RFC', from: 'start of the period', to: 'end of the period' },
		read: (item) => {
			const { value: rfc, warnings } = readRfc(item);
			const { fields, months } = readPeriod(item);
			const echoes = months.map((period) => ({ rfc, period }));
			return { fields: { rfc, ...fields }, echoes, warnings };
		},
	},
];
