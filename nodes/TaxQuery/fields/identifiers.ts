import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { contradict, checkCurp, checkRfc, type CheckResult } from '../../shared/identifiers';
import {
	parseOneOf,
	optionsEntryField,
	parseText,
	type Field,
} from '../../shared/operations/fields';
import type { Item } from '../../shared/operations/operation';
import { fieldError } from '../../shared/utils/codedError';
import { isObject } from '../../shared/utils/json';
import { textProperty } from './textProperty';

export type OutputRowWarning = { field: string; code: string; message: string };

export interface CheckedIdentifier {
	/** Normalised if it was checked, else as entered. */
	value: string;
	warnings: OutputRowWarning[];
}

const STRICTNESS = [
	{ name: 'All', value: 'all', description: 'An item that cannot be right is not sent' },
	{
		name: 'All, and Those With Warnings',
		value: 'strict',
		description: 'An identifier with a warning, such as a wrong check digit, is not sent either',
	},
	{
		name: 'All Except the Generic RFC',
		value: 'allowGeneric',
		description:
			'XAXX010101000, EXT990101NI4 and the like, which belong to nobody, are sent as well',
	},
	{ name: 'None', value: 'off', description: 'Identifiers are sent as entered' },
];

const checksOption = (options: typeof STRICTNESS): INodeProperties => ({
	displayName: 'Check Identifiers First',
	name: 'checkIdentifiers',
	type: 'options',
	options,
	default: 'all',
	description:
		'Which items to stop, unbilled, because their RFC, CURP or name cannot exist. An odd one is sent, with a warning.',
});

export const rfcCheckOptionProperties = [checksOption(STRICTNESS)];
export const curpCheckOptionProperties = [
	checksOption(STRICTNESS.filter(({ value }) => value !== 'allowGeneric')),
];

const checks = optionsEntryField(
	rfcCheckOptionProperties[0],
	parseOneOf('all', 'strict', 'allowGeneric', 'off'),
	'all',
);

const identifierProperty = (label: string, example: string, what: string) =>
	textProperty(
		label,
		label.toLowerCase(),
		example,
		`${what}; blanks, hyphens and lower case are fine`,
	);
const anyRfcProperty = identifierProperty(
	'RFC',
	'GODE561231GR8',
	"The taxpayer's RFC with homoclave: 13 characters for a person, 12 for a company",
);
const companyRfcProperty = identifierProperty(
	'RFC',
	'EKU9003173C9',
	"The company's RFC with homoclave, 12 characters",
);
const curpProperty = identifierProperty(
	'CURP',
	'PEXL990821HSRRXS05',
	"The person's CURP, 18 characters",
);

/** An identifier as Identifier → Check gives it with Simplify off: its normalised form counts. */
export const normalizedFromCheckOutput = (value: unknown): unknown =>
	isObject(value) && typeof value.normalized === 'string' ? value.normalized : value;

/** Throws a UserError that names the field if it is empty or cannot be right. */
export const rfcField: Field<CheckedIdentifier> = {
	properties: [anyRfcProperty],
	read: async (item) => await readRfc(item),
};

/** With `of` it must be a company's. */
export async function readRfc(item: Item, of?: 'PM'): Promise<CheckedIdentifier> {
	const value = parseText(normalizedFromCheckOutput(item.parameter('rfc')), 'RFC');
	const strictness = await checks.read(item);
	if (strictness === 'off') return { value, warnings: [] };
	const check = checkRfc(value);
	if (check.generic && strictness !== 'allowGeneric') {
		throw fieldError(
			'identifier.GENERIC',
			'RFC',
			'is the generic one, which belongs to nobody',
			"Enter the RFC of the person or company, or set 'Check Identifiers First' to All Except the Generic RFC.",
		);
	}
	const checked = accepted('RFC', check, strictness);
	if (!check.hasHomoclave) {
		throw fieldError(
			'identifier.HOMOCLAVE',
			'RFC',
			'has no homoclave',
			'Add its last three characters: a query needs all 12 (company) or 13 (person).',
		);
	}
	if (of === 'PM' && check.type === 'PF') {
		throw fieldError(
			'identifier.PERSON',
			'RFC',
			'is that of a person, but only companies have shareholders',
			"Enter the company's RFC, 12 characters.",
		);
	}
	return checked;
}

export const curpField: Field<CheckedIdentifier> = {
	properties: [curpProperty],
	async read(item) {
		const value = parseText(normalizedFromCheckOutput(item.parameter('curp')), 'CURP');
		const strictness = await checks.read(item);
		if (strictness === 'off') return { value, warnings: [] };
		return accepted('CURP', checkCurp(value), strictness);
	},
};

const SWITCH_CHECK_OFF = "'Check Identifiers First' switches this check off.";

const SEND_ANYWAY = "To send it anyway, set 'Check Identifiers First' to All.";

export const isIdentifierCheckOff = async (item: Item): Promise<boolean> =>
	(await checks.read(item)) === 'off';

/**
 * Throws a UserError for an identifier of nobody: one that cannot exist, or of somebody born in the future. A strict
 * check refuses one with a warning, too.
 */
function accepted(
	field: string,
	{ normalized, errors, warnings }: CheckResult,
	strictness: string,
): CheckedIdentifier {
	const problem = warnings.find(({ code }) => code === 'FUTURE') ?? errors[0];
	if (problem) {
		const code = `identifier.${problem.code}`;
		throw fieldError(code, field, `cannot be right: ${problem.message}`, SWITCH_CHECK_OFF);
	}
	if (strictness === 'strict' && warnings.length > 0) {
		const [{ code, message }] = warnings;
		throw fieldError(`identifier.${code}`, field, `has a warning: ${message}`, SEND_ANYWAY);
	}
	return {
		value: normalized,
		warnings: warnings.map(({ code, message }) => ({ field, code, message })),
	};
}

/** The result may hold a corrected CURP, or be a wrong response. */
export function getResultIdentifierMismatchWarnings(
	requested: IDataObject,
	result: IDataObject,
): OutputRowWarning[] {
	const isOther = (name: string) =>
		[name, name.toLowerCase()].some((own) =>
			contradict(requested[name.toLowerCase()], result[own]),
		);
	return ['RFC', 'CURP'].filter(isOther).map((field) => ({
		field,
		code: 'otherIdentifier',
		message: `The result names another ${field} than this item. Compare both before you rely on it.`,
	}));
}

/** A query about one identifier, which the body calls `name`; `takes` says so to a model. */
const about = (
	name: 'rfc' | 'curp',
	takes: string,
	{ properties, read }: Field<CheckedIdentifier>,
	options: INodeProperties[],
) => ({
	takes,
	input: {
		properties,
		async read(item: Item) {
			const { value, warnings } = await read(item);
			return { fields: { [name]: value }, warnings };
		},
	},
	options,
});

export const RFC_TOOL_DESCRIPTION = 'RFC: 12 characters (company) or 13 (person), with homoclave';
export const rfcInputWithCheckOptions = about(
	'rfc',
	RFC_TOOL_DESCRIPTION,
	rfcField,
	rfcCheckOptionProperties,
);
export const companyRfcInputWithCheckOptions = about(
	'rfc',
	'RFC: 12 characters, of a company, with homoclave',
	{ properties: [companyRfcProperty], read: async (item) => await readRfc(item, 'PM') },
	rfcCheckOptionProperties,
);
export const curpInputWithCheckOptions = about(
	'curp',
	'CURP: 18 characters',
	curpField,
	curpCheckOptionProperties,
);
