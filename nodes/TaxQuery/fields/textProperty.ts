import type { INodeProperties } from 'n8n-workflow';
import { normalizeText } from '../../shared/utils/cleanText';
import { textOf } from '../../shared/utils/primitiveText';

export const textProperty = (
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

/** An identifier in upper case, without blanks and hyphens, and composed as it is sent. */
export const normalizeIdentifier = (identifier: unknown): string =>
	normalizeText(textOf(identifier))
		.replace(/[\s\u2010\u2011-]/g, '')
		.toUpperCase();
