import { Type, type Static } from '@sinclair/typebox';
import { closed, optionalNullable } from '../builders';

/** CP §2.1 */
export const ProviderCredential = closed({
	id: Type.Number(),
	createdAt: Type.String(),
	updatedAt: Type.String(),
	organizationId: Type.Number(),
	type: Type.String(),
	user: optionalNullable(Type.String()),
	metadata: optionalNullable(
		Type.Object({
			/** Only credit-bureau services have it. */
			expirationDate: optionalNullable(Type.String({ format: 'date' })),
		}),
	),
	configuration: Type.Optional(
		Type.Object({
			/** Only the natural-person bureau service has it. */
			isAutoRenewEnabled: Type.Optional(Type.Boolean()),
		}),
	),
	isEnabled: Type.Boolean(),
	ownerId: optionalNullable(Type.Number()),
});
export type ProviderCredential = Static<typeof ProviderCredential>;

/** CP §4.2 */
export const CredentialList = Type.Array(ProviderCredential);

/** CP §4.1.1: letters, digits and underscore; the pattern allows an empty value. */
const login = Type.String({ pattern: '^[A-Za-z0-9_]*$' });

/** CP §4.1.1 to 4.1.3 */
const BureauLogin = closed({ user: login, password: login });

/** CP §4.1.4 */
const IdentityVerificationLogin = closed({ user: Type.String(), password: Type.String() });

/** CP §4.1.5 */
const SanctionsScreeningLogin = closed({ token: Type.String() });

/** CP §4.1.6 */
const CreditBureauBLogin = closed({
	apiKey: Type.String(),
	username: Type.String(),
	password: Type.String(),
	clientPrivateKey: Type.String(),
	bureauPublicKey: Type.String(),
});

/** CP §4.1.7 */
const LegalRecordsLogin = closed({ username: Type.String(), password: Type.String() });

/** CP §4.1: what is posted for each provider, by the end of its path `/api/v1/credential/…`. */
export const upsertBodies = {
	'bureau/pm': BureauLogin,
	'bureau/pf': BureauLogin,
	'prospector/pf': BureauLogin,
	'identity-verification': IdentityVerificationLogin,
	'sanctions-screening': SanctionsScreeningLogin,
	'credit-bureau-b': CreditBureauBLogin,
	'legal-records': LegalRecordsLogin,
} as const;
export type ProviderId = keyof typeof upsertBodies;
