import type { CreditProfileMapping } from '../shared/credentials/apiMapping';
import type { Item } from '../shared/operations/operation';

/** What the deployment calls things, by the credential's API Mapping. */
export async function mappingOf(item: Item): Promise<CreditProfileMapping> {
	return (await item.connection()).mapping as CreditProfileMapping;
}

/** A path of CP §4 as the deployment writes it: each segment replaced that the mapping names. */
export function pathIn({ paths }: CreditProfileMapping, path: string): string {
	const segments = path.split('/').map((segment) => {
		return Object.hasOwn(paths, segment) ? paths[segment].split('/') : [segment];
	});
	return `/${segments.flat().filter(Boolean).join('/')}`;
}

/** Which keys of the mapping say what a path is called; for the hint where the service does not know it. */
export const keysFor = (path: string): string =>
	path
		.split('/')
		.filter((segment) => !['', 'pm', 'pf'].includes(segment))
		.map((segment) => `paths.${segment}`)
		.join(' or ');
