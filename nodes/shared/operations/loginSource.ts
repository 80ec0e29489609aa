import {
	UserError,
	type IDataObject,
	type INodeCredentialDescription,
	type INodeProperties,
} from 'n8n-workflow';
import {
	checkLogin,
	loginFields,
	providerField,
	type Provider,
} from '../credentials/providerLogin';
import { credentialsHere } from './credentialsHere';
import type { Field } from './field';
import type { Item } from './operation';

const loginFrom: INodeProperties = {
	displayName: 'Login From',
	name: 'loginFrom',
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'Fields of This Node',
			value: 'fields',
			description: 'What is typed here, or comes in by expressions, is saved with the workflow',
		},
		{
			name: 'Stored Credential',
			value: 'stored',
			description: 'Kept encrypted by n8n, neither in the workflow nor in its executions',
		},
	],
	default: 'stored',
	description: "Where the provider's login comes from",
};

/** What an operation with a login needs where that is stored. */
export const storedLogin: INodeCredentialDescription = {
	name: 'creditProfileProviderLoginApi',
	required: true,
	testedBy: 'testProviderLogin',
	displayOptions: {
		show: { loginFrom: ['stored'] },
	},
};

/** A provider's login, checked offline. */
export interface Login {
	provider: Provider;
	/** The values of the provider's fields by name. */
	login: Record<string, string>;
	/** Those of them that are secret. */
	secrets: string[];
}

/** The login of one of these providers, from a stored credential or from fields of the node. */
export function loginOf(providers: Provider[]): Field<Login> {
	const [only, ...others] = providers;
	const isChoice = others.length > 0;
	const typed = { loginFrom: ['fields'] };
	return {
		properties: isChoice
			? [providerField(providers), loginFrom, credentialsHere, ...loginFields(providers, typed)]
			: [
					loginFrom,
					credentialsHere,
					...only.fields.map((field) => ({ ...field, displayOptions: { show: typed } })),
				],
		async read(item) {
			const chosen = isChoice ? item.parameter('provider') : only.value;
			const provider = providers.find(({ value }) => value === chosen);
			if (!provider) {
				throw new UserError('"Provider" is not in the list', { description: 'Choose one there.' });
			}
			return { provider, ...checkLogin(provider, await valuesOf(item, provider)) };
		},
	};
}

async function valuesOf(item: Item, provider: Provider): Promise<IDataObject> {
	if (item.parameter('loginFrom') === 'fields') {
		return Object.fromEntries(provider.fields.map(({ name }) => [name, item.parameter(name)]));
	}
	const stored = await item.credentials(storedLogin.name);
	if (stored.provider === provider.value) return stored as IDataObject;
	throw new UserError(`The stored login is not one of the provider "${provider.name}"`, {
		description:
			'Choose the same provider in this node and in the credential "Provider or Tax Authority (CIEC) Login API".',
	});
}
