import type { CreditProfileMapping } from '../shared/credentials/apiMapping';
import type { Item } from '../shared/operations/operation';
import { RequestError } from '../shared/http/requestError';

export async function apiMappingOfItemCredential(item: Item): Promise<CreditProfileMapping> {
	return (await item.connection()).mapping as CreditProfileMapping;
}

export const isInputRefused = (error: unknown): error is RequestError =>
	error instanceof RequestError && [400, 422].includes(error.status ?? 0);

/** `documented` is a path of the API reference. */
export const pathKeysOf = (documented: string): string[] =>
	documented
		.split('/')
		.filter((segment) => !['', 'pm', 'pf'].includes(segment))
		.map((segment) => `paths.${segment}`);

/** A path that the service does not know has no ID to check. */
export function rethrowWithPathAdvice(error: unknown): never {
	if (!(error instanceof RequestError) || error.status !== 404) throw error;
	throw error.withAdvice({ todo: 'checkBaseUrl' });
}
