import { DateTime } from 'luxon';

/** So far a clock may seem to move by its own, without being set. */
const DRIFT_MS = 1000;

/** This moment, told by our clock also where that is set later on. */
export function thisMoment(): () => number {
	const [at, steady] = [Date.now(), performance.now()];
	return () => {
		const setByMs = Date.now() - at - (performance.now() - steady);
		return Math.abs(setByMs) < DRIFT_MS ? at : at + setByMs;
	};
}

/** The difference between a service's clock and ours, from the `Date` headers of its answers (whole seconds). */
export class ClockOffset {
	private least = -Infinity;
	private most = Infinity;

	/** Learns from an answer; times by our clock. An answer out of a cache carries an old date and tells nothing. */
	update(headers: Record<string, unknown>, sentAt: number, receivedAt: number): void {
		const date = DateTime.fromHTTP(String(headers.date));
		if (!date.isValid || Number(headers.age ?? 0) !== 0) return;
		// The answer was dated between sending and receiving, at some time within that second.
		const least = date.toMillis() - receivedAt;
		const most = date.toMillis() + 999 - sentAt;
		this.least = Math.max(this.least, least);
		this.most = Math.min(this.most, most);
		if (this.least <= this.most) return;
		this.least = least; // one of the clocks was set
		this.most = most;
	}

	/** Milliseconds by which the service's clock is ahead of ours; 0 until known. */
	get ms(): number {
		return this.least === -Infinity ? 0 : Math.round((this.least + this.most) / 2);
	}
}
