import type { FastifyInstance } from 'fastify';
import type { SandboxContext } from '../context';
import { HttpError } from '../plugins/errors';
import { restoreStateFromSnapshot, snapshotState } from '../savedState';

const LARGEST_STATE = 512 * 2 ** 20;

/** `GET` and `PUT /sandbox/snapshot`, and `POST /sandbox/reset`: back to the state at the start. */
export function registerSnapshotRoutes(app: FastifyInstance, context: SandboxContext): void {
	const first = snapshotState(context);
	app.get('/sandbox/snapshot', async () => snapshotState(context));
	app.put('/sandbox/snapshot', { bodyLimit: LARGEST_STATE }, async ({ body }) => {
		try {
			restoreStateFromSnapshot(context, body);
		} catch (error) {
			throw new HttpError(400, (error as Error).message);
		}
		return { restored: true };
	});
	app.post('/sandbox/reset', async () => {
		restoreStateFromSnapshot(context, first);
		context.requests.clear();
		return { reset: true };
	});
}
