import type { TSchema } from '@sinclair/typebox';
import {
	Acknowledgement,
	CrfRecord,
	CurpRecord,
	InvoiceAcknowledgement,
	QueryRecord,
	RfcCalculatorRecord,
	RfcRecord,
} from '../../../../../contract/taxQuery';
import { COMPANY, PERSON } from './resources';

const CURP = 'PEXL990821HSRRXS05';
const EMMA = { name: 'Emma', firstLastName: 'Gómez', day: 31, month: 12, year: 1956 };

/** One POST query of TQ §4, with requests that it takes, and such that break each of its constraints. */
export interface Endpoint {
	section: string;
	path: string;
	/** Says what the 200 body is held to. */
	answer: TSchema;
	valid: object[];
	/** [field that the refusal must name, body]; one at least for each constraint. */
	violations: Array<[string, object]>;
	/** Says what the record is held to when it has its result. */
	result?: TSchema;
	service: string;
}

const wrongRfcs: Array<[string, object]> = [
	['rfc', {}],
	['rfc', { rfc: 5 }],
	['rfc', { rfc: '' }],
	['rfc', { rfc: 'GODE561331GR8' }],
	['rfc', { rfc: 'GODE561231' }],
];
const wrongCurps: Array<[string, object]> = [
	['curp', {}],
	['curp', { curp: null }],
	['curp', { curp: 'PEXL990821HSRRXS06' }],
	['curp', { curp: 'PEXL990821HSRRXS' }],
];

export const endpoints: Endpoint[] = [
	{
		section: '4.2',
		path: '/query/company-shareholders',
		service: 'COMPANY_SHAREHOLDERS',
		answer: Acknowledgement,
		valid: [{ rfc: COMPANY }],
		violations: [...wrongRfcs, ['rfc', { rfc: PERSON }]],
	},
	{
		section: '4.3',
		path: '/query/rfc-calculator',
		service: 'RFC_CALCULATOR',
		answer: RfcCalculatorRecord,
		valid: [EMMA, { ...EMMA, secondLastName: 'Díaz' }],
		violations: [
			['name', { ...EMMA, name: undefined }],
			['name', { ...EMMA, name: 1 }],
			['firstLastName', { ...EMMA, firstLastName: undefined }],
			['secondLastName', { ...EMMA, secondLastName: 1 }],
			['day', { ...EMMA, day: undefined }],
			['day', { ...EMMA, day: '31' }],
			['day', { ...EMMA, day: 32 }],
			['day', { ...EMMA, month: 2 }],
			['month', { ...EMMA, month: 13 }],
			['month', { ...EMMA, month: 1.5 }],
			['year', { ...EMMA, year: undefined }],
		],
	},
	{
		section: '4.4',
		path: '/query/crf',
		service: 'CRF',
		answer: Acknowledgement,
		valid: [{ rfc: PERSON }, { rfc: COMPANY }],
		violations: wrongRfcs,
		result: CrfRecord,
	},
	{
		section: '4.5',
		path: '/query/rfc-data',
		service: 'RFC',
		answer: Acknowledgement,
		valid: [{ rfc: PERSON }, { rfc: COMPANY }],
		violations: wrongRfcs,
		result: RfcRecord,
	},
	{
		section: '4.6',
		path: '/query/curp-data',
		service: 'CURP',
		answer: CurpRecord,
		valid: [{ curp: CURP }],
		violations: wrongCurps,
	},
	{
		section: '4.7',
		path: '/query/job-history',
		service: 'JOB_HISTORY',
		answer: Acknowledgement,
		valid: [{ curp: CURP }],
		violations: wrongCurps,
	},
	{
		section: '4.8',
		path: '/query/tax/profile',
		service: 'TAX_PROFILE',
		answer: QueryRecord,
		valid: [{ rfc: PERSON, ciec: 'abcd1234' }],
		violations: [
			['rfc', { ciec: 'abcd1234' }],
			['ciec', { rfc: PERSON }],
			['ciec', { rfc: PERSON, ciec: '' }],
		],
	},
	{
		section: '4.9',
		path: '/query/tax/csf',
		service: 'CSF',
		answer: QueryRecord,
		valid: [{ rfc: PERSON }],
		violations: wrongRfcs,
	},
	{
		section: '4.10',
		path: '/query/tax/compliance-opinion',
		service: 'COMPLIANCE_OPINION',
		answer: Acknowledgement,
		valid: [{ rfc: PERSON }],
		violations: wrongRfcs,
	},
	{
		section: '4.11',
		path: '/query/tax/invoice',
		service: 'INVOICE',
		answer: InvoiceAcknowledgement,
		valid: [
			{ rfc: PERSON, from: '2025-11', to: '2026-02' },
			{ rfc: PERSON, from: '2026-01-15', to: '2026-01-31' },
			{ rfc: PERSON, from: '2026-01-15T00:00:00.000', to: '2026-01-31T23:59:59.999Z' },
		],
		violations: [
			...wrongRfcs.map(
				([field, body]) => [field, { from: '2026-01', to: '2026-02', ...body }] as [string, object],
			),
			['from', { rfc: PERSON, to: '2026-02' }],
			['from', { rfc: PERSON, from: '2026-13', to: '2026-12' }],
			['from', { rfc: PERSON, from: '2026-02-30', to: '2026-12' }],
			['from', { rfc: PERSON, from: '2026-02-30T00:00:00.000Z', to: '2026-12' }],
			['from', { rfc: PERSON, from: '2026-03', to: '2026-02' }],
			['from', { rfc: PERSON, from: '2021-01', to: '2026-01' }],
			['to', { rfc: PERSON, from: '2026-01', to: '2199-01' }],
		],
	},
];
