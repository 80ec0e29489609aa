import { toN8nNodeError } from '../../../../nodes/shared/operations/n8nNodeError';
import { RequestError } from '../../../../nodes/shared/http/requestError';
import { taxQuery } from '../../../../nodes/shared/http/services';
import type { QueryId } from '../../../../nodes/TaxQuery/client/model';
import { billedCountText, withBilledIds } from '../../../../nodes/TaxQuery/errors/queryError';

const node = { id: '1', name: 'n', type: 't', typeVersion: 1, position: [0, 0], parameters: {} };

it('an error names billed queries, keeps its code, and hides personal data', () => {
	const refused = new RequestError(taxQuery, {
		kind: 'status',
		status: 422,
		serviceMessage: 'Not ELENA',
	});
	const error = withBilledIds(refused, ['q1' as QueryId]);
	const shown = [false, true].map((omitsServiceMessage) =>
		toN8nNodeError(node as never, error, { omitsServiceMessage }),
	);
	for (const { context, httpCode, description } of shown as Array<{
		context: { code?: string };
		httpCode?: string;
		description?: string;
	}>) {
		expect([context.code, httpCode]).toEqual(['status.422', '422']);
		expect(description).toContain('q1');
	}
	expect(shown.map(({ description }) => description?.includes('ELENA'))).toEqual([true, false]);
});

it.each([
	[{ billed: 0 }, 'Billed: nothing'],
	[{ billed: 1 }, 'Billed: 1 query'],
	[{ billed: 3 }, 'Billed: 3 queries'],
	[{ billed: 'unknown' as const }, 'Billed: unknown'],
])('the cost %j reads "%s"', (cost, words) => {
	expect(billedCountText(cost)).toBe(words);
});
