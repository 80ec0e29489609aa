import type { CreditProfileMapping } from '../shared/credentials/apiMapping';
import type { Item } from '../shared/operations/operation';
import { RequestError } from '../shared/transport/result';

/** What the service calls things, by the credential's API Mapping. */
export async function mappingOf(item: Item): Promise<CreditProfileMapping> {
	return (await item.connection()).mapping as CreditProfileMapping;
}

/** Which keys of the mapping say what a path is called. */
const keysFor = (path: string): string[] =>
	path
		.split('/')
		.filter((segment) => !['', 'pm', 'pf'].includes(segment))
		.map((segment) => `paths.${segment}`);

/** Throws the error of a path, with the keys of the API Mapping where the service does not know it. */
export function throwUnknownPath(error: unknown, documented: string): never {
	if (!(error instanceof RequestError) || error.status !== 404) throw error;
	throw error.withAdvice({ todo: 'checkBaseUrl', mappingKeys: keysFor(documented) });
}
