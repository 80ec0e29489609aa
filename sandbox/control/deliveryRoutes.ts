import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { SandboxContext } from '../context';
import { OPERATION_PATHS_AND_SERVICE_CODES } from '../apiMapping';
import { HttpError } from '../plugins/errors';
import { WebhookChanges } from '../webhook/settings';

/** `POST /sandbox/queries/{id}/deliver` and `POST /sandbox/deliveries/test`, which may name settings for this one call. */
export function registerManualDeliveryRoutes(app: FastifyInstance, context: SandboxContext): void {
	const { variant, queries, reserved, results, webhooks } = context;
	app.post<{ Params: { id: string } }>(
		'/sandbox/queries/:id/deliver',
		async ({ params: { id } }) => {
			const record = queries.find(id);
			if (!record) throw new HttpError(404, `There is no query ${id}`);
			queries.deliverNow(record);
			return variant.record(record);
		},
	);
	app.post<{ Body?: WebhookChanges }>(
		'/sandbox/deliveries/test',
		{ schema: { body: Type.Union([WebhookChanges, Type.Null()]) } },
		async ({ body }) => {
			const settings = webhooks.settingsWith(body ?? {});
			webhooks.needUrl(settings);
			const { rfc } = reserved[0];
			const { service } = OPERATION_PATHS_AND_SERVICE_CODES.getCrf; // comes later, so that every trigger is on it
			return variant.record(queries.test(service, { rfc }, results.fiscal(rfc, true), settings));
		},
	);
}
