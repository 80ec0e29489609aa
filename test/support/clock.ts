const realNow = Date.now.bind(Date);
const realSteady = performance.now.bind(performance);
let passed = 0;
/** By how much somebody has moved the machine's clock: no time has passed. */
let set = 0;
let startedAt = 0;
/** While waits are over at once, time passes by them alone, however long the machine takes. */
let stopped: { now: number; steady: number } | undefined;
let clocks: jest.SpyInstance[] = [];

afterAll(() => {
	for (const clock of clocks) clock.mockRestore();
	clocks = [];
	[passed, set, startedAt] = [0, 0, 0];
});

/** Lets time pass, by both clocks of everything in this process, until the tests of the file have ended. */
export function shiftAllClocks(ms: number): void {
	passed += ms;
	if (clocks.length > 0) return;
	clocks = [
		jest.spyOn(Date, 'now').mockImplementation(() => (stopped?.now ?? realNow()) + passed + set),
		jest
			.spyOn(performance, 'now')
			.mockImplementation(() => (stopped?.steady ?? realSteady()) + passed - startedAt),
	];
}

/** Moves the machine's clock, back if `ms` is negative, until the tests of the file have ended. No time passes. */
export function shiftWallClock(ms: number): void {
	shiftAllClocks(0);
	set += ms;
}

/** The process seems to have started just now, until the tests of the file have ended. */
export function pretendProcessJustStarted(): void {
	shiftAllClocks(0);
	startedAt += performance.now();
}

/** Timers up to here are waits; those for later are deadlines. */
const LONGEST_WAIT_MS = 1_000;

/** While `work` runs, every wait is over at once, and the clock moves on by it alone. */
export async function withoutWaiting<T>(work: () => Promise<T>): Promise<T> {
	shiftAllClocks(0);
	stopped = { now: realNow(), steady: realSteady() };
	const real = setTimeout;
	const timers = jest.spyOn(globalThis, 'setTimeout');
	timers.mockImplementation(((then: () => void, ms = 0, ...args: []) => {
		if (ms > LONGEST_WAIT_MS) return real(then, ms, ...args);
		shiftAllClocks(ms);
		return real(then, 0, ...args);
	}) as typeof setTimeout);
	return await work().finally(() => {
		timers.mockRestore();
		stopped = undefined;
	});
}
