import type { TObject } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import {
	ProviderCredential,
	CredentialList,
	upsertBodies,
	type ProviderId,
} from '../../../contract/creditProfile';
import { closed, NoQuery } from '../../../contract/builders';
import type { SandboxContext } from '../../context';
import type { CreditProfileMapping } from '../../apiMapping';
import { HttpError } from '../../plugins/errors';
import { withResponseMapper } from '../../plugins/contractValidation';

/** CP §4.1.2: the credentials are validated against the bureau; this user is one that it does not accept. */
const REFUSED_USER = 'REFUSED_USER';

const upserts = Object.entries(upsertBodies) as Array<[ProviderId, TObject]>;

/** A path of CP §4.1 and §4.2 in the environment's words. */
const pathIn = ({ paths = {} }: CreditProfileMapping, path: string): string =>
	path
		.split('/')
		.map((segment) => (paths[segment] ?? segment).replace(/^\/+|\/+$/g, ''))
		.join('/');

/** A body's schema under the environment's names. */
function bodyIn({ fields = {} }: CreditProfileMapping, { properties }: TObject): TObject {
	const names: Record<string, string> = { ...fields };
	return closed(
		Object.fromEntries(
			Object.entries(properties).map(([name, schema]) => [names[name] ?? name, schema]),
		),
	);
}

/** CP §4.1 and 4.2 */
export function registerProviderLoginRoutes(
	app: FastifyInstance,
	{ options, providerLogins }: SandboxContext,
): void {
	const { creditProfile: mapping = {} } = options.mapping;
	const shown = (credential: ProviderCredential): ProviderCredential => ({
		...credential,
		type: pathIn(mapping, credential.type),
	});

	for (const [provider, body] of upserts) {
		app.post<{ Body: Record<string, string> }>(
			pathIn(mapping, `/credential/${provider}`),
			{
				schema: {
					tags: ['Credential'],
					summary: 'Create or replace the credential of this provider',
					body: bodyIn(mapping, body),
					response: { 200: withResponseMapper(ProviderCredential, shown) },
				},
			},
			async ({ body: { user, username } }) => {
				if (provider === 'bureau/pf' && user === REFUSED_USER) {
					throw new HttpError(
						422,
						'The bureau did not accept this user and password; send the encrypted password, not the plain VPN password',
						'user',
					);
				}
				return providerLogins.upsert(provider, user ?? username ?? null);
			},
		);
	}

	app.get(
		pathIn(mapping, '/credential'),
		{
			schema: {
				tags: ['Credential'],
				summary: 'All credentials of the organization',
				querystring: NoQuery,
				response: {
					200: withResponseMapper(CredentialList, (credentials) => credentials.map(shown)),
				},
			},
		},
		async () => providerLogins.list(),
	);
}
