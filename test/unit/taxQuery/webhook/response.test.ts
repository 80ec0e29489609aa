import { respond, type Fate } from '../../../../nodes/TaxQuery/webhook/response';

describe('one response for all queries of a webhook call', () => {
	it.each<[Fate[], number, string]>([
		[['started', 'nothingNew'], 200, 'Accepted'],
		[['nothingNew'], 200, 'Nothing new'],
		[['started', 'onList'], 202, 'The next check brings the result'],
		[['started', 'onList', 'notYet'], 503, 'The service does not show the result yet'],
		[['unknown', 'started'], 200, 'Accepted'],
		[['unknown', 'notStarted'], 503, 'The result could not be taken'],
		[['unknown', 'unknown'], 404, 'The query service does not know this query'],
		[[], 200, 'Nothing new'],
	])('of %j is %i', (fates, status, message) => {
		expect(respond(fates)).toEqual({ status, message });
		expect(respond([...fates].reverse())).toEqual({ status, message });
	});
});
