import type { IDataObject } from 'n8n-workflow';
import { hasEntries, isObject } from '../utils/json';
import { idText, textOf } from '../utils/primitiveText';
import type { RequestProblem } from '../errors/requestProblem';

export interface ExpectedRows {
	/** A noun for an operator: "a list of collections". */
	expected: string;
	isRow: (value: unknown) => value is IDataObject;
}

/** `total` is the length of the whole list, where the response says so. */
export interface RowsPage {
	rows: IDataObject[];
	total?: number;
}

/** A row has an ID and one more of the fields that its section requires. */
export const idAndAnyFieldGuard =
	(...required: string[]) =>
	(value: unknown): value is IDataObject =>
		isObject(value) &&
		idText(value.id) !== '' &&
		required.some((name) => Object.hasOwn(value, name));

/**
 * The rows are under the documented key, or where that is missing the only array of rows. Anything else is a
 * problem: neither another shape nor a reported failure is ever an empty list, or the end of one.
 */
export function readRowsOrProblem(
	body: unknown,
	{ expected, isRow }: ExpectedRows,
	key?: string,
): RowsPage | RequestProblem {
	const rows = documented(body, key) ?? onlyList(body, isRow);
	const total = totalOf(body);
	const isList = rows?.every(isRow) === true;
	if (isList && !listBodyReportsFailure(body)) {
		return { rows, ...(total !== undefined && { total }) };
	}
	return listProblem(body, expected);
}

/** The list under the documented key; null beside a total of 0 is an empty one. */
const documented = (body: unknown, key?: string, count?: string): unknown[] | undefined => {
	const value = key === undefined ? body : isObject(body) ? body[key] : undefined;
	if (value === null && key !== undefined && totalOf(body, count) === 0) return [];
	return Array.isArray(value) ? value : undefined;
};

/** An empty array may be a list of something else. */
function onlyList(body: unknown, isRow: ExpectedRows['isRow']): unknown[] | undefined {
	const values = Array.isArray(body) ? [body] : Object.values(isObject(body) ? body : {});
	const lists = values.filter((value) => Array.isArray(value) && value.some(isRow));
	if (lists.length === 1) return lists[0] as unknown[];
	const isNone = totalOf(body) === 0 && values.filter((value) => value === null).length === 1;
	return isNone && !values.some(Array.isArray) ? [] : undefined;
}

/** The row is the response itself, or the only one that is wrapped. */
export function readSingleRowOrProblem(
	body: unknown,
	{ expected, isRow }: ExpectedRows,
): { row: IDataObject } | RequestProblem {
	if (reportsFailure(body)) return { kind: 'failure', status: 200 };
	if (isRow(body)) return { row: body };
	const inside = typeof body === 'object' && body !== null ? Object.values(body) : [];
	const [row, another] = inside.filter(isRow);
	return row && !another ? { row } : listProblem(body, expected);
}

/**
 * Texts under `data` (CP §4.3, §4.7), or a list of texts by itself, and their number. Fewer texts than the response
 * counts are a problem: they have no more pages.
 */
export function readTextListOrProblem(
	body: unknown,
	expected: string,
): { texts: string[]; count: number } | RequestProblem {
	const list = documented(body, 'data', 'count') ?? documented(body);
	const areTexts = list?.every((one): one is string => typeof one === 'string');
	if (!areTexts || listBodyReportsFailure(body)) return listProblem(body, expected);
	const { length: given } = list;
	const count = totalOf(body, 'count') ?? given;
	if (given < count) return { kind: 'incomplete', given, total: count, isWhole: true };
	return { texts: list as string[], count: given };
}

function totalOf(body: unknown, name = 'total'): number | undefined {
	return isObject(body) ? parseCount(body[name] ?? body.total ?? body.totalCount) : undefined;
}

/** Takes a number or its digits. */
export function parseCount(value: unknown): number | undefined {
	const text = textOf(value).trim();
	return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

export const reportsFailure = (body: unknown): boolean =>
	isObject(body) &&
	(body.success === false ||
		[body.errors, body.error].some((one) => hasEntries(one) || isVisibleText(one)));

/** Knows the usual forms of a failure. */
export const listBodyReportsFailure = (body: unknown): boolean =>
	isObject(body) &&
	(reportsFailure(body) ||
		[body.success, body.ok].some((one) => FALSE.has(one)) ||
		body.error === true ||
		[body.statusCode, body.status, body.code].some(isFailedStatus));

const FALSE: ReadonlySet<unknown> = new Set<unknown>([false, 'false', 0]);

/** Counts an HTTP status from 400 on, and JSend's status of a failure. */
const isFailedStatus = (value: unknown): boolean =>
	/^([45]\d\d|error|fail|failed)$/i.test(textOf(value));

const isVisibleText = (value: unknown): value is string =>
	typeof value === 'string' && value.trim() !== '';

const listProblem = (body: unknown, expected: string): RequestProblem =>
	listBodyReportsFailure(body) ? { kind: 'failure', status: 200 } : { kind: 'shape', expected };
