import { UserError, type NodeApiError } from 'n8n-workflow';
import type { CreditProfileMapping } from '../shared/credentials/apiMapping';
import type { Item } from '../shared/operations/operation';
import { sentences } from '../shared/utils/sentences';
import { saidIn } from '../shared/utils/serviceMessage';

/** What the deployment calls things, by the credential's API Mapping. */
export async function mappingOf(item: Item): Promise<CreditProfileMapping> {
	return (await item.connection()).mapping as CreditProfileMapping;
}

/** Which keys of the mapping say what a path is called. */
const keysFor = (path: string): string =>
	path
		.split('/')
		.filter((segment) => !['', 'pm', 'pf'].includes(segment))
		.map((segment) => `paths.${segment}`)
		.join(' or ');

/** Throws the error of a path, with the keys of the API Mapping where the service does not know it. */
export function throwUnknownPath(error: unknown, documented: string, path = documented): never {
	const { httpCode, description: told } = error as NodeApiError;
	if (httpCode !== '404') throw error as Error;
	throw new UserError(`The Credit Profile Service does not know the path ${path.slice(1)}`, {
		description: sentences(
			`If this deployment calls the path otherwise, set ${keysFor(documented)} in the credential's API Mapping`,
			saidIn(told),
		),
	});
}
