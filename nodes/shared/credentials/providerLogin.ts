import {
	type ICredentialsDecrypted,
	type ICredentialTestFunctions,
	type IDataObject,
	type INodeCredentialTestResult,
	type INodeProperties,
} from 'n8n-workflow';
import type { Advice } from '../messages/advice';
import { sentences } from '../utils/sentences';
import { CodedError } from '../utils/codedError';

/** A company whose login the service uses on behalf of the organization. */
export interface Provider {
	name: string;
	/** The end of its path /credential/… */
	value: string;
	/** Its login, as parameters; the masked ones are secret. */
	fields: INodeProperties[];
	/** Each field holds only letters, digits and underscores, and may be empty (CP §4.1.1 to §4.1.3). */
	isClosed?: true;
	/** What to look at where the service refuses the login. */
	refused?: Advice;
}

const CLOSED = /^[A-Za-z0-9_]*$/;
/** What n8n's editor may keep in the place of a masked value that became an expression. */
const BLANK = '__n8n_BLANK_VALUE_';

const text = (displayName: string, name: string, description?: string): INodeProperties => ({
	displayName,
	name,
	type: 'string',
	default: '',
	required: true,
	...(description && { description }),
});
const secret = (displayName: string, name: string, description?: string): INodeProperties => ({
	...text(displayName, name, description),
	typeOptions: { password: true },
});

/** May be empty, so n8n must not demand it. */
const closed = (field: INodeProperties): INodeProperties => ({ ...field, required: false });
const closedUser = closed(text('User', 'user', 'Letters, digits and underscores only'));
const closedPassword = closed(
	secret('Password', 'password', 'Letters, digits and underscores only'),
);
const encryptedPassword = closed(
	secret(
		'Encrypted Password',
		'password',
		'The encrypted password, not the plain VPN password. Letters, digits and underscores only. The service tries a login for individuals at the bureau.',
	),
);
const user = text('User', 'user');
const username = text('Username', 'username');
const password = secret('Password', 'password');

/** One row for each upsert of CP §4.1. */
export const providers: Provider[] = [
	{
		name: 'Credit Bureau: Companies (Persona Moral)', // CP §4.1.1
		value: 'bureau/pm',
		fields: [closedUser, closedPassword],
		isClosed: true,
	},
	{
		name: 'Credit Bureau: Individuals (Persona Física)', // CP §4.1.2
		value: 'bureau/pf',
		fields: [closedUser, encryptedPassword],
		isClosed: true,
		refused: { todo: 'encryptedPassword' },
	},
	{
		name: 'Credit Bureau: Prospector (Prospección)', // CP §4.1.3
		value: 'prospector/pf',
		fields: [closedUser, encryptedPassword],
		isClosed: true,
	},
	{
		name: 'Identity Verification', // CP §4.1.4
		value: 'identity-verification',
		fields: [user, password],
	},
	{
		name: 'Legal Records', // CP §4.1.7
		value: 'legal-records',
		fields: [username, password],
	},
	{
		name: 'Sanctions Screening', // CP §4.1.5
		value: 'sanctions-screening',
		fields: [secret('Token', 'token')],
	},
	{
		name: 'Second Credit Bureau', // CP §4.1.6
		value: 'credit-bureau-b',
		fields: [
			// Fields of its own, in the order of the bureau's form.
			secret('API Key', 'apiKey'),
			{ ...username },
			{ ...password },
			{
				...text(
					'Client Private Key',
					'clientPrivateKey',
					'Your own key, sent as entered. On one line, write \\n for each line break.',
				),
				typeOptions: { password: true, rows: 4 },
			},
			{
				...text(
					'Bureau Public Key',
					'bureauPublicKey',
					'The key of the bureau, sent as entered. On one line, write \\n for each line break.',
				),
				typeOptions: { rows: 4 },
			},
		],
		refused: { mappingKeys: ['fields.bureauPublicKey'] },
	},
];

