import type { NodeRun, OperationItem } from '../../../../nodes/shared/operations/operation';
import type { QueryRequest } from '../../../../nodes/TaxQuery/request/queryRequest';
import { journalOf } from '../../../../nodes/TaxQuery/submission/journal';

/** Returns a run whose memory n8n hands to the next try; each try has an execution state of its own. */
const runWith = (memory: object) =>
	({
		...{ memory, executionId: '7', node: 'node', index: 0 },
		execution: { shared: (make: () => unknown) => make() },
	}) as unknown as NodeRun;

const item = { index: 0 } as OperationItem;
const request = { key: 'key', share: 's', subject: 't', hash: 'h' } as QueryRequest;
const since = 5;

it.each([
	[{ at: 'inFlight' as const, since, hash: 'h' }, 'sent'],
	[{ at: 'uncertain' as const, since, hash: 'h', why: 'noId' as const }, 'unsure'],
	[{ at: 'missing' as const, since, hash: 'h', why: 'noId' as const }, 'missing'],
])('stores %j under the name %s, and reads it in the next try', (state, name) => {
	const memory: { paidQueries?: Record<string, object> } = {};
	journalOf(runWith(memory)).begin(item, request, 'account').save(state);
	const stored = JSON.parse(JSON.stringify(memory)) as typeof memory;
	expect(Object.values(stored.paidQueries?.lives ?? {})).toEqual([{ ...state, at: name }]);
	const next = journalOf(runWith(stored));
	expect(next.own(item, request)?.state).toEqual(state);
	expect(next.statesOf(0)).toEqual([state]);
});
