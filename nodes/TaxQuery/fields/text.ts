import type { INodeProperties } from 'n8n-workflow';
import { textOf } from '../../shared/utils/text';

/** A text field. */
export const textField = (
	displayName: string,
	name: string,
	example: string,
	description: string,
	required = true,
): INodeProperties => ({
	displayName,
	name,
	type: 'string',
	default: '',
	required,
	placeholder: `e.g. ${example}`,
	description,
});

/** An identifier in upper case, without blanks and hyphens. */
export const plain = (identifier: unknown): string =>
	textOf(identifier).replace(/[\s-]/g, '').toUpperCase();
