import type { ServiceMessage } from './requestProblem';

/** The text of an error: what happened, and what to do about it. */
export interface ErrorText {
	message: string;
	description: string;
}

/** Quotes the service's message in a sentence; '' if there is none. */
export function quoteServiceMessage({ serviceMessage: text, isWithheld }: ServiceMessage): string {
	if (isWithheld) return "The service's message is withheld because it repeats a secret.";
	return text ? `The service says: "${text}"` : '';
}

/** Returns a text about API Mapping keys that may solve the problem; '' if there are none. */
export const mappingHint = (keys: string[] = []): string =>
	keys.length > 0
		? `If it is right, set ${keys.join(' or ')} in API Mapping (switch on Advanced)`
		: '';

/** Returns the text for an item that failed before its request went out; `isOfAll`: so did all others of its run. */
export const nothingSentText = (isOfAll: boolean): string =>
	isOfAll ? 'Nothing was sent' : 'Nothing was sent for this item';
