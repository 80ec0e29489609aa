import type { FastifyInstance } from 'fastify';
import type { SandboxContext } from '../../context';
import { registerQueryReadRoutes } from './queryReadRoutes';
import { registerQueryPostRoutes } from './queryPostRoutes';
import { registerAuthentication } from './accessTokens';

/** The Tax and Identity Query service; its paths are relative to /api. */
export async function registerTaxQueryService(
	app: FastifyInstance,
	context: SandboxContext,
): Promise<void> {
	await registerAuthentication(app, context);
	registerQueryPostRoutes(app, context);
	registerQueryReadRoutes(app, context);
}
