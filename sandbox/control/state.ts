import type { FastifyInstance } from 'fastify';
import type { SandboxContext } from '../context';
import { explained } from '../webhook/sign';

const NEWEST = 50;

/** `GET /sandbox/state`: what the page shows. */
export function stateControl(app: FastifyInstance, context: SandboxContext): void {
	const { clock, secrets, queries, webhooks, ledger, outcomes, reserved, dialect } = context;
	const { token, clientId, clientSecret } = secrets;
	app.get('/sandbox/state', async ({ host }) => ({
		services: [
			{ name: 'Credit Profile base URL', value: `http://${host}` },
			{ name: 'API token', value: token },
			{ name: 'Tax Query base URL', value: `http://${host}/api` },
			{ name: 'Client ID', value: clientId },
			{ name: 'Client secret', value: clientSecret },
		],
		now: clock.iso(),
		reserved,
		scripts: outcomes.save(),
		billed: ledger.list().length,
		webhook: {
			url: webhooks.settings.url,
			shape: webhooks.settings.shape,
			faults: webhooks.settings.faults,
			...explained(webhooks.settings.signing),
		},
		queries: queries
			.list()
			.slice(0, NEWEST)
			.map((record) => dialect.record(record)),
		deliveries: webhooks.list().slice(0, NEWEST),
	}));
}
