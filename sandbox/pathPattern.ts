export const pathOf = (url: string): string => url.split('?', 1)[0];

/**
 * Segments beginning with a colon fit anything: `/api/query/:id`. With `prefix`, the pattern may end before the
 * path does.
 */
export function matchesPathPattern(
	pattern: string,
	path: string,
	{ prefix = false } = {},
): boolean {
	const wanted = pattern.split('/').filter(Boolean);
	const given = path.split('/').filter(Boolean);
	if (prefix ? wanted.length > given.length : wanted.length !== given.length) return false;
	return wanted.every((segment, index) => segment.startsWith(':') || segment === given[index]);
}
