import {
	UserError,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';
import {
	findOperation,
	WithFiles,
	type NextPhase,
	type Item,
	type Resource,
	type Phase,
} from './operation';
import { protectionOf, readFieldsToKeep, readPersonalData } from '../personalData/personalData';
import { DEFAULT_TIMEOUT_MS } from '../transport/exchange';
import { connect, type Connection } from '../transport/request';
import { parseNumber } from './field';
import { ItemErrors, type Failure } from './itemErrors';
import { runOf, type StartedRun } from './run';
import { bodyOf } from '../transport/result';
import type { Service } from '../transport/service';
import { sleepFor } from '../utils/sleep';
import { CodedError } from '../utils/codedError';

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
	let connecting: Promise<Connection> | undefined;
	const connection = async () => await (connecting ??= connect(context, service));
	const started = runOf(context);
	const errors = new ItemErrors(context.getNode(), started.run);
	const items = new ItemsInStep(started, errors, context.continueOnFail());
	const begun = { context, resources, service, connection, started, errors };
	await items.run(
		context.getInputData().map((_, index) => ({
			index,
			step: { next: async () => await begin(begun, index) },
		})),
	);
	const { failure } = items;
	const results = items.results.flat();
	const more = started.end(failure, results.filter(({ error }) => error).length);
	if (failure) throw errors.ofRun(failure, more);
	if (connecting) addRateLimitHint(context, await connecting.catch(() => undefined));
	return [results];
}

/** The items of a run: all of them come through a step before any begins the next one. */
class ItemsInStep {
	/** What came out, by item. */
	readonly results: INodeExecutionData[][] = [];
	private readonly failures: Failure[] = [];

	constructor(
		private readonly started: StartedRun,
		private readonly errors: ItemErrors,
		private readonly goesOn: boolean,
	) {}

	/** Ends when all have come out, or one has failed and the others that run have ended. */
	async run(items: PendingItem[]): Promise<void> {
		let standing = items;
		while (standing.length > 0 && this.failures.length === 0) standing = await this.phase(standing);
	}

	/** What the run fails with: the first item of those that did. */
	get failure(): Failure | undefined {
		return [...this.failures].sort((a, b) => a.index - b.index).at(0);
	}

	/** Takes each item through its next step; returns those that have another one. */
	private async phase(standing: PendingItem[]): Promise<PendingItem[]> {
		const further: PendingItem[] = [];
		const left = standing.values();
		const worker = async () => {
			while (this.failures.length === 0) {
				const { value: item } = left.next();
				if (!item) return;
				const next = await this.step(item);
				if (next) further.push(next);
			}
		};
		const isTogether = standing.some(({ step }) => step.together);
		const workers = isTogether ? standing.length : Math.min(CONCURRENCY, standing.length);
		await Promise.all(Array.from({ length: workers }, worker));
		return further.sort((a, b) => a.index - b.index);
	}

	private async step({ index, step }: PendingItem): Promise<PendingItem | undefined> {
		try {
			const result = await step.next();
			if (isNextPhase(result)) return { index, step: result };
			this.results[index] = toItems(this.errors, result, index);
		} catch (cause) {
			this.fail({ index, cause });
		}
		return undefined;
	}

	private fail(failure: Failure): void {
		if (this.failures.length > 0 && wasStopped(failure.cause)) return; // because another item had failed
		if (this.goesOn) {
			this.results[failure.index] = [failedItem(this.errors, failure)];
		} else {
			this.failures.push(failure);
			this.started.fail();
		}
	}
}

/** An item before its next step. */
interface PendingItem {
	index: number;
	step: NextPhase;
}

const isNextPhase = (step: Phase): step is NextPhase =>
	!Array.isArray(step) && 'next' in step && typeof step.next === 'function';

const paired = (json: IDataObject, index: number): INodeExecutionData => ({
	json,
	pairedItem: { item: index },
});

/** Whether an item ended without a request because the run was stopped, whatever it has been billed before. */
const wasStopped = (cause: unknown): boolean =>
	cause instanceof UserError && 'code' in cause && cause.code === 'cancelled';

/** n8n makes the item's JSON of the error's message alone, whatever it holds. */
function failedItem(errors: ItemErrors, failure: Failure): INodeExecutionData {
	const error = errors.ofItem(failure);
	return { ...paired({ error: error.message }, failure.index), error };
}

/** What the items of a run are begun with. */
interface Begun {
	context: IExecuteFunctions;
	resources: Resource[];
	service: Service;
	connection: () => Promise<Connection>;
	started: StartedRun;
	errors: ItemErrors;
}

async function begin(
	{ context, resources, service, connection, started: { run, signal }, errors }: Begun,
	index: number,
): Promise<Phase> {
	const parameter = <T>(name: string) => context.getNodeParameter(name, index) as T;
	const operation = findOperation(resources, parameter('resource'), parameter('operation'));
	if (!operation) {
		throw new CodedError(
			'operation',
			'The resource and operation of this item do not exist together',
			{
				description: 'Choose both from their lists.',
			},
		);
	}
	errors.operations.set(index, operation);
	const options = context.getNodeParameter('options', index, {}) as IDataObject;
	const timeoutMs = timeout(options);
	const mode = readPersonalData(options);
	// Found wanting before a request is spent.
	const key = mode === 'pseudonym' ? (await connection()).pseudonymKey : undefined;
	const kept = readFieldsToKeep(options);
	const protection = protectionOf(mode, key, kept);
	if (protection) errors.protections.set(index, protection);
	const tryRequest: Item['tryRequest'] = async (request) =>
		await (await connection()).send({ signal, ...errors.watched(index, request), timeoutMs });
	return await operation.execute({
		index,
		run,
		timezone: context.getTimezone(),
		timeoutMs,
		continuesOnFail: context.continueOnFail(),
		parameter,
		options,
		credentials: async (type) => await context.getCredentials(type, index),
		connection,
		request: async (request) => bodyOf(await tryRequest(request), service),
		read: async (request, reader) =>
			await (
				await connection()
			).read({ signal, ...errors.watched(index, request), timeoutMs }, reader),
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
	throw new CodedError(
		'field.number',
		`'Timeout (Seconds)' must be ${LONGEST_TIMEOUT}, which is a day, or less`,
		{
			field: 'Timeout (Seconds)',
			description: 'It counts seconds, not milliseconds: 60 is a minute.',
		},
	);
}

function toItems(
	errors: ItemErrors,
	result: IDataObject | IDataObject[] | WithFiles,
	index: number,
): INodeExecutionData[] {
	const protection = errors.protections.get(index);
	const item = (json: IDataObject) => paired(protection?.out(json) ?? json, index);
	if (!(result instanceof WithFiles)) return [result].flat().map(item);
	return result.rows.map((row) =>
		'error' in row
			? failedItem(errors, { index, cause: row.error })
			: { ...item(row.json), ...(row.file && { binary: { data: row.file } }) },
	);
}

function addRateLimitHint(context: IExecuteFunctions, connection: Connection | undefined): void {
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
