import type { FastifyInstance } from 'fastify';
import type { Ledger } from '../services/taxQuery/ledger';

/** `GET` and `DELETE /sandbox/ledger`. */
export function ledgerControl(app: FastifyInstance, ledger: Ledger): void {
	app.get('/sandbox/ledger', async () => ledger.list());
	app.delete('/sandbox/ledger', async () => {
		ledger.clear();
		return ledger.list();
	});
}
