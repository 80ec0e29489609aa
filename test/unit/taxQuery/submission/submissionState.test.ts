import fc from 'fast-check';
import {
	countBilled,
	isUnresolved,
	transition,
	type SubmissionEvent,
	type SubmissionState,
} from '../../../../nodes/TaxQuery/submission/submissionState';
import type {
	Completeness,
	QueryId,
	SubmissionResponse,
} from '../../../../nodes/TaxQuery/client/types';

const ids = (...names: string[]) => names as QueryId[];
const query = (id: string) => ({ kind: 'acknowledged' as const, id: id as QueryId, raw: {} });
const accepted: SubmissionResponse = { kind: 'accepted', queries: [query('q1')] };
const refused: SubmissionResponse = { kind: 'rejected', problem: { kind: 'status', status: 400 } };
const unsure: SubmissionResponse = { kind: 'uncertain', why: 'noId' };

const PLANNED: SubmissionState = { at: 'planned' };
const REFUSED: SubmissionState = { at: 'rejected' };
const ACCEPTED: SubmissionState = { at: 'accepted', ids: ids('q1') };
const SENT: SubmissionState = { at: 'inFlight', since: 5, hash: 'h' };
const UNSURE: SubmissionState = { at: 'uncertain', since: 5, hash: 'h', why: 'noId' };
const MISSING: SubmissionState = { at: 'missing', since: 5, hash: 'h', why: 'noId' };
const lives = { PLANNED, REFUSED, ACCEPTED, SENT, UNSURE, MISSING };

const looked = (
	found: string[],
	untold: string[],
	completeness: Completeness,
): SubmissionEvent => ({
	type: 'search',
	found: ids(...found),
	possible: ids(...untold),
	completeness,
});
const events: Record<string, SubmissionEvent> = {
	sending: { type: 'send', since: 9, hash: 'i' },
	'answered: accepted': { type: 'response', posted: accepted },
	'answered: refused': { type: 'response', posted: refused },
	'answered: unsure': { type: 'response', posted: unsure },
	'looked: found': looked(['q1'], [], 'complete'),
	'looked: found in part of the list': looked(['q1'], ['q2'], 'truncated'),
	'looked: nothing': looked([], [], 'complete'),
	'looked: nothing in a cut list': looked([], [], 'truncated'),
	'looked: nothing, and nobody knows whether that is all': looked([], [], 'inconclusive'),
	'looked: something that may be it': looked([], ['q2'], 'complete'),
	again: { type: 'sendAgain' },
};
const GONE: SubmissionState = { at: 'inFlight', since: 9, hash: 'i' };
const LATER: SubmissionState = { at: 'uncertain', since: 5, hash: 'h', why: 'earlierTry' };
const LATER_MISSING: SubmissionState = { at: 'missing', since: 5, hash: 'h', why: 'earlierTry' };

/** What is not here leaves a life as it is. */
const table: Record<keyof typeof lives, Record<string, SubmissionState>> = {
	PLANNED: { sending: GONE },
	REFUSED: { sending: GONE },
	ACCEPTED: {},
	SENT: {
		sending: GONE,
		'answered: accepted': ACCEPTED,
		'answered: refused': REFUSED,
		'answered: unsure': UNSURE,
		'looked: found': ACCEPTED,
		'looked: found in part of the list': ACCEPTED,
		'looked: nothing': LATER_MISSING,
		'looked: nothing in a cut list': LATER,
		'looked: nothing, and nobody knows whether that is all': LATER,
		'looked: something that may be it': LATER,
	},
	UNSURE: {
		'looked: found': ACCEPTED,
		'looked: found in part of the list': ACCEPTED,
		'looked: nothing': MISSING,
	},
	MISSING: {
		'looked: found': ACCEPTED,
		'looked: found in part of the list': ACCEPTED,
		'looked: nothing in a cut list': UNSURE,
		'looked: nothing, and nobody knows whether that is all': UNSURE,
		'looked: something that may be it': UNSURE,
		again: PLANNED,
	},
};

describe('the life of a paid query', () => {
	const all = Object.entries(lives) as Array<[keyof typeof lives, SubmissionState]>;
	it.each(
		all.flatMap(([name, life]) =>
			Object.entries(events).map(([what, event]) => [name, what, life, event] as const),
		),
	)('%s, %s', (name, what, life, event) => {
		expect(transition(life, event, 1)).toEqual(table[name][what] ?? life);
	});

	it('is accepted only once all its queries are found', () => {
		expect(transition(UNSURE, looked(['q1', 'q2'], [], 'complete'), 3)).toEqual(UNSURE);
		expect(transition(UNSURE, looked(['q1', 'q2', 'q3'], [], 'complete'), 3)).toEqual({
			at: 'accepted',
			ids: ['q1', 'q2', 'q3'],
		});
	});
});

describe('the life of a paid query, over any sequence of events', () => {
	const posted = fc.constantFrom(accepted, refused, unsure);
	const event: fc.Arbitrary<SubmissionEvent> = fc.oneof(
		fc.record({
			type: fc.constant('send' as const),
			since: fc.nat(99),
			hash: fc.constantFrom('h', 'i'),
		}),
		fc.record({ type: fc.constant('response' as const), posted }),
		fc.record({
			type: fc.constant('search' as const),
			found: fc.constantFrom(ids(), ids('q1'), ids('q1', 'q2')),
			possible: fc.constantFrom(ids(), ids('q9')),
			completeness: fc.constantFrom<Completeness>('complete', 'truncated', 'inconclusive'),
		}),
		fc.constant<SubmissionEvent>({ type: 'sendAgain' }),
	);

	it('is never sent a second time after a try that was not refused, unless it was missing and allowed', () => {
		fc.assert(
			fc.property(fc.array(event, { maxLength: 30 }), fc.constantFrom(1, 2), (sequence, count) => {
				let life: SubmissionState = PLANNED;
				let isFree = true;
				for (const one of sequence) {
					const next: SubmissionState = transition(life, one, count);
					if (life.at !== 'inFlight' && next.at === 'inFlight') expect(isFree).toBe(true);
					if (next.at === 'rejected') isFree = true;
					else if (isUnresolved(next) || next.at === 'accepted') isFree = false;
					if (one.type === 'sendAgain' && life.at === 'missing') isFree = true;
					if (life.at === 'accepted') expect(next).toBe(life);
					life = next;
				}
			}),
			{ numRuns: 5000 },
		);
	});

	it('is missing only by a whole list that shows nothing of it', () => {
		fc.assert(
			fc.property(fc.array(event, { maxLength: 30 }), (sequence) => {
				let life: SubmissionState = PLANNED;
				for (const one of sequence) {
					const next: SubmissionState = transition(life, one, 1);
					if (next.at === 'missing' && life.at !== 'missing') {
						expect(one).toEqual(looked([], [], 'complete'));
					}
					life = next;
				}
			}),
			{ numRuns: 5000 },
		);
	});
});

it.each<[string, SubmissionState[], number | undefined]>([
	['nothing', [], 0],
	['what was never sent, and what was refused', [PLANNED, REFUSED], 0],
	['what was accepted, by its IDs', [ACCEPTED, { at: 'accepted', ids: ids('q2', 'q3') }], 3],
	['what is on its way', [SENT, ACCEPTED], undefined],
	['what is unsure', [ACCEPTED, UNSURE], undefined],
	['what is missing in the list', [MISSING], undefined],
])('of %s so many are billed', (_what, all, billed) => {
	expect(countBilled(all)).toBe(billed);
});
