import type { ICredentialTestFunctions, ICredentialsDecrypted, IDataObject } from 'n8n-workflow';
import { CreditProfile } from '../../../nodes/CreditProfile/CreditProfile.node';
import { TaxQueryTrigger } from '../../../nodes/TaxQuery/TaxQueryTrigger.node';

const { methods } = new CreditProfile();

/** The tests of credentials, as n8n calls them by a node. */
export const { testCreditProfile } = methods.credentialTest;
export const { testTaxQuery, testWebhookCredential } = new TaxQueryTrigger().methods.credentialTest;

/** The offline test of a provider login that holds these values. */
export const testLogin = async (data: IDataObject) =>
	await methods.credentialTest.testProviderLogin.call(
		{} as ICredentialTestFunctions, // it uses nothing of n8n
		{
			id: '1',
			name: 'Login',
			type: 'creditProfileProviderLoginApi',
			data,
		} as ICredentialsDecrypted,
	);
