import { resetProcessState, clientStateScope } from '../../../nodes/shared/processState';

const newCount = () => ({ value: 0 });
const newTable = () => ({ size: 60_000 });
const newWork = () => ({ size: 60_000, isInUse: true });

beforeEach(resetProcessState);

describe('the state of a client', () => {
	it('is one value for all callers, and another one for each client', () => {
		clientStateScope('a').shared(newCount).value = 1;
		expect(['a', 'b'].map((name) => clientStateScope(name).shared(newCount).value)).toEqual([1, 0]);
	});

	it('is forgotten by a restart', () => {
		clientStateScope('a').shared(newCount).value = 1;
		resetProcessState();
		expect(clientStateScope('a').shared(newCount).value).toBe(0);
	});

	it('is forgotten where all of it is too much, the one used longest ago first', () => {
		for (const name of ['a', 'b', 'a', 'c']) clientStateScope(name).shared(newTable);
		const [a, c] = [clientStateScope('a').shared(newTable), clientStateScope('c').shared(newTable)];
		clientStateScope('d');
		expect(clientStateScope('c').shared(newTable)).toBe(c);
		expect(clientStateScope('a').shared(newTable)).not.toBe(a);
	});

	it('is not forgotten while it is in use', () => {
		const work = clientStateScope('a').shared(newWork);
		for (const name of ['b', 'c', 'd']) clientStateScope(name).shared(newTable);
		expect(clientStateScope('a').shared(newWork)).toBe(work);
	});

	it('reports from when on it is known, once a client was forgotten', () => {
		expect(clientStateScope('a').knowsSince).toBe(-Infinity);
		for (const name of ['b', 'c', 'd', 'e']) clientStateScope(name).shared(newTable);
		expect(clientStateScope('f').knowsSince).toBeGreaterThan(0);
	});
});
