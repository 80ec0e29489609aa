/** The stable code of an error of the nodes: "status.404", "network", "unsure"; undefined where it has none. */
export const codeOf = (error: unknown): unknown =>
	(error as { context?: { code?: unknown } } | undefined)?.context?.code;

/** The same, with the field that the error is about. */
export const fieldErrorOf = (error: { context?: Record<string, unknown> } | undefined) => [
	codeOf(error),
	error?.context?.field,
];
