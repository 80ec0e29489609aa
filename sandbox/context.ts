import { createHmac } from 'node:crypto';
import type { SandboxOptions } from './options';
import type { People } from './people';
import type { RequestLog } from './requests';
import type { Ledger } from './taxQuery/ledger';
import type { QueryStore } from './taxQuery/store';
import type { Webhooks } from './webhook';

export interface SandboxSecrets {
	/** API token of the Credit Profile service. */
	token: string;
	clientId: string;
	clientSecret: string;
	/** Signs the access tokens of the query service. */
	jwtKey: string;
	/** Signs deliveries to the webhook, if they are signed and no other secret is set. */
	webhookSecret: string;
}

/** What the parts of one running sandbox share. */
export interface SandboxContext {
	options: SandboxOptions;
	secrets: SandboxSecrets;
	/** Everybody whom both services know. */
	people: People;
	requests: RequestLog;
	/** Accepted, billed queries. */
	ledger: Ledger;
	webhooks: Webhooks;
	/** Every query made. */
	queries: QueryStore;
	/** Aborts when the sandbox closes; whoever sets a timer ends it then. */
	closing: AbortSignal;
}

/** Secrets that the same seed gives again, so that a workflow keeps working after a restart. */
export function secretsOf(seed: number): SandboxSecrets {
	const derive = (name: string) =>
		createHmac('sha256', `sandbox ${seed}`).update(name).digest('hex').slice(0, 32);
	return {
		token: `sandbox-token-${derive('token')}`,
		clientId: `sandbox-client-${derive('clientId').slice(0, 8)}`,
		clientSecret: `sandbox-secret-${derive('clientSecret')}`,
		jwtKey: derive('jwtKey'),
		webhookSecret: `sandbox-webhook-${derive('webhookSecret')}`,
	};
}
