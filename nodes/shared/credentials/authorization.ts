import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { getProcessState } from '../processState';
import { findUsableToken } from './accessToken';
import { readCreditProfileApiMapping, readTaxQueryApiMapping } from './apiMapping';
import { bareToken, refuseUnusableFields } from './placeholders';
import { readCreditProfileBaseUrl, readTaxQueryBaseUrl } from './baseUrl';
import { credentialError } from './fieldError';
import { textOf } from '../utils/primitiveText';
import { readAdditionalSecretFields } from './fetchAccessToken';

/** Credentials that were found usable: a connection sends each request with the same object. */
const newCheckedCredentials = () => new WeakSet<object>();

/** Checks once what a credential holds beside its token. Throws a UserError if it cannot be right. */
function requireUsable(
	credentials: ICredentialDataDecryptedObject,
	check: (credentials: ICredentialDataDecryptedObject) => void,
): void {
	const checked = getProcessState().shared(newCheckedCredentials);
	if (checked.has(credentials)) return;
	refuseUnusableFields(credentials);
	check(credentials);
	checked.add(credentials);
}

/** CP §5.1. Throws a UserError if the credential cannot be right. */
export function creditProfileAuthHeader(credentials: ICredentialDataDecryptedObject): string {
	requireUsable(credentials, () => {
		readCreditProfileBaseUrl(credentials.baseUrl);
		readCreditProfileApiMapping(credentials);
	});
	const token = bareToken(credentials.apiToken);
	if (token === '') throw withoutToken('API token');
	return `Token ${token}`;
}

/** TQ §5.1; undefined if a token must be fetched first. Throws a UserError if the credential cannot be right. */
export function taxQueryAuthHeader(
	credentials: ICredentialDataDecryptedObject,
): string | undefined {
	requireUsable(credentials, () => {
		readTaxQueryBaseUrl(credentials.baseUrl);
		readAdditionalSecretFields(credentials);
		const { fields, clientAuthentication } = readTaxQueryApiMapping(credentials).token;
		const isClientIdSent = clientAuthentication === 'basic' || fields.client_id !== '';
		const isMissing = isClientIdSent && textOf(credentials.clientId).trim() === '';
		if (credentials.grant !== 'accessToken' && isMissing) throw withoutToken('client ID');
	});
	const { scheme } = readTaxQueryApiMapping(credentials).token;
	const token = findUsableToken(credentials);
	if (token === '') throw withoutToken('access token');
	return token === undefined ? undefined : `${scheme} ${token}`.trim();
}

/** A request without a token would cost a point and return a 401 that blames a token. */
const withoutToken = (name: string) =>
	credentialError(
		`The credential has no ${name}`,
		'Open the credential and enter it, or check the expression or external secret that fills it.',
	);
