import { Faults, type FaultRule } from '../../sandbox/plugins/faults';

const fault = { status: 500 };
const RULE: FaultRule = { path: '/api', fault };

const faults = new Faults(1);
const isMet = (path = '/api/v1', method = 'GET') => faults.match(method, path).length > 0;
const met = (count: number) => Array.from({ length: count }, () => isMet());

afterEach(() => jest.useRealTimers());

it('a rule applies so many times, and counts them', () => {
	faults.set([{ ...RULE, times: 2 }]);
	expect(met(4)).toEqual([true, true, false, false]);
	expect(faults.list()).toEqual([{ ...RULE, times: 2, applied: 2 }]);
});

it('a rule applies for so many seconds', () => {
	jest.useFakeTimers();
	faults.set([{ ...RULE, seconds: 3_600 }]);
	jest.advanceTimersByTime(3_599_999);
	const before = isMet();
	jest.advanceTimersByTime(1);
	expect([before, isMet()]).toEqual([true, false]);
});

it('a probability repeats itself when the rules are set again', () => {
	const run = () => {
		faults.set([{ ...RULE, probability: 0.5 }]);
		return met(40);
	};
	const first = run();
	expect(new Set(first)).toEqual(new Set([true, false]));
	expect(run()).toEqual(first);
});

it('a rule applies to its method and to what begins with its path', () => {
	faults.set([{ ...RULE, method: 'get', path: '/api/:any/b' }]);
	expect(isMet('/api/x/b/c')).toBe(true);
	expect([isMet('/api/x/b', 'POST'), isMet('/api/b')]).toEqual([false, false]);
});

it('an exact rule applies to its whole path', () => {
	faults.set([{ ...RULE, path: '/api/:id', exact: true }]);
	expect([isMet('/api/1'), isMet('/api'), isMet('/api/1/b')]).toEqual([true, false, false]);
});

it('a request meets every latency, and one other fault', () => {
	const rules = [{ latency: 1 }, { latency: 2 }, 'storm' as const, 'hang' as const];
	faults.set(rules.map((one) => ({ ...RULE, fault: one })));
	expect(faults.match('GET', '/api')).toEqual([{ latency: 1 }, { latency: 2 }, 'storm']);
});
