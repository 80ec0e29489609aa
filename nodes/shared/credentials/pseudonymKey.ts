import type { INodeProperties } from 'n8n-workflow';

export const SHORTEST_PSEUDONYM_KEY = 16;

/** The field of both services' credentials. */
export const pseudonymKeyField: INodeProperties = {
	displayName: 'Pseudonym Key',
	name: 'pseudonymKey',
	type: 'string',
	typeOptions: { password: true },
	default: '',
	description:
		'Only for the option Personal Data: Pseudonym. 16 characters or more, e.g. from a password generator. The same key in several credentials gives the same codes.',
};
