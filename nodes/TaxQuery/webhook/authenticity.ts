import type { IWebhookFunctions } from 'n8n-workflow';
import { refuseN8nPlaceholders } from '../../shared/credentials/placeholders';
import { readTaxQueryApiMapping } from '../../shared/credentials/apiMapping';
import { webhookSecretsToMask } from '../../shared/credentials/webhookFields';
import { taxQuery } from '../../shared/http/services';
import { cachedCredential } from '../trigger/cachedCredential';
import type { ItemSettings } from '../trigger/item';
import { verify } from './verify';

interface Proof {
	isAuthentic: boolean;
	/** Secrets that must not come out again. */
	secrets: string[];
}

/** Checks whether a delivery proves by the credential that it comes from the service. */
export async function checkAuthenticity(context: IWebhookFunctions, body: Buffer): Promise<Proof> {
	const { rawHeaders } = context.getRequestObject();
	const credential = await cachedCredential(context);
	const isAuthentic = verify({ rawHeaders, body }, credential, Date.now());
	return { isAuthentic, secrets: webhookSecretsToMask(credential) };
}

/** Without a credential, the API reference's names count. */
export async function readItemSettings(
	context: IWebhookFunctions,
): Promise<ItemSettings & { secrets: string[] }> {
	const hasCredential = context.getNode().credentials?.[taxQuery.credentialType] !== undefined;
	const credential = hasCredential ? await cachedCredential(context) : {};
	refuseN8nPlaceholders(credential);
	const pseudonymKey = String(credential.pseudonymKey ?? '');
	const secrets = taxQuery.secrets(credential);
	return { mapping: readTaxQueryApiMapping(credential), pseudonymKey, secrets };
}
