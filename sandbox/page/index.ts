import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { SandboxContext } from '../context';
import { People } from '../people';
import { reserve } from '../people/reserved';
import { explained } from '../webhook/sign';

const NEWEST = 50;

const file = (name: string) => readFileSync(join(__dirname, name), 'utf8');

/** The page at `/`, and `GET /sandbox/state` that it is filled from. */
export function page(app: FastifyInstance, context: SandboxContext): void {
	const { options, secrets, queries, webhooks, ledger } = context;
	const { token, clientId, clientSecret } = secrets;
	const reserved = reserve(new People(options.seed));
	for (const [path, name, type] of [
		['/', 'index.html', 'text/html'],
		['/page.js', 'page.js', 'text/javascript'],
		['/page.css', 'page.css', 'text/css'],
	]) {
		const content = file(name);
		app.get(path, { schema: { hide: true } }, async (_request, reply) =>
			reply.type(`${type}; charset=utf-8`).send(content),
		);
	}

	app.get('/sandbox/state', async ({ host }) => ({
		services: [
			{ name: 'Credit Profile base URL', value: `http://${host}` },
			{ name: 'API token', value: token },
			{ name: 'Tax Query base URL', value: `http://${host}/api` },
			{ name: 'Client ID', value: clientId },
			{ name: 'Client secret', value: clientSecret },
		],
		reserved,
		billed: ledger.list().length,
		webhook: {
			url: webhooks.settings.url,
			shape: webhooks.settings.shape,
			faults: webhooks.settings.faults,
			...explained(webhooks.settings.signing),
		},
		queries: queries.list().slice(0, NEWEST),
		deliveries: webhooks.list().slice(0, NEWEST),
	}));
}
