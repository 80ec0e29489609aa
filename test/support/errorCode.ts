/**
 * The stable code of an error of the nodes, or of a failed item's JSON: "status.404", "network", "unsure". Undefined
 * where there is none.
 */
export const codeOf = (error: unknown): unknown => {
	const { context, errorCode } = (error ?? {}) as {
		context?: { code?: unknown };
		errorCode?: unknown;
	};
	return context?.code ?? errorCode;
};

/** The same, with the field that the error is about. */
export const codeAndFieldOf = (error: { context?: Record<string, unknown> } | undefined) => [
	codeOf(error),
	error?.context?.field,
];
