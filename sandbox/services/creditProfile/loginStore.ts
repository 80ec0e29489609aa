import type { ProviderCredential, ProviderId } from '../../../contract/creditProfile';
import type { Clock } from '../../clock';
import { ORGANIZATION_ID, PROVIDER_LOGINS_OWNER_ID } from '../../data/users';

/** The organization has them at first, so that a list of logins is not empty. */
const SEEDED_LOGINS: Array<[ProviderId, string]> = [
	['bureau/pf', 'OTORGANTE_PF'],
	['identity-verification', 'verificaciones@sandbox.example'],
	['legal-records', 'expedientes'],
];
/** Credit-bureau services, whose credentials expire (CP §2.1). */
const BUREAUS: ProviderId[] = ['bureau/pm', 'bureau/pf', 'credit-bureau-b'];

/** A year from this instant, as a date. */
function nextYear(now: number): string {
	const date = new Date(now);
	date.setUTCFullYear(date.getUTCFullYear() + 1);
	return date.toISOString().slice(0, 10);
}

/** CP §4.1; secrets are not kept. */
export class DataProviderCredentialStore {
	private credentials = new Map<ProviderId, ProviderCredential>();

	constructor(private readonly clock: Clock) {
		for (const [provider, user] of SEEDED_LOGINS) this.upsert(provider, user);
	}

	upsert(provider: ProviderId, user: string | null): ProviderCredential {
		const existing = this.credentials.get(provider);
		const now = this.clock.iso();
		const credential: ProviderCredential = {
			id: existing?.id ?? this.credentials.size + 1,
			createdAt: existing?.createdAt ?? now,
			updatedAt: now,
			organizationId: ORGANIZATION_ID,
			type: provider,
			user,
			metadata: BUREAUS.includes(provider) ? { expirationDate: nextYear(this.clock.now()) } : null,
			...(provider === 'bureau/pf' && { configuration: { isAutoRenewEnabled: true } }),
			isEnabled: true,
			ownerId: PROVIDER_LOGINS_OWNER_ID,
		};
		this.credentials.set(provider, credential);
		return credential;
	}

	list(): ProviderCredential[] {
		return [...this.credentials.values()];
	}

	save(): ProviderCredential[] {
		return this.list();
	}

	load(credentials: ProviderCredential[]): void {
		this.credentials = new Map(credentials.map((one) => [one.type as ProviderId, one]));
	}
}
