import type { ICredentialDataDecryptedObject, INodeProperties } from 'n8n-workflow';
import { textOf } from '../utils/text';

export const SHORTEST_PSEUDONYM_KEY = 16;

/** What is wrong with the optional key of a credential; undefined if nothing. */
export function pseudonymKeyFlaw({ pseudonymKey }: ICredentialDataDecryptedObject) {
	const { length } = textOf(pseudonymKey);
	if (length === 0 || length >= SHORTEST_PSEUDONYM_KEY) return undefined;
	return `'Pseudonym Key' must have ${SHORTEST_PSEUDONYM_KEY} characters or more. Everything else is right.`;
}

/** The field of both services' credentials. */
export const pseudonymKeyField: INodeProperties = {
	displayName: 'Pseudonym Key',
	name: 'pseudonymKey',
	type: 'string',
	typeOptions: { password: true },
	default: '',
	description:
		"Only for 'Personal Data' set to Pseudonym. 16 characters or more, e.g. from a password generator. The same key in several credentials gives the same codes.",
};
