import {
	UserError,
	type IDataObject,
	type INodeExecutionData,
	type IPollFunctions,
} from 'n8n-workflow';
import { readFilter, suits, type Filter } from '../shared/deliveries/filter';
import { registryOf } from '../shared/deliveries/registry';
import { isPending, resultOf, toItem, type Result } from '../shared/deliveries/result';
import { isNotFound } from '../shared/errors';
import { queryIdOf, readQueryRecord } from '../shared/queries';
import { connect, type Connection } from '../shared/request';
import { taxQuery } from '../shared/service';
import { readQueries } from './list';
import { beyond, byAge, isFirstPoll, moveOn, positionOf } from './position';

/** §4.3, §4.6: these answer at once, so the workflow that asked has the result already. */
const IMMEDIATE = ['RFC_CALCULATOR', 'CURP'];

/**
 * One poll: emits the results that are new, oldest first, or null. A manual test emits the latest result. Throws if
 * the service cannot be asked; nothing is lost by that, the next poll takes up where the last one ended.
 */
export async function pollForResults(
	context: IPollFunctions,
): Promise<INodeExecutionData[][] | null> {
	const isStartOfN8n = isFirstPoll(context) && context.getActivationMode() === 'init';
	const poll = context.getMode() === 'manual' ? latestResult : newResults;
	const results = await poll(context).catch((error: Error) => error);
	if (results instanceof Error) {
		if (!isStartOfN8n) throw results;
		// Thrown here, it would keep n8n from activating the workflow. The next poll throws it.
		context.logger.warn(`The first poll for query results has to wait: ${results.message}`);
		return null;
	}
	if (results.length === 0) return null;
	const simplify = context.getNodeParameter('simplify', true) as boolean;
	return [results.map((result) => toItem(result, { confirmed: true, simplify }))];
}

async function latestResult(context: IPollFunctions): Promise<Result[]> {
	const connection = await connect(context, taxQuery);
	const { wanted } = await listResults(context, connection);
	const latest = wanted.at(-1);
	if (latest) return [await completed(connection, latest)];
	throw new UserError('There is no result yet that this trigger would emit', {
		description: 'Run a query first, or choose other services and statuses.',
	});
}

async function newResults(context: IPollFunctions): Promise<Result[]> {
	const { maxResults = 100 } = context.getNodeParameter('options', {}) as IDataObject;
	const connection = await connect(context, taxQuery);
	const { listed, wanted } = await listResults(context, connection);
	const position = positionOf(context, listed);
	const memory = context.getWorkflowStaticData('global');
	const registry = registryOf(String(context.getWorkflow().id), memory);

	const isNew = beyond(position);
	const due = wanted.filter(
		(result) => !registry.has(result) && (isNew(result) || registry.isDoubtful(result)),
	);
	const batch = due.slice(0, Math.max(1, Number(maxResults)));
	const results = await readable(context, connection, batch);
	const claimed = [...results].filter(([row, result]) => {
		const isClaimed = registry.claim(result);
		registry.claim(row); // a row may hold less than its record, and so have another deliveryId
		return isClaimed;
	});
	const left = due.filter((row) => !results.has(row));
	moveOn(context, position, listed, left);
	if (results.size > 0) registry.save(memory);
	return claimed.map(([, result]) => result);
}

/** By row of the list, the results that can be read; the others wait for the next poll. Throws if it is none. */
async function readable(
	context: IPollFunctions,
	connection: Connection,
	rows: Result[],
): Promise<Map<Result, Result>> {
	const results = new Map<Result, Result>();
	const failures: Error[] = [];
	const read = await Promise.all(
		rows.map(async (row) => await completed(connection, row).catch((error: Error) => error)),
	);
	for (const [index, result] of read.entries()) {
		if (result instanceof Error) failures.push(result);
		else results.set(rows[index], result);
	}
	if (failures.length > 0) {
		if (results.size === 0) throw failures[0];
		const reason = `${failures.length} results could not be read: ${failures[0].message}`;
		context.logger.warn(`${reason}. The next poll asks for them again.`);
	}
	return results;
}

/** Everything that the service lists, and what of it the trigger is to emit, oldest first. */
async function listResults(
	context: IPollFunctions,
	connection: Connection,
): Promise<{ listed: Result[]; wanted: Result[] }> {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const filter: Filter = readFilter(
		context.getNodeParameter('services', []),
		context.getNodeParameter('statuses', []),
		options,
	);
	const isExpected = ({ service }: IDataObject) =>
		filter.services.length > 0 ||
		options.includeImmediate === true ||
		!IMMEDIATE.includes(String(service));
	const listed = (await readQueries(connection)).map(resultOf);
	const wanted = listed
		.filter(({ record }) => isExpected(record) && suits(record, filter))
		.sort(byAge);
	return { listed, wanted };
}

/**
 * The shape of the list is not shown (§4.12): a row that holds no result is read by its id (§4.13), and stays as it is
 * where the service has nothing under that id.
 */
async function completed({ send }: Connection, row: Result): Promise<Result> {
	if ('response' in row.record) return row;
	const path = `/query/${encodeURIComponent(String(queryIdOf(row.record)))}`;
	const answer = await send({ method: 'GET', path }).catch((error: Error) => error);
	if (isNotFound(answer)) return row;
	if (answer instanceof Error) throw answer;
	const result = resultOf(readQueryRecord(answer));
	if (!isPending(result.record) || isPending(row.record)) return result;
	throw new UserError('The query service lists a result that it does not have yet');
}
