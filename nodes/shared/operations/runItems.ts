import {
	UserError,
	type IBinaryData,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';
import {
	findOperation,
	secretParameterNames,
	RowsWithFiles,
	type Item,
	type ItemRequest,
	type NextPhase,
	type StepResult,
	type Resource,
	type Run,
} from './operation';
import { readFieldsToKeep, readPersonalDataMode } from '../personalData/options';
import { personalDataHiderForMode } from '../personalData/redactor';
import { DEFAULT_TIMEOUT_MS } from '../http/sendOnce';
import { ItemConnections, type Connection } from '../http/connection';
import { parseBoolean, numberAtLeastParser } from './fields';
import { failedColumns, routeToErrorOutput } from './failedItem';
import { mergeInputColumns, includeOtherFields, isSameText } from './inputColumns';
import type { N8nNodeError } from './n8nNodeError';
import { ItemErrorFactory, type ItemFailure } from './itemErrors';
import { sendUnlessRefused } from './lockoutGuard';
import { startRun, type RunControl } from './run';
import { bodyOf } from '../http/requestError';
import type { ServiceDefinition } from '../http/services';
import { isObject } from '../utils/json';
import { joinSentences } from '../utils/joinSentences';
import { redactSecretsInValue } from '../utils/redact';
import { textOf } from '../utils/primitiveText';
import { sleepUnlessCancelled } from '../utils/sleep';
import { CodedError, fieldError } from '../utils/codedError';

/** Enough to hide the latency behind the pace: 10 points per second at a response time of 4 seconds. */
const CONCURRENCY = 40;

/**
 * Runs the chosen operation for each input item, several at a time, step by step. Every item ends a step before the
 * next step begins. Results come out in input order, each paired with its item. A failed item becomes an error item
 * under Continue On Fail. Otherwise nothing new starts, and the first failed item's error is thrown once the running
 * ones have ended.
 */
export async function runItems(
	context: IExecuteFunctions,
	resources: Resource[],
	service: ServiceDefinition,
): Promise<INodeExecutionData[][]> {
	const connections = new ItemConnections(context, service);
	const started = startRun(context);
	const errors = new ItemErrorFactory(context.getNode(), started.run);
	const withInput = new Set<number>();
	const begun = { context, resources, service, connections, started, errors, withInput };
	const { results, failure } = await runInStep(begun).finally(started.leave);
	const more = started.end(failure, errors.failedItems);
	if (failure) throw errors.ofRun(failure, more);
	hintAtWaiting(started.run, connections.statistics);
	return [results];
}

/**
 * Runs one step for all items. It ends when all have come out, or one has failed and the running ones have ended. The
 * run fails with the first of the failed items.
 */
async function runInStep(
	begun: Begun,
): Promise<{ results: INodeExecutionData[]; failure?: ItemFailure }> {
	const { context, started } = begun;
	const goesOn = context.continueOnFail();
	const results: OutputRow[][] = [];
	const failures: ItemFailure[] = [];

	const step = async ({ index, next }: PendingItem): Promise<PendingItem[]> => {
		try {
			const result = await next();
			if (isNextPhase(result)) return [{ ...result, index }];
			results[index] = toRows(begun, result, index);
		} catch (cause) {
			if (goesOn) {
				results[index] = [failedRow(begun, { index, cause })];
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
	return { results: toItems(begun, results.flat()), failure: failures.sort(byIndex).at(0) };
}

const byIndex = (a: { index: number }, b: { index: number }) => a.index - b.index;

interface PendingItem extends NextPhase {
	index: number;
}

const isNextPhase = (step: StepResult): step is NextPhase =>
	!Array.isArray(step) && 'next' in step && typeof step.next === 'function';

/** The output of an item, before the columns of its input join it. */
interface OutputRow {
	index: number;
	json: IDataObject;
	file?: IBinaryData;
	error?: N8nNodeError;
}

/**
 * Returns whether an item ended without a request because the run was stopped, whatever it has been billed before.
 */
const wasStopped = (cause: unknown): boolean =>
	cause instanceof UserError && (cause as { code?: unknown }).code === 'cancelled';

function failedRow({ errors }: Begun, failure: ItemFailure): OutputRow {
	const { index } = failure;
	const error = errors.ofItem(failure);
	return { index, json: failedColumns(error, errors.operations.get(index)), error };
}

/** All rows as items, each beside the columns of its input, and sent on by the operator's choice of On Error. */
function toItems(begun: Begun, rows: OutputRow[]): INodeExecutionData[] {
	const hasErrorOutput = begun.context.getNode().onError === 'continueErrorOutput';
	const { keepsInput } = begun.errors.operations.values().next().value ?? {};
	const own = keepsInput && [...keepsInput.own, ...rows.flatMap(({ json }) => Object.keys(json))];
	const known = { requested: keepsInput?.requested ?? [], own: new Set(own) };
	const secretNames = secretParameterNames(begun.resources);
	return rows.map((row) => {
		const binary = {
			...(keepsInputOf(begun, row) && begun.context.getInputData()[row.index].binary),
			...(row.file && { data: row.file }),
		};
		const item: INodeExecutionData = {
			json: rowWithInput(begun, row, known, secretNames),
			pairedItem: { item: row.index },
			...(Object.keys(binary).length > 0 && { binary }),
		};
		return row.error && hasErrorOutput ? routeToErrorOutput(item, row.error, row.index) : item;
	});
}

/** A failed item always keeps its input; an AI agent knows what it sent. */
const keepsInputOf = ({ errors, withInput }: Begun, { index, error }: OutputRow): boolean =>
	!errors.run.isTool && (error !== undefined || withInput.has(index));

/** A row beside its input. No secret that a parameter holds leaves the node in it. */
function rowWithInput(
	begun: Begun,
	row: OutputRow,
	{ requested, own }: { requested: string[]; own: ReadonlySet<string> },
	secretNames: string[],
): IDataObject {
	const { context, errors } = begun;
	const { index, json } = row;
	if (!keepsInputOf(begun, row)) return json;
	const parameter = (name: string) => parameterOf(context, name, index);
	const given = context.getInputData()[index].json;
	const input = redactSecretsInValue(
		given,
		secretNames.map((name) => textOf(parameter(name))),
	);
	return mergeInputColumns({
		row: json,
		input: errors.protectInput(index, input),
		own,
		isRequested: (name) => requested.includes(name) && isSameText(given[name], parameter(name)),
	});
}

/** A parameter's value for an item; undefined if its expression has none for it. */
function parameterOf(context: IExecuteFunctions, name: string, index: number): unknown {
	try {
		return context.getNodeParameter(name, index, undefined);
	} catch {
		return undefined;
	}
}

/** The state of a run that all its items share. */
interface Begun {
	context: IExecuteFunctions;
	resources: Resource[];
	service: ServiceDefinition;
	connections: ItemConnections;
	started: RunControl;
	errors: ItemErrorFactory;
	/** Items whose rows keep the columns of their input. */
	withInput: Set<number>;
}

async function begin(
	{ context, resources, service, connections, started: { run, signal }, errors, withInput }: Begun,
	index: number,
): Promise<StepResult> {
	const connection = async () => await connections.of(index);
	// until the choice is read, an error hides everything
	const { options: written } = context.getNode().parameters;
	if (isObject(written) && Object.hasOwn(written, 'personalData'))
		errors.protections.set(index, personalDataHiderForMode('masked'));
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
	const mode = readPersonalDataMode(options);
	// A missing key is found before a request is spent.
	const key = mode === 'pseudonym' ? (await connection()).pseudonymKey : undefined;
	const stored = readFieldsToKeep(options);
	const protection = personalDataHiderForMode(mode, key, stored);
	errors.protections.set(index, protection);
	if (operation.keepsInput && includesInput(context, index)) withInput.add(index);
	const ready = (request: ItemRequest) => ({
		signal,
		...errors.watched(index, request),
		timeoutMs,
	});
	const tryRequest: Item['tryRequest'] = async (request) =>
		await sendUnlessRefused(run, await connection(), ready(request));
	return await operation.execute({
		index,
		run,
		signal,
		timezone: context.getTimezone(),
		timeoutMs,
		continuesOnFail: context.continueOnFail(),
		isEntered: (name) => textOf(context.getNode().parameters[name]).trim() !== '',
		parameter,
		options,
		credentials: async (type) => await context.getCredentials(type, index),
		connection,
		request: async (request) => bodyOf(await tryRequest(request), service),
		read: async (request, reader) =>
			(await connection()).parse(await tryRequest(request), request, reader),
		tryRequest,
		wait: async (ms) => await sleepUnlessCancelled(ms, context.getExecutionCancelSignal()),
		protect: (row, rule, shape) => protection?.shaped(row, rule, shape) ?? shape(row),
		files: context.helpers,
	});
}

const includesInput = (context: IExecuteFunctions, index: number): boolean => {
	const { name, displayName, default: absent } = includeOtherFields;
	return parseBoolean(context.getNodeParameter(name, index, absent), displayName);
};

/** A day: timers that run longer than 24.8 days end at once. */
const LONGEST_TIMEOUT = 86_400;

function timeout(options: IDataObject): number {
	if (!Object.hasOwn(options, 'timeout')) return DEFAULT_TIMEOUT_MS;
	const seconds = numberAtLeastParser(0.001)(options.timeout, 'Timeout (Seconds)');
	if (seconds <= LONGEST_TIMEOUT) return Math.round(1000 * seconds);
	throw fieldError(
		'field.number',
		'Timeout (Seconds)',
		`must be ${LONGEST_TIMEOUT}, which is a day, or less`,
		'It counts seconds, not milliseconds.',
	);
}

function toRows(
	begun: Begun,
	result: IDataObject | IDataObject[] | RowsWithFiles,
	index: number,
): OutputRow[] {
	const protection = begun.errors.protections.get(index);
	const toRow = (json: IDataObject) => ({ index, json: protection?.out(json) ?? json });
	if (!(result instanceof RowsWithFiles)) return [result].flat().map(toRow);
	return result.rows.map((row) =>
		'error' in row
			? failedRow(begun, { index, cause: row.error })
			: { ...toRow(row.json), file: row.file },
	);
}

function hintAtWaiting(run: Run, { waitedMs, repeated }: Connection['statistics']): void {
	const hint = joinSentences(
		waitedMs >= 1000 ? `Waited ${(waitedMs / 1000).toFixed(1)} s for the rate limit` : '',
		repeated > 0 ? `Requests repeated: ${repeated}` : '',
	);
	if (hint !== '') run.hint(hint);
}
