import { UserError, type IDataObject } from 'n8n-workflow';
import {
	checkConsistency,
	checkCurp,
	checkNss,
	checkRfc,
	checkZipCode,
	type CheckResult,
} from '../shared/identifiers';
import type { Operation, Resource } from '../shared/operation';
import { toDate } from './dates';

const text = (displayName: string, name: string, placeholder: string, description: string) => ({
	displayName,
	name,
	type: 'string' as const,
	default: '',
	placeholder,
	description,
});

const check: Operation = {
	name: 'Check',
	value: 'check',
	action: 'Check identifiers',
	description:
		'Check RFC, CURP, NSS and zip code, and whether they fit each other; offline and free of charge',
	isOffline: true,
	fields: [
		text(
			'RFC',
			'rfc',
			'e.g. GODE561231GR8',
			'With homoclave (12 or 13 characters) or without (9 or 10)',
		),
		text('CURP', 'curp', 'e.g. PEXL990821HSRRXS05', '18 characters'),
		text('NSS', 'nss', 'e.g. 12345678903', 'Social security number, 11 digits'),
		text('Zip Code', 'zipCode', 'e.g. 06700', '5 digits, as text so that a leading zero is kept'),
		text(
			'State',
			'state',
			'e.g. CMX',
			'ISO 3166-2:MX code without MX-, or the code of the credit bureau; compared with the zip code',
		),
		{
			displayName: 'Birth Date',
			name: 'birthDate',
			type: 'dateTime',
			typeOptions: { dateOnly: true },
			default: '',
			description: 'Compared with RFC and CURP',
		},
	],
	async execute(item) {
		const given = (name: string): unknown => {
			const value: unknown = item.parameter(name);
			return value === '' || value === null ? undefined : value;
		};
		const [rfc, curp, nss, zipCode, state] = ['rfc', 'curp', 'nss', 'zipCode', 'state'].map(given);
		const birthDate = readBirthDate(given('birthDate'));
		const checks: Array<[name: string, field: string, result: CheckResult]> = [];
		if (rfc !== undefined) checks.push(['rfc', 'RFC', checkRfc(rfc)]);
		if (curp !== undefined) checks.push(['curp', 'CURP', checkCurp(curp)]);
		if (nss !== undefined) checks.push(['nss', 'NSS', checkNss(nss)]);
		if (zipCode !== undefined) checks.push(['zipCode', 'Zip Code', checkZipCode(zipCode, state)]);
		if (checks.length === 0) {
			throw new UserError('There is nothing to check: RFC, CURP, NSS and zip code are empty', {
				description: 'Enter at least one, or check the expressions that fill them for this item.',
			});
		}
		const found = (kind: 'errors' | 'warnings') =>
			checks.flatMap(([, field, result]) => result[kind].map((finding) => ({ field, ...finding })));
		// That zip code and state contradict each other is an error of the zip code already.
		const mismatches = checkConsistency({ rfc, curp, birthDate }).map((mismatch) => ({
			field: 'Consistency',
			...mismatch,
		}));
		return {
			valid: checks.every(([, , result]) => result.valid),
			...Object.fromEntries(checks.map(([name, , result]) => [name, particulars(result)])),
			errors: found('errors'),
			warnings: [...found('warnings'), ...mismatches],
		};
	},
};

/** A result without its findings, which stand together in one list. */
function particulars(result: CheckResult): IDataObject {
	return Object.fromEntries(
		Object.entries(result).filter(([name]) => !['errors', 'warnings'].includes(name)),
	);
}

function readBirthDate(value: unknown): string | undefined {
	if (value === undefined) return undefined;
	const date = toDate(value);
	if (date.isValid) return date.toFormat('yyyy-MM-dd');
	throw new UserError('"Birth Date" is not a date that exists', {
		description: 'Enter it as year-month-day, e.g. 1956-12-31.',
	});
}

export const identifier: Resource = {
	name: 'Identifier',
	value: 'identifier',
	operations: [check],
};
