import type { IDataObject } from 'n8n-workflow';
import { textOf } from '../utils/primitiveText';
import { credentialError } from './fieldError';

/**
 * n8n's editor shows this public constant for a masked value, and stores it instead where it loses track of the
 * value.
 */
const BLANK = /__n8n_(BLANK|EMPTY)_VALUE_/;

export const isN8nPlaceholder = (value: unknown): boolean =>
	typeof value === 'string' && BLANK.test(value);

/** The token that a login brought: nobody entered it, and a new one takes its place. */
const ISSUED = 'accessToken';

/** The text names the field. Used as a secret, everybody would know the placeholder. */
export function findN8nPlaceholderProblem(credentials: IDataObject): string | undefined {
	const [name] =
		Object.entries(credentials).find(([key, value]) => key !== ISSUED && isN8nPlaceholder(value)) ??
		[];
	return name === undefined
		? undefined
		: `'${fieldLabel(name)}' in the credential holds a placeholder of n8n instead of its value`;
}

/** A login's text as it is sent: blanks around it are invisible in the editor, and part of none. */
export const loginText = (value: unknown): string => textOf(value).trim();

const LOGIN_FIELDS = ['apiToken', 'pastedToken', 'clientId', 'clientSecret'];

/** Texts that no token, client ID or secret is, what is wrong with them, and what to do. */
const NO_LOGIN: Array<[form: RegExp, what: string, todo: string]> = [
	[/^(["'`]).*\1$|^[“«].*[”»]$/s, 'is in quotes', 'Open the credential and enter it without them.'],
	[
		/^["']?authorization["']?\s*:/i,
		'begins with the name of the header Authorization',
		'Open the credential and enter the token alone.',
	],
	[
		/^(?:undefined|null|nan|\[object object\])$/i,
		'is a word for a missing value',
		'Check the expression or external secret that fills it in the credential.',
	],
];

/** Throws a UserError if a field of a credential holds a placeholder of n8n's editor. */
export function refuseN8nPlaceholders(credentials: IDataObject): void {
	const problem = findN8nPlaceholderProblem(credentials);
	if (problem !== undefined)
		throw credentialError(problem, 'Open the credential and enter it again.');
}

/** Throws a UserError if a field of a credential holds what surely is not its value. */
export function refuseUnusableFields(credentials: IDataObject): void {
	refuseN8nPlaceholders(credentials);
	for (const name of LOGIN_FIELDS) {
		const value = bareToken(credentials[name]);
		const found = NO_LOGIN.find(([form]) => form.test(value));
		if (found)
			throw credentialError(`'${fieldLabel(name)}' in the credential ${found[1]}`, found[2]);
	}
}

/** The token without the scheme word that was pasted or sent with it. */
export const bareToken = (value: unknown): string =>
	loginText(value).replace(/^(bearer|token)(\s+|$)/i, '');

/** Fields whose label is not their name. */
const LABELS: Record<string, string> = {
	pastedToken: 'Access Token',
	apiToken: 'API Token',
	apiKey: 'API Key',
	apiMapping: 'API Mapping',
	baseUrl: 'Base URL',
	clientId: 'Client ID',
	taxAuthorityCiec: 'CIEC',
};

const fieldLabel = (name: string): string =>
	LABELS[name] ??
	name.replace(/^[a-z]/, (first) => first.toUpperCase()).replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
