import type { ICredentialDataDecryptedObject, INodeProperties } from 'n8n-workflow';
import { textOf } from '../utils/primitiveText';
import { maskedField, textInput } from './inputBuilders';

export const SHORTEST_PSEUDONYM_KEY = 16;

export function findPseudonymKeyProblem({ pseudonymKey }: ICredentialDataDecryptedObject) {
	const { length } = textOf(pseudonymKey);
	if (length === 0 || length >= SHORTEST_PSEUDONYM_KEY) return undefined;
	return `'Pseudonym Key' must have ${SHORTEST_PSEUDONYM_KEY} characters or more. Everything else is right.`;
}

export const pseudonymKeyField: INodeProperties = maskedField(
	textInput('Pseudonym Key', 'pseudonymKey', {
		description: `Only for 'Personal Data' set to Pseudonym. At least ${SHORTEST_PSEUDONYM_KEY} characters. The same key in several credentials gives the same codes.`,
	}),
);
