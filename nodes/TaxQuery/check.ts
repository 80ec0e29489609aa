import { UserError, type INodeProperties } from 'n8n-workflow';
import { readSwitch } from '../shared/fields';
import { checkCurp, checkRfc, type CheckResult } from '../shared/identifiers';
import type { Item } from '../shared/operation';
import { readText } from './fields';

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

const isChecked = ({ options }: Item) =>
	readSwitch(options.checkIdentifiers ?? true, 'Check Identifiers First');

/**
 * The RFC of an item, to be paid for; with `of` it must be a company's or a person's. Throws a UserError that names the
 * field if it is empty, or the check finds an error.
 */
export function readRfc(item: Item, of?: 'PM'): Checked {
	return checkedRfc(item, readText(item, 'rfc', 'RFC'), of);
}

/** The same for an RFC that came from elsewhere. */
export function checkedRfc(item: Item, text: string, of?: 'PM'): Checked {
	if (!isChecked(item)) return { value: text, warnings: [] };
	const check = checkRfc(text);
	if (check.generic && !readSwitch(item.options.allowGenericRfc ?? false, 'Allow Generic RFC')) {
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

/** The CURP of an item, to be paid for. Throws a UserError like readRfc. */
export function readCurp(item: Item): Checked {
	const text = readText(item, 'curp', 'CURP');
	return isChecked(item) ? accepted('CURP', checkCurp(text)) : { value: text, warnings: [] };
}

function accepted(field: string, { normalized, errors, warnings }: CheckResult): Checked {
	if (errors.length > 0) {
		throw new UserError(`"${field}" cannot be right: ${errors[0].message}`, {
			description: 'Nothing was sent. The option Check Identifiers First switches this check off.',
		});
	}
	return { value: normalized, warnings: warnings.map((warning) => ({ field, ...warning })) };
}
