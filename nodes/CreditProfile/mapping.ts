import type { CreditProfileMapping } from '../shared/credentials/apiMapping';
import type { Item } from '../shared/operations/operation';
import { RequestError } from '../shared/transport/result';
import { hasWorked, noteSuccess } from '../shared/transport/worked';

/** What the service calls things, by the credential's API Mapping. */
export async function mappingOf(item: Item): Promise<CreditProfileMapping> {
	return (await item.connection()).mapping as CreditProfileMapping;
}

/** Segments of a path that may have another name in a contract. */
const segmentsOf = (path: string): string[] =>
	path.split('/').filter((segment) => !['', 'pm', 'pf'].includes(segment));

/** The service knows this path of the API reference, so its mapping is right. */
export async function notePath(item: Item, documented: string): Promise<void> {
	noteSuccess((await item.connection()).client, ...segmentsOf(documented));
}

/** Throws the error of a path; with the keys of the API Mapping that may be missing, where it is not known. */
export async function throwUnknownPath(
	item: Item,
	error: unknown,
	documented: string,
): Promise<never> {
	if (!(error instanceof RequestError) || error.status !== 404) throw error;
	const { client } = await item.connection();
	const mappingKeys = segmentsOf(documented)
		.filter((segment) => !hasWorked(client, segment))
		.map((segment) => `paths.${segment}`);
	throw error.withAdvice({ todo: 'checkBaseUrl', mappingKeys });
}
