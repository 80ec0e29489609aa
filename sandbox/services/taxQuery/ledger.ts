/** A query that was accepted, and is billed. */
export interface LedgerEntry {
	/** ISO 8601. */
	at: string;
	service: string;
	queryId: string;
	/** The request's fields, without secrets. */
	query: Record<string, unknown>;
}

/** Describes what the organization pays for: one entry for each accepted query. */
export class Ledger {
	private entries: LedgerEntry[] = [];

	add(entry: LedgerEntry): void {
		this.entries.push(entry);
	}

	/** Oldest first. */
	list(): readonly LedgerEntry[] {
		return this.entries;
	}

	save(): LedgerEntry[] {
		return this.entries;
	}

	load(entries: LedgerEntry[]): void {
		this.entries = entries;
	}

	clear(): void {
		this.entries = [];
	}
}
