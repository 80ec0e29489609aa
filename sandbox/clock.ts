export const DAY_MS = 86_400_000;

/** The clock of both services: this machine's, shifted by `--clock-skew` and by what it was advanced. */
export class Clock {
	private readonly listeners: Array<() => void> = [];

	constructor(private skewMs: number) {}

	/** Milliseconds since 1970. */
	now(): number {
		return Date.now() + this.skewMs;
	}

	/** Now as ISO 8601. */
	iso(): string {
		return new Date(this.now()).toISOString();
	}

	/** It goes so many milliseconds before this machine's. */
	save(): number {
		return this.skewMs;
	}

	/** Sets the clock, and wakes whoever waits for an instant. */
	load(skewMs: number): void {
		this.skewMs = skewMs;
		for (const listener of this.listeners) listener();
	}

	onChange(listener: () => void): void {
		this.listeners.push(listener);
	}
}
