/** A query that was accepted, and is billed. */
export interface BilledQuery {
	/** ISO 8601. */
	at: string;
	service: string;
	queryId: string;
	/** The request's fields, without secrets. */
	query: Record<string, unknown>;
}

/** The organization pays for these: there is one entry for each accepted query. */
export class BilledQueryLog {
	private entries: BilledQuery[] = [];

	add(entry: BilledQuery): void {
		this.entries.push(entry);
	}

	/** Oldest first. */
	list(): readonly BilledQuery[] {
		return this.entries;
	}

	save(): BilledQuery[] {
		return this.entries;
	}

	load(entries: BilledQuery[]): void {
		this.entries = entries;
	}

	clear(): void {
		this.entries = [];
	}
}
