import fc from 'fast-check';
import {
	countBilledQueries,
	isUnresolved,
	transition,
	type SubmissionEvent,
	type SubmissionState,
} from '../../../../nodes/TaxQuery/submission/submissionState';
import type {
	Completeness,
	QueryId,
	SubmissionResponse,
} from '../../../../nodes/TaxQuery/client/queryModel';

const ids = (...names: string[]) => names as QueryId[];
const query = (id: string) => ({ kind: 'acknowledged' as const, id: id as QueryId, raw: {} });
const accepted: SubmissionResponse = { kind: 'accepted', queries: [query('q1')] };
const rejected: SubmissionResponse = { kind: 'rejected', problem: { kind: 'status', status: 400 } };
const uncertain: SubmissionResponse = { kind: 'uncertain', why: 'noId' };

const PLANNED: SubmissionState = { at: 'planned' };
const REJECTED: SubmissionState = { at: 'rejected' };
const ACCEPTED: SubmissionState = { at: 'accepted', ids: ids('q1') };
const IN_FLIGHT: SubmissionState = { at: 'inFlight', since: 5, hash: 'h' };
const UNCERTAIN: SubmissionState = { at: 'uncertain', since: 5, hash: 'h', why: 'noId' };
const MISSING: SubmissionState = { at: 'missing', since: 5, hash: 'h', why: 'noId' };
const states = {
	PLANNED,
	REFUSED: REJECTED,
	ACCEPTED,
	SENT: IN_FLIGHT,
	UNSURE: UNCERTAIN,
	MISSING,
};

const searched = (
	found: string[],
	missing: string[],
	completeness: Completeness,
): SubmissionEvent => ({
	type: 'search',
	found: ids(...found),
	possible: ids(...missing),
	completeness,
});
const events: Record<string, SubmissionEvent> = {
	sending: { type: 'send', since: 9, hash: 'i' },
	'answered: accepted': { type: 'response', posted: accepted },
	'answered: refused': { type: 'response', posted: rejected },
	'answered: unsure': { type: 'response', posted: uncertain },
	'looked: found': searched(['q1'], [], 'complete'),
	'looked: found in part of the list': searched(['q1'], ['q2'], 'truncated'),
	'looked: nothing': searched([], [], 'complete'),
	'looked: nothing in a cut list': searched([], [], 'truncated'),
	'looked: nothing, and nobody knows whether that is all': searched([], [], 'unknown'),
	'looked: something that may be it': searched([], ['q2'], 'complete'),
	again: { type: 'sendAgain' },
};
const GONE: SubmissionState = { at: 'inFlight', since: 9, hash: 'i' };
const LATER: SubmissionState = { at: 'uncertain', since: 5, hash: 'h', why: 'earlierTry' };
const LATER_MISSING: SubmissionState = { at: 'missing', since: 5, hash: 'h', why: 'earlierTry' };

/** Defines what is not here leaves a life as it is. */
const table: Record<keyof typeof states, Record<string, SubmissionState>> = {
	PLANNED: { sending: GONE },
	REFUSED: { sending: GONE },
	ACCEPTED: {},
	SENT: {
		sending: GONE,
		'answered: accepted': ACCEPTED,
		'answered: refused': REJECTED,
		'answered: unsure': UNCERTAIN,
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
		'looked: nothing in a cut list': UNCERTAIN,
		'looked: nothing, and nobody knows whether that is all': UNCERTAIN,
		'looked: something that may be it': UNCERTAIN,
		again: PLANNED,
	},
};

describe('the life of a paid query', () => {
	const all = Object.entries(states) as Array<[keyof typeof states, SubmissionState]>;
	it.each(
		all.flatMap(([name, state]) =>
			Object.entries(events).map(([what, event]) => [name, what, state, event] as const),
		),
	)('%s, %s', (name, what, state, event) => {
		expect(transition(state, event, 1)).toEqual(table[name][what] ?? state);
	});

	it('is accepted only once all its queries are found', () => {
		expect(transition(UNCERTAIN, searched(['q1', 'q2'], [], 'complete'), 3)).toEqual(UNCERTAIN);
		expect(transition(UNCERTAIN, searched(['q1', 'q2', 'q3'], [], 'complete'), 3)).toEqual({
			at: 'accepted',
			ids: ['q1', 'q2', 'q3'],
		});
	});
});

describe('the life of a paid query, over any sequence of events', () => {
	const posted = fc.constantFrom(accepted, rejected, uncertain);
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
			completeness: fc.constantFrom<Completeness>('complete', 'truncated', 'unknown'),
		}),
		fc.constant<SubmissionEvent>({ type: 'sendAgain' }),
	);

	it('is sent again only after a rejection, or if missing and allowed', () => {
		fc.assert(
			fc.property(fc.array(event, { maxLength: 30 }), fc.constantFrom(1, 2), (sequence, count) => {
				let state: SubmissionState = PLANNED;
				let isFree = true;
				for (const one of sequence) {
					const next: SubmissionState = transition(state, one, count);
					if (state.at !== 'inFlight' && next.at === 'inFlight') expect(isFree).toBe(true);
					if (next.at === 'rejected') isFree = true;
					else if (isUnresolved(next) || next.at === 'accepted') isFree = false;
					if (one.type === 'sendAgain' && state.at === 'missing') isFree = true;
					if (state.at === 'accepted') expect(next).toBe(state);
					state = next;
				}
			}),
			{ numRuns: 5000 },
		);
	});

	it('is missing only by a whole list that shows nothing of it', () => {
		fc.assert(
			fc.property(fc.array(event, { maxLength: 30 }), (sequence) => {
				let state: SubmissionState = PLANNED;
				for (const one of sequence) {
					const next: SubmissionState = transition(state, one, 1);
					if (next.at === 'missing' && state.at !== 'missing') {
						expect(one).toEqual(searched([], [], 'complete'));
					}
					state = next;
				}
			}),
			{ numRuns: 5000 },
		);
	});
});

it.each<[string, SubmissionState[], number | undefined]>([
	['nothing', [], 0],
	['what was never sent, and what was refused', [PLANNED, REJECTED], 0],
	['what was accepted, by its IDs', [ACCEPTED, { at: 'accepted', ids: ids('q2', 'q3') }], 3],
	['what is on its way', [IN_FLIGHT, ACCEPTED], undefined],
	['what is unsure', [ACCEPTED, UNCERTAIN], undefined],
	['what is missing in the list', [MISSING], undefined],
])('of %s so many are billed', (_what, all, billed) => {
	expect(countBilledQueries(all)).toBe(billed);
});
