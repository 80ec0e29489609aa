import type { ICredentialDataDecryptedObject, IDataObject, INodeProperties } from 'n8n-workflow';
import { capitalize, textOf } from '../utils/primitiveText';
import { shownFor } from './inputBuilders';
import { parseLogin, providers, taxAuthorityLogin, type DataProvider } from './dataProviders';

type Credential = ICredentialDataDecryptedObject;

const CHOICE = 'providerLogins';
const STORES_CIEC = 'storesCiec';

/** "bureauPmPassword" */
export const storedFieldName = ({ value }: DataProvider, field: string): string =>
	value.replace(/[/-](\w)/g, (_, letter: string) => letter.toUpperCase()) + capitalize(field);

/** "Credit Bureau: Companies (Persona Moral)" → "Companies" */
const providerLabel = ({ name }: DataProvider) => name.replace(/^.*: | \(.*$/g, '');

const storedFields = (provider: DataProvider, hasLabel: boolean, shown: Partial<INodeProperties>) =>
	provider.fields.map((field): INodeProperties => ({
		...field,
		displayName: hasLabel ? `${providerLabel(provider)}: ${field.displayName}` : field.displayName,
		name: storedFieldName(provider, field.name),
		...shown,
	}));

/** Provider logins in the credential of the Credit Profile Service; n8n masks fields at its top level only. */
export const providerLoginProperties: INodeProperties[] = [
	{
		displayName: 'Provider Logins',
		name: CHOICE,
		type: 'multiOptions',
		options: providers.map(({ name, value }) => ({ name, value })),
		default: [],
		description:
			'Logins at data providers to store here, for Provider Login → Create or Update. Each choice shows its fields.',
	},
	...providers.flatMap((provider) =>
		storedFields(provider, true, shownFor(CHOICE, provider.value)),
	),
];

/** The CIEC of the operator's own company in the credential of the query service. */
export const storedCiecFields: INodeProperties[] = [
	{
		displayName: 'Stored CIEC',
		name: STORES_CIEC,
		type: 'boolean',
		default: false,
		description:
			'Whether to store the RFC and CIEC of your own company here, for Tax Authority → Create Tax Profile',
	},
	...storedFields(taxAuthorityLogin, false, {
		displayOptions: { show: { [STORES_CIEC]: [true] } },
	}),
];

const isStored = (credential: Credential, { value }: DataProvider): boolean => {
	if (value === taxAuthorityLogin.value) return credential[STORES_CIEC] === true;
	const chosen = credential[CHOICE];
	return Array.isArray(chosen) && (chosen as unknown[]).includes(value);
};

/** Is undefined if the credential holds none of this provider. */
export function readLoginFromCredential(
	credential: Credential,
	provider: DataProvider,
): IDataObject | undefined {
	if (!isStored(credential, provider)) return undefined;
	const values = provider.fields.map(({ name }) => [
		name,
		credential[storedFieldName(provider, name)],
	]);
	return Object.fromEntries(values) as IDataObject;
}

const all = [...providers, taxAuthorityLogin];

/** None is tried at its provider. */
export function findLoginProblem(credential: Credential): string | undefined {
	for (const provider of all) {
		const login = readLoginFromCredential(credential, provider);
		try {
			if (login) parseLogin(provider, login);
		} catch (error) {
			return `${provider.name}: ${(error as Error).message}`;
		}
	}
	return undefined;
}

/** A response could echo them. A key is searched only where it is sent. */
export const storedLoginSecrets = (credential: Credential): string[] =>
	all.flatMap((provider) => {
		const login = readLoginFromCredential(credential, provider) ?? {};
		return provider.fields
			.filter(({ typeOptions }) => typeOptions?.password && !typeOptions.rows)
			.map(({ name }) => textOf(login[name]))
			.filter(Boolean);
	});
