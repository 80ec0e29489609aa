import type { CreditProfileMapping } from '../shared/credentials/apiMapping';
import type { Item } from '../shared/operations/operation';
import { RequestError } from '../shared/transport/result';
import { hasWorked, noteSuccess } from '../shared/transport/worked';

/** What the service calls things, by the credential's API Mapping. */
export async function mappingOf(item: Item): Promise<CreditProfileMapping> {
	return (await item.connection()).mapping as CreditProfileMapping;
}

/** The service does not take what was sent. */
export const isRefused = (error: unknown): error is RequestError =>
	error instanceof RequestError && [400, 422].includes(error.status ?? 0);

/**
 * What is read at a path of the API reference. One that works is noted: its mapping is right. Where the service does
 * not know it, the error names the keys of the API Mapping that may be missing.
 */
export async function atPath<T>(item: Item, documented: string, reading: Promise<T>): Promise<T> {
	const segments = documented.split('/').filter((segment) => !['', 'pm', 'pf'].includes(segment));
	const found = await reading.catch(async (error: unknown) => {
		if (!(error instanceof RequestError) || error.status !== 404) throw error;
		const { client } = await item.connection();
		const mappingKeys = segments
			.filter((segment) => !hasWorked(client, segment))
			.map((segment) => `paths.${segment}`);
		throw error.withAdvice({ todo: 'checkBaseUrl', mappingKeys });
	});
	noteSuccess((await item.connection()).client, ...segments);
	return found;
}
