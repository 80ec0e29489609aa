import { describeFault } from './networkFault';
import type { TokenRequestProblem } from './requestProblem';
import { joinSentences } from '../utils/joinSentences';
import { ADVICE } from './advice';
import { mappingHint, quoteServiceMessage, type ErrorText } from './sentences';

export function renderLoginError(problem: TokenRequestProblem): ErrorText {
	const [message, ...todo] = renderReason(problem);
	return { message, description: joinSentences(...todo, quoteServiceMessage(problem)) };
}

function renderReason({
	reason,
	status = 0,
	code = '',
}: TokenRequestProblem): [message: string, ...todo: string[]] {
	switch (reason) {
		case 'refused':
			return ['The service refused the client ID or secret', 'Check both in the credential'];
		case 'notFound':
			return [
				'No query service at this base URL; it usually ends with /api',
				ADVICE.checkBaseUrl,
				mappingHint(['paths.oauth/token']),
			];
		case 'redirect':
			return [
				'The query service answered with a redirect, which is not followed',
				ADVICE.checkBaseUrl,
			];
		case 'proxy':
			return ['A proxy or firewall refused the token request', ADVICE.checkProxy];
		case 'network':
			return [
				describeFault('query service', { code }),
				'Could not get an access token',
				ADVICE.checkNetwork,
			];
		case 'outage':
			return [
				`The query service issues no access token at present: status ${status}`,
				ADVICE.tryLater,
			];
		case 'noToken':
		case 'status':
			return [
				reason === 'status'
					? `The query service answered the token request with status ${status}`
					: 'The response to the token request holds no access token',
				ADVICE.checkBaseUrl,
				mappingHint(['token.fields', 'token.body']),
			];
		case 'renewal':
			return [
				'The service refused the access token while a request waited for it',
				ADVICE.tryLater,
			];
	}
}
