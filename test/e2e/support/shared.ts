/** They are in the order of their start. */
const started: Array<Promise<() => Promise<void>>> = [];

/** Starts something for the first who asks. All others of the test file share it; it ends with the file. */
export function startOnFirstUsePerFile<T>(
	start: () => Promise<T>,
	stop: (it: T) => Promise<unknown>,
): () => Promise<T> {
	let it: Promise<T> | undefined;
	return async () => {
		if (!it) {
			it = start();
			started.push(
				it.then(
					(begun) => async () => void (await stop(begun)),
					() => async () => {},
				),
			);
		}
		return await it;
	};
}

afterAll(async () => {
	for (const stop of started.reverse()) await (await stop)();
});
