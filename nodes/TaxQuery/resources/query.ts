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
import {
	readListChunks,
	fetchRecordIfIncomplete,
	fetchRecordOfRow,
	mayHaveMore,
} from '../client/queryList';
import { findQueryTypeByRecordCode } from '../client/names';
import { mayOmitExistingResponse, findMatchingId } from '../client/record';
import type { QueryRecord } from '../client/model';
import { incompleteQueryListText, outputRowsOfTotalHint } from '../errors/queryError';
import { isImpersonalId } from '../output/receipt';
import {
	queryGetReservedColumns,
	lacksDueResult,
	DUE_RESULT_MISSING_WARNING,
	buildProtectedRow,
} from '../output/simplify';
import { filters, showsSubject } from './recordFilters';
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

const unsearchable = () =>
	new CodedError('list.asked', 'The list of queries does not show what each query asked', {
		description:
			"To filter by RFC or CURP, add the option 'Complete Rows', which reads each query by its ID.",
	});

/** Rows that are read by their ID at a time. */
const AT_ONCE = 40;

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
	async execute(item, { limit: wanted, filters: filter, simplify: isSimple, isCompleting }) {
		const client = await itemClient(item);
		const { mapping } = client;
		const { mayFit, fits, searches, leftOut } = filter(mapping);
		const complete = async (row: QueryRecord) =>
			searches && !showsSubject(row)
				? await fetchRecordOfRow(client, row)
				: await fetchRecordIfIncomplete(client, row);
		const rows: QueryRecord[] = [];
		const kinds = new Map<string, QueryRecord>();
		let [listed, unreadable, incomplete, unsearched] = [0, 0, 0, 0];
		let reported: number | undefined;
		for await (const chunk of readListChunks(client)) {
			const { records, isLast, completeness, total } = chunk;
			listed += records.length;
			reported = total;
			unreadable += chunk.unreadable;
			for (const row of records) kinds.set(`${row.code} ${row.status ?? ''}`, row);
			for (let at = 0; at < records.length && rows.length < wanted; at += AT_ONCE) {
				const some = records.slice(at, at + AT_ONCE).filter(mayFit);
				const read = isCompleting ? await Promise.all(some.map(complete)) : some;
				if (isCompleting) incomplete += read.filter(mayOmitExistingResponse).length;
				for (const row of read) {
					const isFitting = fits(row);
					if (isFitting) rows.push(row);
					if (isFitting !== undefined) continue;
					if (!isCompleting && !showsSubject(row)) throw unsearchable();
					unsearched++;
				}
			}
			if (rows.length >= wanted) break;
			if (!isLast || !mayHaveMore(chunk, mapping)) continue;
			const text = incompleteQueryListText({ completeness, listed, total });
			if (!text) continue;
			const { message, description } = text;
			if (completeness === 'truncated') {
				throw new CodedError('list.cut', message, {
					...{ listed, total: reported },
					description: joinSentences(
						description,
						wanted === Infinity ? 'Or set a Limit' : 'Or set a lower Limit',
					),
				});
			}
			item.run.hint(joinSentences(message, description));
		}
		if (unreadable > 0) {
			item.run.hint(
				joinSentences(
					`${unreadable} rows of the list show no ID (_id or queryId) and are left out`,
					mappingHint(['record._id']),
				),
			);
		}
		if (unsearched > 0) {
			item.run.hint(
				isCompleting
					? `${unsearched} queries were not searched: their records show neither what they asked nor a result.`
					: `${unsearched} queries without a result in the list were not searched. Add the option 'Complete Rows'.`,
			);
		}
		if (incomplete > 0) {
			item.run.hint(
				joinSentences(
					`${incomplete} rows have no result, or were not found by their ID`,
					mappingHint(GET_PATH_MAPPING_KEYS),
				),
			);
		}
		const found = rows.slice(0, wanted);
		if (reported !== undefined) {
			const others = rows.length >= wanted ? 'limit' : rows.length < listed ? 'filters' : undefined;
			item.run.hint(outputRowsOfTotalHint(found.length, reported, others));
		}
		const excluded = leftOut([...kinds.values()]);
		if (excluded !== undefined) item.run.hint(excluded);
		return found.map((row) => buildProtectedRow(item, row, mapping, isSimple));
	},
});

export const query: Resource = {
	name: 'Query',
	value: 'query',
	operations: [get, readsList(getMany), readsList(getSpending)],
};
