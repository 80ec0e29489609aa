const ignore = () => undefined;

/** A lock that any number of holders may share, or one may hold alone. */
export class ReadWriteLock {
	readonly #passing = new Set<Promise<unknown>>();
	#closed?: Promise<unknown>;

	async shared<T>(work: () => Promise<T>): Promise<T> {
		while (this.#closed) await this.#closed;
		const mine = work();
		this.#passing.add(mine);
		try {
			return await mine;
		} finally {
			this.#passing.delete(mine);
		}
	}

	async exclusive<T>(work: () => Promise<T>): Promise<T> {
		const before = this.#closed;
		const mine = (async () => {
			await before;
			await Promise.allSettled(this.#passing);
			return await work();
		})();
		const end: Promise<unknown> = mine.then(ignore, ignore).then(() => {
			if (this.#closed === end) this.#closed = undefined;
		});
		this.#closed = end;
		return await mine;
	}
}

/** A lock for each key, as long as it is in use. */
export class ReadWriteLocks {
	readonly #inUse = new Map<string, { lock: ReadWriteLock; users: number }>();

	get isInUse(): boolean {
		return this.#inUse.size > 0;
	}

	async shared<T>(key: string, work: () => Promise<T>): Promise<T> {
		return await this.#use(key, async (lock) => await lock.shared(work));
	}

	async exclusive<T>(key: string, work: () => Promise<T>): Promise<T> {
		return await this.#use(key, async (lock) => await lock.exclusive(work));
	}

	async #use<T>(key: string, work: (lock: ReadWriteLock) => Promise<T>): Promise<T> {
		const entry = this.#inUse.get(key) ?? { lock: new ReadWriteLock(), users: 0 };
		this.#inUse.set(key, entry);
		entry.users++;
		try {
			return await work(entry.lock);
		} finally {
			if (--entry.users === 0) this.#inUse.delete(key);
		}
	}
}
