import {
	UserError,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';
import {
	findOperation,
	secretParametersOf,
	WithFiles,
	type Item,
	type ItemRequest,
	type NextPhase,
	type Phase,
	type Resource,
	type Run,
} from './operation';
import { protectionOf, readFieldsToKeep, readPersonalData } from '../personalData/personalData';
import { DEFAULT_TIMEOUT_MS } from '../transport/exchange';
import { Connections, type Connection } from '../transport/request';
import { parseNumber } from './field';
import { failedColumns, forErrorOutput } from './failedItem';
import { ItemErrors, type Failure } from './itemErrors';
import { sendSecret } from './refusedSecrets';
import { runOf, type StartedRun } from './run';
import { bodyOf } from '../transport/result';
import type { Service } from '../transport/service';
import { sentences } from '../utils/sentences';
import { redactValues } from '../utils/redact';
import { textOf } from '../utils/text';
import { sleepFor } from '../utils/sleep';
import { CodedError, fieldError } from '../utils/codedError';

/** Enough to hide the latency behind the pace: 10 points per second at a response time of 4 seconds. */
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
	const connections = new Connections(context, service);
	const started = runOf(context);
	const errors = new ItemErrors(context.getNode(), started.run);
	const begun = { context, resources, service, connections, started, errors };
	const { results, failure } = await runInStep(begun).finally(started.leave);
	const more = started.end(failure, errors.failedItems);
	if (failure) throw errors.ofRun(failure, more);
	hintAtWaiting(started.run, connections.statistics);
	return [results];
}

/**
 * Takes all items through one step before any begins the next one. Ends when all have come out, or one has failed and
 * the others that run have ended; the first item of those that failed is what the run fails with.
 */
async function runInStep(
	begun: Begun,
): Promise<{ results: INodeExecutionData[]; failure?: Failure }> {
	const { context, started } = begun;
	const goesOn = context.continueOnFail();
	const results: INodeExecutionData[][] = [];
	const failures: Failure[] = [];

	const step = async ({ index, next }: PendingItem): Promise<PendingItem[]> => {
		try {
			const result = await next();
			if (isNextPhase(result)) return [{ ...result, index }];
			results[index] = toItems(begun, result, index);
		} catch (cause) {
			if (goesOn) {
				results[index] = [failedItem(begun, { index, cause })];
			} else if (failures.length === 0 || !wasStopped(cause)) {
				failures.push({ index, cause });
				started.fail();
			}
		}
		return [];
	};

	let standing = context.getInputData().map((_, index): PendingItem => ({
		index,
		next: async () => await begin(begun, index),
	}));
	while (standing.length > 0 && failures.length === 0) {
		const left = standing.values();
		const further: PendingItem[] = [];
		const worker = async () => {
			while (failures.length === 0) {
				const { value: item } = left.next();
				if (!item) return;
				further.push(...(await step(item)));
			}
		};
		const isTogether = standing.some(({ together }) => together);
		const workers = isTogether ? standing.length : Math.min(CONCURRENCY, standing.length);
		await Promise.all(Array.from({ length: workers }, worker));
		standing = further.sort(byIndex);
	}
	return { results: results.flat(), failure: failures.sort(byIndex).at(0) };
}

const byIndex = (a: { index: number }, b: { index: number }) => a.index - b.index;

/** An item before its next step. */
interface PendingItem extends NextPhase {
	index: number;
}

const isNextPhase = (step: Phase): step is NextPhase =>
	!Array.isArray(step) && 'next' in step && typeof step.next === 'function';

const paired = (json: IDataObject, index: number): INodeExecutionData => ({
	json,
	pairedItem: { item: index },
});

/** Whether an item ended without a request because the run was stopped, whatever it has been billed before. */
const wasStopped = (cause: unknown): boolean =>
	cause instanceof UserError && (cause as { code?: unknown }).code === 'cancelled';

/** The failed item, with the columns of its input, as the operator's choice of On Error sends it on. */
function failedItem({ context, resources, errors }: Begun, failure: Failure): INodeExecutionData {
	const { index } = failure;
	const error = errors.ofItem(failure);
	// an AI agent knows what it sent
	const input = errors.run.isTool ? {} : inputWithoutSecrets(context, resources, index);
	const columns = failedColumns(
		errors.protectInput(index, input),
		error,
		errors.operations.get(index),
	);
	const item = paired(columns, index);
	return context.getNode().onError === 'continueErrorOutput' ? forErrorOutput(item, error) : item;
}

