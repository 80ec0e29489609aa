import type { IDataObject, INodeProperties } from 'n8n-workflow';
import {
	checkConsistency,
	checkCurp,
	checkNss,
	checkRfc,
	checkZipCode,
	type CheckResult,
} from '../../shared/identifiers';
import { operation, type Field } from '../../shared/operations/field';
import type { Resource } from '../../shared/operations/operation';
import { readDay } from '../fields/dates';
import { CodedError } from '../../shared/utils/codedError';

/** What a field holds; undefined if it is empty. What is wrong with it is a finding, not an error. */
const given = (property: INodeProperties): Field<unknown> => ({
	properties: [property],
	read(item) {
		const value: unknown = item.parameter(property.name);
		return value === '' || value === null ? undefined : value;
	},
});

const text = (displayName: string, name: string, placeholder: string, description: string) =>
	given({ displayName, name, type: 'string', default: '', placeholder, description });

const born = given({
	displayName: 'Birth Date',
	name: 'birthDate',
	type: 'dateTime',
	typeOptions: { dateOnly: true },
	default: '',
	description: 'Year-month-day, e.g. 1956-12-31; compared with RFC and CURP',
});
const birthDate: Field<string | undefined> = {
	properties: born.properties,
	async read(item) {
		const value = await born.read(item);
		if (value === undefined) return undefined;
		return readDay(value, 'Birth Date', item.timezone).toFormat('yyyy-MM-dd');
	},
};

const check = operation({
	name: 'Check',
	value: 'check',
	action: 'Check identifiers',
	tool: 'Check identifiers offline; nothing is sent or billed. Fill in at least one. RFC: 9 to 13 characters. CURP: 18 characters. NSS: 11 digits. Zip Code: 5 digits. State: its code, such as CMX. Birth Date: YYYY-MM-DD.',
	description:
		'Check RFC, CURP, NSS and zip code, and whether they fit each other; offline, so that nothing is sent and nothing is paid',
	isOffline: true,
	fields: {
		rfc: text(
			'RFC',
			'rfc',
			'e.g. GODE561231GR8',
			'With homoclave (12 or 13 characters) or without (9 or 10)',
		),
		curp: text('CURP', 'curp', 'e.g. PEXL990821HSRRXS05', '18 characters'),
		nss: text(
			'NSS',
			'nss',
			'e.g. 12345678903',
			'Social security number (número de seguridad social), 11 digits',
		),
		zipCode: text(
			'Zip Code',
			'zipCode',
			'e.g. 06700',
			'5 digits, as text so that a leading zero is kept',
		),
		state: text(
			'State',
			'state',
			'e.g. CMX',
			'ISO 3166-2:MX code without MX-, or the code of the credit bureau; compared with the zip code',
		),
		birthDate,
	},
	async execute(_item, { rfc, curp, nss, zipCode, state, birthDate: birthDay }) {
		const checks: Array<[name: string, field: string, result: CheckResult]> = [];
		if (rfc !== undefined) checks.push(['rfc', 'RFC', checkRfc(rfc)]);
		if (curp !== undefined) checks.push(['curp', 'CURP', checkCurp(curp)]);
		if (nss !== undefined) checks.push(['nss', 'NSS', checkNss(nss)]);
		if (zipCode !== undefined) checks.push(['zipCode', 'Zip Code', checkZipCode(zipCode, state)]);
		if (checks.length === 0) {
			throw new CodedError(
				'nothingToCheck',
				'There is nothing to check: RFC, CURP, NSS and zip code are empty',
				{
					description: 'Enter at least one, or check the expressions that fill them for this item.',
				},
			);
		}
		const found = (kind: 'errors' | 'warnings') =>
			checks.flatMap(([, field, result]) => result[kind].map((finding) => ({ field, ...finding })));
		// That zip code and state contradict each other is an error of the zip code already.
		const mismatches = checkConsistency({ rfc, curp, birthDate: birthDay }).map((mismatch) => ({
			field: 'Consistency',
			...mismatch,
		}));
		return {
			summary: checks
				.map(([, field, result]) => `${field}: ${verdictOf(result)}`)
				.concat(mismatches.length > 0 ? ['They do not fit each other'] : [])
				.join('; '),
			valid: checks.every(([, , result]) => result.valid),
			...Object.fromEntries(checks.map(([name, , result]) => [name, particulars(result)])),
			errors: found('errors'),
			warnings: [...found('warnings'), ...mismatches],
		};
	},
});

function verdictOf({ valid, warnings }: CheckResult): string {
	if (!valid) return 'wrong';
	return warnings.length > 0 ? 'right, with a warning' : 'right';
}

/** A result without its findings, which are together in one list. */
function particulars(result: CheckResult): IDataObject {
	return Object.fromEntries(
		Object.entries(result).filter(([name]) => !['errors', 'warnings'].includes(name)),
	);
}

export const identifier: Resource = {
	name: 'Identifier',
	value: 'identifier',
	operations: [check],
};
