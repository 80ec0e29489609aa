import type { Clock } from './clock';
import type { People } from './data/people/generatePeople';
import type { ReservedIdentity } from './data/people/reserved';
import type { ResultGenerator } from './data/taxQueryResults';
import type { SandboxOptions } from './options';
import type { Faults } from './plugins/faults';
import type { RequestLog } from './plugins/requestLog';
import type { SandboxSecrets } from './secrets';
import type { DataProviderCredentialStore } from './services/creditProfile/dataProviderCredentialStore';
import type { ApiTranslator } from './services/taxQuery/names';
import type { BilledQueryLog } from './services/taxQuery/billedQueryLog';
import type { Outcomes } from './services/taxQuery/outcomes';
import type { RfcsWithTaxProfile } from './services/taxQuery/profiles';
import type { QueryStore } from './services/taxQuery/queryStore';
import type { WebhookSender } from './webhook/webhookDelivery';

/** Describes what the parts of one running sandbox share. */
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

	/** Every request to the two services. */
	requests: RequestLog;
	/** Says what goes wrong, by rules. */
	faults: Faults;

	/** The logins of the organization at its providers. */
	providerLogins: DataProviderCredentialStore;

	/** Says what this environment calls the paths, fields and words of the query service. */
	variant: ApiTranslator;
	/** Says how queries end. */
	outcomes: Outcomes;
	profiles: RfcsWithTaxProfile;
	/** Every query made. */
	queries: QueryStore;
	/** Accepted, billed queries. */
	ledger: BilledQueryLog;
	webhooks: WebhookSender;
}
