import { asItIs } from '../shared/operations/fields';
import type { Item } from '../shared/operations/operation';
import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { isForGood } from '../shared/transport/errors';
import { isObject } from '../shared/utils/json';
import { sentences } from '../shared/utils/sentences';
import { textOf } from '../shared/utils/text';
import { OTHER } from './listFile';
import { readList, type ListRequest } from './listing';

/** What the columns of a collection's documents are called, by the titles in its schemas (CP §2.5). */
export interface Titles {
	/** The column of a document's field, by the ID of the document's version. */
	columnOf(versionId: unknown, key: string): string;
	/** The columns of all versions. */
	columns: string[];
}

/** Columns that a simplified document has beside its fields. */
export const OWN_COLUMNS = ['profiles', 'forms', 'files', 'tags', 'createdAt', 'externalId', 'id'];

/** Columns that no field of a document has. */
const RESERVED = [...OWN_COLUMNS, 'associations', OTHER];

/** The column of a field; where another has it already, told apart by the field's key. */
export function freeColumn(column: string, key: string, taken: { has(column: string): boolean }) {
	let free = column;
	while (taken.has(free)) free += ` (${key})`;
	return free;
}

/**
 * Reads the titles of a collection: one request for each hundred versions, once in a run. There are none where the
 * service has none to show. Throws where it could not be asked: the next run would name the columns otherwise.
 */
export async function titlesOf(item: Item, collectionId: number): Promise<Titles> {
	const read = item.run.shared(titlesByCollection);
	const known =
		read.get(collectionId) ??
		readTitles(item, collectionId).catch((error: NodeApiError) => {
			if (!isForGood(error) && error.httpCode !== '403') throw withAdvice(error);
			item.run.hint(
				`The titles of collection ${collectionId} could not be read, so columns are named by the fields' keys: ${error.message}`,
			);
			return titlesIn([]);
		});
	read.set(collectionId, known);
	return await known;
}

function withAdvice(error: NodeApiError): NodeApiError {
	const advice =
		"The titles of the collection could not be read. To get documents under their fields' keys, turn Simplify off";
	error.description = sentences(error.description, advice);
	return error;
}

const titlesByCollection = () => new Map<number, Promise<Titles>>();

async function readTitles(item: Item, collectionId: number): Promise<Titles> {
	const path = `/data/collection/${collectionId}/versions`;
	const list: ListRequest = { path, field: 'data', startAt: 0, wanted: Infinity };
	return titlesIn(await readList(item, list, asItIs));
}

function titlesIn(versions: IDataObject[]): Titles {
	const schemas = versions.map(({ id, schema }) => [textOf(id), titlesBy(schema)] as const);
	const shared = new Set(schemas.flatMap(([, titles]) => twice([...titles.values()])));
	const byVersion = new Map(schemas.map(([id, titles]) => [id, columnsOf(titles, shared)]));
	return {
		columnOf(versionId, key) {
			const columns = byVersion.get(textOf(versionId));
			const column = columns?.get(key);
			if (column !== undefined) return column;
			if (RESERVED.includes(key)) return `document.${key}`;
			return freeColumn(key, key, new Set(columns?.values()));
		},
		columns: [...new Set([...byVersion.values()].flatMap((columns) => [...columns.values()]))],
	};
}

/** What each field of a schema is called, by its key: its title, or the key itself. */
function titlesBy(schema: unknown): Map<string, string> {
	const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
	return new Map(
		Object.entries(properties).map(([key, property]) => {
			const title = isObject(property) ? property.title : undefined;
			return [key, typeof title === 'string' && title.trim() !== '' ? title.trim() : key];
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
	const taken = new Set(RESERVED);
	for (const [key, title] of titles) {
		const wanted = shared.has(title) && title !== key ? `${title} (${key})` : title;
		const column = freeColumn(wanted, key, taken);
		taken.add(column);
		columns.set(key, column);
	}
	return columns;
}
