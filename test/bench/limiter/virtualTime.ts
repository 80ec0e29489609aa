/** Time that passes only when everybody waits: an hour of it takes as long as its events. */
export class VirtualTime {
	now = 0;

	/** By time, then by order of arrival; a binary heap. */
	private readonly heap: Array<{ at: number; order: number; wake: () => void }> = [];

	private order = 0;

	/** Resolves when so much time has passed. */
	async sleep(ms: number): Promise<void> {
		await new Promise<void>((wake) => {
			this.push({ at: this.now + Math.max(0, ms), order: this.order++, wake });
		});
	}

	/** Lets the time pass until the work is done. */
	async run<T>(work: Promise<T>): Promise<T> {
		let isDone = false;
		const done = work.finally(() => (isDone = true));
		for (;;) {
			await new Promise((resolve) => setImmediate(resolve)); // everybody who is awake goes to sleep
			const next = isDone ? undefined : this.pop();
			if (!next) return await done;
			this.now = next.at;
			next.wake();
		}
	}

	private push(entry: (typeof this.heap)[number]): void {
		this.heap.push(entry);
		for (let child = this.heap.length - 1; child > 0;) {
			const parent = (child - 1) >> 1;
			if (!this.isBefore(child, parent)) return;
			this.swap(child, parent);
			child = parent;
		}
	}

	private pop() {
		if (this.heap.length === 0) return undefined;
		this.swap(0, this.heap.length - 1);
		const first = this.heap.pop();
		for (let parent = 0; ;) {
			const [left, right] = [2 * parent + 1, 2 * parent + 2];
			let least = parent;
			if (left < this.heap.length && this.isBefore(left, least)) least = left;
			if (right < this.heap.length && this.isBefore(right, least)) least = right;
			if (least === parent) return first;
			this.swap(parent, least);
			parent = least;
		}
	}

	private isBefore(one: number, other: number): boolean {
		const [a, b] = [this.heap[one], this.heap[other]];
		return a.at < b.at || (a.at === b.at && a.order < b.order);
	}

	private swap(one: number, other: number): void {
		[this.heap[one], this.heap[other]] = [this.heap[other], this.heap[one]];
	}
}
