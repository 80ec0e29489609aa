import type { IWebhookFunctions } from 'n8n-workflow';
import { refuseN8nPlaceholders } from '../../shared/credentials/placeholders';
import { readTaxQueryApiMapping } from '../../shared/credentials/apiMapping';
import { taxQuery } from '../../shared/http/services';
import { cachedCredential } from '../trigger/cachedCredential';
import type { ItemSettings } from '../trigger/item';
import { verify } from './verify';

/** Returns whether a delivery proves by the credential that it comes from the service. */
export async function isAuthentic(context: IWebhookFunctions, body: Buffer): Promise<boolean> {
	const { rawHeaders } = context.getRequestObject();
	return verify({ rawHeaders, body }, await cachedCredential(context), Date.now());
}

/** Without a credential, the API reference's names count. The credential's secrets must not come out again. */
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
