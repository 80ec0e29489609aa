import { createHmac } from 'node:crypto';

export interface SandboxSecrets {
	token: string;
	clientId: string;
	clientSecret: string;
	/** Signs the access tokens of the query service. */
	jwtKey: string;
	/** Signs deliveries to the webhook, if they are signed and no other secret is set. */
	webhookSecret: string;
}

/** Derives secrets from the seed, so that a workflow works after a restart. */
export function deriveSecrets(seed: number): SandboxSecrets {
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
