import formbody from '@fastify/formbody';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { SandboxContext } from './context';
import { creditProfileService } from './creditProfile';
import { fileRoutes } from './creditProfile/files';
import { answerError, Refusal } from './errors';
import { faultControl, Faults, injectFaults } from './faults';
import { limiter } from './limiter';
import { pathFits, pathOf } from './paths';
import { page } from './page';
import { logRequests, requestControl } from './requests';
import { taxQueryService } from './taxQuery';
import { ledgerControl } from './taxQuery/ledger';
import { checkByContract } from './validation';
import { webhookControl } from './webhook';

const CREDIT_PROFILE = '/api/v1';
const TAX_QUERY = '/api';

/** Refuses what no route takes: 405 where another method would do, else 404. */
function refuseUnknown(routes: Array<{ method: string; url: string }>) {
	return async (request: FastifyRequest, reply: FastifyReply): Promise<never> => {
		const path = pathOf(request.url);
		const allowed = routes.filter(({ url }) => pathFits(url, path)).map(({ method }) => method);
		if (allowed.length === 0) throw new Refusal(404, `There is no ${path}`);
		void reply.header('Allow', [...new Set(allowed)].join(', '));
		throw new Refusal(405, `${path} does not take ${request.method}`);
	};
}

/** The whole sandbox as one Fastify application, not yet listening. */
export async function buildApp(context: SandboxContext): Promise<FastifyInstance> {
	const app = Fastify({ forceCloseConnections: true, exposeHeadRoutes: false });
	const faults = new Faults(context.options.seed);
	const routes: Array<{ method: string; url: string }> = [];

	app.addHook('onRoute', ({ method, url }) => {
		for (const one of [method].flat()) routes.push({ method: one, url });
	});
	checkByContract(app);
	app.setErrorHandler(answerError);
	app.setNotFoundHandler(refuseUnknown(routes));
	await app.register(formbody); // §1: form-encoded bodies are accepted
	await app.register(swagger, {
		openapi: {
			openapi: '3.1.0',
			info: { title: 'Sandbox of the Credit Profile and the Tax Query service', version: '0.1.0' },
		},
	});
	await app.register(swaggerUi, { routePrefix: '/docs' });

	await app.register(async (services) => {
		logRequests(services, context.requests);
		const limit = limiter(context.options.rateLimit);
		services.addHook('onRequest', async (request, reply) => {
			if (request.url.startsWith(`${CREDIT_PROFILE}/`)) await limit(request, reply);
		});
		injectFaults(services, context, faults);

		await services.register(
			async (scope) => {
				scope.setNotFoundHandler(refuseUnknown(routes));
				creditProfileService(scope, context);
			},
			{ prefix: CREDIT_PROFILE },
		);
		await services.register(
			async (scope) => {
				scope.setNotFoundHandler(refuseUnknown(routes));
				await taxQueryService(scope, context);
			},
			{ prefix: TAX_QUERY },
		);
	});

	requestControl(app, context.requests);
	faultControl(app, faults);
	fileRoutes(app);
	ledgerControl(app, context.ledger);
	webhookControl(app, context);
	page(app, context);
	return app;
}
