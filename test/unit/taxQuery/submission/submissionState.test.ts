import fc from 'fast-check';
import {
	countBilledQueries,
	isUncertain,
	transition,
	type SubmissionEvent,
	type SubmissionState,
} from '../../../../nodes/TaxQuery/submission/submissionState';
import type {
	ListCompleteness,
	QueryId,
	SubmissionOutcome,
} from '../../../../nodes/TaxQuery/client/model';

const ids = (...names: string[]) => names as QueryId[];
const query = (id: string) => ({ kind: 'acknowledged' as const, id: id as QueryId, raw: {} });
const accepted: SubmissionOutcome = { kind: 'accepted', queries: [query('q1')] };
const rejected: SubmissionOutcome = { kind: 'rejected', problem: { kind: 'status', status: 400 } };
const uncertain: SubmissionOutcome = { kind: 'uncertain', reason: 'noId' };

const PLANNED: SubmissionState = { status: 'planned' };
const REJECTED: SubmissionState = { status: 'rejected' };
const ACCEPTED: SubmissionState = { status: 'accepted', ids: ids('q1') };
const IN_FLIGHT: SubmissionState = { status: 'inFlight', sentAt: 5 };
const UNCERTAIN: SubmissionState = {
	status: 'uncertain',
	sentAt: 5,
	reason: 'noId',
};
const MISSING: SubmissionState = { status: 'missing', sentAt: 5, reason: 'noId' };
const states = {
	PLANNED,
	REJECTED,
	ACCEPTED,
	IN_FLIGHT,
	UNCERTAIN,
	MISSING,
};

const searched = (
	found: string[],
	missing: string[],
	completeness: ListCompleteness,
): SubmissionEvent => ({
	type: 'search',
	found: ids(...found),
	possible: ids(...missing),
	completeness,
});
const events: Record<string, SubmissionEvent> = {
	'response: accepted': { type: 'response', posted: accepted },
	'response: rejected': { type: 'response', posted: rejected },
	'response: uncertain': { type: 'response', posted: uncertain },
	'search: found': searched(['q1'], [], 'complete'),
	'search: found in part of the list': searched(['q1'], ['q2'], 'truncated'),
	'search: nothing': searched([], [], 'complete'),
	'search: nothing in a truncated list': searched([], [], 'truncated'),
	'search: nothing in a list of unknown completeness': searched([], [], 'unknown'),
	'search: an inconclusive record': searched([], ['q2'], 'complete'),
	sendAgain: { type: 'sendAgain' },
};
const LATER: SubmissionState = {
	status: 'uncertain',
	sentAt: 5,
	reason: 'earlierTry',
};
const LATER_MISSING: SubmissionState = {
	status: 'missing',
	sentAt: 5,
	reason: 'earlierTry',
};

/** An event that is missing here leaves the state unchanged. */
const table: Record<keyof typeof states, Record<string, SubmissionState>> = {
	PLANNED: {},
	REJECTED: {},
	ACCEPTED: {},
	IN_FLIGHT: {
		'response: accepted': ACCEPTED,
		'response: rejected': REJECTED,
		'response: uncertain': UNCERTAIN,
		'search: found': ACCEPTED,
		'search: found in part of the list': ACCEPTED,
		'search: nothing': LATER_MISSING,
		'search: nothing in a truncated list': LATER,
		'search: nothing in a list of unknown completeness': LATER,
		'search: an inconclusive record': LATER,
	},
	UNCERTAIN: {
		'search: found': ACCEPTED,
		'search: found in part of the list': ACCEPTED,
		'search: nothing': MISSING,
	},
	MISSING: {
		'search: found': ACCEPTED,
		'search: found in part of the list': ACCEPTED,
		'search: nothing in a truncated list': UNCERTAIN,
		'search: nothing in a list of unknown completeness': UNCERTAIN,
		'search: an inconclusive record': UNCERTAIN,
		sendAgain: PLANNED,
	},
};

describe('the state of a paid query', () => {
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
			status: 'accepted',
			ids: ['q1', 'q2', 'q3'],
		});
	});
});

describe('the state of a paid query, over any sequence of events', () => {
	const posted = fc.constantFrom(accepted, rejected, uncertain);
	const event: fc.Arbitrary<SubmissionEvent> = fc.oneof(
		fc.record({ type: fc.constant('response' as const), posted }),
		fc.record({
			type: fc.constant('search' as const),
			found: fc.constantFrom(ids(), ids('q1'), ids('q1', 'q2')),
			possible: fc.constantFrom(ids(), ids('q9')),
			completeness: fc.constantFrom<ListCompleteness>('complete', 'truncated', 'unknown'),
		}),
		fc.constant<SubmissionEvent>({ type: 'sendAgain' }),
	);

	it('leaves "uncertain" only by a search, and may be sent again only if missing', () => {
		fc.assert(
			fc.property(fc.array(event, { maxLength: 30 }), fc.constantFrom(1, 2), (sequence, count) => {
				let state: SubmissionState = IN_FLIGHT;
				for (const one of sequence) {
					const next: SubmissionState = transition(state, one, count);
					if (state.status === 'uncertain' && next.status !== 'uncertain')
						expect(one.type).toBe('search');
					if (next.status === 'planned' && state.status !== 'planned') {
						expect([state.status, one.type]).toEqual(['missing', 'sendAgain']);
					}
					if (!isUncertain(state)) expect(next).toBe(state);
					state = next;
				}
			}),
			{ numRuns: 5000 },
		);
	});

	it('is missing only by a whole list that shows nothing of it', () => {
		fc.assert(
			fc.property(fc.array(event, { maxLength: 30 }), (sequence) => {
				let state: SubmissionState = IN_FLIGHT;
				for (const one of sequence) {
					const next: SubmissionState = transition(state, one, 1);
					if (next.status === 'missing' && state.status !== 'missing') {
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
	['no query', [], 0],
	['planned and rejected queries', [PLANNED, REJECTED], 0],
	['accepted queries, by their IDs', [ACCEPTED, { status: 'accepted', ids: ids('q2', 'q3') }], 3],
	['a query in flight', [IN_FLIGHT, ACCEPTED], undefined],
	['an uncertain query', [ACCEPTED, UNCERTAIN], undefined],
	['a query that the list misses', [MISSING], undefined],
])('counts as billed: %s', (_what, all, billed) => {
	expect(countBilledQueries(all)).toBe(billed);
});
