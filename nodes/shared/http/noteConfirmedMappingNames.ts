import { getClientState } from '../processStateByScope';

/** Names that the service has accepted since this process began. */
const newConfirmedNames = () => new Set<string>();

/** Notes that a service accepted a name: a segment of a path, or a list. */
export const noteMappingNamesConfirmed = (clientKey: string, ...names: string[]): void => {
	const confirmed = getClientState(clientKey).shared(newConfirmedNames);
	for (const name of names) confirmed.add(name);
};

/** Returns whether a name is confirmed for this client; without a name, whether any is. */
export const isMappingNameConfirmed = (clientKey: string, name?: string): boolean => {
	const confirmed = getClientState(clientKey).shared(newConfirmedNames);
	return name === undefined ? confirmed.size > 0 : confirmed.has(name);
};
