import fc from 'fast-check';
import { openLedger } from '../../../../nodes/TaxQuery/deliveries/ledger';
import { History, type Step } from './history';

const of = fc.nat(1_000);
const step = <Name extends Step['do']>(...names: Name[]) => ({ do: fc.constantFrom(...names) });
const make = {
	...step('make'),
	count: fc.nat(12),
	finished: fc.boolean(),
	depth: fc.constantFrom(0, 0, 0, 1, 2),
};
const simple: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 4, arbitrary: fc.record(make) },
	{ weight: 3, arbitrary: fc.record({ ...step('finish', 'fail'), of }) },
	{ weight: 4, arbitrary: fc.record({ ...step('call', 'copy', 'end'), of }) },
	{ weight: 2, arbitrary: fc.record({ ...step('ask', 'forge'), of }) },
	fc.record(step('breakN8n', 'mendN8n', 'publish', 'audit')),
);
const kill = fc.record(step('kill'));
const move = fc.oneof(fc.record({ ...step('move'), old: fc.nat(40) }), fc.record(step('purge')));

const historyOf = (steps: fc.Arbitrary<Step>, old: fc.Arbitrary<number>) =>
	fc.record({
		pageSize: fc.oneof(fc.integer({ min: 3, max: 100 }), fc.integer({ min: 3, max: 10 })),
		old,
		hasWorkers: fc.boolean(),
		steps: fc.array(
			fc.oneof(
				{ weight: 2, arbitrary: steps },
				fc.record({ ...step('look'), during: fc.array(steps, { maxLength: 3 }) }),
			),
			{ maxLength: 25 },
		),
	});
interface Given {
	pageSize: number;
	old: number;
	hasWorkers: boolean;
	steps: Step[];
}

const run = ({ pageSize, old, hasWorkers, steps }: Given) => {
	const history = new History(pageSize, old, hasWorkers);
	for (const each of steps) history.step(each);
	history.finish();
	return history;
};
const check = (
	steps: fc.Arbitrary<Step>,
	numRuns: number,
	test: (given: Given) => void,
	old: fc.Arbitrary<number> = fc.nat(30),
) => fc.assert(fc.property(historyOf(steps, old), test), { numRuns, seed: 26 });
const more = (counts: Map<string, number>, than: number) =>
	[...counts].filter(([, count]) => count > than);
const oldOnes = ({ queries, executions }: History) =>
	queries.filter(({ id, word, isOld }) => isOld && executions.has(`${id} ${word}`));

describe('whatever happens around a trigger', () => {
	const losesNothing = (given: Given) => {
		const history = run(given);
		expect(history.lost).toEqual([]);
		expect(more(history.executions, 1)).toEqual([]);
		expect(more(history.emitted, 1)).toEqual([]);
		expect(oldOnes(history)).toEqual([]);
		expect(history.errors).toEqual([]);
	};

	it('loses no new result, starts none twice and no old one, where n8n is never killed', () => {
		check(simple, 1_500, losesNothing);
	});

	it('nor behind 20,000 old queries', () => {
		check(simple, 10, losesNothing, fc.constant(20_000));
	});

	it('loses no new result where n8n is killed, and starts twice only what had not ended, without workers', () => {
		check(fc.oneof({ weight: 4, arbitrary: simple }, kill), 1_000, (given) => {
			const history = run(given);
			expect(history.lost).toEqual([]);
			expect(more(history.executions, given.hasWorkers ? 1 : 2)).toEqual([]);
			expect(oldOnes(history)).toEqual([]);
		});
	});

	it('never starts in masses where the account or the list is another, which is an error', () => {
		check(fc.oneof({ weight: 6, arbitrary: simple }, move), 700, (given) => {
			const history = run(given);
			expect(oldOnes(history)).toEqual([]);
			if (given.steps.some((each) => each.do === 'move'))
				expect(history.errors.length).toBeGreaterThan(0);
		});
	});
});

describe('the ledger', () => {
	it('is the same after a restart, whatever was done', () => {
		check(simple, 300, ({ pageSize, old, steps }) => {
			const history = new History(pageSize, old);
			for (const each of steps) {
				history.step(each);
				const { saved } = history.ledger;
				expect(openLedger(JSON.parse(JSON.stringify(saved)) as object).saved).toEqual(saved);
			}
		});
	});

	it('has its place moved by looks alone, and nothing written by who only asks', () => {
		check(simple, 300, ({ pageSize, old, steps }) => {
			const history = new History(pageSize, old);
			for (const each of steps) {
				const before = JSON.stringify(history.ledger.saved);
				const seen = Object.keys(history.ledger.saved.seen).join();
				history.step(each);
				if (each.do === 'look') continue;
				expect(Object.keys(history.ledger.saved.seen).join()).toBe(seen);
				if (each.do === 'ask' || each.do === 'forge')
					expect(JSON.stringify(history.ledger.saved)).toBe(before);
			}
		});
	});

	it('is saved in less than 100 kB, however much there is', () => {
		const history = new History(100, 20_000);
		const id = (name: string, each: number) => `${name}-of-24-letters-${each}`.padStart(24, 'x');
		for (let each = 0; each < 5_000; each++) {
			history.ledger.settle({ queryId: id('late', each), word: 'SUCCESS' });
			history.ledger.await(id('open', each));
			history.ledger.start(id('started', each).padEnd(32, '0'), id('query', each), 1);
		}
		expect(JSON.stringify(history.ledger.saved).length).toBeLessThan(100_000);
	});
});
