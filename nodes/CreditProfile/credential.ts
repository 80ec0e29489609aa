import { UserError, type IDataObject, type INodeProperties } from 'n8n-workflow';
import type { Item, Operation, Resource } from '../shared/operation';
import { readSimplify, readWanted, returnAllAndLimit, simplifyField } from '../shared/fields';
import { checkLogin, loginFields, providerField, providers, type Provider } from './providers';
import { simplifyCredential } from './simplify';

export const loginFromField: INodeProperties = {
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

/** The login from where the operator keeps it: a stored credential, or the parameters of the node. */
export async function loginOf(item: Item, provider: Provider): Promise<IDataObject> {
	if (item.parameter('loginFrom') === 'fields') {
		return Object.fromEntries(provider.fields.map(({ name }) => [name, item.parameter(name)]));
	}
	const stored = await item.credentials('creditProfileProviderLoginApi');
	if (stored.provider === provider.value) return stored as IDataObject;
	throw new UserError(`The stored login is not one of the provider "${provider.name}"`, {
		description: 'Choose the same provider in this node and in the provider login credential.',
	});
}

const upsert: Operation = {
	name: 'Create or Update',
	value: 'upsert',
	action: 'Create or update a credential',
	description: 'Create a new record, or update the current one if it already exists (upsert)',
	fields: [
		providerField(providers),
		loginFromField,
		...loginFields(providers, { loginFrom: ['fields'] }),
		simplifyField,
	],
	/** §4.1; creates or replaces the organization's credential for the provider. */
	async execute(item) {
		const provider = providers.find(({ value }) => value === item.parameter('provider'));
		if (!provider) {
			throw new UserError('"Provider" is none of the list', { description: 'Choose one there.' });
		}
		const { login, secrets } = checkLogin(provider, await loginOf(item, provider));
		const credential = (await item.request({
			method: 'POST',
			path: `/credential/${provider.value}`,
			body: login,
			secrets,
		})) as IDataObject;
		return readSimplify(item) ? simplifyCredential(credential) : credential;
	},
};

const getMany: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many credentials',
	description: "Get the organization's provider credentials",
	fields: [...returnAllAndLimit, simplifyField],
	/** §4.2: one array holds them all. */
	async execute(item) {
		const wanted = readWanted(item);
		const answer = await item.request({ method: 'GET', path: '/credential' });
		const credentials = (answer as IDataObject[]).slice(0, wanted);
		return readSimplify(item) ? credentials.map(simplifyCredential) : credentials;
	},
};

export const credential: Resource = {
	name: 'Credential',
	value: 'credential',
	operations: [getMany, upsert],
};
