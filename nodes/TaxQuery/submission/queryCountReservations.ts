/** Counts queries that will be sent: equal requests once, however many runs of a node plan them. */
export class QueryCountReservations {
	readonly #places = new Map<string, { count: number; holders: Set<object> }>();
	total = 0;

	/** Returns whether a request is reserved; then nothing more is needed. */
	has(request: string): boolean {
		return this.#places.has(request);
	}

	/** Reserves for a request, on behalf of a run. */
	add(request: string, count: number, holder: object): void {
		const place = this.#places.get(request);
		if (place) {
			place.holders.add(holder);
			return;
		}
		this.#places.set(request, { count, holders: new Set([holder]) });
		this.total += count;
	}

	/** Frees the reservation of a request that is on its way, or will never be. */
	take(request: string): void {
		this.total -= this.#places.get(request)?.count ?? 0;
		this.#places.delete(request);
	}

	/** Frees what an ended run has reserved, unless another run has it, too. */
	leave(holder: object): void {
		for (const [request, { holders }] of [...this.#places]) {
			if (holders.delete(holder) && holders.size === 0) this.take(request);
		}
	}
}
