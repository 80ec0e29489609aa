import { defineOperation, optionsEntryField, parseBoolean } from '../../shared/operations/fields';
import {
	identity,
	returnAllOrLimit as wanted,
	simplifyField,
	positiveIntOrUndefined,
} from '../../shared/operations/commonFields';
import { LARGEST_PAGE } from '../../shared/http/pagination';
import { readsList } from '../../shared/operations/listOperation';
import type { Resource } from '../../shared/operations/operation';
import { hasEntries } from '../../shared/utils/json';
import { textOf } from '../../shared/utils/primitiveText';
import { collectionId, offset as startAt } from '../fields';
import { encodeFilter, filters, buildFilterMismatchCheck, rethrowWithKeys } from '../filters';
import {
	collectRows,
	fetchTotal,
	getManyTagsOperation,
	listPages,
	rethrowWithCollection,
	singleRowBodyParser,
	collectionVersionsRequest,
} from '../lists';
import { apiMappingOfItemCredential } from '../pathAdvice';
import { collectionRules, versionRules } from '../personalData';
import { simplifyCollection, simplifyCollectionVersion } from '../simplify';
import { CodedError } from '../../shared/utils/codedError';

/** A part of each collection, sent under the option's name; undefined if it was not added. */
const include = (displayName: string, name: string, description: string) =>
	optionsEntryField<boolean | undefined>(
		{ displayName, name, type: 'boolean', default: true, description },
		parseBoolean,
		undefined,
	);

/** CP §4.4 */
const collections = { path: '/data/collection', kind: 'collection', usualPage: 10 } as const;
const FILTERS =
	'It only reads. Name: exact. Name Contains: a part of it. Processor Key: exact. Empty filters do not filter.';

const get = defineOperation({
	name: 'Get',
	value: 'get',
	action: 'Get data collection',
	tool: 'Get one data collection by its ID. It only reads. Collection: a whole number, from the list of collections.',
	subtitle: 'Get collection',
	description: 'Get one data collection by its ID (beta)',
	fields: { collectionId },
	options: { simplify: simplifyField },
	/** CP §4.5 */
	async execute(item, { collectionId: id, simplify: isSimple }) {
		const { row: collection } = await item
			.read(
				{ method: 'GET', path: `/data/collection/${id}`, isOneRecord: true },
				singleRowBodyParser('collection'),
			)
			.catch(rethrowWithCollection(id));
		if (positiveIntOrUndefined(collection.id) !== id) {
			throw new CodedError(
				'otherCollection',
				`The Credit Profile Service gave data collection ${textOf(collection.id)}, not ${id}`,
				{ description: 'Tell the provider.' },
			);
		}
		return item.protect(collection, collectionRules, isSimple ? simplifyCollection : identity);
	},
});

const getMany = defineOperation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many data collections',
	tool: `List data collections, all or filtered. ${FILTERS}`,
	subtitle: 'Get collections',
	description: 'Get the data collections of the organization, all or filtered (beta)',
	fields: { wanted, filters },
	options: {
		simplify: simplifyField,
		includeActiveDataCollectionVersion: include(
			'Include Active Version',
			'includeActiveDataCollectionVersion',
			'Whether each collection comes with its active version',
		),
		includeCreator: include(
			'Include Creator',
			'includeCreator',
			'Whether each collection, and its included active version, comes with its creator',
		),
		startAt,
	},
	async execute(
		item,
		{ filters: filter, simplify: isSimple, wanted: most, startAt: from, ...includes },
	) {
		const { query, lists } = encodeFilter(filter, await apiMappingOfItemCredential(item));
		const check = buildFilterMismatchCheck(filter, item.run.hint);
		const shape = isSimple ? simplifyCollection : identity;
		const list = { ...collections, query: { ...includes, ...query }, lists };
		return await collectRows(listPages(item, { ...list, startAt: from, wanted: most }), (row) => {
			check(row);
			return item.protect(row, collectionRules, shape);
		}).catch(rethrowWithKeys(filter));
	},
});

const count = defineOperation({
	name: 'Count',
	value: 'count',
	action: 'Count data collections',
	tool: `Count data collections, all or filtered. ${FILTERS}`,
	subtitle: 'Count collections',
	hasNoPersonalData: true,
	description:
		'Count the data collections of the organization, all or filtered, in one request (beta)',
	fields: { filters },
	async execute(item, { filters: filter }) {
		const list = {
			...collections,
			...encodeFilter(filter, await apiMappingOfItemCredential(item)),
			// a service that ignores the filter may give a row first that passes it
			...(hasEntries(filter) && { smallestPage: LARGEST_PAGE }),
		};
		const check = buildFilterMismatchCheck(filter, item.run.hint);
		const total = await fetchTotal(item, list, check).catch(rethrowWithKeys(filter));
		return item.protect({ total }, 'written', identity);
	},
});

const getVersions = defineOperation({
	name: 'Get Many Versions',
	value: 'getVersions',
	action: 'Get many data collection versions',
	tool: 'List the versions of one data collection with the names of their fields. It only reads. Collection: a whole number.',
	subtitle: 'Get collection versions',
	description: 'Get the versions of one data collection with their schemas (beta)',
	fields: { collectionId, wanted },
	options: { simplify: simplifyField, startAt },
	async execute(item, { collectionId: id, simplify: isSimple, ...range }) {
		const shape = isSimple ? simplifyCollectionVersion : identity;
		return await collectRows(
			listPages(item, { ...collectionVersionsRequest(id), ...range }),
			(row) => item.protect(row, versionRules, shape),
		);
	},
});

export const dataCollection: Resource = {
	name: 'Data Collection',
	value: 'dataCollection',
	operations: [
		readsList(getMany),
		count,
		get,
		readsList(getManyTagsOperation('collection')),
		readsList(getVersions),
	],
};
