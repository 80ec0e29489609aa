import {
	Acknowledgement,
	CrfRecord,
	CurpRecord,
	InvoiceAcknowledgement,
	QueryRecord,
	RfcCalculatorRecord,
	RfcRecord,
} from '../../../contract/taxQuery';
import { COMPANY_RFC, CURP, PERSON_RFC } from '../support/clients';
import type { EndpointTestCase } from '../support/endpointTypes';

export const EMMA_RFC_CALCULATOR_BODY = {
	name: 'Emma',
	firstLastName: 'Gómez',
	day: 31,
	month: 12,
	year: 1956,
};

type Invalid = [field: string, body: object];

const rfcs = [undefined, 5, '', 'GODE561331GR8', 'GODE561231'].map((rfc): Invalid => [
	'rfc',
	{ rfc },
]);
const curps = [undefined, null, 'PEXL990821HSRRXS06', 'PEXL990821HSRRXS'].map((curp): Invalid => [
	'curp',
	{ curp },
]);
/** Bodies of the calculator with another value in one field. */
const calculator = (field: string, ...values: unknown[]) =>
	values.map((value): Invalid => [field, { ...EMMA_RFC_CALCULATOR_BODY, [field]: value }]);

const post = (section: string, path: string, service: string) =>
	({ section, method: 'POST', path, service, response: Acknowledgement }) as const;
const byRfc = (section: string, path: string, service: string): EndpointTestCase => ({
	...post(section, path, service),
	...{ valid: [{ rfc: PERSON_RFC }], invalid: rfcs },
});
const byCurp = (section: string, path: string, service: string): EndpointTestCase => ({
	...post(section, path, service),
	...{ valid: [{ curp: CURP }], invalid: curps },
});

/** Every POST query of TQ §4; the last three need the tax profile that the one before makes. */
export const postQueryEndpoints: EndpointTestCase[] = [
	{
		...byRfc('4.2', '/query/company-shareholders', 'COMPANY_SHAREHOLDERS'),
		valid: [{ rfc: COMPANY_RFC }],
		invalid: [...rfcs, ['rfc', { rfc: PERSON_RFC }]],
	},
	{
		...post('4.3', '/query/rfc-calculator', 'RFC_CALCULATOR'),
		response: RfcCalculatorRecord,
		valid: [EMMA_RFC_CALCULATOR_BODY, { ...EMMA_RFC_CALCULATOR_BODY, secondLastName: 'Díaz' }],
		invalid: [
			...calculator('name', undefined, 1),
			...calculator('firstLastName', undefined),
			...calculator('secondLastName', 1),
			...calculator('day', undefined, '31', 32),
			['day', { ...EMMA_RFC_CALCULATOR_BODY, month: 2 }],
			...calculator('month', 13, 1.5),
			...calculator('year', undefined),
		],
	},
	{
		...byRfc('4.4', '/query/crf', 'CRF'),
		valid: [{ rfc: PERSON_RFC }, { rfc: COMPANY_RFC }],
		record: CrfRecord,
	},
	{
		...byRfc('4.5', '/query/rfc-data', 'RFC'),
		valid: [{ rfc: PERSON_RFC }, { rfc: COMPANY_RFC }],
		record: RfcRecord,
		unsent: ['.response.RegimenesFiscales'],
	},
	{ ...byCurp('4.6', '/query/curp-data', 'CURP'), response: CurpRecord },
	byCurp('4.7', '/query/job-history', 'JOB_HISTORY'),
	{
		...byRfc('4.8', '/query/tax/profile', 'TAX_PROFILE'),
		response: QueryRecord,
		valid: [{ rfc: PERSON_RFC, ciec: 'abcd1234' }],
		invalid: [
			['rfc', { ciec: 'abcd1234' }],
			['ciec', { rfc: PERSON_RFC }],
			['ciec', { rfc: PERSON_RFC, ciec: '' }],
		],
	},
	{ ...byRfc('4.9', '/query/tax/csf', 'CSF'), response: QueryRecord },
	byRfc('4.10', '/query/tax/compliance-opinion', 'COMPLIANCE_OPINION'),
	{
		...byRfc('4.11', '/query/tax/invoice', 'INVOICE'),
		response: InvoiceAcknowledgement,
		valid: [
			{ rfc: PERSON_RFC, from: '2025-11', to: '2026-02' },
			{ rfc: PERSON_RFC, from: '2026-01-15', to: '2026-01-31' },
			{ rfc: PERSON_RFC, from: '2026-01-15T00:00:00.000', to: '2026-01-31T23:59:59.999Z' },
		],
		invalid: [
			...rfcs.map(([field, body]): Invalid => [field, { from: '2026-01', to: '2026-02', ...body }]),
			['from', { rfc: PERSON_RFC, to: '2026-02' }],
			['from', { rfc: PERSON_RFC, from: '2026-13', to: '2026-12' }],
			['from', { rfc: PERSON_RFC, from: '2026-02-30', to: '2026-12' }],
			['from', { rfc: PERSON_RFC, from: '2026-02-30T00:00:00.000Z', to: '2026-12' }],
			['from', { rfc: PERSON_RFC, from: '2026-03', to: '2026-02' }],
			['from', { rfc: PERSON_RFC, from: '2021-01', to: '2026-01' }],
			['to', { rfc: PERSON_RFC, from: '2026-01', to: '2199-01' }],
		],
	},
];