/** Not among the upserts: with it the query service creates a tax profile. */
export const taxAuthority: Provider = {
	name: 'Tax Authority (CIEC)',
	value: 'taxAuthority',
	fields: [
		{
			...text('RFC', 'rfc', 'Of the person whose CIEC this is'),
			placeholder: 'e.g. GODE561231GR8',
		},
		secret('CIEC', 'ciec', 'The password with which this person signs in to the tax authority'),
	],
};

/** The selector of these providers. */
export function providerField(among: Provider[]): INodeProperties {
	return {
		displayName: 'Provider',
		name: 'provider',
		type: 'options',
		noDataExpression: true,
		options: [{ name: 'Choose…', value: '' }, ...among.map(({ name, value }) => ({ name, value }))],
		default: '',
		required: true,
		description: 'Whose login it is',
	};
}

/** The login's fields of these providers, each shown where one of those that use it is chosen. */
export function loginFields(among: Provider[], show: IDataObject = {}): INodeProperties[] {
	const fields = new Set(among.flatMap((provider) => provider.fields));
	return [...fields].map((field) => ({
		...field,
		displayOptions: {
			show: {
				...show,
				provider: among.filter((one) => one.fields.includes(field)).map(({ value }) => value),
			},
		},
	})) as INodeProperties[];
}

/** A key on one line, as editors of n8n before 2.34.5 leave it: `\\n` is a line break. */
const keyOf = (value: string) => (/[\r\n]/.test(value) ? value : value.replaceAll('\\n', '\n'));

/** A login as it is sent. */
export interface CheckedLogin {
	/** The provider's fields by name. */
	login: Record<string, string>;
	/** Those of their values that are secret. */
	secrets: string[];
	/** What is odd, and was sent as entered. */
	warnings: string[];
}

/**
 * Checks a login before a request is spent on it. In: the provider, and its fields' values by name. Throws a UserError
 * that names the field, never its value.
 */
export function checkLogin(
	provider: Provider,
	values: IDataObject,
	{ allowsEmpty = false } = {},
): CheckedLogin {
	const mayBeEmpty = allowsEmpty && provider.isClosed;
	const sent = provider.fields.map(({ displayName, name, typeOptions }) => {
		const value = values[name];
		const label = `'${displayName}' of the provider's login`;
		if (typeof value !== 'string' || (value.trim() === '' && !(mayBeEmpty && value === ''))) {
			throw new CodedError('login.empty', `${label} is empty or not a text`, {
				field: displayName,
				description: sentences(
					`Enter it as ${provider.name} issued it`,
					provider.isClosed && "If it is to be empty, switch on 'Allow Empty'",
				),
			});
		}
		if (value.startsWith(BLANK)) {
			throw new CodedError(
				'login.placeholder',
				`'${displayName}' of the provider's login is a placeholder of n8n: open the credential and enter it again`,
				{ field: displayName },
			);
		}
		if (provider.isClosed && !CLOSED.test(value)) {
			throw new CodedError(
				'login.characters',
				`'${displayName}' of the provider's login may hold only letters, digits and underscores`,
				{
					field: displayName,
					description: 'Copy it as the bureau issued it, without blanks around it.',
				},
			);
		}
		const isKey = typeOptions?.rows !== undefined;
		return {
			name,
			value: isKey ? keyOf(value) : value,
			isSecret: typeOptions?.password,
			warning:
				!isKey && value !== value.trim()
					? `${label} begins or ends with a blank or line break; it was sent as entered`
					: '',
		};
	});
	return {
		login: Object.fromEntries(sent.map(({ name, value }) => [name, value])),
		secrets: sent.filter(({ isSecret }) => isSecret).map(({ value }) => value),
		warnings: sent.map(({ warning }) => warning).filter(Boolean),
	};
}

/** Tests a stored provider login offline: only its shape, so that no login is tried at the provider. */
export async function testProviderLogin(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const provider = [...providers, taxAuthority].find(({ value }) => value === data.provider);
	if (!provider) return { status: 'Error', message: 'Choose a provider from the list' };
	try {
		checkLogin(provider, data as IDataObject);
		return { status: 'OK', message: 'The login is complete; it was not tried at the provider' };
	} catch (error) {
		return { status: 'Error', message: (error as Error).message };
	}
}
