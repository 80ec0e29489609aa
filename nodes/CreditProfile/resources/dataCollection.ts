import { operation } from '../../shared/operations/field';
import { asItIs, limit, simplify } from '../../shared/operations/fields';
import type { Resource } from '../../shared/operations/operation';
import { textOf } from '../../shared/utils/text';
import { collectionId, offset, switches } from '../fields';
import { encodeFilter, filters, checkFiltered, withFilterKeys } from '../filter';
import { countOf, getManyTags, readList, rowIn } from '../listing';
import { mappingOf } from '../mapping';
import { collectionRule, versionRule } from '../personal';
import { simplifyCollection, simplifyVersion } from '../simplify';
import { CodedError } from '../../shared/utils/codedError';

const includes = switches([
	{
		displayName: 'Include Active Version',
		name: 'includeActiveDataCollectionVersion',
		type: 'boolean',
		default: true,
		description: 'Whether each collection comes with its active version',
	},
	{
		displayName: 'Include Creator',
		name: 'includeCreator',
		type: 'boolean',
		default: true,
		description:
			'Whether each collection comes with its creator, and an included active version with its own',
	},
]);

const get = operation({
	name: 'Get',
	value: 'get',
	action: 'Get data collection',
	tool: 'Get one data collection by its ID. It only reads. Collection: a whole number, from the list of collections.',
	subtitle: 'Get collection',
	description: 'Get one data collection by its ID (the service calls this endpoint a beta)',
	fields: { collectionId },
	options: { simplify },
	/** CP §4.5 */
	async execute(item, { collectionId: id, simplify: isSimple }) {
		const { row: collection } = await item.read(
			{ method: 'GET', path: `/data/collection/${id}`, isOneRecord: true },
			rowIn('collection'),
		);
		const given = textOf(collection.id).trim();
		if (/^\d+$/.test(given) && Number(given) !== id) {
			throw new CodedError(
				'otherCollection',
				`The Credit Profile Service gave data collection ${given}, not ${id}`,
				{
					description: 'Nothing of it was taken. Tell the provider.',
				},
			);
		}
		return item.protect(collection, collectionRule, isSimple ? simplifyCollection : asItIs);
	},
});

const getMany = operation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many data collections',
	tool: 'List data collections, all or filtered. It only reads. Name: exact. Name Contains: a part of it. Processor Key: exact. Empty filters do not filter.',
	subtitle: 'Get collections',
	description:
		'Get the data collections of the organization, all or those that pass the filters (the service calls this endpoint a beta)',
	fields: { wanted: limit, filters },
	options: { simplify, includes, offset },
	/** CP §4.4 */
	async execute(item, values) {
		const { query, lists } = encodeFilter(values.filters, await mappingOf(item));
		const check = checkFiltered(values.filters, item.run.hint);
		const shape = values.simplify ? simplifyCollection : asItIs;
		return await readList(
			item,
			{
				path: '/data/collection',
				query: { ...values.includes, ...query },
				lists,
				kind: 'collection',
				startAt: values.offset,
				wanted: values.wanted,
			},
			(row) => {
				check(row);
				return item.protect(row, collectionRule, shape);
			},
		).catch(withFilterKeys(values.filters));
	},
});

const count = operation({
	name: 'Count',
	value: 'count',
	action: 'Count data collections',
	tool: 'Count data collections, all or filtered. It only reads. Name: exact. Name Contains: a part of it. Processor Key: exact. Empty filters do not filter.',
	subtitle: 'Count collections',
	description:
		'Count the data collections of the organization, all or those that pass the filters, in one request (the service calls this endpoint a beta)',
	fields: { filters },
	/** CP §4.4 */
	async execute(item, values) {
		const encoded = encodeFilter(values.filters, await mappingOf(item));
		const total = await countOf(item, {
			path: '/data/collection',
			kind: 'collection',
			...encoded,
		}).catch(withFilterKeys(values.filters));
		return item.protect({ total }, 'written', asItIs);
	},
});

const getVersions = operation({
	name: 'Get Many Versions',
	value: 'getVersions',
	action: 'Get many data collection versions',
	tool: 'List the versions of one data collection with the names of their fields. It only reads. Collection: a whole number.',
	subtitle: 'Get collection versions',
	description:
		'Get the versions of one data collection with their schemas (the service calls this endpoint a beta)',
	fields: { collectionId, wanted: limit },
	options: { simplify, offset },
	/** CP §4.6 */
	async execute(item, values) {
		return await readList(
			item,
			{
				path: `/data/collection/${values.collectionId}/versions`,
				kind: 'version',
				startAt: values.offset,
				wanted: values.wanted,
			},
			(row) => item.protect(row, versionRule, values.simplify ? simplifyVersion : asItIs),
		);
	},
});

export const dataCollection: Resource = {
	name: 'Data Collection',
	value: 'dataCollection',
	operations: [getMany, count, get, getManyTags('collection'), getVersions],
};
