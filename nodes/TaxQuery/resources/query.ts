import { NodeApiError, UserError, type IDataObject, type INodeProperties } from 'n8n-workflow';
import { field, operation, option, parseBoolean, parseText } from '../../shared/operations/field';
import { limit, simplify } from '../../shared/operations/fields';
import type { Resource } from '../../shared/operations/operation';
import { textOf } from '../../shared/utils/text';
import { textField } from '../fields/text';
import { simplifyRecord } from '../queries';
import { connectionOf, getQuery, queryPages } from '../queries/client';
import { completeRecord } from '../queries/rows';
import { filters } from './queryFilters';

const queryId = field(
	textField(
		'Query ID',
		'queryId',
		'e.g. 665f1c2ab7e3d0a1c4f2e9b8',
		'The query\'s ID as text, from the column "queryId" of the query\'s output or of Query → Get Many',
	),
	parseText,
);

const get = operation({
	name: 'Get',
	value: 'get',
	action: 'Get a query',
	description:
		'Get one query made before, with its status and its result. It only reads: no new query is made.',
	fields: { queryId, simplify },
	/** TQ §4.13 */
	async execute(item, { queryId: id, simplify: isSimple }) {
		const connection = await connectionOf(item);
		const outcome = await getQuery(connection, id).then(
			(record) => ({ record }),
			(error: unknown) => ({ error }),
		);
		if ('record' in outcome) {
			return isSimple ? simplifyRecord(outcome.record, connection.mapping) : outcome.record;
		}
		const { error } = outcome;
		if (error instanceof NodeApiError && error.httpCode === '404') {
			error.message = 'There is no query with the "Query ID" of this item';
			error.description =
				"Check the ID, and that the query was made with this credential. Query → Get Many lists the queries made. If no ID is ever found, the deployment calls this path otherwise: set paths.get in the credential's API Mapping.";
		}
		throw error;
	},
});

const completeRowsOption: INodeProperties = {
	displayName: 'Complete Rows',
	name: 'completeRows',
	type: 'boolean',
	default: true,
	description:
		'Whether to read each query whose row in the list has no result by its ID: one more request for each. Needed where the service lists queries without their results.',
};

/** Rows that are read by their IDs at the same time. */
const AT_ONCE = 40;

const getMany = operation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many queries',
	description:
		'Get the queries made before, with their status and result, in the order in which the service lists them. It only reads: no new query is made.',
	fields: { limit, filters, simplify },
	options: { isCompleting: option(completeRowsOption, parseBoolean, false) },
	/** TQ §4.12: no parameter is shown, so this node filters by itself. */
	async execute(item, { limit: wanted, filters: filter, simplify: isSimple, isCompleting }) {
		const connection = await connectionOf(item);
		const { fits, leftOut } = filter(connection.mapping);
		const rows: IDataObject[] = [];
		const kinds = new Map<string, IDataObject>();
		for await (const { records, cutOff, doubt } of queryPages(connection)) {
			for (const row of records) kinds.set(`${textOf(row.service)} ${textOf(row.status)}`, row);
			for (let at = 0; at < records.length && rows.length < wanted; at += AT_ONCE) {
				const some = records.slice(at, at + AT_ONCE);
				const complete = isCompleting
					? await Promise.all(some.map(async (row) => await completeRecord(connection, row)))
					: some;
				for (const row of complete) if (fits(row)) rows.push(row);
			}
			if (rows.length >= wanted) break;
			if (doubt !== undefined) item.run.hint(doubt);
			if (cutOff !== undefined) {
				throw new UserError(cutOff, {
					description:
						"Its document does not show how to ask for the others. Name the parameters for it in the credential's API Mapping, by list.limit and list.offset or list.page, or set a Limit.",
				});
			}
		}
		const found = rows.slice(0, wanted);
		const untold = leftOut([...kinds.values()]);
		if (untold !== undefined) item.run.hint(untold);
		return isSimple ? found.map((row) => simplifyRecord(row, connection.mapping)) : found;
	},
});

export const query: Resource = { name: 'Query', value: 'query', operations: [get, getMany] };
