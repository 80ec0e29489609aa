import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';

const file = (name: string) => readFileSync(join(__dirname, name), 'utf8');

/** The page at `/`, which is filled from `GET /sandbox/state`. */
export function page(app: FastifyInstance): void {
	for (const [path, name, type] of [
		['/', 'index.html', 'text/html'],
		['/page.js', 'page.js', 'text/javascript'],
		['/elements.js', 'elements.js', 'text/javascript'],
		['/page.css', 'page.css', 'text/css'],
	]) {
		const content = file(name);
		app.get(path, { schema: { hide: true } }, async (_request, reply) =>
			reply.type(`${type}; charset=utf-8`).send(content),
		);
	}
}
