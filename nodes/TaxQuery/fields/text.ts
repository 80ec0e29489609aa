import { UserError, type IDataObject, type INodeProperties } from 'n8n-workflow';

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

/** A value as a JSON object: one, its text, or nothing for {}. Throws a UserError that names the field otherwise. */
export function readJson(value: unknown, label: string): IDataObject {
	if (value === undefined || value === null || value === '') return {};
	const parsed = typeof value === 'string' ? parse(value) : value;
	if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
		return parsed as IDataObject;
	}
	throw new UserError(`"${label}" must be a JSON object`, {
		description: 'For example {"name": "value"}, or {} for none.',
	});
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** A number of at least `least`, entered as a number or its digits. Throws a UserError that names the field. */
export function readNumber(value: unknown, label: string, least: number): number {
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	if (typeof number === 'number' && Number.isFinite(number) && number >= least) return number;
	throw new UserError(`"${label}" must be a number, ${least} or more`, {
		description: 'Check the expression that fills it for this item.',
	});
}
