const realNow = Date.now.bind(Date);
let passed = 0;
/** While waits are over at once, time passes by them alone, however long the machine takes. */
let stopped: number | undefined;
let clock: jest.SpyInstance | undefined;

afterAll(() => {
	clock?.mockRestore();
	passed = 0;
});

/** Lets time pass, by the clock of everything in this process, until the tests of the file have ended. */
export function pass(ms: number): void {
	passed += ms;
	clock ??= jest.spyOn(Date, 'now');
	clock.mockImplementation(() => (stopped ?? realNow()) + passed);
}

/** Timers up to here are waits; those for later are deadlines. */
const LONGEST_WAIT_MS = 1_000;

/** While `work` runs, every wait is over at once, and the clock moves on by it alone. */
export async function withoutWaiting<T>(work: () => Promise<T>): Promise<T> {
	pass(0);
	stopped = realNow();
	const real = setTimeout;
	const timers = jest.spyOn(globalThis, 'setTimeout');
	timers.mockImplementation(((then: () => void, ms = 0, ...args: []) => {
		if (ms > LONGEST_WAIT_MS) return real(then, ms, ...args);
		pass(ms);
		return real(then, 0, ...args);
	}) as typeof setTimeout);
	return await work().finally(() => {
		timers.mockRestore();
		stopped = undefined;
	});
}
