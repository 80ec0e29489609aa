import type { IDataObject } from 'n8n-workflow';
import type { OperationItem } from '../shared/operations/operation';
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

/** Names each field by its own key, except where that would be an own column. */
export const byKey: ColumnOf = (_versionId, key) =>
	OWN_COLUMNS.includes(key) ? `document.${key}` : key;

/** Returns a column name for a field; if another field has it already, the field's key is added. */
export function freeColumn(column: string, key: string, taken: { has(column: string): boolean }) {
	let free = column;
	while (taken.has(free)) free += ` (${key})`;
	return free;
}

/**
 * Names each field by its title in the collection's schemas (CP §2.5). It sends one request for each hundred
 * versions, once in a run. Throws if they cannot be read, because columns would change their names.
 */
export async function byTitle(item: OperationItem, collectionId: number): Promise<ColumnOf> {
	const { client } = await item.connection();
	const read = item.run.shared(titlesByCollection);
	const key = `${client} ${collectionId}`;
	const known = read.get(key) ?? readTitles(item, collectionId);
	read.set(key, known);
	return await known;
}

const titlesByCollection = () => new Map<string, Promise<ColumnOf>>();

async function readTitles(item: OperationItem, collectionId: number): Promise<ColumnOf> {
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

/** Returns the name of each field of a schema by its key: its title, or the key itself. */
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
 * Returns the columns of a version. A title that two fields have in any version, or an own column, gets the field's
 * key. That includes the first of them, so that each version has the same columns.
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
