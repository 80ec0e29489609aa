import { setMaxListeners } from 'node:events';
import { Clock } from './clock';
import type { SandboxContext } from './context';
import { People } from './data/people/people';
import { addReservedIdentities } from './data/people/reserved';
import { ResultGenerator } from './data/taxQueryResults';
import { parseMapping, wireNamesOfSecretFields } from './apiMapping';
import type { SandboxOptions } from './options';
import { Faults } from './plugins/faults';
import { RequestLog } from './plugins/requestLog';
import { deriveSecrets } from './secrets';
import { DataProviderCredentialStore } from './services/creditProfile/loginStore';
import { ApiTranslator } from './services/taxQuery/names';
import { BilledQueryLog } from './services/taxQuery/ledger';
import { Outcomes } from './services/taxQuery/outcomes';
import { generatePastQueries } from './services/taxQuery/pastQueries';
import { RfcsWithTaxProfile } from './services/taxQuery/profiles';
import { QueryStore } from './services/taxQuery/queryStore';
import { WebhookSender } from './webhook/delivery';

/** Throws an Error if the options contradict each other. */
export function createContext(options: SandboxOptions, closing: AbortSignal): SandboxContext {
	setMaxListeners(0, closing); // one for each answer and delivery that waits
	const { seed } = options;
	parseMapping(options.mapping);
	const secrets = deriveSecrets(seed);
	const clock = new Clock(options.clockSkew);
	const people = new People(seed, () => clock.now());
	const reserved = addReservedIdentities(people);
	const results = new ResultGenerator(seed, people);
	const variant = new ApiTranslator(options);
	const ledger = new BilledQueryLog();
	const webhooks = new WebhookSender({ options, secrets, clock, variant, closing });
	const past = generatePastQueries(options.pastQueries, {
		seed,
		now: clock.now(),
		people,
		results,
	});
	return {
		options,
		secrets,
		clock,
		closing,
		people,
		results,
		reserved,
		requests: new RequestLog(wireNamesOfSecretFields(options.mapping), clock),
		faults: new Faults(seed),
		providerLogins: new DataProviderCredentialStore(clock),
		variant,
		outcomes: new Outcomes(reserved),
		profiles: new RfcsWithTaxProfile(),
		queries: new QueryStore({ options, clock, ledger, webhooks, closing }, past),
		ledger,
		webhooks,
	};
}
