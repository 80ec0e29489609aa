import type { INodeProperties } from 'n8n-workflow';
import {
	defineField,
	defineOperation,
	optionsEntryField,
	parseBoolean,
	parseText,
} from '../../shared/operations/fields';
import { returnAllOrLimit, simplifyField } from '../../shared/operations/commonFields';
import { readsList } from '../../shared/operations/listOperation';
import type { Resource } from '../../shared/operations/operation';
import { joinSentences } from '../../shared/utils/joinSentences';
import { textProperty } from '../fields/textProperty';
import { mappingHint } from '../../shared/errors/sentences';
import { GET_PATH_MAPPING_KEYS, findQueryById, itemClient } from '../client/queryClient';
import { findQueryTypeByRecordCode } from '../client/names';
import { findMatchingId } from '../client/record';
import { isImpersonalId } from '../output/receipt';
import {
	queryGetReservedColumns,
	lacksDueResult,
	DUE_RESULT_MISSING_WARNING,
	buildProtectedRow,
} from '../output/simplify';
import { hintsOf, searchQueries } from './querySearch';
import { filters } from './recordFilters';
import { getSpending } from './spending';
import { CodedError } from '../../shared/utils/codedError';

const queryId = defineField(
	textProperty(
		'Query ID',
		'queryId',
		'665f1c2ab7e3d0a1c4f2e9b8',
		'As text, from the column "queryId" of the query\'s output or of Query → Get Many',
	),
	parseText,
);

const GET = 'Get one past query with its status and result. It makes no new query.';
const get = defineOperation({
	name: 'Get',
	value: 'get',
	action: 'Get query',
	tool: `${GET} Query ID: queryId of an earlier output. If outcome is pending, read it again later.`,
	description: GET,
	fields: { queryId },
	options: { simplify: simplifyField },
	keepsInput: queryGetReservedColumns,
	failedOutcome: () => 'failed',
	/** TQ §4.13 */
	async execute(item, { queryId: id, simplify: isSimple }) {
		const client = await itemClient(item);
		const record = await findQueryById(client, id);
		if (!record) {
			const named = isImpersonalId(id) ? id : "with the 'Query ID' of this item";
			throw new CodedError('noQuery', `There is no query ${named}`, {
				description: joinSentences(
					'Check the ID, and the credential. Query → Get Many lists the queries made',
					mappingHint(GET_PATH_MAPPING_KEYS),
				),
				mappingKeys: GET_PATH_MAPPING_KEYS,
			});
		}
		if (
			!isSimple &&
			lacksDueResult(record, findQueryTypeByRecordCode(record.code, client.mapping))
		) {
			item.run.hint(DUE_RESULT_MISSING_WARNING.message);
		}
		const own = { ...record, id: findMatchingId(record.raw, id) ?? record.id };
		return buildProtectedRow(item, own, client.mapping, isSimple);
	},
});

const completeRowsOption: INodeProperties = {
	displayName: 'Complete Rows',
	name: 'completeRows',
	type: 'boolean',
	default: true,
	description:
		'Whether to read queries by their ID where the list has them without a result: one more request for each',
};

const GET_MANY =
	'Get past queries with their status and result, in the order of the service. It makes no new query.';
const getMany = defineOperation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many queries',
	failedOutcome: () => 'failed',
	tool: `${GET_MANY} RFC: 12 or 13 characters. CURP: 18 characters. Created After: ISO 8601. Created Before: ISO 8601. Empty filters do not filter.`,
	description: GET_MANY,
	fields: { limit: returnAllOrLimit, filters },
	options: {
		simplify: simplifyField,
		isCompleting: optionsEntryField(completeRowsOption, parseBoolean, false),
	},
	/** TQ §4.12: no parameter is shown, so this node filters by itself. */
	async execute(item, { limit, filters: filter, simplify: isSimple, isCompleting }) {
		const client = await itemClient(item);
		const { mapping } = client;
		const search = { filter: filter(mapping), limit, isCompleting };
		const result = await searchQueries(client, search);
		for (const hint of hintsOf(result, search, mapping)) item.run.hint(hint);
		return result.found.map((row) => buildProtectedRow(item, row, mapping, isSimple));
	},
});

export const query: Resource = {
	name: 'Query',
	value: 'query',
	operations: [get, readsList(getMany), readsList(getSpending)],
};
