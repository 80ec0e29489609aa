import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import {
	renewStoredAccessToken,
	lastLoginError,
	noteTokenAccepted,
	noteTokenRefused,
	renewOldToken,
	authSecrets,
} from '../credentials/accessToken';
import {
	readCreditProfileApiMapping,
	readTaxQueryApiMapping,
	type CreditProfileMapping,
	type TaxQueryMapping,
} from '../credentials/apiMapping';
import { creditProfileAuthHeader, taxQueryAuthHeader } from '../credentials/authorization';
import { readCreditProfileBaseUrl, readTaxQueryBaseUrl } from '../credentials/baseUrl';
import { bareToken, loginText, refuseUnusableFields } from '../credentials/placeholders';
import { readPrices, type Prices } from '../credentials/prices';
import { storedLoginSecrets } from '../credentials/providerFields';
import { webhookSecretsToMask } from '../credentials/webhookFields';
import { textOf } from '../utils/primitiveText';

type Credentials = ICredentialDataDecryptedObject;

export interface ServiceDefinition<Mapping = unknown> {
	displayName: string;
	credentialType: string;
	/** Host and path that the operations' paths are appended to. Throws a UserError if the credential cannot be right. */
	root(credentials: Credentials): string;
	/** The environment's names. Throws a UserError if the credential's API Mapping cannot be used. */
	mapping(credentials: Credentials): Mapping;
	/** The service counts its rate limit by this. */
	limitedBy(credentials: Credentials): string;
	/** Is independent of the token; undefined if only the token has it. */
	account?(credentials: Credentials): string;
	/** The secret that lasts: fingerprints of other secrets are made with it. */
	sealKey(credentials: Credentials): unknown;
	/** Applies until the service's headers show another limit. */
	pointsPerSecond(credentials: Credentials): number;
	/** So many share the limit; undefined if the service's headers show it (CP §8.4). */
	processes?(credentials: Credentials): number;
	/** What queries cost, if the operator has entered it. Throws a UserError if a price is no amount. */
	prices?(credentials: Credentials): Prices | undefined;
	/** None of these must come back in an error. */
	secrets(credentials: Credentials): string[];
	/**
	 * The header Authorization; undefined if a token must be fetched first. Throws a UserError if the credential cannot be
	 * right.
	 */
	authorization(credentials: Credentials): string | undefined;
	/** Each gets the credentials that a request was sent with. */
	tokens?: {
		/** n8n stores the result in the credential's `accessToken`. Throws a LoginError. */
		logIn: typeof renewStoredAccessToken;
		accepted(credentials: Credentials): void;
		/** True if a new token is worth a try. */
		refused(credentials: Credentials): boolean;
		/** Has a token that is not new replaced before the next request; returns false where it cannot be. */
		renewOld(credentials: Credentials): boolean;
		/** Undefined if nothing is known. */
		failure: typeof lastLoginError;
	};
	/** The credential's test only reads. Undefined if there is nothing to read. */
	testPath(mapping: Mapping): string | undefined;
	/** Advice for when the token is refused. */
	tokenHint: string;
	/** A text for an address at which there is no such service. */
	noServiceHint: string;
	/** The key of the API Mapping that may be missing, by the status of the credential's test. */
	testKeys: Record<string, string>;
	/** Advice for when nobody knows whether a POST was accepted. */
	uncertainHint: string;
}

/** CP §8.1: 10 points per second and token. */
export const creditProfile: ServiceDefinition<CreditProfileMapping> = {
	displayName: 'Credit Profile Service',
	credentialType: 'creditProfileApi',
	root(credentials) {
		refuseUnusableFields(credentials);
		return `${readCreditProfileBaseUrl(credentials.baseUrl)}/api/v1`;
	},
	mapping: readCreditProfileApiMapping,
	limitedBy: ({ apiToken }) => bareToken(apiToken),
	sealKey: ({ apiToken }) => apiToken,
	pointsPerSecond: () => 10,
	secrets: (credentials) => [
		bareToken(credentials.apiToken),
		String(credentials.pseudonymKey ?? ''),
		...storedLoginSecrets(credentials),
	],
	authorization: creditProfileAuthHeader,
	testPath: credentialsPath,
	tokenHint:
		'Tokens are per environment: check API token and base URL in the Credit Profile credential.',
	noServiceHint: 'No Credit Profile Service at this base URL; it must be the host root.',
	testKeys: { '404': 'paths.credential' },
	uncertainHint:
		'It is not known whether the service accepted it. Check Get Many before you send it again.',
};

/** TQ §8: the limit is not shown, so it is a field of the credential. */
export const taxQuery: ServiceDefinition<TaxQueryMapping> = {
	displayName: 'Tax Query Service',
	credentialType: 'taxQueryApi',
	root(credentials) {
		refuseUnusableFields(credentials);
		return readTaxQueryBaseUrl(credentials.baseUrl);
	},
	mapping: readTaxQueryApiMapping,
	limitedBy: ({ grant, clientId, pastedToken }) =>
		grant === 'accessToken' ? bareToken(pastedToken) : loginText(clientId),
	account: ({ grant, clientId }) => (grant === 'accessToken' ? '' : loginText(clientId)),
	sealKey: ({ grant, clientSecret, pastedToken }) =>
		grant === 'accessToken' ? pastedToken : clientSecret,
	pointsPerSecond: ({ pointsPerSecond }) => Number(pointsPerSecond ?? 10),
	processes: ({ processes }) => Math.max(1, Number(processes ?? 1) || 1),
	prices: readPrices,
	secrets: (credentials) => [
		...authSecrets(credentials),
		...webhookSecretsToMask(credentials),
		...storedLoginSecrets(credentials),
	],
	authorization: taxQueryAuthHeader,
	tokens: {
		logIn: renewStoredAccessToken,
		accepted: noteTokenAccepted,
		refused: noteTokenRefused,
		renewOld: renewOldToken,
		failure: lastLoginError,
	},
	testPath: listPath,
	tokenHint: 'Check the Tax Query credential: client ID and secret, or the pasted access token.',
	noServiceHint: 'No query service at this base URL; it usually ends with /api.',
	testKeys: { '400': 'list.parameters', '404': 'paths.getAll', '422': 'list.parameters' },
	uncertainHint:
		'The query may have been accepted and billed. Before you send it again, look for it with Query → Get Many or in the service.',
};

const fromRoot = (path: string): string => `/${path.replace(/^\/+/, '')}`;

function credentialsPath({ paths: { credential = 'credential' } }: CreditProfileMapping): string {
	return fromRoot(credential);
}

/** Undefined where the environment has no list of queries. */
function listPath({
	paths: { getAll = 'query' },
	list: { parameters },
}: TaxQueryMapping): string | undefined {
	if (getAll === '') return undefined;
	const search = new URLSearchParams(
		Object.entries(parameters).map(([name, value]): [string, string] => [name, textOf(value)]),
	).toString();
	return `${fromRoot(getAll)}${search && `?${search}`}`;
}
