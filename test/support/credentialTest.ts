import { CredentialTestContext } from 'n8n-core';
import type { ICredentialsDecrypted } from 'n8n-workflow';
import { CreditProfile } from '../../nodes/CreditProfile/CreditProfile.node';
import { TaxQueryTrigger } from '../../nodes/TaxQuery/TaxQueryTrigger.node';
import { respondJson, serve } from './testServer';
import { toN8nCredentialLoginFields } from './credentialFields';

const { methods } = new CreditProfile();

/** The tests of credentials, as n8n calls them by a node. */
export const { testCreditProfile } = methods.credentialTest;
export const { testTaxQuery } = new TaxQueryTrigger().methods.credentialTest;

/** The services answer each request so; undefined if nothing is wrong. */
export async function credentialTestError(
	type: 'creditProfileApi' | 'taxQueryApi',
	fields: object,
	answer: object = [],
) {
	const service = await serve((_request, response) => respondJson(response, answer));
	const token = { apiToken: 'token-1', grant: 'accessToken', pastedToken: 'token-1' };
	const data = { baseUrl: service.url, ...token, ...fields };
	const test = type === 'taxQueryApi' ? testTaxQuery : testCreditProfile;
	const credential = { id: '1', name: 'Test', type, data } as ICredentialsDecrypted;
	const { status, message } = await test.call(new CredentialTestContext(), credential);
	await service.close();
	return status === 'OK' ? undefined : message;
}

/** The same for the stored login of a provider. */
export const flawOfLogin = async (provider: string, login: object) =>
	await credentialTestError(
		provider === 'taxAuthority' ? 'taxQueryApi' : 'creditProfileApi',
		toN8nCredentialLoginFields(provider, login),
	);
