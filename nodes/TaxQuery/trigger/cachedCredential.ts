import type { ICredentialDataDecryptedObject, ITriggerFunctions } from 'n8n-workflow';
import { taxQuery } from '../../shared/http/services';
import { msUntilElapsed } from '../../shared/utils/sleep';
import { processStateOfNode } from './emitter';

/** n8n makes an expression engine for each time a credential is read, some 40 ms of the whole process. */
const MAX_AGE_MS = 5_000;

interface CachedCredential {
	id?: string | null;
	readAt: number;
	credential?: Promise<ICredentialDataDecryptedObject>;
}
const newCache = (): CachedCredential => ({ readAt: -Infinity });

type CredentialContext = Pick<ITriggerFunctions, 'getCredentials' | 'getNode' | 'getWorkflow'>;

/** Forgets the credential, so that a trigger that is published reads what the operator has just saved. */
export function forgetCredential(context: CredentialContext): void {
	processStateOfNode(context).shared(newCache).readAt = -Infinity;
}

/** It is at most five seconds old: webhook calls and their polls share it. */
export async function cachedCredential(
	context: CredentialContext,
): Promise<ICredentialDataDecryptedObject> {
	const { id } = context.getNode().credentials?.[taxQuery.credentialType] ?? {};
	const cache = processStateOfNode(context).shared(newCache);
	const isFresh = cache.id === id && msUntilElapsed(cache.readAt, MAX_AGE_MS) > 0;
	if (isFresh && cache.credential) return await cache.credential;
	const credential = context.getCredentials(taxQuery.credentialType);
	Object.assign(cache, { id, readAt: Date.now(), credential });
	return await credential.catch((error: unknown) => {
		if (cache.credential === credential) cache.credential = undefined;
		throw error;
	});
}
