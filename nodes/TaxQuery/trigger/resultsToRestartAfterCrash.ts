const MAX_LETTERS = 60_000;
const LETTERS_BESIDE_ID = 50;
const LETTERS_OF_ID = 24;

/** A result that was started: its query ID, and how often. */
export type QueryIdWithStartCount = [queryId: string, starts: number];

/** Remembers by deliveryId the started results whose executions may still run: as many as static data may hold. */
export class ResultsToRestartAfterCrash {
	readonly #results = new Map<string, QueryIdWithStartCount>();
	#letters = 0;

	constructor(results: Iterable<[deliveryId: string, result: QueryIdWithStartCount]>) {
		for (const [deliveryId, result] of results) this.set(deliveryId, result);
	}

	get size(): number {
		return this.#results.size;
	}

	/** Returns how many more results can be added. */
	remaining(): number {
		const each = this.size > 0 ? this.#letters / this.size : 0;
		const left = MAX_LETTERS - this.#letters;
		return Math.max(0, Math.floor(left / Math.max(each, LETTERS_OF_ID + LETTERS_BESIDE_ID)));
	}

	/** Returns whether a result can be added, or is here. */
	canAdd(deliveryId: string, queryId: string): boolean {
		const letters = this.#letters + queryId.length + LETTERS_BESIDE_ID;
		return this.#results.has(deliveryId) || letters <= MAX_LETTERS;
	}

	set(deliveryId: string, result: QueryIdWithStartCount): void {
		const known = this.#results.get(deliveryId);
		if (known) this.#letters -= lettersOf(known);
		this.#results.set(deliveryId, result);
		this.#letters += lettersOf(result);
	}

	/** Returns whether the result was here. */
	delete(deliveryId: string): boolean {
		const known = this.#results.get(deliveryId);
		if (!known) return false;
		this.#letters -= lettersOf(known);
		return this.#results.delete(deliveryId);
	}

	/** Returns the results as they are saved. */
	toObject(): Record<string, QueryIdWithStartCount> {
		return Object.fromEntries(this.#results);
	}
}

const lettersOf = ([queryId]: QueryIdWithStartCount): number => queryId.length + LETTERS_BESIDE_ID;
