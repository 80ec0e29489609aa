import type { IDataObject } from 'n8n-workflow';
import fc from 'fast-check';
import { MAX_PENDING, Ledger, type SavedLedger } from '../../../../nodes/TaxQuery/trigger/ledger';
import { TriggerSimulation, type Step } from './simulation';

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
	{ weight: 3, arbitrary: fc.record({ ...step('finish', 'fail', 'change'), of }) },
	{ weight: 5, arbitrary: fc.record({ ...step('call', 'copy', 'end', 'hear'), of }) },
	{ weight: 2, arbitrary: fc.record({ ...step('ask', 'forge'), of }) },
	fc.record(step('breakN8n', 'mendN8n', 'publish', 'audit', 'slow', 'minute')),
);
const kill = fc.record(step('kill'));
const move = fc.oneof(fc.record({ ...step('move'), old: fc.nat(40) }), fc.record(step('purge')));

const seenKeysOf = (ledger: Ledger) => Object.keys(ledger.saved.toJSON().seen);

const historyOf = (steps: fc.Arbitrary<Step>, old: fc.Arbitrary<number>) =>
	fc.record({
		pageSize: fc.oneof(fc.integer({ min: 3, max: 100 }), fc.integer({ min: 3, max: 10 })),
		old,
		hasWorkers: fc.boolean(),
		steps: fc.array(
			fc.oneof(
				{ weight: 2, arbitrary: steps },
				fc.record({ ...step('poll'), during: fc.array(steps, { maxLength: 3 }) }),
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
	const history = new TriggerSimulation(pageSize, old, hasWorkers);
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
const oldOnes = ({ queries, executions }: TriggerSimulation) =>
	queries.filter(({ id, status, isOld }) => isOld && executions.has(`${id} ${status}`));
const written = (saved: object) => JSON.parse(JSON.stringify(saved)) as SavedLedger;

describe('whatever happens around a trigger', () => {
	const losesNothing = (given: Given) => {
		const history = run(given);
		expect(history.lost).toEqual([]);
		expect(more(history.executions, 1)).toEqual([]);
		expect(oldOnes(history)).toEqual([]);
		expect(history.errors).toEqual([]);
	};

	it('loses no new result, starts none twice and no old one, if n8n is never killed', () => {
		check(simple, 1_500, losesNothing);
	});

	it('does so behind 20,000 old queries', () => {
		check(simple, 10, losesNothing, fc.constant(20_000));
	});

	it('does so if n8n has deleted the executions', () => {
		check(fc.oneof({ weight: 6, arbitrary: simple }, fc.record(step('prune'))), 300, losesNothing);
	});

	it('does so if a workflow is imported while it runs, with an older ledger', () => {
		check(
			fc.oneof({ weight: 6, arbitrary: simple }, fc.record(step('import', 'audit'))),
			300,
			losesNothing,
		);
	});

	it('does so with workers if two mains lead in turn, also without the executions', () => {
		check(
			fc.oneof({ weight: 6, arbitrary: simple }, fc.record(step('lead', 'prune'))),
			700,
			(given) => {
				const history = run({ ...given, hasWorkers: true });
				expect(history.lost).toEqual([]);
				expect(oldOnes(history)).toEqual([]);
				expect(history.errors).toEqual([]);
			},
		);
	});

	it('does so with workers if two mains lead in turn: no result twice', () => {
		check(fc.oneof({ weight: 6, arbitrary: simple }, fc.record(step('lead'))), 700, (given) => {
			const history = run({ ...given, hasWorkers: true });
			expect(history.lost).toEqual([]);
			expect(more(history.executions, 1)).toEqual([]);
		});
	});

	it('does so if n8n is killed: no result twice as long as n8n has its row', () => {
		check(fc.oneof({ weight: 4, arbitrary: simple }, kill), 1_500, losesNothing);
	});

	it('never starts in masses if the account or the list is another, which is an error', () => {
		check(fc.oneof({ weight: 6, arbitrary: simple }, move), 700, (given) => {
			const history = run(given);
			expect(oldOnes(history)).toEqual([]);
			if (given.steps.some((each) => each.do === 'move'))
				expect(history.errors.length).toBeGreaterThan(0);
		});
	});
});

describe('masses of queries', () => {
	const finishAll = (history: TriggerSimulation) => {
		for (const query of history.queries.filter(({ status }) => status === 'PENDING'))
			query.status = 'SUCCESS';
	};

	it.each([20_000, 500])(
		'all start once when 5,000 pending ones finish (pages of %i)',
		(pageSize) => {
			const count = MAX_PENDING;
			const history = new TriggerSimulation(pageSize, 2_000, false, 500);
			history.step({ do: 'make', count, finished: false, depth: 0 });
			history.poll([], false);
			history.step({ do: 'kill' });
			finishAll(history);
			while (history.executions.size < count) {
				const before = history.executions.size;
				history.step({ do: 'audit' });
				history.poll([], false);
				history.endAll();
				if (history.executions.size === before) break;
				if (before % 1_500 === 0) history.step({ do: 'kill' });
				history.step({ do: 'minute' });
			}
			expect(history.lost).toHaveLength(0);
			expect(more(history.executions, 1)).toHaveLength(0);
			expect(oldOnes(history)).toHaveLength(0);
			expect(history.errors).toEqual([]);
		},
	);

	it('are forgotten with a report where more are pending than can be followed', () => {
		const history = new TriggerSimulation(100_000, 0, false, 1_000);
		history.step({ do: 'make', count: MAX_PENDING + 10, finished: false, depth: 0 });
		history.poll([], false);
		expect(history.errors).toEqual(['forgotten']);
		finishAll(history);
		for (let each = 0; each < 20; each++) {
			history.poll([], false);
			history.endAll();
		}
		expect(history.lost).toHaveLength(10);
	});

	it('that run cost the ledger nothing', () => {
		const history = new TriggerSimulation(2_000, 10, false, 2_000);
		const before = JSON.stringify(history.ledger.saved).length;
		history.step({ do: 'make', count: 900, finished: true, depth: 0 });
		for (let each = 0; each < 5; each++) history.poll([], false);
		expect(history.running).toHaveLength(900);
		const { starting, pending } = written(history.ledger.saved);
		expect([starting, pending]).toEqual([{}, []]);
		expect(JSON.stringify(history.ledger.saved).length - before).toBeLessThan(900 * 30);
	});
});

describe('the ledger', () => {
	it('is the same after a restart, whatever was done', () => {
		check(simple, 300, ({ pageSize, old, steps }) => {
			const history = new TriggerSimulation(pageSize, old);
			for (const each of steps) {
				history.step(each);
				const saved = written(history.ledger.saved);
				expect(written(new Ledger(saved).saved)).toEqual(saved);
			}
		});
	});

	it('has its place moved by checks alone, and nothing written by who only asks', () => {
		check(simple, 300, ({ pageSize, old, steps }) => {
			const history = new TriggerSimulation(pageSize, old);
			for (const each of steps) {
				const before = JSON.stringify(history.ledger.saved);
				const seen = seenKeysOf(history.ledger);
				history.step(each);
				if (each.do === 'poll') continue;
				expect(seenKeysOf(history.ledger)).toEqual(seen);
				if (each.do === 'ask' || each.do === 'forge')
					expect(JSON.stringify(history.ledger.saved)).toBe(before);
			}
		});
	});

	it('knows the last status that came through', () => {
		const ledger = new Ledger();
		ledger.take('a');
		for (const status of ['SUCCESS', 'FAILED']) ledger.settle({ queryId: 'a', status });
		const again = new Ledger(written(ledger.saved));
		const words = ['SUCCESS', 'FAILED'];
		expect(words.map((status) => again.isSettled({ queryId: 'a', status }))).toEqual([false, true]);
	});

	it('writes in the next write what a failed one should have written', () => {
		const ledger = new Ledger();
		ledger.start('a', 'query a');
		const failed = written(ledger.saved).starting;
		ledger.endStart('a');
		expect([failed, written(ledger.saved).starting]).toEqual([{ a: 'query a' }, {}]);
	});

	it.each([[{ seen: {}, late: 7, pending: null }], [{}]])(
		'is empty where %j was saved',
		(saved) => {
			const ledger = new Ledger(saved as IDataObject);
			expect([ledger.isEmpty(), ledger.pendingIds(), ledger.starting()]).toEqual([true, [], []]);
		},
	);

	it('is saved in less than 250 kB with 5,000 pending', () => {
		const history = new TriggerSimulation(100, 20_000);
		const id = (each: number) => `pending-of-36-letters-${each}`.padStart(36, 'x');
		for (let each = 0; each < 2 * MAX_PENDING; each++) history.ledger.addPending([id(each)]);
		expect(JSON.stringify(history.ledger.saved).length).toBeLessThan(250_000);
	});

	it('is saved in less than 60 kB with 1,000 pending and 100 running', () => {
		const history = new TriggerSimulation(100, 2_000, false, 100);
		history.step({ do: 'make', count: 1_000, finished: false, depth: 0 });
		history.step({ do: 'make', count: 100, finished: true, depth: 0 });
		history.poll([], false);
		expect(JSON.stringify(history.ledger.saved).length).toBeLessThan(60_000);
	});
});
