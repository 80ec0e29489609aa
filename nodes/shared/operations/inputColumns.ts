import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { normalizeIfText } from '../utils/cleanText';
import { capitalize, idText } from '../utils/primitiveText';
import { FAILURE_COLUMNS, hasNotBeenSent } from './outcome';

export const includeOtherFields: INodeProperties = {
	displayName: 'Include Other Input Fields',
	name: 'includeOtherFields',
	type: 'boolean',
	default: true,
	description:
		"Whether to keep the input's columns, before the new ones. If both have a column of one name, the input's is called <code>input</code> and its name, such as <code>inputOutcome</code>.",
	// an agent knows what it sent
	displayOptions: { hide: { '@tool': [true] } },
};

/** The columns of an operation that are known before a row comes. */
export interface KnownOutputColumns {
	/** Columns that repeat a parameter of their name. An input column that fills the parameter needs no second one. */
	requested: string[];
	/** Columns that only some rows have. An input column of such a name is renamed in every row. */
	own: string[];
}

/** A row that comes out, and the input that it comes from. */
export interface RowAndInput {
	row: IDataObject;
	input: IDataObject;
	/** Columns of any row of this run, and those known before. */
	own: ReadonlySet<string>;
	/** Returns whether an input column fills the parameter of its name. */
	isRequested(name: string): boolean;
}

/** The columns in which a row gives an account of itself. */
const ACCOUNT = ['outcome', 'reason', 'billed', ...FAILURE_COLUMNS];

/** Columns of the input that give way; `ready` is Check's own, and may be the operator's beside any other outcome. */
function replacedColumns(input: IDataObject): string[] {
	if (!hasNotBeenSent(input)) return [];
	return input.outcome === 'notSent' ? ACCOUNT : [...ACCOUNT, 'ready'];
}

/**
 * Returns the input's columns, then the row's. A clashing column gets a name of its own (inputOutcome), unless the row
 * only spells its value differently. The account of a step that has sent nothing gives way to the row's own. That of
 * an earlier state of the same query does so, too, but what it was billed is kept.
 */
export function mergeInputColumns({ row, input, own, isRequested }: RowAndInput): IDataObject {
	const isSameQuery = queryIdIn(input) !== '' && queryIdIn(input) === queryIdIn(row);
	const isTaken = (name: string) => own.has(name) || Object.hasOwn(row, name);
	const replaced = replacedColumns(input);
	const columns = new Map<string, unknown>();
	const isFree = (name: string) =>
		!isTaken(name) && !Object.hasOwn(input, name) && !columns.has(name);
	for (const [name, value] of Object.entries(input)) {
		if (replaced.includes(name)) continue;
		const isReplaced =
			isSameQuery && name !== 'billed' && (QUERY_IDS.includes(name) || !isRequested(name));
		if (!isTaken(name)) columns.set(name, value);
		else if (isReplaced) continue;
		else columns.set(isRequested(name) ? name : freeName(name, isFree), value);
	}
	// the row's value wins over an equal request
	const remaining = [...columns].filter(([name]) => !Object.hasOwn(row, name));
	return { ...(Object.fromEntries(remaining) as IDataObject), ...row };
}

const QUERY_IDS = ['queryId', '_id'];
/** The query that a row is about, simplified or not; '' for none. A service may take its ID in any case. */
const queryIdIn = ({ queryId, _id }: IDataObject): string => idText(queryId ?? _id).toLowerCase();

/** Returns inputName, or inputName2 and so on where an earlier step has used it: the lowest that is free. */
function freeName(name: string, isFree: (name: string) => boolean): string {
	const own = `input${capitalize(name)}`;
	if (isFree(own)) return own;
	let count = 2;
	while (!isFree(`${own}${count}`)) count++;
	return `${own}${count}`;
}

/** Returns whether two values are equal, apart from blanks and invisible characters in a text. */
export const isSameText = (one: unknown, other: unknown): boolean =>
	JSON.stringify(normalizeIfText(one)) === JSON.stringify(normalizeIfText(other));
