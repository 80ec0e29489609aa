import type { QueryRecord } from '../../../contract/taxQuery';
import { fakeApplicant } from '../../data/applicant';
import type { People } from '../../data/people/people';
import { fakerFor } from '../../data/faker';
import type { ResultGenerator } from '../../data/taxQueryResults';
import { buildPendingRecord, queryId } from './queryStore';

const PEOPLE = 40;
const YEAR_MS = 365 * 86_400_000;
const RESPONSE_MS = 1500;

/** They end in the past year, oldest first, and are about 40 people, to save time. */
export function generatePastQueries(
	count: number,
	parts: { seed: number; now: number; people: People; results: ResultGenerator },
): QueryRecord[] {
	if (count === 0) return [];
	const { seed, now, people, results } = parts;
	const made = Array.from({ length: Math.min(count, PEOPLE) }, (_, index) => {
		const { rfc, curp } = fakeApplicant(fakerFor(seed, `past ${index}`), people);
		return [
			{ service: 'CURP', query: { curp }, response: results.curp(curp), state: {} },
			{
				service: 'CRF',
				query: { rfc },
				response: results.fiscal(rfc, true),
				state: results.fiscalState(rfc),
			},
			{ service: 'JOB_HISTORY', query: { curp }, response: results.jobHistory(curp), state: {} },
			{
				service: 'RFC',
				query: { rfc },
				response: results.fiscal(rfc, false),
				state: results.fiscalState(rfc),
			},
		];
	}).flat();
	return Array.from({ length: count }, (_, index) => {
		const { service, query, response, state } = made[index % made.length];
		const at = now - ((count - index) * YEAR_MS) / (count + 1);
		const iso = (ms: number) => new Date(ms).toISOString();
		return {
			...buildPendingRecord(queryId(seed, `past ${index}`), service, 'PF', query, iso(at)),
			status: 'SUCCESS',
			response: { ...response },
			state,
			updatedAt: iso(Math.min(at + RESPONSE_MS, now)),
		};
	});
}
