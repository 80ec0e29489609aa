import {
	NodeApiError,
	NodeOperationError,
	UserError,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
} from 'n8n-workflow';
import { withoutParameters } from './errors';
import { findOperation, type Item, type NextStep, type Resource, type Step } from './operation';
import { connect, type Connection } from './request';
import type { Service } from './service';
import { wait } from './wait';

/** Enough to hide the latency behind the pace: 10 points per second at an answer time of 4 seconds. */
const CONCURRENCY = 40;

/**
 * The one item loop. Runs the chosen operation for each input item, several at a time, step by step: every item has
 * come through a step before the next begins. Results come out in input order, each paired with its item. A failed
 * item becomes an error item under Continue On Fail; otherwise nothing new is started and the error of the first
 * failed item is thrown once the running ones have ended.
 */
export async function runItems(
	context: IExecuteFunctions,
	resources: Resource[],
	service: Service,
): Promise<INodeExecutionData[][]> {
	const node = withoutParameters(context.getNode());
	let connecting: Promise<Connection> | undefined;
	const connection = async () => await (connecting ??= connect(context, service));
	const shared = sharedValues();
	const results: INodeExecutionData[][] = [];
	const failures: Array<{ index: number; error: Error }> = [];

	/** Takes each item through the step it stands before; returns those that have another one. */
	async function takeStep(standing: Standing[]): Promise<Standing[]> {
		const further: Standing[] = [];
		let next = 0;
		async function worker(): Promise<void> {
			while (next < standing.length && failures.length === 0) {
				const { index, step } = standing[next++];
				try {
					const result = await step.next();
					if (isNextStep(result)) further.push({ index, step: result });
					else results[index] = [result].flat().map((json) => paired(json, index));
				} catch (cause) {
					const error = toItemError(node, cause, index);
					if (context.continueOnFail()) {
						// Of a failed item n8n passes on the error's message alone, so that must say what to do, too.
						if (error.description) error.message += `. ${error.description}`;
						results[index] = [{ ...paired({ error: error.message }, index), error }];
					} else {
						failures.push({ index, error });
					}
				}
			}
		}
		const isTogether = standing.some(({ step }) => step.together);
		const workers = isTogether ? standing.length : Math.min(CONCURRENCY, standing.length);
		await Promise.all(Array.from({ length: workers }, worker));
		return further.sort((a, b) => a.index - b.index);
	}

	let standing: Standing[] = context.getInputData().map((_, index) => ({
		index,
		step: { next: async () => await begin(context, resources, connection, shared, index) },
	}));
	while (standing.length > 0 && failures.length === 0) standing = await takeStep(standing);
	if (failures.length > 0) throw failures.sort((a, b) => a.index - b.index)[0].error;
	if (connecting) tellWhatHappened(context, await connecting.catch(() => undefined));
	return [results.flat()];
}

/** An item before its next step. */
interface Standing {
	index: number;
	step: NextStep;
}

const isNextStep = (step: Step): step is NextStep =>
	!Array.isArray(step) && typeof step.next === 'function';

const paired = (json: IDataObject, index: number): INodeExecutionData => ({
	json,
	pairedItem: { item: index },
});

function sharedValues(): Item['shared'] {
	const values = new Map<unknown, unknown>();
	return <T>(make: () => T) => {
		if (!values.has(make)) values.set(make, make());
		return values.get(make) as T;
	};
}

async function begin(
	context: IExecuteFunctions,
	resources: Resource[],
	connection: () => Promise<Connection>,
	shared: Item['shared'],
	index: number,
): Promise<Step> {
	const parameter = <T>(name: string) => context.getNodeParameter(name, index) as T;
	const operation = findOperation(resources, parameter('resource'), parameter('operation'));
	if (!operation) {
		throw new UserError('The resource and operation of this item do not exist together', {
			description: 'Choose both from their lists.',
		});
	}
	const options = context.getNodeParameter('options', index, {}) as IDataObject;
	return await operation.execute({
		index,
		execution: `${context.getExecutionId()} ${context.getNode().id}`,
		parameter,
		options,
		credentials: async (type) => await context.getCredentials(type, index),
		request: async (request) => {
			const timeoutMs = options.timeout === undefined ? undefined : Number(options.timeout) * 1000;
			return await (await connection()).send({ ...request, timeoutMs, itemIndex: index });
		},
		wait: async (ms) => await wait(ms, context.getExecutionCancelSignal()),
		shared,
	});
}

/** The error of an item: what was thrown, with the item's index, and with nothing of a request in it. */
function toItemError(
	node: INode,
	error: unknown,
	itemIndex: number,
): NodeApiError | NodeOperationError {
	if (error instanceof NodeApiError) return error;
	if (error instanceof UserError || error instanceof NodeOperationError) {
		const { message, description } = error;
		return new NodeOperationError(node, message, {
			description: description ?? undefined,
			itemIndex,
		});
	}
	return new NodeOperationError(node, error instanceof Error ? error : new Error(String(error)), {
		itemIndex,
	});
}

function tellWhatHappened(context: IExecuteFunctions, connection: Connection | undefined): void {
	if (!connection) return;
	const { waitedMs, repeated } = connection.statistics;
	const told: string[] = [];
	if (waitedMs >= 1000) told.push(`waited ${(waitedMs / 1000).toFixed(1)} s for the rate limit`);
	if (repeated > 0) told.push(`${repeated} ${repeated === 1 ? 'request' : 'requests'} repeated`);
	if (told.length === 0) return;
	const message = told.join('; ');
	context.addExecutionHints({
		message: message[0].toUpperCase() + message.slice(1),
		location: 'outputPane',
		type: 'info',
	});
}
