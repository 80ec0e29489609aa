import type { FastifyInstance } from 'fastify';
import type { BillingLedger } from '../services/taxQuery/billingLedger';

/** `GET` and `DELETE /sandbox/ledger`. */
export function registerLedgerRoutes(app: FastifyInstance, ledger: BillingLedger): void {
	app.get('/sandbox/ledger', async () => ledger.list());
	app.delete('/sandbox/ledger', async () => {
		ledger.clear();
		return ledger.list();
	});
}
