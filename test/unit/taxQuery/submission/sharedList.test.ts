import { readTaxQueryApiMapping } from '../../../../nodes/shared/credentials/apiMapping';
import { RequestError } from '../../../../nodes/shared/http/requestError';
import { taxQuery } from '../../../../nodes/shared/http/services';
import type { RequestProblem } from '../../../../nodes/shared/errors/requestProblem';
import type { QueryClient } from '../../../../nodes/TaxQuery/client/queryClient';
import { SharedQueryList } from '../../../../nodes/TaxQuery/submission/sharedList';

/** Five runs need the list at once; the first reading fails so. Returns what each got, and the number of readings. */
async function readAtOnce(problem: RequestProblem) {
	let readings = 0;
	const client = {
		mapping: readTaxQueryApiMapping({}),
		serviceMessage: () => ({}),
		request: async () => {
			readings++;
			await Promise.resolve();
			if (readings === 1) throw new RequestError(taxQuery, problem);
			return [];
		},
	} as unknown as QueryClient;
	const list = new SharedQueryList();
	const need = { since: 0, notBefore: performance.now() };
	const all = Array.from(
		{ length: 5 },
		async () => await list.read(client, { owner: {}, ...need }),
	);
	const ends = (await Promise.allSettled(all)).map(({ status }) => status);
	return { ends, readings };
}

describe('a reading of the list that runs share', () => {
	it('fails all of them in an outage, and none waits for another one to fail', async () => {
		const { ends, readings } = await readAtOnce({ kind: 'status', status: 503 });
		expect([new Set(ends), readings]).toEqual([new Set(['rejected']), 1]);
	});

	it.each<RequestProblem>([{ kind: 'cancelled' }, { kind: 'rateLimit', waitedMs: 1 }])(
		'fails only its own run where the reason is that run: %j',
		async (problem) => {
			const { ends, readings } = await readAtOnce(problem);
			const { length } = ends.filter((end) => end === 'rejected');
			expect([length, readings]).toEqual([1, 2]);
		},
	);
});
