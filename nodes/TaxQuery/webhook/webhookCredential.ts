import type { ICredentialDataDecryptedObject, IWebhookFunctions } from 'n8n-workflow';
import { refuseBlankValues } from '../../shared/credentials/blankValue';
import { readTaxQueryMapping } from '../../shared/credentials/apiMapping';
import { webhookSecrets } from '../../shared/credentials/webhookSecret';
import { taxQuery } from '../../shared/http/service';
import { msLeft } from '../../shared/utils/time';
import { processStateOfNode } from '../trigger/emitter';
import type { ItemSettings } from '../trigger/queryEvent';
import { messageIdOf, verifyDelivery } from './verifyDelivery';

/** n8n makes an expression sandbox for each time a credential is read, some 40 ms of the whole process. */
const MAX_AGE_MS = 5_000;

interface CachedCredential {
	id?: string | null;
	readAt: number;
	credential?: Promise<ICredentialDataDecryptedObject>;
}
const newCache = (): CachedCredential => ({ readAt: -Infinity });

const TYPE = taxQuery.credentialType;

/** The credential of the trigger, as it was at most five seconds ago: a flood of deliveries reads it once. */
async function read(context: IWebhookFunctions) {
	const { id } = context.getNode().credentials?.[TYPE] ?? {};
	const cache = processStateOfNode(context).shared(newCache);
	const isFresh = cache.id === id && msLeft(cache.readAt, MAX_AGE_MS) > 0;
	if (isFresh && cache.credential) return await cache.credential;
	const credential = context.getCredentials(TYPE);
	Object.assign(cache, { id, readAt: Date.now(), credential });
	return await credential.catch((error: unknown) => {
		if (cache.credential === credential) cache.credential = undefined;
		throw error;
	});
}

/** The proof in a delivery's headers. */
interface Proof {
	isAuthentic: boolean;
	/** Identifies a message by Standard Webhooks, each time it is sent. */
	messageId?: string;
	/** Secrets that must not come out again. */
	secrets: string[];
}

/** Checks whether a delivery proves by the credential that it comes from the service: over any of these bytes. */
export async function verifyCall(context: IWebhookFunctions, bodies: Buffer[]): Promise<Proof> {
	const { rawHeaders } = context.getRequestObject();
	const credential = await read(context);
	const now = Date.now();
	const isAuthentic = bodies.some((body) => verifyDelivery({ rawHeaders, body }, credential, now));
	const isStandard = credential.signatureFormat === 'standard';
	const messageId = isStandard ? messageIdOf({ rawHeaders }) : undefined;
	return { isAuthentic, messageId, secrets: webhookSecrets(credential) };
}

/** Returns the settings by which items are made: the API reference's names where the trigger has no credential. */
export async function readItemSettings(
	context: IWebhookFunctions,
): Promise<ItemSettings & { secrets: string[] }> {
	const hasCredential = context.getNode().credentials?.[TYPE] !== undefined;
	const credential = hasCredential ? await read(context) : {};
	refuseBlankValues(credential);
	const pseudonymKey = String(credential.pseudonymKey ?? '');
	const secrets = taxQuery.secrets(credential);
	return { mapping: readTaxQueryMapping(credential), pseudonymKey, secrets };
}
