export const pickBy = <T>(
	values: Record<string, T>,
	isPicked: (name: string, value: T) => boolean,
): Record<string, T> =>
	Object.fromEntries(Object.entries(values).filter(([name, value]) => isPicked(name, value)));

export const mapValues = <T, R>(
	values: Record<string, T>,
	map: (value: T, name: string) => R,
): Record<string, R> =>
	Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]));

export const mapKeys = <T>(
	values: Record<string, T>,
	map: (name: string) => string,
): Record<string, T> =>
	Object.fromEntries(Object.entries(values).map(([name, value]) => [map(name), value]));
