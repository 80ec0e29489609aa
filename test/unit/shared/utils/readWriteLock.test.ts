import { ReadWriteLock, ReadWriteLocks } from '../../../../nodes/shared/utils/readWriteLock';

/** Returns work that ends on demand, and records its beginning and end. */
function work(name: string, log: string[]) {
	let end = () => {};
	const ended = new Promise<void>((resolve) => (end = resolve));
	const run = async () => {
		log.push(`${name} begins`);
		await ended;
		log.push(`${name} ends`);
	};
	return { run, end };
}
const settle = async () => await new Promise(setImmediate);

describe('the lock between sending and recovering a query', () => {
	it('lets many pass at a time', async () => {
		const log: string[] = [];
		const gate = new ReadWriteLock();
		const [a, b] = [work('a', log), work('b', log)];
		const done = [gate.shared(a.run), gate.shared(b.run)];
		a.end();
		b.end();
		await Promise.all(done);
		expect(log.slice(0, 2)).toEqual(['a begins', 'b begins']);
	});

	it('lets one alone only when those have passed, and holds back who comes after', async () => {
		const log: string[] = [];
		const gate = new ReadWriteLock();
		const [a, alone, b] = ['a', 'alone', 'b'].map((name) => work(name, log));
		const done = [gate.shared(a.run), gate.exclusive(alone.run), gate.shared(b.run)];
		for (const { end } of [b, alone, a]) {
			end();
			await settle();
		}
		await Promise.all(done);
		expect(log).toEqual(['a begins', 'a ends', 'alone begins', 'alone ends', 'b begins', 'b ends']);
	});

	it('opens again after work that fails', async () => {
		const gate = new ReadWriteLock();
		const failing = gate.exclusive(async () => await Promise.reject(new Error('broken')));
		await expect(failing).rejects.toThrow('broken');
		await expect(gate.shared(async () => await Promise.resolve('passed'))).resolves.toBe('passed');
	});
});

describe('gates by key', () => {
	it('share a lock per key, and do not block other keys', async () => {
		const log: string[] = [];
		const gates = new ReadWriteLocks();
		const [a, b, other] = [work('a', log), work('b', log), work('other', log)];
		const done = [
			gates.shared('x', a.run),
			gates.exclusive('x', b.run),
			gates.exclusive('y', other.run),
		];
		await settle();
		expect(log).toEqual(['a begins', 'other begins']);
		[a, b, other].forEach(({ end }) => end());
		await Promise.all(done);
		expect(log.slice(-2)).toEqual(['b begins', 'b ends']);
	});

	it('hold however many other keys are used meanwhile', async () => {
		const log: string[] = [];
		const gates = new ReadWriteLocks();
		const [a, b] = [work('a', log), work('b', log)];
		const first = gates.exclusive('x', a.run);
		for (let key = 0; key < 20_000; key++) await gates.shared(String(key), async () => key);
		const second = gates.shared('x', b.run);
		await settle();
		expect(log).toEqual(['a begins']);
		a.end();
		b.end();
		await Promise.all([first, second]);
	});

	it('open again after work that fails', async () => {
		const gates = new ReadWriteLocks();
		const failing = gates.exclusive('x', async () => await Promise.reject(new Error('no')));
		await expect(failing).rejects.toThrow('no');
		expect(await gates.shared('x', async () => await Promise.resolve(1))).toBe(1);
	});
});
