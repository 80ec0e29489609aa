/** RFC 3986 §5.2.4; it may be written plainly or encoded. */
export const holdsDotSegment = (path: string): boolean =>
	path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
