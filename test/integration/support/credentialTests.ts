import { CreditProfile } from '../../../nodes/CreditProfile/CreditProfile.node';
import { TaxQueryTrigger } from '../../../nodes/TaxQuery/TaxQueryTrigger.node';

/** The tests of credentials, as n8n calls them by a node. */
export const { testCreditProfile } = new CreditProfile().methods.credentialTest;
export const { testTaxQuery, testWebhookCredential } = new TaxQueryTrigger().methods.credentialTest;
