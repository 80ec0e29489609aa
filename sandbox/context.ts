import type { Clock } from './clock';
import type { People } from './data/people/people';
import type { ReservedIdentity } from './data/people/reserved';
import type { ResultGenerator } from './data/taxQueryResults';
import type { SandboxOptions } from './options';
import type { Faults } from './plugins/faults';
import type { RequestLog } from './plugins/requestLog';
import type { SandboxSecrets } from './secrets';
import type { DataProviderCredentialStore } from './services/creditProfile/loginStore';
import type { ApiTranslator } from './services/taxQuery/names';
import type { BilledQueryLog } from './services/taxQuery/ledger';
import type { Outcomes } from './services/taxQuery/outcomes';
import type { RfcsWithTaxProfile } from './services/taxQuery/profiles';
import type { QueryStore } from './services/taxQuery/queryStore';
import type { WebhookSender } from './webhook/delivery';

export interface SandboxContext {
	options: SandboxOptions;
	secrets: SandboxSecrets;
	clock: Clock;
	/** Aborts when the sandbox closes; whoever sets a timer ends it then. */
	closing: AbortSignal;

	/** Everybody whom both services know, what is known of them, and who is reserved for a behaviour. */
	people: People;
	results: ResultGenerator;
	reserved: ReservedIdentity[];

	requests: RequestLog;
	faults: Faults;

	/** The logins of the organization at its providers. */
	providerLogins: DataProviderCredentialStore;

	/** Requests and responses are translated by it, since the environment may have other names. */
	variant: ApiTranslator;
	outcomes: Outcomes;
	profiles: RfcsWithTaxProfile;
	queries: QueryStore;
	ledger: BilledQueryLog;
	webhooks: WebhookSender;
}
