import {
	NodeHelpers,
	type ICredentialDataDecryptedObject,
	type INodeProperties,
} from 'n8n-workflow';
import { CreditProfileApi } from '../../../../credentials/CreditProfileApi.credentials';
import { TaxQueryApi } from '../../../../credentials/TaxQueryApi.credentials';

type Data = ICredentialDataDecryptedObject;
const isShown = (data: Data) => (property: INodeProperties) =>
	property.type !== 'hidden' && NodeHelpers.displayParameter(data as never, property, null, null);
const fields = (properties: INodeProperties[], data: Data) =>
	properties.filter(isShown(data)).map(({ displayName }) => displayName);
/** n8n hands it to a node, and its editor saves it. */
const resolved = (properties: INodeProperties[], data: Data, returnDefaults = true) =>
	NodeHelpers.getNodeParameters(properties, data as never, returnDefaults, false, null, null);

/** The editor fills in the defaults of what is not stored. */
const opened = (properties: INodeProperties[], data: Data) =>
	({
		...Object.fromEntries(properties.map(({ name, default: value }) => [name, value])),
		...data,
	}) as Data;

const taxQuery = new TaxQueryApi().properties;
const creditProfile = new CreditProfileApi().properties;

const login = {
	baseUrl: 'https://a.example/api',
	grant: 'clientCredentials',
	clientId: 'id',
	clientSecret: 's',
};
const signed = {
	webhookVerification: 'signature',
	webhookSecret: 's',
	signatureHeader: 'X-Signature',
};

describe('a credential', () => {
	it('has no condition that is undefined, at which n8n before 2.20 fails', () => {
		const conditions = [...taxQuery, ...creditProfile].flatMap(({ displayOptions = {} }) =>
			Object.values(displayOptions),
		);
		expect(conditions.length).toBeGreaterThan(10);
		expect(conditions).not.toContain(undefined);
	});

	it.each<[string, INodeProperties[], Data, string[]]>([
		['Tax Query API', taxQuery, login, ['Base URL', 'Authentication', 'Client ID', 'Client Secret', 'Webhook Verification', 'Stored CIEC', 'Advanced']],
		['Credit Profile API', creditProfile, { baseUrl: 'https://a.example', apiToken: 't' }, ['Base URL', 'API Token', 'Provider Logins', 'Advanced']],
		['Tax Query API, with a signature', taxQuery, { ...login, ...signed }, ['Base URL', 'Authentication', 'Client ID', 'Client Secret', 'Webhook Verification', 'Webhook Secret', 'Signature Format', 'Signature Header', 'Stored CIEC', 'Advanced']],
		['Tax Query API, with a CIEC', taxQuery, { ...login, storesCiec: true }, ['Base URL', 'Authentication', 'Client ID', 'Client Secret', 'Webhook Verification', 'Stored CIEC', 'RFC', 'CIEC', 'Advanced']],
		['Credit Profile API, with a login', creditProfile, { baseUrl: 'https://a.example', apiToken: 't', providerLogins: ['bureau/pf'] }, ['Base URL', 'API Token', 'Provider Logins', 'Individuals: User', 'Individuals: Encrypted Password', 'Advanced']],
	])('shows first what everybody needs: %s', (_name, properties, data, expected) => {
		expect(fields(properties, opened(properties, data))).toEqual(expected);
	}); // prettier-ignore

	const settings: Array<[INodeProperties[], Data, string, unknown]> = [
		[taxQuery, login, 'apiMapping', '{"paths": {"tax": "authority"}}'],
		[taxQuery, login, 'pseudonymKey', 'sixteen or more letters'],
		[taxQuery, login, 'pointsPerSecond', 0],
		[taxQuery, login, 'processes', 4],
		[taxQuery, login, 'additionalSecretFields', '{"api_key": "k"}'],
		[creditProfile, {}, 'apiMapping', '{"paths": {"bureau": "agency"}}'],
		[taxQuery, { ...login, ...signed }, 'additionalWebhookSecrets', 'old'],
		[taxQuery, { ...login, ...signed }, 'keyEncoding', 'hex'],
		[taxQuery, { ...login, ...signed, signatureFormat: 'standard' }, 'timestampTolerance', 60],
	];
	it.each(settings)(
		'keeps and shows a setting in use, whether Advanced is on or off: %#',
		(properties, data, name, value) => {
			for (const advanced of [{}, { advanced: false }, { advanced: true }]) {
				const stored = { ...data, ...advanced, [name]: value } as Data;
				expect(resolved(properties, stored)).toHaveProperty(name, value);
				expect(resolved(properties, stored, false)).toHaveProperty(name, value);
				const shown = properties
					.filter(isShown(opened(properties, stored)))
					.filter((one) => one.name === name);
				expect(shown).toHaveLength(1);
			}
		},
	);

	it('does not show an empty secret as filled in, as the editor writes it', () => {
		const empty = '__n8n_EMPTY_VALUE_7b1af746-3729-4c60-9b9b-e08eb29e58da';
		const data = opened(taxQuery, { ...login, pseudonymKey: empty });
		expect(fields(taxQuery, data)).not.toContain('Pseudonym Key');
	});
});
