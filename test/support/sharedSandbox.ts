interface Resettable {
	close(): Promise<unknown>;
	reset(): Promise<unknown>;
}
type Start<O, T> = (options?: O) => Promise<T>;

/** It has a name that can be written down before it is started. */
export const proxyToCurrent = <T extends object>(now: () => T): T =>
	new Proxy({} as T, {
		get(_, name) {
			const one = now();
			const value = Reflect.get(one, name) as unknown;
			// what a method leaves running goes on with its own, and not with the next test's
			const isMethod = typeof value === 'function' && !Object.hasOwn(one, name);
			return isMethod ? (value.bind(one) as unknown) : value;
		},
		set: (_, name, value) => Reflect.set(now(), name, value),
	});

/** A sandbox for all tests of a group; each begins with an empty log of requests. */
export function sandboxForTestGroup<O, T extends Resettable>(start: Start<O, T>, options?: O): T {
	let sandbox: T;
	beforeAll(async () => {
		sandbox = await start(options);
	});
	beforeEach(async () => await sandbox.reset());
	afterAll(async () => await sandbox.close());
	return proxyToCurrent(() => sandbox);
}

/** A new sandbox for each test of a group. */
export function freshSandboxForEachTest<O, T extends Resettable>(
	start: Start<O, T>,
	options?: O,
): T {
	let sandbox: T;
	beforeEach(async () => {
		sandbox = await start(options);
	});
	afterEach(async () => await sandbox.close());
	return proxyToCurrent(() => sandbox);
}
