import { createHash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import type { Item, Run } from '../../shared/operations/operation';

/**
 * When a query was sent whose fate is not known (milliseconds, our clock), the same of one that the service said it
 * accepted, without an ID, or the IDs of what was accepted.
 */
type JournalEntry = number | { sentAt: number } | string[];

/** Where it stands in the memory that n8n keeps for a node; the name is seen in the execution's data. */
interface Kept extends IDataObject {
	/** Queries sent in this execution, its retries included. */
	sent: number;
	queries: Record<string, JournalEntry>;
	/** A hash of what was sent, where Additional Body Fields may differ in a further try. */
	sentAs?: Record<string, string>;
	/** Of items that ask for a part only, because the rest is reused: the IDs of the rest, null where something is asked for. */
	reused?: Record<string, Array<string | null>>;
}

/**
 * What this execution has sent: n8n keeps it through the tries of Retry On Fail and hands it to the editor's Retry, so
 * that what was accepted is read instead of sent again. Holds IDs and hashes, nothing of what was asked.
 */
export class Journal {
	private readonly kept: Kept;

	constructor(private readonly run: Run) {
		// Without an execution (MCP Server Trigger) there is nothing to retry, and each call counts by itself.
		const memory = run.executionId === undefined ? {} : run.memory;
		memory.paidQueries ??= { sent: 0, queries: {} };
		this.kept = memory.paidQueries as Kept;
	}

	get sent(): number {
		return this.kept.sent;
	}

	/** The IDs of everything that was accepted. */
	get ids(): string[] {
		return Object.values(this.kept.queries).flatMap((entry) => (Array.isArray(entry) ? entry : []));
	}

	/** The IDs of what was accepted for an item. */
	idsOf(item: Item): string[] {
		const own = `${this.run.index}:${item.index}:`;
		return Object.entries(this.kept.queries).flatMap(([key, entry]) =>
			key.startsWith(own) && Array.isArray(entry) ? entry : [],
		);
	}

	/** What is known of the question of an item. */
	find(item: Item, journalKey: string): JournalEntry | undefined {
		return this.kept.queries[this.key(item, journalKey)];
	}

	/** What was sent of it; undefined if that can only be the same as now. */
	sentAs(item: Item, journalKey: string): string | undefined {
		return this.kept.sentAs?.[this.key(item, journalKey)];
	}

	/** So many queries of an item are on their way, beside those that it has sent before. */
	sending(item: Item, journalKey: string, count: number, sentAs?: string): void {
		const key = this.key(item, journalKey);
		this.kept.queries[key] = Date.now();
		if (sentAs !== undefined) (this.kept.sentAs ??= {})[key] = sentAs;
		this.kept.sent += count;
	}

	/** Under these IDs; none where the answer held a result without one. */
	accepted(item: Item, journalKey: string, ids: string[]): void {
		this.kept.queries[this.key(item, journalKey)] = ids;
	}

	/** By a word that names no ID: it is looked for in a further try, and never sent again. */
	acceptedByWord(item: Item, journalKey: string): void {
		const key = this.key(item, journalKey);
		const sentAt = this.kept.queries[key];
		if (typeof sentAt === 'number') this.kept.queries[key] = { sentAt };
	}

	/** They surely were not accepted; what was known of the question before holds again. */
	refused(
		item: Item,
		journalKey: string,
		count: number,
		before?: JournalEntry,
		sentAs?: string,
	): void {
		const key = this.key(item, journalKey);
		if (before === undefined) delete this.kept.queries[key];
		else this.kept.queries[key] = before;
		if (sentAs !== undefined) (this.kept.sentAs ??= {})[key] = sentAs;
		this.kept.sent -= count;
	}

	/** What of an item's question was reused when it was asked first; undefined if all or nothing of it was. */
	reusedOf(item: Item, journalKey: string): Array<string | null> | undefined {
		return this.kept.reused?.[this.key(item, journalKey)];
	}

	reuse(item: Item, journalKey: string, ids: Array<string | null>): void {
		(this.kept.reused ??= {})[this.key(item, journalKey)] = ids;
	}

	private key({ index }: Item, journalKey: string): string {
		return `${this.run.index}:${index}:${shortHash(journalKey)}`;
	}
}

/** What tells two questions apart, and neither of them. */
export const shortHash = (text: string): string =>
	createHash('sha256').update(text).digest('base64url').slice(0, 16);
