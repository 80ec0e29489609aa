import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { fieldError } from '../utils/codedError';
import { optionsEntryField, parseBoolean, type Field } from './fields';

const returnAll: INodeProperties = {
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	default: false,
	description: 'Whether to return all results or only up to a given limit',
};
const most: INodeProperties = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 50,
	description: 'Max number of results to return',
	displayOptions: { show: { returnAll: [false] } },
};

export const simplifyProperty: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

/** A whole number from 1 up, entered as a number or as its digits; undefined if the value is none. */
export function positiveIntOrUndefined(value: unknown): number | undefined {
	const isText = typeof value === 'string' && /^\s*\d+\s*$/.test(value);
	const number = isText ? Number(value) : value;
	return Number.isSafeInteger(number) && (number as number) > 0 ? (number as number) : undefined;
}

/** Is Infinity with Return All. Throws a UserError if Limit is no whole number from 1 up. */
export const returnAllOrLimit: Field<number> = {
	properties: [returnAll, most],
	read(item) {
		if (parseBoolean(item.parameter(returnAll.name), returnAll.displayName)) return Infinity;
		const number = positiveIntOrUndefined(item.parameter(most.name));
		if (number !== undefined) return number;
		throw fieldError('field.number', most.displayName, 'must be a whole number, 1 or more');
	},
};

export const simplifyField: Field<boolean> = optionsEntryField(
	simplifyProperty,
	parseBoolean,
	true,
);

/** The shape of a row with Simplify off. */
export const identity = (row: IDataObject): IDataObject => row;
