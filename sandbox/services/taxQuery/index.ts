import type { FastifyInstance } from 'fastify';
import type { SandboxContext } from '../../context';
import { registerQueryReadRoutes } from './list';
import { registerQueryPostRoutes } from './queries';
import { registerTokenRoute } from './token';

/** The Tax and Identity Query service; its paths are relative to /api. */
export async function taxQueryService(
	app: FastifyInstance,
	context: SandboxContext,
): Promise<void> {
	await registerTokenRoute(app, context);
	registerQueryPostRoutes(app, context);
	registerQueryReadRoutes(app, context);
}
