import { resetProcessState, clientScope } from '../../../nodes/shared/processState';

const newCount = () => ({ value: 0 });
const newTable = () => ({ size: 60_000 });
const newWork = () => ({ size: 60_000, isInUse: true });

beforeEach(resetProcessState);

describe('the state of a client', () => {
	it('is one value for all callers, and another one for each client', () => {
		clientScope('a').shared(newCount).value = 1;
		expect(['a', 'b'].map((name) => clientScope(name).shared(newCount).value)).toEqual([1, 0]);
	});

	it('is forgotten by a restart', () => {
		clientScope('a').shared(newCount).value = 1;
		resetProcessState();
		expect(clientScope('a').shared(newCount).value).toBe(0);
	});

	it('is forgotten where all of it is too much, the one used longest ago first', () => {
		for (const name of ['a', 'b', 'a', 'c']) clientScope(name).shared(newTable);
		const [a, c] = [clientScope('a').shared(newTable), clientScope('c').shared(newTable)];
		clientScope('d');
		expect(clientScope('c').shared(newTable)).toBe(c);
		expect(clientScope('a').shared(newTable)).not.toBe(a);
	});

	it('is not forgotten while it is in use', () => {
		const work = clientScope('a').shared(newWork);
		for (const name of ['b', 'c', 'd']) clientScope(name).shared(newTable);
		expect(clientScope('a').shared(newWork)).toBe(work);
	});

	it('reports from when on it is known, once a client was forgotten', () => {
		expect(clientScope('a').knowsSince).toBe(-Infinity);
		for (const name of ['b', 'c', 'd', 'e']) clientScope(name).shared(newTable);
		expect(clientScope('f').knowsSince).toBeGreaterThan(0);
	});
});
