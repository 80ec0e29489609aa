import { SharedLock } from '../../../../nodes/shared/utils/sharedLock';

/** Work that ends when it is told to, and writes down its beginning and end. */
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

describe('the gate between sending and looking for what was sent', () => {
	it('lets many pass at a time', async () => {
		const log: string[] = [];
		const gate = new SharedLock();
		const [a, b] = [work('a', log), work('b', log)];
		const done = [gate.shared(a.run), gate.shared(b.run)];
		a.end();
		b.end();
		await Promise.all(done);
		expect(log.slice(0, 2)).toEqual(['a begins', 'b begins']);
	});

	it('lets one alone only when those have passed, and holds back who comes after', async () => {
		const log: string[] = [];
		const gate = new SharedLock();
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
		const gate = new SharedLock();
		const failing = gate.exclusive(async () => await Promise.reject(new Error('broken')));
		await expect(failing).rejects.toThrow('broken');
		await expect(gate.shared(async () => await Promise.resolve('passed'))).resolves.toBe('passed');
	});
});
