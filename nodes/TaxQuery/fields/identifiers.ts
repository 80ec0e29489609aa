import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { areOthers, checkCurp, checkRfc, type CheckResult } from '../../shared/identifiers';
import { oneOf, option, parseText, type Field } from '../../shared/operations/field';
import type { Item } from '../../shared/operations/operation';
import { CodedError } from '../../shared/utils/codedError';

/** What is odd about an identifier, passed along with the result. */
export type Warning = { field: string; code: string; message: string };

export interface Checked {
	/** Normalised if it was checked, else as entered. */
	value: string;
	warnings: Warning[];
}

/** How strictly an item is checked before it is billed. */
const CHECKS = {
	all: { name: 'All', value: 'all', description: 'An item that cannot be right is not sent' },
	generic: {
		name: 'All Except the Generic RFC',
		value: 'allowGeneric',
		description: 'XAXX010101000 and XEXX010101000, which belong to nobody, are sent as well',
	},
	none: { name: 'None', value: 'off', description: 'Identifiers are sent as entered' },
};

const checksOption = (
	...options: Array<(typeof CHECKS)[keyof typeof CHECKS]>
): INodeProperties => ({
	displayName: 'Check Identifiers First',
	name: 'checkIdentifiers',
	type: 'options',
	options,
	default: 'all',
	description:
		'Which items to stop because their RFC, CURP or name cannot exist. A stopped item is not billed. An odd one is sent, with a warning.',
});

export const rfcCheckOptions = [checksOption(CHECKS.all, CHECKS.generic, CHECKS.none)];
const curpCheckOptions = [checksOption(CHECKS.all, CHECKS.none)];
export const nameCheckOptions = curpCheckOptions;

const checks = option(rfcCheckOptions[0], oneOf('all', 'allowGeneric', 'off'), 'all');
const isChecked = async (item: Item) => (await checks.read(item)) !== 'off';

/** A required text field. */
export function textField(
	displayName: string,
	name: string,
	placeholder: string,
	description: string,
): INodeProperties {
	return {
		displayName,
		name,
		type: 'string',
		default: '',
		required: true,
		placeholder,
		description,
	};
}

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

/** The RFC of a billed item. Throws a UserError that names the field if it is empty or cannot be right. */
export const rfc: Field<Checked> = {
	properties: [rfcField],
	read: async (item) => await checkedRfc(item, read(item, rfcField)),
};

/** The same, a company's. */
const companyRfc: Field<Checked> = {
	properties: [companyRfcField],
	read: async (item) => await checkedRfc(item, read(item, companyRfcField), 'PM'),
};

/** The CURP of an item, likewise. */
export const curp: Field<Checked> = {
	properties: [curpField],
	async read(item) {
		const text = read(item, curpField);
		return (await isChecked(item))
			? accepted('CURP', checkCurp(text))
			: { value: text, warnings: [] };
	},
};

/** An RFC that came from elsewhere, checked like `rfc`; with `of` it must be a company's. */
export async function checkedRfc(item: Item, text: string, of?: 'PM'): Promise<Checked> {
	const mayBeGeneric = (await checks.read(item)) === 'allowGeneric';
	if (!(await isChecked(item))) return { value: text, warnings: [] };
	const check = checkRfc(text);
	if (check.generic && !mayBeGeneric) {
		throw new CodedError(
			'identifier.GENERIC',
			"'RFC' is the generic one, which belongs to nobody",
			{
				field: 'RFC',
				description:
					"Enter the RFC of the person or company, or set 'Check Identifiers First' to All Except the Generic RFC.",
			},
		);
	}
	const checked = accepted('RFC', check);
	if (!check.hasHomoclave) {
		throw new CodedError('identifier.HOMOCLAVE', "'RFC' has no homoclave", {
			field: 'RFC',
			description: 'Add its last three characters: a query needs all 12 (company) or 13 (person).',
		});
	}
	if (of === 'PM' && check.type === 'PF') {
		throw new CodedError(
			'identifier.PERSON',
			"'RFC' is that of a person, but only companies have shareholders",
			{
				field: 'RFC',
				description: "Enter the company's RFC, 12 characters.",
			},
		);
	}
	return checked;
}

/** Words of tables and expressions for a missing name. */
const NO_NAME = /^(undefined|null|nan|none|n\/a|#\S*)$/i;

/** A name of a billed item. Throws a UserError if it is none, unless the check is switched off. */
export async function checkedName(item: Item, text: string, label: string): Promise<string> {
	const isName = /\p{L}/u.test(text) && !/[\p{Cc}\p{Extended_Pictographic}<>[\]{}]/u.test(text);
	if ((isName && !NO_NAME.test(text)) || !(await isChecked(item))) return text;
	throw new CodedError('field.name', `'${label}' is no name`, {
		field: label,
		description:
			"Correct it, or check the expression that fills it for this item. 'Check Identifiers First' switches this check off.",
	});
}

/** Throws a UserError for an identifier of nobody: one that cannot exist, or of somebody born in the future. */
function accepted(field: string, { normalized, errors, warnings }: CheckResult): Checked {
	const flaw = warnings.find(({ code }) => code === 'FUTURE') ?? errors[0];
	if (flaw) {
		throw new CodedError(`identifier.${flaw.code}`, `'${field}' cannot be right: ${flaw.message}`, {
			field,
			description: "'Check Identifiers First' switches this check off.",
		});
	}
	return { value: normalized, warnings: warnings.map((warning) => ({ field, ...warning })) };
}

/** Of a result that names another person or company than was asked about: a corrected CURP, or a wrong answer. */
export function otherIdentifiers(asked: IDataObject, result: IDataObject): Warning[] {
	const isOther = (name: string) =>
		[name, name.toLowerCase()].some((own) => areOthers(asked[name.toLowerCase()], result[own]));
	return ['RFC', 'CURP'].filter(isOther).map((field) => ({
		field,
		code: 'otherIdentifier',
		message: `The result names another ${field} than this item. Compare both before you rely on it.`,
	}));
}

/** A query about one identifier, which the body calls `name`. */
const about = (name: 'rfc' | 'curp', field: Field<Checked>, options: INodeProperties[]) => ({
	input: {
		properties: field.properties,
		async read(item: Item) {
			const { value, warnings } = await field.read(item);
			return { fields: { [name]: value }, warnings };
		},
	},
	options,
});

/** Of a query about an RFC, a person's or a company's. */
export const byRfc = about('rfc', rfc, rfcCheckOptions);
/** Of a query about the RFC of a company. */
export const byCompanyRfc = about('rfc', companyRfc, rfcCheckOptions);
/** Of a query about a CURP. */
export const byCurp = about('curp', curp, curpCheckOptions);
