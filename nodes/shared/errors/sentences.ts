import type { ServiceMessage } from './requestProblem';

export interface ErrorText {
	message: string;
	description: string;
}

export function quoteServiceMessage({ serviceMessage: text, isWithheld }: ServiceMessage): string {
	if (isWithheld) return "The service's message is withheld because it repeats a secret.";
	return text ? `The service says: "${text}"` : '';
}

export const mappingHint = (keys: string[] = []): string =>
	keys.length > 0
		? `If it is right, set ${keys.join(' or ')} in API Mapping (switch on Advanced)`
		: '';

/** `isOfAll`: nothing was sent for any item of the run. */
export const nothingSentText = (isOfAll: boolean): string =>
	isOfAll ? 'Nothing was sent' : 'Nothing was sent for this item';
