import { describeFault } from '../http/faults';
import type { LoginProblem } from '../http/problem';
import { sentences } from '../utils/sentences';
import { said, type Words } from './words';

const MAPPING =
	'If it is right, set token.fields or token.body in API Mapping (switch on Advanced).';
const CHECK_URL = 'Check the base URL in the Tax Query credential.';

/** The sentences about a login that failed. */
export function renderLogin(problem: LoginProblem): Words {
	const [message, todo] = tell(problem);
	return { message, description: sentences(todo, said(problem)) };
}

function tell({
	reason,
	status = 0,
	code = '',
	hasWorked,
}: LoginProblem): [message: string, todo: string] {
	switch (reason) {
		case 'refused':
			return [
				'The service refused the client ID or secret',
				'Check both in the Tax Query credential.',
			];
		case 'notFound':
			return [
				'No query service at this base URL; it usually ends with /api',
				sentences(
					'Check it in the Tax Query credential',
					hasWorked
						? ''
						: 'If it is right, set paths.oauth/token in API Mapping (switch on Advanced)',
				),
			];
		case 'redirect':
			return [
				'The query service answered with a redirect, which is not followed',
				'Check the base URL in the Tax Query credential: it may begin with https, or the service has moved.',
			];
		case 'proxy':
			return [
				'A proxy or firewall refused the token request',
				'Check the proxy of this n8n, its login, and which addresses it lets through.',
			];
		case 'network':
			return [
				describeFault('query service', code),
				`Could not get an access token. ${CHECK_URL} Check the network of this n8n, too.`,
			];
		case 'outage':
			return [
				`The query service issues no access token at present: status ${status}`,
				'Try again later.',
			];
		case 'noToken':
			return ['The response to the token request holds no access token', `${CHECK_URL} ${MAPPING}`];
		case 'status':
			return [
				`The query service answered the token request with status ${status}`,
				`${CHECK_URL} ${MAPPING}`,
			];
		case 'renewal':
			return [
				'The service refused the access token while a request waited for it',
				'Try again later.',
			];
	}
}
