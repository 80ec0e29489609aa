/** A queue that is fair between keys: each key that has something waiting gets one turn in every round. */
export class FairQueue<T> {
	/** The entries by key, in the order of the next turns. */
	readonly #lines = new Map<string, Set<T>>();

	get isEmpty(): boolean {
		return this.#lines.size === 0;
	}

	add(key: string, entry: T): void {
		const line = this.#lines.get(key);
		if (line) line.add(entry);
		else this.#lines.set(key, new Set([entry]));
	}

	remove(key: string, entry: T): void {
		const line = this.#lines.get(key);
		line?.delete(entry);
		if (line?.size === 0) this.#lines.delete(key);
	}

	/** Takes out the entry whose turn it is, and passes the turn to the next key. */
	next(): T | undefined {
		for (const [key, line] of this.#lines) {
			const [entry] = line;
			this.remove(key, entry);
			if (this.#lines.delete(key)) this.#lines.set(key, line);
			return entry;
		}
		return undefined;
	}

	/** Every entry, in no particular order. */
	*[Symbol.iterator](): Generator<T> {
		for (const line of this.#lines.values()) yield* line;
	}
}
