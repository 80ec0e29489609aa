import {
	checkConsistency,
	checkCurp,
	checkNss,
	checkRfc,
	checkZipCode,
	type CheckResult,
} from '../../shared/identifiers';
import { field, operation, type Field } from '../../shared/operations/field';
import type { Resource } from '../../shared/operations/operation';
import { dayField, readDay } from '../fields/dates';
import { textField } from '../fields/text';
import { CodedError } from '../../shared/utils/codedError';

/** What a field holds; undefined if it is empty. What is wrong with it is a finding, not an error. */
const given = (value: unknown) => (value === '' || value === null ? undefined : value);
const text = (...[label, name, example, description]: [string, string, string, string]) =>
	field(textField(label, name, example, description, false), given);

const born = dayField('Birth Date', 'birthDate', '1956-12-31');
const birthDate: Field<string | undefined> = {
	properties: [born],
	read(item) {
		const value = given(item.parameter(born.name));
		if (value === undefined) return undefined;
		return readDay(value, born.displayName, item.timezone).toFormat('yyyy-MM-dd');
	},
};

const CHECK =
	'Check RFC, CURP, NSS and zip code, and whether they fit each other. Nothing is sent or billed.';

const check = operation({
	name: 'Check',
	value: 'check',
	action: 'Check identifiers',
	tool: `${CHECK} Fill in at least one. RFC: 9 to 13 characters. CURP: 18 characters. NSS: 11 digits. Zip Code: 5 digits. State: its code, such as CMX. Birth Date: YYYY-MM-DD.`,
	description: CHECK,
	isOffline: true,
	fields: {
		rfc: text('RFC', 'rfc', 'GODE561231GR8', '12 or 13 characters, or 9 or 10 without homoclave'),
		curp: text('CURP', 'curp', 'PEXL990821HSRRXS05', '18 characters'),
		nss: text('NSS', 'nss', '12345678903', 'Número de seguridad social, 11 digits'),
		zipCode: text(
			'Zip Code',
			'zipCode',
			'06700',
			'5 digits, as text so that a leading zero is kept',
		),
		state: text(
			'State',
			'state',
			'CMX',
			'ISO 3166-2:MX code without MX-, or the code of the credit bureau',
		),
		birthDate,
	},
	async execute(_item, { rfc, curp, nss, zipCode, state, birthDate: birthDay }) {
		const entered: Array<[field: string, name: string, value: unknown, check: Checker]> = [
			['RFC', 'rfc', rfc, checkRfc],
			['CURP', 'curp', curp, checkCurp],
			['NSS', 'nss', nss, checkNss],
			['Zip Code', 'zipCode', zipCode, (value) => checkZipCode(value, state)],
		];
		const checks = entered
			.filter(([, , value]) => value !== undefined)
			.map(([label, name, value, checked]) => ({
				label,
				name,
				...findingsOf(label, checked(value)),
			}));
		if (checks.length === 0) {
			throw new CodedError(
				'nothingToCheck',
				'There is nothing to check: RFC, CURP, NSS and zip code are empty',
				{ description: 'Enter at least one, or check the expressions that fill them.' },
			);
		}
		// That zip code and state contradict each other is an error of the zip code already.
		const mismatches = checkConsistency({ rfc, curp, birthDate: birthDay }).map((mismatch) => ({
			field: 'Consistency',
			...mismatch,
		}));
		const summary = checks.map(({ label, verdict }) => `${label}: ${verdict}`);
		if (mismatches.length > 0) summary.push('They do not fit each other');
		return {
			summary: summary.join('; '),
			valid: checks.every(({ particulars }) => particulars.valid),
			...Object.fromEntries(checks.map(({ name, particulars }) => [name, particulars])),
			errors: checks.flatMap(({ errors }) => errors),
			warnings: [...checks.flatMap(({ warnings }) => warnings), ...mismatches],
		};
	},
});

type Checker = (value: unknown) => CheckResult;

/** A result apart from its findings, which come out together in one list. */
function findingsOf(field: string, { errors, warnings, ...particulars }: CheckResult) {
	const right = warnings.length > 0 ? 'right, with a warning' : 'right';
	return {
		verdict: particulars.valid ? right : 'wrong',
		particulars,
		errors: errors.map((finding) => ({ field, ...finding })),
		warnings: warnings.map((finding) => ({ field, ...finding })),
	};
}

export const identifier: Resource = {
	name: 'Identifier',
	value: 'identifier',
	operations: [check],
};
