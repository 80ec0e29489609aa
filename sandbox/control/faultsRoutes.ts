import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { FaultRule, type Faults } from '../plugins/faults';

/** `GET`, `PUT` (replaces all) and `DELETE /sandbox/faults`. */
export function registerFaultRoutes(app: FastifyInstance, faults: Faults): void {
	app.get('/sandbox/faults', async () => faults.list());
	app.put<{ Body: FaultRule[] }>(
		'/sandbox/faults',
		{ schema: { body: Type.Array(FaultRule) } },
		async (request) => {
			faults.set(request.body);
			return faults.list();
		},
	);
	app.delete('/sandbox/faults', async () => {
		faults.set([]);
		return faults.list();
	});
}
