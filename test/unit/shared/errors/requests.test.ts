import type { RequestProblem } from '../../../../nodes/shared/errors/requestProblem';
import type { ServiceHints } from '../../../../nodes/shared/errors/renderRequestError';
import { RequestError } from '../../../../nodes/shared/http/requestError';
import { creditProfile, taxQuery } from '../../../../nodes/shared/http/services';

const reported = (problem: RequestProblem, service: ServiceHints = creditProfile) => {
	const { message, description } = new RequestError(service, problem);
	return `${message} | ${description}`;
};
const status = (number: number, more: object = {}): RequestProblem => ({
	...{ kind: 'status', status: number },
	...more,
});

/** What an operator reads about a request that failed. */
describe('an error of a request', () => {
	it.each<[RequestProblem, RegExp]>([
		[status(401, { isTokenRefused: true }), /refused the token \| .*Tokens are per environment/],
		[status(403), /does not allow this operation \| .*permissions/],
		[status(404), /found nothing for what was sent \| .*base URL/],
		[status(400, { serviceMessage: 'offset?' }), / \| .*The service says: "offset\?"$/],
		[status(422), /did not accept the values sent \| /],
		[status(500), /failed with status 500 \| Try again later\.$/],
		[status(308, { location: 'https://x.example' }), /redirect.* \| .*It leads to https:\/\/x\./],
		[status(400, { isWithheld: true }), / \| .*withheld because it repeats a secret\.$/],
		[{ kind: 'body', reason: 'notJson', status: 200 }, / \| .*base URL/],
		[{ kind: 'shape', expected: 'a list of collections' }, /a list of collections \| .*base URL/],
		[{ kind: 'incomplete', given: 2, total: 3 }, /^2 of 3 rows returned \| .*Limit/],
		[
			{ kind: 'incomplete', given: 2, total: 3, isWhole: true },
			/^2 of 3 rows returned \| (?!.*Limit)/,
		],
		[{ kind: 'network', code: 'EPROTO' }, /TLS.* \| /],
	])('about %j says what happened, and what to do', (problem, words) => {
		expect(reported(problem)).toMatch(words);
	});

	it.each([
		[{ reason: 'refused' }, /^The service refused the client ID or secret \| Check both/],
		[{ reason: 'noToken' }, /holds no access token \| .*token\.fields or token\.body/],
	] as const)('about the login %j names what to correct', (more, words) => {
		expect(reported({ kind: 'login', isPassing: false, ...more }, taxQuery)).toMatch(words);
	});
});
