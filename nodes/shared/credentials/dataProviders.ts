import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { OperationErrorAdvice } from '../errors/advice';
import { joinSentences } from '../utils/joinSentences';
import { CodedError } from '../utils/codedError';
import { repairPem } from './pem';
import { isN8nPlaceholder } from './placeholders';
import { maskedField, requiredTextInput } from './inputBuilders';

/** A company whose login the service uses on behalf of the organization. */
export interface DataProvider {
	name: string;
	/** The end of its path /credential/… */
	value: string;
	/** The login's fields as parameters; the masked ones are secret. */
	fields: INodeProperties[];
	/** Each field holds only letters, digits and underscores, and may be empty (CP §4.1.1 to §4.1.3). */
	isClosed?: true;
	refused?: OperationErrorAdvice;
}

const CLOSED = /^[A-Za-z0-9_]*$/;

/** May be empty, so n8n must not demand it. */
const closed = (displayName: string, name: string, description = ''): INodeProperties =>
	requiredTextInput(displayName, name, {
		required: false,
		description: `${description}Letters, digits and underscores only`,
	});
const closedUser = closed('User', 'user');
const closedPassword = maskedField(closed('Password', 'password'));
const encryptedPassword = maskedField(
	closed(
		'Encrypted Password',
		'password',
		'The password already encrypted, not the plain VPN password. Neither n8n nor this node encrypts it, and the API reference names no key: ask the bureau or your provider. The service tries a login for individuals at the bureau. ',
	),
);
const user = requiredTextInput('User', 'user');
const username = requiredTextInput('Username', 'username');
const password = maskedField(requiredTextInput('Password', 'password'));
const key = (displayName: string, name: string, whose: string): INodeProperties =>
	requiredTextInput(displayName, name, {
		typeOptions: { rows: 4 },
		description: `${whose}, sent as entered. On one line, write \\n for each line break.`,
	});

/** CP §4.1 */
export const providers: DataProvider[] = [
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
		fields: [maskedField(requiredTextInput('Token', 'token'))],
	},
	{
		name: 'Second Credit Bureau', // CP §4.1.6
		value: 'credit-bureau-b',
		fields: [
			// Fields of its own, in the order of the bureau's form.
			maskedField(requiredTextInput('API Key', 'apiKey')),
			{ ...username },
			{ ...password },
			maskedField(key('Client Private Key', 'clientPrivateKey', 'Your own key')),
			key('Bureau Public Key', 'bureauPublicKey', 'The key of the bureau'),
		],
		refused: { mappingKeys: ['fields.bureauPublicKey'] },
	},
];

/** The query service creates a tax profile with this login, which is not among the upserts. */
export const taxAuthorityLogin: DataProvider = {
	name: 'Tax Authority (CIEC)',
	value: 'taxAuthority',
	fields: [
		requiredTextInput('RFC', 'rfc', {
			description: 'Of the person whose CIEC this is',
			placeholder: 'e.g. GODE561231GR8',
		}),
		maskedField(
			requiredTextInput('CIEC', 'ciec', {
				description: 'The password with which this person signs in to the tax authority',
			}),
		),
	],
};

/** There is a selector where there is a choice; the fields of each provider are shown where it is chosen. */
export function providerLoginNodeFields(
	among: DataProvider[],
	show: IDataObject,
): INodeProperties[] {
	const isChoice = among.length > 1;
	const provider: INodeProperties = {
		displayName: 'Provider',
		name: 'provider',
		type: 'options',
		noDataExpression: true,
		options: [{ name: 'Choose…', value: '' }, ...among.map(({ name, value }) => ({ name, value }))],
		default: '',
		required: true,
		description: 'Whose login it is',
	};
	const users = (field: INodeProperties) =>
		among.filter(({ fields }) => fields.includes(field)).map(({ value }) => value);
	const fields = [...new Set(among.flatMap((one) => one.fields))];
	return [
		...(isChoice ? [provider] : []),
		...fields.map((field) => ({
			...field,
			displayOptions: { show: { ...show, ...(isChoice && { provider: users(field) }) } },
		})),
	] as INodeProperties[];
}

/** A key on one line, as editors of n8n before 2.34.5 leave it: `\\n` is a line break. */
const repairKey = (value: string): string | undefined =>
	repairPem(/[\r\n]/.test(value) ? value : value.replaceAll('\\n', '\n'));

export interface CheckedLogin {
	login: Record<string, string>;
	secrets: string[];
	/** These values are odd, and sent as entered. */
	warnings: string[];
}

/** Throws a UserError that names the field, never its value. */
export function parseLogin(
	provider: DataProvider,
	values: IDataObject,
	{ allowsEmpty = false } = {},
): CheckedLogin {
	const { name: issuer, isClosed } = provider;
	const mayBeEmpty = allowsEmpty && isClosed;
	const sent = provider.fields.map(({ displayName, name, typeOptions }) => {
		const value = values[name];
		const label = `'${displayName}' of the provider's login`;
		const problem = (code: string, what: string, description?: string) =>
			new CodedError(`login.${code}`, `${label} ${what}`, { field: displayName, description });
		if (typeof value !== 'string' || (value.trim() === '' && !(mayBeEmpty && value === ''))) {
			throw problem(
				'empty',
				'is empty or not a text',
				joinSentences(
					`Enter it as ${issuer} issued it`,
					isClosed && "If it is to be empty, switch on 'Allow Empty'",
				),
			);
		}
		if (isN8nPlaceholder(value)) {
			throw problem(
				'placeholder',
				'is a placeholder of n8n: open the credential and enter it again',
			);
		}
		if (isClosed && !CLOSED.test(value)) {
			throw problem(
				'characters',
				'may hold only letters, digits and underscores',
				'Copy it without blanks around it.',
			);
		}
		const isKey = typeOptions?.rows !== undefined;
		const text = isKey ? repairKey(value) : value;
		if (text === undefined) {
			throw problem(
				'key',
				'is a key that lost its line breaks or its end',
				'Copy it again, from BEGIN to END. On one line, write \\n for each line break.',
			);
		}
		return {
			name,
			value: text,
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
