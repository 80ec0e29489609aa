import type { FastifyInstance } from 'fastify';
import type { SandboxContext } from '../context';
import { HttpError } from '../plugins/errors';
import { withMaskedSecrets, WebhookChanges } from '../webhook/settings';

/** `/sandbox/webhook` (GET, PUT changes what it names, DELETE) and `/sandbox/deliveries` (GET, DELETE, resend). */
export function registerWebhookRoutes(app: FastifyInstance, context: SandboxContext): void {
	const { webhooks } = context;
	app.get('/sandbox/webhook', async () => withMaskedSecrets(webhooks.settings));
	app.put<{ Body: WebhookChanges }>(
		'/sandbox/webhook',
		{ schema: { body: WebhookChanges } },
		async ({ body }) => {
			webhooks.settings = webhooks.settingsWith(body);
			return withMaskedSecrets(webhooks.settings);
		},
	);
	app.delete('/sandbox/webhook', async () => {
		webhooks.settings = webhooks.initialSettings();
		return withMaskedSecrets(webhooks.settings);
	});
	app.get('/sandbox/deliveries', async () => webhooks.list());
	app.delete('/sandbox/deliveries', async () => {
		webhooks.clear();
		return webhooks.list();
	});
	app.post<{ Params: { id: string } }>(
		'/sandbox/deliveries/:id/resend',
		async ({ params: { id } }) => {
			const delivery = webhooks.find(Number(id));
			if (!delivery) throw new HttpError(404, `There is no webhook call ${id}`);
			webhooks.resend(delivery);
			return delivery;
		},
	);
}
