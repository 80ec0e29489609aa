import { Type, type Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { oneOf } from '../../contract/builders';
import { OUTCOME_NAMES, type Outcomes } from '../services/taxQuery/outcomes';

const Scripts = Type.Record(Type.String({ minLength: 1 }), Type.Array(oneOf(OUTCOME_NAMES)));

/** `GET`, `PUT` (replaces all) and `DELETE /sandbox/outcomes`: how the next queries about an RFC or CURP end. */
export function registerOutcomeRoutes(app: FastifyInstance, outcomes: Outcomes): void {
	app.get('/sandbox/outcomes', async () => outcomes.save());
	app.put<{ Body: Static<typeof Scripts> }>(
		'/sandbox/outcomes',
		{ schema: { body: Scripts } },
		async ({ body }) => {
			outcomes.load(body);
			return outcomes.save();
		},
	);
	app.delete('/sandbox/outcomes', async () => {
		outcomes.load({});
		return outcomes.save();
	});
}
