/** A map of at most `max` entries: the one that was set longest ago goes first. */
export class BoundedMap<K, V> extends Map<K, V> {
	readonly #max: number;
	readonly #onForget?: (value: V) => void;

	/** `onForget` gets each value that had to go. */
	constructor(max: number, onForget?: (value: V) => void) {
		super();
		this.#max = max;
		this.#onForget = onForget;
	}

	override set(key: K, value: V): this {
		this.delete(key);
		super.set(key, value);
		if (this.size > this.#max) {
			const [oldest, forgotten] = this.entries().next().value as [K, V];
			this.delete(oldest);
			this.#onForget?.(forgotten);
		}
		return this;
	}

	/** The entry of this key, made if there is none; either way it is the newest now. */
	getOrMake(key: K, make: () => V): V {
		const value = this.has(key) ? (this.get(key) as V) : make();
		this.set(key, value);
		return value;
	}
}
