import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { textOf } from '../utils/text';
import type { ItemError } from './itemError';
import type { Operation } from './operation';

/**
 * The columns of a failed item: those of its input, then what went wrong. What a query cost follows where the operation
 * can cost something.
 */
export function failedColumns(
	input: IDataObject,
	{ message, description, context }: ItemError,
	{ costOf, isSending }: Partial<Operation> = {},
): IDataObject {
	const { code = 'unknown', queryIds = [], billed, sent } = context as IDataObject;
	const columns: IDataObject = {
		error: message,
		errorCode: code,
		errorDetail: description ?? null,
		...(costOf && { queryId: [queryIds].flat().map(textOf).join(', ') || null, billed }),
		...(isSending && { sent: sent !== false }),
	};
	const own = Object.entries(input).filter(([name]) => !Object.hasOwn(columns, name));
	return { ...Object.fromEntries(own), ...columns };
}

/**
 * The item as n8n's engine routes it to the error output with its columns. n8n routes by `error`, and afterwards
 * replaces the JSON of an item that still has one. Its router copies own enumerable properties, so the copy has none.
 * An item that n8n does not copy becomes a plain one when its JSON is to be replaced.
 */
export function forErrorOutput(item: INodeExecutionData, error: ItemError): INodeExecutionData {
	const { json } = item;
	Object.defineProperties(item, {
		error: { value: error, enumerable: false, configurable: true },
		json: {
			enumerable: true,
			configurable: true,
			get: () => json,
			set() {
				delete item.error;
				Object.defineProperty(item, 'json', { value: json, enumerable: true, writable: true });
			},
		},
	});
	return item;
}
