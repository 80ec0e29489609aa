import {
	type IDataObject,
	type INodeCredentialDescription,
	type INodeProperties,
} from 'n8n-workflow';
import {
	checkLogin,
	loginFields,
	type CheckedLogin,
	type Provider,
} from '../credentials/providerLogin';
import { option, parseBoolean, type Field } from './field';
import { credentialsHere } from './operation';
import { CodedError, fieldError } from '../utils/codedError';

const loginFrom: INodeProperties = {
	displayName: 'Login From',
	name: 'loginFrom',
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'Fields of This Node',
			value: 'fields',
			description: 'Saved with the workflow',
		},
		{
			name: 'Stored Credential',
			value: 'stored',
			description: 'Encrypted by n8n, neither in the workflow nor in its executions',
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
export interface Login extends CheckedLogin {
	provider: Provider;
}

/** CP §4.1.1 to §4.1.3 allow it. */
export const allowEmpty = option(
	{
		displayName: 'Allow Empty',
		name: 'allowEmpty',
		type: 'boolean',
		default: true,
		description:
			'Whether the user or password of a credit bureau or prospector may be empty. Off: the item fails before sending.',
	},
	parseBoolean,
	false,
);

/** What was said of logins in a run, each once. */
const saidInRun = () => new Set<string>();

/** The login of one of these providers, from a stored credential or from fields of the node. */
export const loginOf = (providers: Provider[]): Field<Login> => ({
	properties: [loginFrom, credentialsHere, ...loginFields(providers, { loginFrom: ['fields'] })],
	async read(item) {
		const isTyped = item.parameter('loginFrom') === 'fields';
		const stored = isTyped ? undefined : await item.credentials(storedLogin.name);
		const valueOf = (name: string) => (stored ? stored[name] : item.parameter(name));
		const isOnly = isTyped && providers.length === 1;
		const provider = providers.find(({ value }) => isOnly || value === valueOf('provider'));
		if (!provider) throw noProvider(isTyped, providers);
		const values = Object.fromEntries(
			provider.fields.map(({ name }) => [name, valueOf(name)]),
		) as IDataObject;
		const allowsEmpty = await allowEmpty.read(item);
		const login = checkLogin(provider, values, { allowsEmpty });
		const said = item.run.shared(saidInRun);
		for (const warning of login.warnings.filter((one) => !said.has(one))) {
			said.add(warning);
			item.run.hint(`${warning}.`);
		}
		return { provider, ...login };
	},
});

function noProvider(isTyped: boolean, providers: Provider[]): CodedError {
	if (isTyped) return fieldError('field.choice', 'Provider', 'is empty or not in the list');
	const wanted = providers.length > 1 ? 'a data provider' : `"${providers[0].name}"`;
	return new CodedError('storedLogin.provider', `The stored login is not one of ${wanted}`, {
		description: 'Choose another stored login.',
	});
}
