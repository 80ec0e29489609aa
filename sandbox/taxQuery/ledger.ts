import type { FastifyInstance } from 'fastify';

/** A query that was accepted, and is billed. */
export interface LedgerEntry {
	/** ISO 8601. */
	at: string;
	service: string;
	queryId: string;
	/** The request's fields, without secrets. */
	query: Record<string, unknown>;
}

/** What the organization pays for: one entry for each accepted query. */
export class Ledger {
	private entries: LedgerEntry[] = [];

	add(entry: LedgerEntry): void {
		this.entries.push(entry);
	}

	/** Oldest first. */
	list(): readonly LedgerEntry[] {
		return this.entries;
	}

	clear(): void {
		this.entries = [];
	}
}

/** `GET` and `DELETE /sandbox/ledger`. */
export function ledgerControl(app: FastifyInstance, ledger: Ledger): void {
	app.get('/sandbox/ledger', async () => ledger.list());
	app.delete('/sandbox/ledger', async () => {
		ledger.clear();
		return ledger.list();
	});
}
