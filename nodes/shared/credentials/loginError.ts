import { UserError } from 'n8n-workflow';
import type { TokenRequestProblem } from '../errors/requestProblem';
import { renderLoginError } from '../errors/renderLoginError';

/**
 * Reports that no access token came. It has a message because other nodes use the credential, and n8n shows them what
 * it throws.
 */
export class LoginError extends UserError {
	constructor(readonly problem: TokenRequestProblem) {
		const { message, description } = renderLoginError(problem);
		super(message, { description });
	}
}

/** The LoginError that n8n's helper wrapped into its own. Up to n8n 2.33 it does not keep what it wraps. */
export function loginErrorInCauses(error: unknown): LoginError | undefined {
	for (let cause = error; cause instanceof Error; cause = cause.cause) {
		if (cause instanceof LoginError) return cause;
	}
	return undefined;
}
