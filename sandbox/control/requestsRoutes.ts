import type { FastifyInstance } from 'fastify';
import type { RequestLog } from '../plugins/requestLog';

/** `GET` and `DELETE /sandbox/requests`. */
export function registerRequestRoutes(app: FastifyInstance, log: RequestLog): void {
	app.get('/sandbox/requests', async () => log.list());
	app.delete('/sandbox/requests', async () => {
		log.clear();
		return log.list();
	});
}
