import {
	UserError,
	type IDataObject,
	type INodeExecutionData,
	type IPollFunctions,
} from 'n8n-workflow';
import { readFilter, suits, type Filter } from '../shared/deliveries/filter';
import { registryOf } from '../shared/deliveries/registry';
import { resultOf, toItem, type Result } from '../shared/deliveries/result';
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
	if (latest) return await completed(connection, [latest]);
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
	const claimed = (await completed(connection, batch)).filter((result) => registry.claim(result));
	moveOn(context, position, listed, due.slice(batch.length));
	if (claimed.length > 0) registry.save(memory);
	return claimed;
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

/** The shape of the list is not shown (§4.12): a row that holds no result is read by its id (§4.13). */
async function completed({ send }: Connection, results: Result[]): Promise<Result[]> {
	return await Promise.all(
		results.map(async (result) => {
			if ('response' in result.record) return result;
			const path = `/query/${encodeURIComponent(String(queryIdOf(result.record)))}`;
			return { ...result, record: readQueryRecord(await send({ method: 'GET', path })) };
		}),
	);
}