/** The item's input. A secret that a parameter of this node holds leaves the node in no copy. */
function inputWithoutSecrets(
	context: IExecuteFunctions,
	resources: Resource[],
	index: number,
): IDataObject {
	const secrets = secretParametersOf(resources).map((name) => {
		try {
			return textOf(context.getNodeParameter(name, index, ''));
		} catch {
			return ''; // its expression has no value for this item
		}
	});
	return redactValues(context.getInputData()[index].json, secrets);
}

/** What the items of a run are begun with. */
interface Begun {
	context: IExecuteFunctions;
	resources: Resource[];
	service: Service;
	connections: Connections;
	started: StartedRun;
	errors: ItemErrors;
}

async function begin(
	{ context, resources, service, connections, started: { run, signal }, errors }: Begun,
	index: number,
): Promise<Phase> {
	const connection = async () => await connections.of(index);
	const parameter = <T>(name: string) => context.getNodeParameter(name, index) as T;
	const operation = findOperation(resources, parameter('resource'), parameter('operation'));
	if (!operation) {
		throw new CodedError('operation', 'This resource has no such operation', {
			description: 'Choose both from their lists.',
		});
	}
	errors.operations.set(index, operation);
	const options = context.getNodeParameter('options', index, {}) as IDataObject;
	const timeoutMs = timeout(options);
	// until the choice is read, an error hides everything
	if (Object.hasOwn(options, 'personalData')) errors.protections.set(index, protectionOf('masked'));
	const mode = readPersonalData(options);
	// Found wanting before a request is spent.
	const key = mode === 'pseudonym' ? (await connection()).pseudonymKey : undefined;
	const kept = readFieldsToKeep(options);
	const protection = protectionOf(mode, key, kept);
	errors.protections.set(index, protection);
	const ready = (request: ItemRequest) => ({
		signal,
		...errors.watched(index, request),
		timeoutMs,
	});
	const tryRequest: Item['tryRequest'] = async (request) =>
		await sendSecret(run, await connection(), ready(request));
	return await operation.execute({
		index,
		run,
		timezone: context.getTimezone(),
		timeoutMs,
		continuesOnFail: context.continueOnFail(),
		input: context.getInputData()[index].json,
		isEntered: (name) => textOf(context.getNode().parameters[name]).trim() !== '',
		parameter,
		options,
		credentials: async (type) => await context.getCredentials(type, index),
		connection,
		request: async (request) => bodyOf(await tryRequest(request), service),
		read: async (request, reader) =>
			(await connection()).parse(await tryRequest(request), request, reader),
		tryRequest,
		wait: async (ms) => await sleepFor(ms, context.getExecutionCancelSignal()),
		protect: (row, rule, shape) => protection?.shaped(row, rule, shape) ?? shape(row),
		files: context.helpers,
	});
}

/** A day: timers that run longer than 24.8 days end at once. */
const LONGEST_TIMEOUT = 86_400;

function timeout(options: IDataObject): number {
	if (!Object.hasOwn(options, 'timeout')) return DEFAULT_TIMEOUT_MS;
	const seconds = parseNumber(0.001)(options.timeout, 'Timeout (Seconds)');
	if (seconds <= LONGEST_TIMEOUT) return Math.round(1000 * seconds);
	throw fieldError(
		'field.number',
		'Timeout (Seconds)',
		`must be ${LONGEST_TIMEOUT}, which is a day, or less`,
		'It counts seconds, not milliseconds.',
	);
}

function toItems(
	begun: Begun,
	result: IDataObject | IDataObject[] | WithFiles,
	index: number,
): INodeExecutionData[] {
	const protection = begun.errors.protections.get(index);
	const item = (json: IDataObject) => paired(protection?.out(json) ?? json, index);
	if (!(result instanceof WithFiles)) return [result].flat().map(item);
	return result.rows.map((row) =>
		'error' in row
			? failedItem(begun, { index, cause: row.error })
			: { ...item(row.json), ...(row.file && { binary: { data: row.file } }) },
	);
}

function hintAtWaiting(run: Run, { waitedMs, repeated }: Connection['statistics']): void {
	const hint = sentences(
		waitedMs >= 1000 ? `Waited ${(waitedMs / 1000).toFixed(1)} s for the rate limit` : '',
		repeated > 0 ? `Requests repeated: ${repeated}` : '',
	);
	if (hint !== '') run.hint(hint);
}
