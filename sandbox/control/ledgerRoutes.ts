import type { FastifyInstance } from 'fastify';
import type { BilledQueryLog } from '../services/taxQuery/ledger';

/** `GET` and `DELETE /sandbox/ledger`. */
export function registerLedgerRoutes(app: FastifyInstance, ledger: BilledQueryLog): void {
	app.get('/sandbox/ledger', async () => ledger.list());
	app.delete('/sandbox/ledger', async () => {
		ledger.clear();
		return ledger.list();
	});
}
