import type { ExecutionError, INodeParameters, ITriggerFunctions } from 'n8n-workflow';

/** `emit` of hosts that know no deduplication key has this many parameters. */
const PARAMETERS_WITHOUT_KEY = 3;

/**
 * n8n before 2.x does not remember what has started. Then a result that was being started when n8n was killed may
 * be lost or start twice; `docs/trigger.md` says so.
 */
export const hasDeduplicationKeys = ({ emit }: ITriggerFunctions): boolean =>
	emit.length > PARAMETERS_WITHOUT_KEY;

/** Only the name of n8n's error shows it. */
export const isCancellation = ({ name, constructor }: Error): boolean =>
	/Cancelled/.test(`${name} ${constructor.name}`);

/** Saving a failure lets the workflow go on. */
export const canSaveFailure = (context: ITriggerFunctions): boolean =>
	typeof context.saveFailedExecution === 'function';

/**
 * Reports an error in n8n's list of executions, which starts the error workflow. Hosts before 2.x have only `emitError`,
 * which takes the workflow down and up again.
 */
export function saveFailure(context: ITriggerFunctions, error: ExecutionError): void {
	if (canSaveFailure(context)) context.saveFailedExecution(error);
	else context.emitError(error);
}

/** n8n 2.x reads this key; others evaluate the templates. */
const RESOLVERS = Symbol.for('n8n.webhookDescriptionResolvers');

/** A value of a webhook's description: an expression, and a function that gives the same. */
export interface ResolvedTemplate {
	template: string;
	resolve(parameters: INodeParameters): string | boolean;
}

/** With them n8n evaluates no expression for each call: that takes an isolate of its own each time. */
export const webhookResolvers = (resolvers: Record<string, ResolvedTemplate>): object => ({
	[RESOLVERS]: resolvers,
});
