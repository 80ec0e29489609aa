import type { FastifyInstance } from 'fastify';
import type { SandboxContext } from '../../context';
import { getQueryRoutes } from './list';
import { postQueryRoutes } from './queries';
import { tokens } from './token';

/** The Tax and Identity Query service; its paths are relative to /api. */
export async function taxQueryService(
	app: FastifyInstance,
	context: SandboxContext,
): Promise<void> {
	await tokens(app, context);
	postQueryRoutes(app, context);
	getQueryRoutes(app, context);
}
