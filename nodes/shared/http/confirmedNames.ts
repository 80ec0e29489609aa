import { stateOfClient } from '../processState';

/** Names that have worked at a service since this process began. */
const newConfirmedNames = () => new Set<string>();

/** A service accepted what was asked of it by this name: a segment of a path, or a list. */
export const confirmNames = (client: string, ...names: string[]): void => {
	const confirmed = stateOfClient(client).shared(newConfirmedNames);
	for (const name of names) confirmed.add(name);
};

/** Whether that has worked with this client; without a name, whether anything has. */
export const isConfirmed = (client: string, name?: string): boolean => {
	const confirmed = stateOfClient(client).shared(newConfirmedNames);
	return name === undefined ? confirmed.size > 0 : confirmed.has(name);
};
