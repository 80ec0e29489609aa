import type { Run, Item } from '../../../../nodes/shared/operations/operation';
import type { QueryRequest } from '../../../../nodes/TaxQuery/request/queryRequest';
import type { QueryId } from '../../../../nodes/TaxQuery/client/model';
import type { SubmissionState } from '../../../../nodes/TaxQuery/submission/submissionState';
import { Journal } from '../../../../nodes/TaxQuery/submission/journal';

/** n8n hands its memory to the next try; each try has an execution state of its own. */
const runWith = (memory: object) =>
	({
		...{ memory, executionId: '7', node: 'node', index: 0 },
		execution: { shared: (make: () => unknown) => make() },
	}) as unknown as Run;

const item = { index: 0 } as Item;
const request = {
	journalKey: 'key',
	sharingKey: 's',
} as QueryRequest;
const sentAt = 5;

const states: SubmissionState[] = [
	{ status: 'inFlight', sentAt },
	{ status: 'uncertain', sentAt, reason: 'noId' },
	{ status: 'missing', sentAt, reason: 'noId' },
	{ status: 'accepted', ids: ['query' as unknown as QueryId] },
];

it.each(states)('hands the submission %j to the next try', (state) => {
	const memory = {};
	new Journal(runWith(memory)).begin(item, request, 'account').save(state);
	const next = new Journal(runWith(JSON.parse(JSON.stringify(memory)) as object));
	expect(next.own(item, request)?.state).toEqual(state);
	expect(next.statesOf(0)).toEqual([state]);
});
