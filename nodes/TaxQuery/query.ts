import { NodeApiError, UserError, type IDataObject, type INodeProperties } from 'n8n-workflow';
import {
	asItIs,
	readSimplify,
	readWanted,
	returnAllAndLimit,
	simplifyField,
} from '../shared/fields';
import type { Item, Operation, Resource } from '../shared/operation';
import { readQueryList, readQueryRecord, simplifyRecord, totalOf } from '../shared/queries';
import { toDate } from './dates';
import { readJson, readText, textField } from './fields';
import { createdAt } from './history';
import { listParametersOption } from './options';

const shapeOf = (item: Item) => (readSimplify(item) ? simplifyRecord : asItIs);

const get: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get a query',
	description: 'Get one query with its status and result; free of charge',
	fields: [
		textField(
			'Query ID',
			'queryId',
			'e.g. 665f1c2ab7e3d0a1c4f2e9b8',
			'The ID that the acknowledgement gave',
		),
		simplifyField,
	],
	/** §4.13 */
	async execute(item) {
		const shape = shapeOf(item);
		const id = readText(item, 'queryId', 'Query ID');
		const outcome = await item
			.request({ method: 'GET', path: `/query/${encodeURIComponent(id)}` })
			.then(
				(body) => ({ body }),
				(error: unknown) => ({ error }),
			);
		if ('body' in outcome) return shape(readQueryRecord(outcome.body));
		const { error } = outcome;
		if (error instanceof NodeApiError && error.httpCode === '404') {
			error.message = 'There is no query with the "Query ID" of this item';
			error.description =
				'Check the ID, and that the query was made with this credential. Query → Get Many lists the queries made.';
		}
		throw error;
	},
};

const filters: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add filter',
	default: {},
	options: [
		{
			displayName: 'Created After',
			name: 'createdAfter',
			type: 'dateTime',
			default: '',
			description: 'Only queries created at this time or later',
		},
		{
			displayName: 'Created Before',
			name: 'createdBefore',
			type: 'dateTime',
			default: '',
			description: 'Only queries created before this time',
		},
		{
			displayName: 'CURP',
			name: 'curp',
			type: 'string',
			default: '',
			description: 'Only queries that ask for this CURP or have it in their result',
		},
		{
			displayName: 'RFC',
			name: 'rfc',
			type: 'string',
			default: '',
			description: 'Only queries that ask for this RFC or have it in their result',
		},
		{
			displayName: 'Service',
			name: 'service',
			type: 'string',
			default: '',
			placeholder: 'e.g. CRF',
			description: 'Only queries of this service; several separated by commas',
		},
		{
			displayName: 'Status',
			name: 'status',
			type: 'string',
			default: '',
			placeholder: 'e.g. SUCCESS',
			description: 'Only queries with this status; several separated by commas',
		},
	],
};

const getMany: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many queries',
	description: 'Get the queries made, with their status and result; free of charge',
	fields: [...returnAllAndLimit, filters, simplifyField],
	options: [listParametersOption],
	/** §4.12: no parameter is shown, so this node filters by itself. */
	async execute(item) {
		const wanted = readWanted(item);
		const shape = shapeOf(item);
		const fits = filterOf(item.parameter<IDataObject>('filters'));
		const query = readJson(item.options.listParameters, 'List Parameters');
		const body = await item.request({ method: 'GET', path: '/query', query });
		const records = readQueryList(body);
		const fitting = records.filter(fits);
		const total = totalOf(body) ?? records.length;
		// Whoever asks with an offset reads page by page and knows that there are others.
		if (fitting.length < wanted && total > records.length && !('offset' in query)) {
			throw new UserError(
				`The service tells of ${total} queries but sent only ${records.length} of them`,
				{
					description:
						'Its document does not show how to ask for the others. Set the option List Parameters, e.g. {"limit": 1000} or {"offset": 100}.',
				},
			);
		}
		return fitting.slice(0, wanted).map(shape);
	},
};

/** Whether a record passes all filters that are set. Throws a UserError if a date is none. */
function filterOf(chosen: IDataObject): (record: IDataObject) => boolean {
	const after = timeOf(chosen.createdAfter, 'Created After') ?? -Infinity;
	const before = timeOf(chosen.createdBefore, 'Created Before') ?? Infinity;
	const listed = ['service', 'status'].map((name) => [name, wordsOf(chosen[name])] as const);
	const held = ['rfc', 'curp'].map((name) => [name, wordsOf(chosen[name])] as const);
	return (record) => {
		const simple = simplifyRecord(record);
		const asked = record.query as IDataObject | undefined;
		const isIn = (words: string[], ...values: unknown[]) =>
			words.length === 0 || values.some((value) => words.includes(plain(value)));
		return (
			listed.every(([name, words]) => isIn(words, record[name])) &&
			held.every(([name, words]) => isIn(words, simple[name], asked?.[name])) &&
			(!(after > -Infinity) || createdAt(record) >= after) &&
			(!(before < Infinity) || createdAt(record) < before)
		);
	};
}

const plain = (value: unknown) =>
	String(value ?? '')
		.replace(/[\s-]/g, '')
		.toUpperCase();

const wordsOf = (value: unknown) =>
	(Array.isArray(value) ? value : String(value ?? '').split(','))
		.map(plain)
		.filter((word) => word !== '');

function timeOf(value: unknown, label: string): number | undefined {
	if (value === undefined || value === '') return undefined;
	const date = toDate(value);
	if (date.isValid) return date.toMillis();
	throw new UserError(`"${label}" is not a date`, {
		description: 'Enter it as year-month-day, e.g. 2026-10-31.',
	});
}

export const query: Resource = { name: 'Query', value: 'query', operations: [get, getMany] };
