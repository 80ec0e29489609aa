/**
 * Maps a service's name to the API reference's, for a one-to-one renaming. If the mapping gives a name of the API
 * reference to another field, the service's own field of that name takes the free one.
 */
export function invertNames(mapped: Record<string, string>): Map<string, string> {
	const names = new Map(Object.entries(mapped).filter(([, wire]) => wire !== ''));
	const own = new Map([...names].map(([name, wire]) => [wire, name]));
	for (const name of names.keys()) {
		if (own.has(name)) continue;
		let free = name;
		// a chain of more steps is a circle
		for (let steps = names.size; steps > 0; steps--) free = names.get(free) ?? free;
		own.set(name, free);
	}
	return own;
}
