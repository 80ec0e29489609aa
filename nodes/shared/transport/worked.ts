import { BoundedMap } from '../utils/boundedMap';

/** What has worked at a service since this process began, by its client. */
const worked = new BoundedMap<string, Set<string>>(1000);

/** A service accepted what was asked of it by this name: a segment of a path, or a list. */
export const noteSuccess = (client: string, ...names: string[]): void => {
	const own = worked.getOrMake(client, () => new Set());
	for (const name of names) own.add(name);
};

/** Whether that has worked with this client; without a name, whether anything has. */
export const hasWorked = (client: string, name?: string): boolean => {
	const own = worked.get(client);
	return own !== undefined && (name === undefined || own.has(name));
};
