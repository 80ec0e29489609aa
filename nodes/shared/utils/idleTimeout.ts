/** Aborts once it was not reset for `longestMs`. */
export function idleTimeout(longestMs: number) {
	const idle = new AbortController();
	let [since, isOver] = [performance.now(), false];
	const check = (ms: number) => {
		AbortSignal.timeout(Math.ceil(ms)).addEventListener('abort', () => {
			const leftMs = since + longestMs - performance.now();
			if (isOver) return;
			if (leftMs > 0) check(leftMs);
			else idle.abort();
		});
	};
	check(longestMs);
	return {
		signal: idle.signal,
		reset: () => void (since = performance.now()),
		end: () => void (isOver = true),
	};
}
