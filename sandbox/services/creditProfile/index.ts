import type { FastifyInstance } from 'fastify';
import type { SandboxContext } from '../../context';
import { HttpError } from '../../plugins/errors';
import { registerDataCollectionRoutes } from './collectionRoutes';
import { registerProviderLoginRoutes } from './loginRoutes';
import { registerDocumentListRoutes } from './documentRoutes';
import { createSeededCollections } from '../../data/collections';

/** The Credit Profile service; its paths are relative to /api/v1. */
export function registerCreditProfileService(app: FastifyInstance, context: SandboxContext): void {
	const { options, secrets } = context;
	const collections = createSeededCollections(options.seed, options.documents);

	app.addHook('onRequest', async ({ headers: { authorization } }) => {
		if (!authorization) {
			throw new HttpError(401, 'The header Authorization is missing; send "Token <API_TOKEN>"');
		}
		if (authorization !== `Token ${secrets.token}`) {
			throw new HttpError(401, 'The API token is not valid; the header is "Token <API_TOKEN>"');
		}
	});
	registerProviderLoginRoutes(app, context);
	registerDataCollectionRoutes(app, collections, options.mapping.creditProfile);
	registerDocumentListRoutes(app, collections, context);
}
