import type { IDataObject, INodeProperties } from 'n8n-workflow';
import {
	parseLogin,
	providerLoginNodeFields,
	taxAuthorityLogin,
	type CheckedLogin,
	type DataProvider,
} from '../credentials/dataProviders';
import { readLoginFromCredential } from '../credentials/providerFields';
import { optionsEntryField, parseBoolean, type Field } from './fields';
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
			name: 'Stored in the Credential',
			value: 'stored',
			description: 'Encrypted by n8n, neither in the workflow nor in its executions',
		},
	],
	default: 'stored',
	description: "Where the provider's login comes from",
};

export interface CheckedProviderLogin extends CheckedLogin {
	provider: DataProvider;
}

/** CP §4.1.1 to §4.1.3 allow it. */
export const allowEmptyLoginOption = optionsEntryField(
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

/** Each is shown once in a run. */
const newHintSet = () => new Set<string>();

/** It comes from the service's credential or from fields of the node. */
export const loginFieldWithSourceChoice = (
	providers: DataProvider[],
	credentialType: string,
): Field<CheckedProviderLogin> => ({
	properties: [loginFrom, ...providerLoginNodeFields(providers, { loginFrom: ['fields'] })],
	async read(item) {
		const provider =
			providers.length === 1
				? providers[0]
				: providers.find(({ value }) => value === item.parameter('provider'));
		if (!provider) throw fieldError('field.choice', 'Provider', 'is empty or not in the list');
		const isTyped = item.parameter('loginFrom') === 'fields';
		const values = isTyped
			? Object.fromEntries(provider.fields.map(({ name }) => [name, item.parameter(name)]))
			: readLoginFromCredential(await item.credentials(credentialType), provider);
		if (!values) throw noStoredLogin(provider);
		const allowsEmpty = await allowEmptyLoginOption.read(item);
		const login = parseLogin(provider, values as IDataObject, { allowsEmpty });
		const hinted = item.run.shared(newHintSet);
		for (const warning of login.warnings.filter((one) => !hinted.has(one))) {
			hinted.add(warning);
			item.run.hint(`${warning}.`);
		}
		return { provider, ...login };
	},
});

const noStoredLogin = (provider: DataProvider): CodedError =>
	new CodedError('storedLogin.provider', `The credential stores no login of "${provider.name}"`, {
		description:
			provider === taxAuthorityLogin
				? "Open the credential and switch on 'Stored CIEC', or set 'Login From' to Fields of This Node."
				: "Open the credential and choose it in 'Provider Logins', or set 'Login From' to Fields of This Node.",
	});
