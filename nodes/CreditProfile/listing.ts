import { UserError, type IDataObject } from 'n8n-workflow';
import type { Item, Operation } from '../shared/operation';
import { readPages, type Page } from '../shared/pages';
import type { ServiceRequest } from '../shared/request';
import { readSimplify, readWanted, simplifyField } from '../shared/fields';

type Answer = IDataObject | IDataObject[];

const unlikeAny = (missing: string) =>
	new UserError(`The Credit Profile Service answered without ${missing}`, {
		description: 'Check that the base URL of the credential points to the service itself.',
	});

/** One page of §4.4, §4.6 or §4.8; `field` names its array. Throws a UserError if the answer is not made like that. */
export function pageOf(answer: Answer, field: 'data' | 'documents'): Page {
	const { [field]: rows, total } = answer as IDataObject;
	if (!Array.isArray(rows) || typeof total !== 'number') throw unlikeAny(`"${field}" or "total"`);
	return { rows: rows as IDataObject[], total };
}

/** The tags of §4.3 or §4.7. Throws a UserError if the answer is not made like that. */
export function tagsOf(answer: Answer): string[] {
	const { data } = answer as IDataObject;
	if (!Array.isArray(data)) throw unlikeAny('"data"');
	return data as string[];
}

export interface Listing extends Pick<ServiceRequest, 'path' | 'query' | 'lists'> {
	/** What the answer calls its rows. */
	field: 'data' | 'documents';
	/** The smallest page that the service takes; 1 by default. */
	smallestPage?: number;
	shape(row: IDataObject): IDataObject;
}

/** As many rows of a list as the item's Return All and Limit want, each in the shape asked for. */
export async function readListing(item: Item, listing: Listing): Promise<IDataObject[]> {
	const { path, query, lists, field, smallestPage, shape } = listing;
	return await readPages(
		async (limit, offset) => {
			const page = { limit, offset };
			const answer = await item.request({
				method: 'GET',
				path,
				query: { ...query, ...page },
				lists,
			});
			const { rows, total } = pageOf(answer, field);
			return { rows: rows.map(shape), total };
		},
		readWanted(item),
		smallestPage,
	);
}

/** §4.3 and §4.7, which differ only by the path: Get Many Tags. */
export const getManyTags = (of: 'collection' | 'document'): Operation => ({
	name: 'Get Many Tags',
	value: 'getTags',
	action: `Get many data ${of} tags`,
	description: `Get the different tags that the ${of}s of the organization have`,
	fields: [simplifyField],
	async execute(item) {
		const isSimple = readSimplify(item);
		const answer = await item.request({ method: 'GET', path: `/data/${of}/tags` });
		return isSimple ? tagsOf(answer).map((tag) => ({ tag })) : answer;
	},
});
