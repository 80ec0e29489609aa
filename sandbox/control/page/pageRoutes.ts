import type { FastifyInstance } from 'fastify';
import { packagedAssets } from '../../assets';

/** The page at `/`, which is filled from `GET /sandbox/state`. */
export function registerPageRoutes(app: FastifyInstance): void {
	for (const [path, name, type] of [
		['/', 'index.html', 'text/html'],
		['/page.js', 'page.js', 'text/javascript'],
		['/elements.js', 'elements.js', 'text/javascript'],
		['/page.css', 'page.css', 'text/css'],
	]) {
		app.get(path, { schema: { hide: true } }, async (_request, reply) =>
			reply.type(`${type}; charset=utf-8`).send(packagedAssets.page[name]),
		);
	}
}
