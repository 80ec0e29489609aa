import { UserError } from 'n8n-workflow';

/** How many queries each execution has sent, the one that sent last at the end. */
const sentBy = new Map<string, number>();
const KEPT = 1000;

/** Keeps the items of a run, and an execution over all its runs, below the operator's limit. */
export class Spending {
	private planned = 0;

	/** Counts queries that an item will send; throws a UserError if they are too many, before any is sent. */
	plan(execution: string, count: number, max: number): void {
		this.refuseBeyond(max, (sentBy.get(execution) ?? 0) + this.planned + count);
		this.planned += count;
	}

	/** Counts queries as they are sent; throws a UserError if they are too many. */
	send(execution: string, count: number, max: number): void {
		const sent = (sentBy.get(execution) ?? 0) + count;
		this.refuseBeyond(max, sent);
		this.planned -= Math.min(this.planned, count);
		sentBy.delete(execution);
		if (sentBy.size >= KEPT) sentBy.delete(sentBy.keys().next().value as string);
		sentBy.set(execution, sent);
	}

	private refuseBeyond(max: number, count: number): void {
		if (count <= max) return;
		throw new UserError(`This item would go beyond the ${max} queries allowed per execution`, {
			description:
				'It was not sent. Send fewer items, or raise the option Max Queries per Execution.',
		});
	}
}
