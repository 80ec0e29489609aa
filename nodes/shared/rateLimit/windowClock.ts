/** The window that the service counts points in (§8.1). */
export const WINDOW_MS = 1000;
/** As much as a request may travel longer than another. */
const TRAVEL_MS = 50;
/** The bounds give way by so much in each window: clocks drift, and tell whole milliseconds. */
const DRIFT_MS = 1;
/** So exactly the difference must be known, in windows, before turns follow it. */
const KNOWN = 0.35;

/**
 * When the service's windows end, by our clock. The service tells it by its own clock (§8.4), which may differ from ours
 * by any amount, so the two are never compared: each response bounds their difference. Its request arrived after its
 * window began, at the reset minus one window, and before the reset. The request that began a window arrived just then.
 */
export class WindowClock {
	/** The service's clock minus ours, plus the time that a request travels, is between these. */
	private least = -Infinity;
	private most = Infinity;
	private newest = -Infinity;

	/** Learns from a response. `isFirst`: its request began the window. */
	see(reset: number, sentAt: number, isFirst: boolean): void {
		if (reset > this.newest + WINDOW_MS / 2) {
			this.newest = reset;
			this.least -= DRIFT_MS;
			this.most += DRIFT_MS;
		}
		const least = reset - WINDOW_MS - sentAt;
		const most = isFirst ? least : reset - sentAt;
		this.least = Math.max(this.least, least);
		this.most = Math.min(this.most, most);
		// One of the clocks was set.
		if (this.least > this.most + TRAVEL_MS) {
			[this.least, this.most, this.newest] = [least, most, reset];
		}
	}

	get isKnown(): boolean {
		return this.most - this.least < KNOWN * WINDOW_MS;
	}

	/**
	 * When the window with this reset ends: as late as it can be, but for a quarter of what is unknown, for too early costs
	 * a 429, too late only time. As long as little is known, in the middle: so each request halves what is unknown.
	 */
	endOf(reset: number): number {
		const unknown = Math.max(0, this.most - this.least);
		const offset = this.least + unknown / (this.isKnown ? 4 : 2);
		return reset - Math.min(this.most, offset);
	}

	/** When the newest window that was seen ends. */
	get end(): number {
		return this.endOf(this.newest);
	}
}
