import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';

type Context = Pick<IExecuteFunctions, 'getCredentials'>;

/** A credential as it was read for one item. */
interface ReadCredential {
	data: ICredentialDataDecryptedObject;
	/** No field is an expression, so that every item has this credential. */
	isFixed: boolean;
}

/** An undocumented part of n8n's contexts, which resolves a credential's expressions. */
interface WithExpressions {
	workflow?: { expression?: { getParameterValue?(value: unknown, ...rest: unknown[]): unknown } };
}

/**
 * Reads a credential for an item. Each read costs n8n half a millisecond, so the first one also shows whether others may
 * differ: n8n resolves its fields by the workflow's expressions. Where that cannot be observed, they may differ.
 */
export async function readCredentialAndDetectExpressions(
	context: Context,
	type: string,
	index: number,
): Promise<ReadCredential> {
	const { workflow } = context as WithExpressions;
	const expression = workflow?.expression;
	if (!workflow || typeof expression?.getParameterValue !== 'function') {
		return { data: await context.getCredentials(type, index), isFixed: false };
	}
	let isFixed = false;
	const getParameterValue = (value: unknown, ...rest: unknown[]) => {
		isFixed = !holdsExpression(value);
		return expression.getParameterValue?.(value, ...rest);
	};
	const observed = derive(context, {
		workflow: derive(workflow, { expression: derive(expression, { getParameterValue }) }),
	});
	const data = await observed.getCredentials(type, index);
	return { data, isFixed };
}

/** Returns a copy of an object that has some properties of its own. */
const derive = <T extends object>(base: T, own: object): T =>
	Object.create(base, Object.getOwnPropertyDescriptors(own)) as T;

/** Returns whether a value is an expression of n8n, or holds one at any depth. */
function holdsExpression(value: unknown): boolean {
	if (typeof value === 'object' && value !== null)
		return Object.values(value).some(holdsExpression);
	return typeof value === 'string' && value.startsWith('=');
}
