import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { creditProfileBaseUrl, taxQueryBaseUrl } from './baseUrl';

/** What the transport must know of a service. */
export interface Service {
	displayName: string;
	credentialType: string;
	/** Host and path that the operations' paths are appended to. Throws a UserError if the URL cannot be right. */
	root(credentials: ICredentialDataDecryptedObject): string;
	/** What the service counts its rate limit by. */
	limitedBy(credentials: ICredentialDataDecryptedObject): string;
	/** What the pacer begins with, until the service's headers tell more. */
	pointsPerSecond(credentials: ICredentialDataDecryptedObject): number;
	/** What to do when the token is refused. */
	tokenHint: string;
	/** What to do when nobody knows whether a POST was accepted. */
	unsureHint: string;
}

/** §8.1: 10 points per second and token. */
export const creditProfile: Service = {
	displayName: 'Credit Profile Service',
	credentialType: 'creditProfileApi',
	root: ({ baseUrl }) => `${creditProfileBaseUrl(baseUrl)}/api/v1`,
	limitedBy: ({ apiToken }) => String(apiToken),
	pointsPerSecond: () => 10,
	tokenHint:
		'Tokens are per environment: check API token and base URL in the Credit Profile credential.',
	unsureHint:
		'It may have been accepted all the same. Running it again is safe: it replaces what is there.',
};

/** §8 of its document: the limit is not shown, so it is an option of the credential. */
export const taxQuery: Service = {
	displayName: 'Tax Query Service',
	credentialType: 'taxQueryApi',
	root: ({ baseUrl }) => taxQueryBaseUrl(baseUrl),
	limitedBy: ({ grant, clientId, pastedToken }) =>
		String(grant === 'accessToken' ? pastedToken : clientId),
	pointsPerSecond: ({ pointsPerSecond }) => Number(pointsPerSecond ?? 10),
	tokenHint: 'Check the Tax Query credential: client ID and secret, or the pasted access token.',
	unsureHint:
		'The query may have been accepted and billed. Before you send it again, look for it with Query → Get Many or in the service.',
};
