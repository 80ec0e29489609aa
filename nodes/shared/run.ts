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
import { findOperation, type Item, type Resource } from './operation';
import { connect, type Connection } from './request';
import type { Service } from './service';

/** Enough to hide the latency behind the pace: 10 points per second at an answer time of 4 seconds. */
const CONCURRENCY = 40;

/**
 * The one item loop. Runs the chosen operation once for each input item, several at a time; results come out in
 * input order, each paired with its item. A failed item becomes an error item under Continue On Fail; otherwise
 * nothing new is started and the error of the first failed item is thrown once the running ones have ended.
 */
export async function runItems(
	context: IExecuteFunctions,
	resources: Resource[],
	service: Service,
): Promise<INodeExecutionData[][]> {
	const items = context.getInputData();
	const node = withoutParameters(context.getNode());
	const results: INodeExecutionData[][] = new Array(items.length);
	let connecting: Promise<Connection> | undefined;
	const connection = async () => await (connecting ??= connect(context, service));
	const failures: Array<{ index: number; error: Error }> = [];
	let next = 0;

	async function worker(): Promise<void> {
		while (next < items.length && failures.length === 0) {
			const index = next++;
			try {
				results[index] = await runItem(context, resources, connection, index);
			} catch (cause) {
				const error = toItemError(node, cause, index);
				if (context.continueOnFail()) {
					// Of a failed item n8n passes on the error's message alone, so that must say what to do, too.
					if (error.description) error.message += `. ${error.description}`;
					results[index] = [{ json: { error: error.message }, error, pairedItem: { item: index } }];
				} else {
					failures.push({ index, error });
				}
			}
		}
	}
	await Promise.all(Array.from({ length: Math.min(CONCURRENCY, items.length) }, worker));
	if (failures.length > 0) throw failures.sort((a, b) => a.index - b.index)[0].error;
	if (connecting) tellWhatHappened(context, await connecting.catch(() => undefined));
	return [results.flat()];
}

async function runItem(
	context: IExecuteFunctions,
	resources: Resource[],
	connection: () => Promise<Connection>,
	index: number,
): Promise<INodeExecutionData[]> {
	const parameter = <T>(name: string) => context.getNodeParameter(name, index) as T;
	const operation = findOperation(resources, parameter('resource'), parameter('operation'));
	if (!operation) {
		throw new UserError('The resource and operation of this item do not exist together', {
			description: 'Choose both from their lists.',
		});
	}
	const options = context.getNodeParameter('options', index, {}) as IDataObject;
	const item: Item = {
		index,
		parameter,
		options,
		credentials: async (type) => await context.getCredentials(type, index),
		request: async (request) => {
			const timeoutMs = options.timeout === undefined ? undefined : Number(options.timeout) * 1000;
			return await (await connection()).send({ ...request, timeoutMs, itemIndex: index });
		},
	};
	const output = await operation.execute(item);
	const pairedItem = { item: index };
	return (Array.isArray(output) ? output : [output]).map((json) => ({ json, pairedItem }));
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
