import { resetProcessState, getClientState } from '../../../nodes/shared/processState';

const newCount = () => ({ value: 0 });
const newTable = () => ({ size: 60_000 });
const newWork = () => ({ size: 60_000, isInUse: true });

beforeEach(resetProcessState);

describe('the state of a client', () => {
	it('is one value for all callers, and another one for each client', () => {
		getClientState('a').shared(newCount).value = 1;
		expect(['a', 'b'].map((name) => getClientState(name).shared(newCount).value)).toEqual([1, 0]);
	});

	it('is forgotten by a restart', () => {
		getClientState('a').shared(newCount).value = 1;
		resetProcessState();
		expect(getClientState('a').shared(newCount).value).toBe(0);
	});

	it('is forgotten where all of it is too much, the one used longest ago first', () => {
		for (const name of ['a', 'b', 'a', 'c']) getClientState(name).shared(newTable);
		const [a, c] = [getClientState('a').shared(newTable), getClientState('c').shared(newTable)];
		getClientState('d');
		expect(getClientState('c').shared(newTable)).toBe(c);
		expect(getClientState('a').shared(newTable)).not.toBe(a);
	});

	it('is not forgotten while it is in use', () => {
		const work = getClientState('a').shared(newWork);
		for (const name of ['b', 'c', 'd']) getClientState(name).shared(newTable);
		expect(getClientState('a').shared(newWork)).toBe(work);
	});

	it('reports from when on it is known, once a client was forgotten', () => {
		expect(getClientState('a').knowsSince).toBe(-Infinity);
		for (const name of ['b', 'c', 'd', 'e']) getClientState(name).shared(newTable);
		expect(getClientState('f').knowsSince).toBeGreaterThan(0);
	});
});
