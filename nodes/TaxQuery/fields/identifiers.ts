import { UserError, type INodeProperties } from 'n8n-workflow';
import { checkCurp, checkRfc, type CheckResult } from '../../shared/identifiers';
import { option, parseBoolean, parseText, type Field } from '../../shared/operations/field';
import type { Item } from '../../shared/operations/operation';
import { textField } from './text';

/** What is odd about an identifier, passed along with the result. */
export type Warning = { field: string; code: string; message: string };

export interface Checked {
	/** Normalised if it was checked, else as entered. */
	value: string;
	warnings: Warning[];
}

const checkIdentifiersOption: INodeProperties = {
	displayName: 'Check Identifiers First',
	name: 'checkIdentifiers',
	type: 'boolean',
	default: true,
	description:
		'Whether to stop an item whose RFC or CURP cannot exist, before a query is paid for. What is merely odd is passed along as a warning.',
};
const allowGenericRfcOption: INodeProperties = {
	displayName: 'Allow Generic RFC',
	name: 'allowGenericRfc',
	type: 'boolean',
	default: false,
	description:
		'Whether to send queries about XAXX010101000 and XEXX010101000 as well, which belong to nobody',
};

export const rfcCheckOptions = [checkIdentifiersOption, allowGenericRfcOption];
export const curpCheckOptions = [checkIdentifiersOption];

const isChecked = option(checkIdentifiersOption, parseBoolean, true);
const isGenericAllowed = option(allowGenericRfcOption, parseBoolean, false);

const FORGIVEN = 'blanks, hyphens and lower case are fine';
const rfcField = textField(
	'RFC',
	'rfc',
	'e.g. GODE561231GR8',
	`The taxpayer's RFC with homoclave, its last three characters: 13 characters for a person, 12 for a company; ${FORGIVEN}`,
);
const companyRfcField = textField(
	'RFC',
	'rfc',
	'e.g. EKU9003173C9',
	`The company's RFC with homoclave, its last three characters: 12 characters; ${FORGIVEN}`,
);
const curpField = textField(
	'CURP',
	'curp',
	'e.g. PEXL990821HSRRXS05',
	`The person's CURP, 18 characters; ${FORGIVEN}`,
);

const read = (item: Item, { name, displayName }: INodeProperties) =>
	parseText(item.parameter(name), displayName);

/** The RFC of an item, to be paid for. Throws a UserError that names the field if it is empty or cannot be right. */
export const rfc: Field<Checked> = {
	properties: [rfcField],
	read: async (item) => await checkedRfc(item, read(item, rfcField)),
};

/** The same, a company's. */
export const companyRfc: Field<Checked> = {
	properties: [companyRfcField],
	read: async (item) => await checkedRfc(item, read(item, companyRfcField), 'PM'),
};

/** The CURP of an item, likewise. */
export const curp: Field<Checked> = {
	properties: [curpField],
	async read(item) {
		const text = read(item, curpField);
		return (await isChecked.read(item))
			? accepted('CURP', checkCurp(text))
			: { value: text, warnings: [] };
	},
};

/** An RFC that came from elsewhere, checked like `rfc`; with `of` it must be a company's. */
export async function checkedRfc(item: Item, text: string, of?: 'PM'): Promise<Checked> {
	const mayBeGeneric = await isGenericAllowed.read(item);
	if (!(await isChecked.read(item))) return { value: text, warnings: [] };
	const check = checkRfc(text);
	if (check.generic && !mayBeGeneric) {
		throw new UserError('"RFC" is the generic one, which belongs to nobody', {
			description: 'Enter the RFC of the person or company, or set the option Allow Generic RFC.',
		});
	}
	const checked = accepted('RFC', check);
	if (!check.hasHomoclave) {
		throw new UserError('"RFC" has no homoclave', {
			description: 'Add its last three characters: a query needs all 12 (company) or 13 (person).',
		});
	}
	if (of === 'PM' && check.type === 'PF') {
		throw new UserError('"RFC" is that of a person, but only companies have shareholders', {
			description: "Enter the company's RFC, 12 characters.",
		});
	}
	return checked;
}

/** Throws a UserError for an identifier of nobody: one that cannot exist, or of somebody born in the future. */
function accepted(field: string, { normalized, errors, warnings }: CheckResult): Checked {
	const flaw = warnings.find(({ code }) => code === 'FUTURE') ?? errors[0];
	if (flaw) {
		throw new UserError(`"${field}" cannot be right: ${flaw.message}`, {
			description: 'Nothing was sent. The option Check Identifiers First switches this check off.',
		});
	}
	return { value: normalized, warnings: warnings.map((warning) => ({ field, ...warning })) };
}
