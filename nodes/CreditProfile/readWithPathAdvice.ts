import type { CreditProfileMapping } from '../shared/credentials/apiPathAndFieldMapping';
import type { OperationItemContext } from '../shared/operations/operation';
import { RequestError } from '../shared/http/requestErrorAndResultTypes';
import {
	isMappingNameConfirmed,
	noteMappingNamesConfirmed,
} from '../shared/http/noteConfirmedMappingNames';

/** Returns the service's names for things, by the credential's API Mapping. */
export async function apiMappingOfItemCredential(
	item: OperationItemContext,
): Promise<CreditProfileMapping> {
	return (await item.connection()).mapping as CreditProfileMapping;
}

/** Returns whether the service refused the values sent. */
export const isInputRefused = (error: unknown): error is RequestError =>
	error instanceof RequestError && [400, 422].includes(error.status ?? 0);

/**
 * Reads at a path of the API reference. A path that works is noted, since its mapping is right. If the service does
 * not know it, the error names the API Mapping keys that may be missing.
 */
export async function readWithPathAdvice<T>(
	item: OperationItemContext,
	documented: string,
	reading: Promise<T>,
): Promise<T> {
	const segments = documented.split('/').filter((segment) => !['', 'pm', 'pf'].includes(segment));
	const found = await reading.catch(async (error: unknown) => {
		if (!(error instanceof RequestError) || error.status !== 404) throw error;
		const { clientKey } = await item.connection();
		const mappingKeys = segments
			.filter((segment) => !isMappingNameConfirmed(clientKey, segment))
			.map((segment) => `paths.${segment}`);
		throw error.withAdvice({ todo: 'checkBaseUrl', mappingKeys });
	});
	noteMappingNamesConfirmed((await item.connection()).clientKey, ...segments);
	return found;
}
