import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

/** "bureau/pm" and "password" → "bureauPmPassword": where a credential stores a field of a login. */
const storedName = (provider: string, field: string): string =>
	[...provider.split(/[/-]/), field]
		.map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
		.join('');

/** Fields of a service's credential that store the login of a provider, or the CIEC. */
export function toN8nCredentialLoginFields(
	provider: string,
	login: object,
): ICredentialDataDecryptedObject {
	const fields = Object.entries(login)
		.filter(([name]) => name !== 'provider')
		.map(([name, value]) => [storedName(provider, name), value as unknown]);
	return {
		...(provider === 'taxAuthority' ? { storesCiec: true } : { providerLogins: [provider] }),
		...(Object.fromEntries(fields) as ICredentialDataDecryptedObject),
	};
}

/** Fields of the query service's credential that hold what queries cost: "getCrf" is in "priceGetCrf". */
export const priceFieldsOf = (prices: Record<string, string>): ICredentialDataDecryptedObject => ({
	advanced: true,
	hasPrices: true,
	...Object.fromEntries(
		Object.entries(prices).map(([operation, price]) => [
			`price${operation.charAt(0).toUpperCase()}${operation.slice(1)}`,
			price,
		]),
	),
});

/** Credentials of the nodes by type. */
type Credentials = Record<string, ICredentialDataDecryptedObject>;

/** The same credentials with webhook verification in that of the query service. */
export const withWebhookVerification = (credentials: Credentials, fields: object): Credentials => ({
	...credentials,
	taxQueryApi: { ...credentials.taxQueryApi, ...fields },
});
