import { resetProcessState, stateOfClient } from '../../../nodes/shared/processState';

const newCount = () => ({ value: 0 });
const newTable = () => ({ size: 60_000 });
const newWork = () => ({ size: 60_000, isInUse: true });

beforeEach(resetProcessState);

describe('the state of a client', () => {
	it('is one value for all callers, and another one for each client', () => {
		stateOfClient('a').shared(newCount).value = 1;
		expect(['a', 'b'].map((name) => stateOfClient(name).shared(newCount).value)).toEqual([1, 0]);
	});

	it('is forgotten by a restart', () => {
		stateOfClient('a').shared(newCount).value = 1;
		resetProcessState();
		expect(stateOfClient('a').shared(newCount).value).toBe(0);
	});

	it('is forgotten where all of it is too much, the one used longest ago first', () => {
		for (const name of ['a', 'b', 'a', 'c']) stateOfClient(name).shared(newTable);
		const [a, c] = [stateOfClient('a').shared(newTable), stateOfClient('c').shared(newTable)];
		stateOfClient('d');
		expect(stateOfClient('c').shared(newTable)).toBe(c);
		expect(stateOfClient('a').shared(newTable)).not.toBe(a);
	});

	it('is not forgotten while it is in use', () => {
		const work = stateOfClient('a').shared(newWork);
		for (const name of ['b', 'c', 'd']) stateOfClient(name).shared(newTable);
		expect(stateOfClient('a').shared(newWork)).toBe(work);
	});

	it('reports from when on it is known, once a client was forgotten', () => {
		expect(stateOfClient('a').knowsSince).toBe(-Infinity);
		for (const name of ['b', 'c', 'd', 'e']) stateOfClient(name).shared(newTable);
		expect(stateOfClient('f').knowsSince).toBeGreaterThan(0);
	});
});
