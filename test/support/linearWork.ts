/** The work of a call: processor time of this process, the least of several calls. */
function workOf(call: () => unknown): number {
	let least = Infinity;
	for (let time = 0; time < 3; time++) {
		const before = process.cpuUsage();
		call();
		const { user, system } = process.cpuUsage(before);
		least = Math.min(least, user + system);
	}
	return least;
}

const TIMES = 8;
/** Between the eightfold of linear work and that of the square. */
const MOST_OF_LINEAR = 20;
const MEASURABLE_US = 2_000;
/** V8 changes between its engines for regular expressions at some sizes: one step of three must be even. */
const STEPS = 3;

/**
 * Eight times the input makes about eight times the work. Work that grows with the square makes 64 times as much at
 * every step. The input first grows until its work can be told from the noise of the clock.
 */
export function isLinear<T>(
	makeInput: (size: number) => T,
	work: (input: T) => unknown,
	begin = 1_000,
): boolean {
	const workAt = (size: number): number => {
		const input = makeInput(size);
		return workOf(() => work(input));
	};
	let size = begin;
	let before = workAt(size);
	while (before < MEASURABLE_US && size < 1_000_000) before = workAt((size *= 2));
	for (let step = 0; step < STEPS; step++) {
		const after = workAt((size *= TIMES));
		if (after < MOST_OF_LINEAR * before) return true;
		before = after;
	}
	return false;
}
