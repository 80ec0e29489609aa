import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { textOf } from '../utils/primitiveText';
import type { N8nNodeError } from './n8nNodeError';
import type { Operation } from './operation';

/** Columns of a failed item that report its failure; those of an earlier failure give way to them. */
export const FAILURE_COLUMNS = ['error', 'errorCode', 'errorDetail', 'billed', 'sent'];

/** The columns of a failed item's own: what went wrong, and what it cost where the operation can cost something. */
export function failedColumns(
	{ message, description, context }: N8nNodeError,
	{ costOf, isSending }: Partial<Operation> = {},
): IDataObject {
	const { code = 'unknown', queryIds = [], billed, sent } = context as IDataObject;
	return {
		error: message,
		errorCode: code,
		errorDetail: description ?? null,
		...(costOf && { queryId: [queryIds].flat().map(textOf).join(', ') || null, billed }),
		...(isSending && { sent: sent !== false }),
	};
}

/**
 * The item as n8n's engine routes it to the error output with its columns. n8n routes by `error`, and afterwards
 * replaces the JSON of an item that still has one. Its router copies own enumerable properties, so the copy has none.
 * An item that n8n does not copy becomes a plain one when its JSON is to be replaced.
 */
export function routeToErrorOutput(
	item: INodeExecutionData,
	error: N8nNodeError,
): INodeExecutionData {
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
