import { Turns } from '../../../../nodes/shared/utils/turns';

/** It ends on demand, and logs its beginning and end. */
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

describe('turns', () => {
	it('come one after another for a key, and block no other key', async () => {
		const log: string[] = [];
		const turns = new Turns();
		const [a, b, other] = ['a', 'b', 'other'].map((name) => work(name, log));
		const done = [turns.inTurn('x', a.run), turns.inTurn('x', b.run), turns.inTurn('y', other.run)];
		await settle();
		expect(log).toEqual(['a begins', 'other begins']);
		for (const { end } of [b, a, other]) end();
		await Promise.all(done);
		expect(log.filter((line) => !line.startsWith('other'))).toEqual([
			...['a begins', 'a ends', 'b begins', 'b ends'],
		]);
	});

	it('go on after work that fails', async () => {
		const turns = new Turns();
		const failing = turns.inTurn('x', async () => await Promise.reject(new Error('broken')));
		const next = turns.inTurn('x', async () => await Promise.resolve('done'));
		await expect(failing).rejects.toThrow('broken');
		await expect(next).resolves.toBe('done');
	});

	it('leave nothing behind', async () => {
		const turns = new Turns();
		const done = turns.inTurn('x', async () => await Promise.resolve());
		expect(turns.isInUse).toBe(true);
		await done;
		await settle();
		expect(turns.isInUse).toBe(false);
	});
});
