import { NodeApiError, UserError, type IDataObject } from 'n8n-workflow';

/** One page of a list, and how many rows the whole list has by this answer, if it tells. */
export interface Page {
	rows: IDataObject[];
	total?: number;
}

/** A page of a list that tells no total is taken for its last one. */
export interface TotalledPage extends Required<Page> {
	isTold: boolean;
}

/** What services say where an offset is beyond the end. */
export const isPastEnd = (error: unknown): boolean =>
	error instanceof NodeApiError && ['404', '416'].includes(error.httpCode ?? '');

/** What tells a row from the first one of another page. */
export const rowKey = (row: IDataObject | undefined): unknown => idOf(row) ?? JSON.stringify(row);

/** What tells a row from others; undefined if it has nothing that does. */
export function idOf(row: IDataObject | undefined): unknown {
	const id = row?.id;
	if (id === null || id === '') return undefined;
	return typeof id === 'number' && Math.abs(id) > Number.MAX_SAFE_INTEGER ? undefined : id;
}

/** How a message begins that doubts a page. */
export const tells = ({ total, isTold }: TotalledPage) =>
	`The service tells ${isTold ? `of ${total} rows` : 'no total'}`;

/** What to say of a list that was not read twice alike. */
export const CHANGING =
	'The list kept changing while it was read, so some of its rows may be missing: read it again.';

/** What to say where the end is only supposed. */
export const REFUSED =
	'The service tells no total, and refuses to go on behind these rows: more may follow.';

/** The error of rows that are not those from Start At on, where so many are left. */
export const notFromStartAt = (page: TotalledPage, left: number) => {
	const { length } = page.rows;
	const what =
		length > left
			? `${length} where fewer are left from Start At on`
			: 'rows before Start At again';
	return new UserError(`${tells(page)}, but gives ${what}`, {
		description:
			'Start At is beyond the end, or the service ignores "offset": take Start At away, and tell the provider.',
	});
};

/** The error of the first rows that come again. */
export const sameAgain = (page: TotalledPage, rows: number) =>
	new UserError(
		`${tells(page)}, but gives the same ${rows} again where the next ones are asked for`,
		{
			description: `It seems to ignore "offset". Set a Limit of ${rows} or less, and tell the provider.`,
		},
	);
