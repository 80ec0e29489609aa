import type { INodeProperties } from 'n8n-workflow';

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
