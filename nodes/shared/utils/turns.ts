export class Turns {
	readonly #last = new Map<string, Promise<unknown>>();

	get isInUse(): boolean {
		return this.#last.size > 0;
	}

	/** Runs work once all work before it with this key has ended, whatever became of that. */
	async inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
		const mine = (this.#last.get(key) ?? Promise.resolve()).then(work);
		const ended = mine.then(
			() => undefined,
			() => undefined,
		);
		this.#last.set(key, ended);
		void ended.then(() => {
			if (this.#last.get(key) === ended) this.#last.delete(key);
		});
		return await mine;
	}
}
