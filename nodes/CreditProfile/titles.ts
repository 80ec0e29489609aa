import type { IDataObject } from 'n8n-workflow';
import type { Item } from '../shared/operations/operation';
import { isObject } from '../shared/utils/json';
import { textOf } from '../shared/utils/text';
import { collect, listPages, versionsOf } from './listing';

/** The column of a document's field, by the ID of the document's version. */
export type ColumnOf = (versionId: unknown, key: string) => string;

/** Columns that a simplified document has beside its fields. */
export const OWN_COLUMNS = [
	...['profiles', 'forms', 'files', 'associations'],
	...['tags', 'createdAt', 'updatedAt', 'externalId', 'id'],
];

/** Each field under its own key, but for those that would be an own column. */
export const byKey: ColumnOf = (_versionId, key) =>
	OWN_COLUMNS.includes(key) ? `document.${key}` : key;

/** The column of a field; where another has it already, told apart by the field's key. */
export function freeColumn(column: string, key: string, taken: { has(column: string): boolean }) {
	let free = column;
	while (taken.has(free)) free += ` (${key})`;
	return free;
}

/**
 * Each field under the title that the schemas of a collection have for it (CP §2.5): one request for each hundred
 * versions, once in a run. Throws where they cannot be read: the columns would have other names.
 */
export async function byTitle(item: Item, collectionId: number): Promise<ColumnOf> {
	const { client } = await item.connection();
	const read = item.run.shared(titlesByCollection);
	const key = `${client} ${collectionId}`;
	const known = read.get(key) ?? readTitles(item, collectionId);
	read.set(key, known);
	return await known;
}

const titlesByCollection = () => new Map<string, Promise<ColumnOf>>();

async function readTitles(item: Item, collectionId: number): Promise<ColumnOf> {
	const list = { ...versionsOf(collectionId), startAt: 0, wanted: Infinity };
	return columnsBy(await collect(listPages(item, list)));
}

function columnsBy(versions: IDataObject[]): ColumnOf {
	const schemas = versions.map(({ id, schema }) => [textOf(id), titlesBy(schema)] as const);
	const shared = new Set(schemas.flatMap(([, titles]) => twice([...titles.values()])));
	const byVersion = new Map(schemas.map(([id, titles]) => [id, columnsOf(titles, shared)]));
	return (versionId, key) => {
		const columns = byVersion.get(textOf(versionId));
		return columns?.get(key) ?? freeColumn(byKey(versionId, key), key, new Set(columns?.values()));
	};
}

/** What each field of a schema is called, by its key: its title, or the key itself. */
function titlesBy(schema: unknown): Map<string, string> {
	const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
	return new Map(
		Object.entries(properties).map(([key, property]) => {
			const title = isObject(property) ? textOf(property.title).trim() : '';
			return [key, title || key];
		}),
	);
}

function twice(titles: string[]): string[] {
	const seen = new Set<string>();
	return titles.filter((title) => seen.has(title) || !seen.add(title));
}

/**
 * The columns of a version. A title that two fields have in any version, or an own column, is told apart by the field's
 * key, the first of them too: it is to be the same column in every version.
 */
function columnsOf(titles: Map<string, string>, shared: Set<string>): Map<string, string> {
	const columns = new Map<string, string>();
	const taken = new Set(OWN_COLUMNS);
	for (const [key, title] of titles) {
		const wanted = shared.has(title) && title !== key ? `${title} (${key})` : title;
		const column = freeColumn(wanted, key, taken);
		taken.add(column);
		columns.set(key, column);
	}
	return columns;
}
