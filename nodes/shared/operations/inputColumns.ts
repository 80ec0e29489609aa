import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { cleanText } from '../utils/inputText';

export const includeOtherFields: INodeProperties = {
	displayName: 'Include Other Input Fields',
	name: 'includeOtherFields',
	type: 'boolean',
	default: true,
	description:
		"Whether to keep the input's columns, before the new ones. If both have a column of one name, the input's is called <code>input</code> and its name, such as <code>inputValid</code>.",
	// an agent knows what it sent
	displayOptions: { hide: { '@tool': [true] } },
};

/** What an operation knows of its columns before a row comes. */
export interface KnownColumns {
	/** Columns that repeat a parameter of the same name: an input column that fills the parameter needs no second one. */
	request: string[];
	/** Columns that only some rows have. An input column of such a name is renamed in every row. */
	own: string[];
}

/** A row that comes out, and the input that it comes from. */
export interface RowWithInput {
	row: IDataObject;
	input: IDataObject;
	/** Columns of any row of this run, and those known before. */
	own: ReadonlySet<string>;
	/** Input columns of these names are replaced: they report an earlier failure. */
	replaced?: readonly string[];
	/** Whether an input column fills the parameter of its name. */
	isRequested(name: string): boolean;
}

/**
 * The input's columns, then the row's, which win. No column is lost: an input column whose name is taken gets a name of
 * its own (inputValid), and gets it in every row, so that the columns of a table stay the same. An input that is an
 * earlier state of the same query is replaced by the newer one.
 */
export function besideInput({
	row,
	input,
	own,
	replaced = [],
	isRequested,
}: RowWithInput): IDataObject {
	const isSameQuery = queryIdIn(input) !== undefined && queryIdIn(input) === queryIdIn(row);
	const isTaken = (name: string) => own.has(name) || Object.hasOwn(row, name);
	const columns = new Map<string, unknown>();
	const isFree = (name: string) => !isTaken(name) && !Object.hasOwn(input, name);
	for (const [name, value] of Object.entries(input)) {
		if (replaced.includes(name)) continue;
		const isReplaced = isSameQuery && (QUERY_IDS.includes(name) || !isRequested(name));
		if (!isTaken(name)) columns.set(name, value);
		else if (isReplaced) continue;
		else columns.set(isRequested(name) ? name : freeName(name, isFree), value);
	}
	// the row's value wins where it has what was asked
	const remaining = [...columns].filter(([name]) => !Object.hasOwn(row, name));
	return { ...(Object.fromEntries(remaining) as IDataObject), ...row };
}

const QUERY_IDS = ['queryId', '_id'];
/** The query that a row is about, simplified or not. */
const queryIdIn = ({ queryId, _id }: IDataObject): unknown => queryId ?? _id ?? undefined;

function freeName(name: string, isFree: (name: string) => boolean): string {
	const own = `input${name.charAt(0).toUpperCase()}${name.slice(1)}`;
	return isFree(own) ? own : freeName(own, isFree);
}

/** Whether two values are the same, apart from blanks and invisible characters in a text. */
export const isSameValue = (one: unknown, other: unknown): boolean =>
	JSON.stringify(cleaned(one)) === JSON.stringify(cleaned(other));

const cleaned = (value: unknown) => (typeof value === 'string' ? cleanText(value) : value);
