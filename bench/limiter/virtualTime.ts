interface Event {
	at: number;
	order: number;
	run: () => void;
}

/** Time that passes from event to event: an hour of it takes as long as its events. */
export class VirtualTime {
	now = 0;

	/** By time, then by order of arrival; a binary heap. */
	private readonly heap: Event[] = [];

	private order = 0;

	/** Runs it when so much time has passed. */
	after(ms: number, run: () => void): void {
		const event = { at: this.now + Math.max(0, ms), order: this.order++, run };
		let child = this.heap.push(event) - 1;
		while (child > 0) {
			const parent = (child - 1) >> 1;
			if (!isBefore(event, this.heap[parent])) break;
			this.heap[child] = this.heap[parent];
			child = parent;
		}
		this.heap[child] = event;
	}

	/** Lets the time pass until it is so, or nothing is left to happen. */
	runUntil(isDone: () => boolean): void {
		for (let next = isDone() ? undefined : this.pop(); next; next = this.pop()) {
			this.now = next.at;
			next.run();
			if (isDone()) return;
		}
	}

	private pop(): Event | undefined {
		const { heap } = this;
		const first = heap[0];
		const last = heap.pop();
		if (!last || heap.length === 0) return last;
		let parent = 0;
		for (;;) {
			const left = 2 * parent + 1;
			if (left >= heap.length) break;
			const right = left + 1;
			const least = right < heap.length && isBefore(heap[right], heap[left]) ? right : left;
			if (!isBefore(heap[least], last)) break;
			heap[parent] = heap[least];
			parent = least;
		}
		heap[parent] = last;
		return first;
	}
}

const isBefore = (one: Event, other: Event): boolean =>
	one.at < other.at || (one.at === other.at && one.order < other.order);
