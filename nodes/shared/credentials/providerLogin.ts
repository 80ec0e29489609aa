import {
	UserError,
	type ICredentialsDecrypted,
	type ICredentialTestFunctions,
	type IDataObject,
	type INodeCredentialTestResult,
	type INodeProperties,
} from 'n8n-workflow';

/** A company whose login the service uses on behalf of the organization. */
export interface Provider {
	name: string;
	/** The end of its path /credential/… */
	value: string;
	/** Its login, as parameters; the masked ones are secret. */
	fields: INodeProperties[];
	/** Each field holds only letters, digits and underscores. */
	isClosed?: true;
	/** What to look at where the service refuses the login. */
	refusedHint?: string;
}

const CLOSED = /^[A-Za-z0-9_]+$/;
/** Issued by a machine: no blank belongs to them. */
const ISSUED = ['token', 'apiKey'];
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

const closedUser = text('User', 'user', 'Letters, digits and underscores only');
const closedPassword = secret('Password', 'password', 'Letters, digits and underscores only');
const encryptedPassword = secret(
	'Encrypted Password',
	'password',
	'The encrypted password, not the plain VPN password. Letters, digits and underscores only. The service tries a login for individuals at the bureau.',
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
		refusedHint:
			'The service tries this login at the bureau: check that it is current, and that the password is the encrypted one.',
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
			// Fields of its own, so that they stand in the order of the bureau's form.
			secret('API Key', 'apiKey'),
			{ ...username },
			{ ...password },
			{
				...text('Client Private Key', 'clientPrivateKey', 'Your own key, with its line breaks'),
				typeOptions: { password: true, rows: 4 },
			},
			{
				...text(
					'Bureau Public Key',
					'bureauPublicKey',
					'The key of the bureau, with its line breaks',
				),
				typeOptions: { rows: 4 },
			},
		],
		refusedHint:
			"If the deployment calls bureauPublicKey otherwise, set fields.bureauPublicKey in the credential's API Mapping.",
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
	const firstValue = among[0].value;
	return {
		displayName: 'Provider',
		name: 'provider',
		type: 'options',
		noDataExpression: true,
		options: among.map(({ name, value }) => ({ name, value })),
		default: firstValue,
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

/**
 * A key as it is sent. Editors of n8n before 2.34.5 drop the line breaks of a masked key: a PEM gets them back where they
 * are gone or written as \\n, and is sent as it is where it has them. Undefined where nobody can tell where they were.
 */
function readKey(value: string): string | undefined {
	const isOneLine = !/[\r\n]/.test(value.trim());
	if (!isOneLine || !/--\s*(?:BEGIN|END)\b/.test(value)) return value;
	const key = value.replace(/(?:\\+r)?\\+n/g, '\n').trim();
	const [, label, body] = /^-----BEGIN ([^-]+)-----([^-]+)-----END \1-----$/.exec(key) ?? [];
	const base64 = body?.replace(/\s/g, '');
	if (base64 && /^[A-Za-z0-9+/]+={0,2}$/.test(base64)) {
		const lines = base64.match(/.{1,64}/g) ?? [];
		return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
	}
	return /^-----BEGIN ([^-]+)-----\n[^]+\n-----END \1-----$/.test(key) ? `${key}\n` : undefined;
}

/**
 * Checks a login before a request is spent on it. In: the provider, and its fields' values by name. Out: the same
 * fields as they are sent, and which of their values are secret. Throws a UserError that names the field, never its value.
 */
export function checkLogin(
	provider: Provider,
	values: IDataObject,
): { login: Record<string, string>; secrets: string[] } {
	const login: Record<string, string> = {};
	for (const { displayName, name, typeOptions } of provider.fields) {
		const value = values[name];
		if (typeof value !== 'string' || value.trim() === '') {
			throw new UserError(`"${displayName}" of the provider's login is empty or not a text`, {
				description: `Enter it as ${provider.name} issued it.`,
			});
		}
		if (value.startsWith(BLANK)) {
			throw new UserError(
				`"${displayName}" of the provider's login is a placeholder of n8n: open the credential and enter it again`,
			);
		}
		const edges = ISSUED.includes(name) ? /^\s|\s$/ : /^[\t\r\n]|[\t\r\n]$/;
		if (!typeOptions?.rows && edges.test(value)) {
			throw new UserError(
				`"${displayName}" of the provider's login begins or ends with a blank or line break`,
				{ description: `Enter it as ${provider.name} issued it.` },
			);
		}
		if (provider.isClosed && !CLOSED.test(value)) {
			throw new UserError(
				`"${displayName}" of the provider's login may hold only letters, digits and underscores`,
				{ description: 'Copy it as the bureau issued it, without blanks around it.' },
			);
		}
		const sent = typeOptions?.rows ? readKey(value) : value;
		if (sent === undefined) {
			throw new UserError(`"${displayName}" of the provider's login has lost its line breaks`, {
				description:
					'Enter it with them. Where the editor shows one line and drops them, write \\n in the place of each.',
			});
		}
		login[name] = sent;
	}
	const secrets = provider.fields
		.filter(({ typeOptions }) => typeOptions?.password)
		.map(({ name }) => login[name]);
	return { login, secrets };
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
