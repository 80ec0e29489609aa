import { DateTime } from 'luxon';

/**
 * The difference between a service's clock and this machine's, from the `Date` headers of its responses (whole
 * seconds).
 */
export class ClockOffset {
	#least = -Infinity;
	#most = Infinity;

	/**
	 * Updates the offset by a response; times are by this machine's clock. A cached response carries an old date and is
	 * ignored.
	 */
	update(headers: Record<string, unknown>, sentAt: number, receivedAt: number): void {
		const date = DateTime.fromHTTP(String(headers.date));
		if (!date.isValid || Number(headers.age ?? 0) !== 0) return;
		// The response was dated between sending and receiving, at some time within that second.
		const least = date.toMillis() - receivedAt;
		const most = date.toMillis() + 999 - sentAt;
		this.#least = Math.max(this.#least, least);
		this.#most = Math.min(this.#most, most);
		if (this.#least <= this.#most) return;
		this.#least = least; // one of the clocks was set
		this.#most = most;
	}

	/** The service's clock is ahead of this machine's by so many milliseconds; 0 until known. */
	get ms(): number {
		return this.#least === -Infinity ? 0 : Math.round((this.#least + this.#most) / 2);
	}
}
