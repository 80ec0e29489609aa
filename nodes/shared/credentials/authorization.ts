import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { usableToken } from './accessToken';
import { readCreditProfileMapping, readTaxQueryMapping } from './apiMapping';
import { creditProfileBaseUrl, taxQueryBaseUrl } from './baseUrl';
import { additionalSecretFields, bareToken } from './tokenRequest';

/** The header Authorization of CP §5.1. Throws a UserError if the credential cannot be right. */
export function creditProfileAuthorization(credentials: ICredentialDataDecryptedObject): string {
	creditProfileBaseUrl(credentials.baseUrl);
	readCreditProfileMapping(credentials);
	return `Token ${bareToken(credentials.apiToken)}`;
}

/**
 * The header Authorization of TQ §5.1; undefined if a token must be had first. Throws a UserError if the credential
 * cannot be right.
 */
export function taxQueryAuthorization(
	credentials: ICredentialDataDecryptedObject,
): string | undefined {
	taxQueryBaseUrl(credentials.baseUrl);
	additionalSecretFields(credentials);
	const { scheme } = readTaxQueryMapping(credentials).token;
	const token = usableToken(credentials);
	return token === undefined ? undefined : `${scheme} ${token}`.trim();
}
