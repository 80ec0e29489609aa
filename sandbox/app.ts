import formbody from '@fastify/formbody';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { version } from '../package.json';
import type { SandboxContext } from './context';
import { registerControlRoutes } from './control';
import { sendError, HttpError } from './plugins/errors';
import { injectFaults } from './plugins/faults';
import { limiter } from './plugins/limiter';
import { matchesPathPattern, pathOf } from './pathPattern';
import { logRequests } from './plugins/requestLog';
import { enforceContract } from './plugins/contractValidation';
import { registerCreditProfileService } from './services/creditProfile';
import { registerTaxQueryService } from './services/taxQuery';

const CREDIT_PROFILE = '/api/v1';
const TAX_QUERY = '/api';
const LOGO = {
	type: 'image/svg+xml',
	content: Buffer.from(
		'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 40"><text y="29" font-family="sans-serif" font-size="28" fill="#fff">Sandbox</text></svg>',
	),
	href: '/',
};

/** Refuses what no route takes: 405 where another method would do, else 404. */
function refuseUnknown(routes: Array<{ method: string; url: string }>) {
	return async (request: FastifyRequest, reply: FastifyReply): Promise<never> => {
		const path = pathOf(request.url);
		const allowed = routes
			.filter(({ url }) => matchesPathPattern(url, path))
			.map(({ method }) => method);
		if (allowed.length === 0) throw new HttpError(404, `There is no ${path}`);
		void reply.header('Allow', [...new Set(allowed)].join(', '));
		throw new HttpError(405, `${path} does not take ${request.method}`);
	};
}

/** It is not yet listening. */
export async function buildApp(context: SandboxContext): Promise<FastifyInstance> {
	const app = Fastify({ forceCloseConnections: true, exposeHeadRoutes: false });
	const routes: Array<{ method: string; url: string }> = [];

	app.addHook('onRoute', ({ method, url }) => {
		for (const one of [method].flat()) routes.push({ method: one, url });
	});
	enforceContract(app);
	app.setErrorHandler(sendError);
	app.setNotFoundHandler(refuseUnknown(routes));
	await app.register(formbody); // CP §1: form-encoded bodies are accepted
	await app.register(swagger, {
		openapi: {
			openapi: '3.1.0',
			info: { title: 'Sandbox of the Credit Profile and the Tax Query service', version },
		},
	});
	await app.register(swaggerUi, { routePrefix: '/docs', logo: LOGO });

	await app.register(async (services) => {
		logRequests(services, context.requests);
		const { clock, options } = context;
		const limitCreditProfile = limiter(options.rateLimit, clock);
		const limitTaxQuery = limiter(options.taxRateLimit, clock, {
			headers: options.taxRateLimitHeaders,
		});
		services.addHook('onRequest', async (request, reply) => {
			void reply.header('Date', new Date(clock.now()).toUTCString());
			const isCreditProfile = request.url.startsWith(`${CREDIT_PROFILE}/`);
			await (isCreditProfile ? limitCreditProfile : limitTaxQuery)(request, reply);
		});
		injectFaults(services, context);

		await services.register(
			async (scope) => {
				scope.setNotFoundHandler(refuseUnknown(routes));
				registerCreditProfileService(scope, context);
			},
			{ prefix: CREDIT_PROFILE },
		);
		await services.register(
			async (scope) => {
				scope.setNotFoundHandler(refuseUnknown(routes));
				await registerTaxQueryService(scope, context);
			},
			{ prefix: TAX_QUERY },
		);
	});

	registerControlRoutes(app, context);
	return app;
}
