import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Operation, Resource } from '../shared/operation';
import { collectionField, readCollectionId, readSwitches } from './fields';
import { asItIs, readSimplify, returnAllAndLimit, simplifyField } from '../shared/fields';
import { encodeFilter, filterEncoding, filtersField, listEncoding, readFilter } from './filter';
import { getManyTags, readListing } from './listing';
import { simplifyCollection, simplifyVersion } from './simplify';

const includes: INodeProperties[] = [
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
];

const get: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get a data collection',
	description: 'Get one collection by its ID',
	fields: [collectionField, simplifyField],
	options: [filterEncoding],
	/** §4.5 */
	async execute(item) {
		const shape = readSimplify(item) ? simplifyCollection : asItIs;
		const path = `/data/collection/${readCollectionId(item)}`;
		return shape((await item.request({ method: 'GET', path })) as IDataObject);
	},
};

const getMany: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many data collections',
	description: 'Get the collections of the organization, all or those that pass the filters',
	fields: [...returnAllAndLimit, simplifyField, filtersField],
	options: [...includes, filterEncoding, listEncoding],
	/** §4.4 */
	async execute(item) {
		const filter = readFilter(item.parameter<IDataObject>('filters'));
		const { query, lists } = encodeFilter(filter, item.options);
		return await readListing(item, {
			path: '/data/collection',
			query: { ...readSwitches(item.options, includes), ...query },
			lists,
			field: 'data',
			shape: readSimplify(item) ? simplifyCollection : asItIs,
		});
	},
};

const getVersions: Operation = {
	name: 'Get Many Versions',
	value: 'getVersions',
	action: 'Get many data collection versions',
	description: 'Get the versions of one collection with their schemas',
	fields: [collectionField, ...returnAllAndLimit, simplifyField],
	options: [filterEncoding],
	/** §4.6 */
	async execute(item) {
		return await readListing(item, {
			path: `/data/collection/${readCollectionId(item)}/versions`,
			field: 'data',
			shape: readSimplify(item) ? simplifyVersion : asItIs,
		});
	},
};

export const collection: Resource = {
	name: 'Data Collection',
	value: 'dataCollection',
	operations: [getMany, get, getManyTags('collection'), getVersions],
};
