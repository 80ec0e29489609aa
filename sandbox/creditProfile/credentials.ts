import type { FastifyInstance } from 'fastify';
import {
	Credential,
	CredentialList,
	credentialUpserts,
	type Provider,
} from '../../contract/creditProfile';
import { NoQuery } from '../../contract/shared';
import { ORGANIZATION_ID, OWNER_ID } from './organization';

type UpsertBody = Record<string, string>;

const paths = Object.entries(credentialUpserts) as Array<
	[Provider, (typeof credentialUpserts)[Provider]]
>;

/** A year from now, as a date. */
function nextYear(now: Date): string {
	const date = new Date(now);
	date.setUTCFullYear(date.getUTCFullYear() + 1);
	return date.toISOString().slice(0, 10);
}

/** §4.1 and 4.2: one credential per provider. What is secret is forgotten at once. */
export function credentialRoutes(app: FastifyInstance): void {
	const credentials = new Map<Provider, Credential>();

	for (const [provider, body] of paths) {
		app.post<{ Body: UpsertBody }>(
			`/credential/${provider}`,
			{
				schema: {
					tags: ['Credential'],
					summary: 'Create or replace the credential of this provider',
					body,
					response: { 200: Credential },
				},
			},
			async ({ body: { user, username } }) => {
				const now = new Date();
				const existing = credentials.get(provider);
				const credential: Credential = {
					id: existing?.id ?? credentials.size + 1,
					createdAt: existing?.createdAt ?? now.toISOString(),
					updatedAt: now.toISOString(),
					organizationId: ORGANIZATION_ID,
					type: provider,
					user: user ?? username ?? null,
					metadata: provider.startsWith('bureau/') ? { expirationDate: nextYear(now) } : null,
					...(provider === 'bureau/pf' && { configuration: { isAutoRenewEnabled: true } }),
					isEnabled: true,
					ownerId: OWNER_ID,
				};
				credentials.set(provider, credential);
				return credential;
			},
		);
	}

	app.get(
		'/credential',
		{
			schema: {
				tags: ['Credential'],
				summary: 'All credentials of the organization',
				querystring: NoQuery,
				response: { 200: CredentialList },
			},
		},
		async () => [...credentials.values()],
	);
}
