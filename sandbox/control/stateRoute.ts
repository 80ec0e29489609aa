import type { FastifyInstance } from 'fastify';
import type { SandboxContext } from '../context';
import { packagedAssets } from '../assets';
import { listRefusedQueries } from './refusedQueries';
import { describeSigningForReceiver } from '../webhook/proof';

const NEWEST = 50;
/** n8n in a container reaches the machine that it runs on by this name. */
const FROM_A_CONTAINER = 'host.docker.internal';

/** Pages of a clone are served here; those of the published sandbox stand in the repository. */
const documentation = packagedAssets.root
	? '/repository'
	: `${packagedAssets.repository}/blob/main`;

/** `GET /sandbox/state`: what the page shows. */
export function registerSandboxStateRoute(app: FastifyInstance, context: SandboxContext): void {
	const { clock, secrets, queries, webhooks, ledger, outcomes, reserved, variant } = context;
	const { token, clientId, clientSecret } = secrets;
	app.get('/sandbox/state', async ({ host, port }) => ({
		services: [
			{ name: 'Credit Profile base URL', value: `http://${host}` },
			{ name: 'API token', value: token },
			{ name: 'Tax Query base URL', value: `http://${host}/api` },
			{ name: 'Client ID', value: clientId },
			{ name: 'Client secret', value: clientSecret },
		],
		fromContainer: [
			{ name: 'Credit Profile base URL', value: `http://${FROM_A_CONTAINER}:${port ?? 80}` },
			{ name: 'Tax Query base URL', value: `http://${FROM_A_CONTAINER}:${port ?? 80}/api` },
		],
		guide: `${documentation}/docs/es/guia.md`,
		now: clock.iso(),
		reserved,
		scripts: outcomes.save(),
		billed: ledger.list().length,
		billedQueries: ledger.list().map(({ queryId }) => queryId),
		webhook: {
			url: webhooks.settings.url,
			shape: webhooks.settings.shape,
			body: webhooks.settings.body,
			coding: webhooks.settings.coding,
			faults: webhooks.settings.faults,
			...describeSigningForReceiver(webhooks.settings.signing),
		},
		queries: queries
			.list()
			.slice(0, NEWEST)
			.map((record) => variant.record(record)),
		refused: listRefusedQueries(context).slice(-NEWEST),
		deliveries: webhooks.list().slice(0, NEWEST),
	}));
}
