import type { Operation, Resource } from '../shared/operation';
import { readText, textField } from './runQuery';

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
	],
	/** §4.13 */
	execute: async (item) =>
		await item.request({
			method: 'GET',
			path: `/query/${encodeURIComponent(readText(item, 'queryId'))}`,
		}),
};

export const query: Resource = { name: 'Query', value: 'query', operations: [get] };
