import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { quoteServiceMessage } from '../errors/sentences';
import { joinSentences } from '../utils/joinSentences';
import { textOf } from '../utils/primitiveText';
import type { N8nNodeError } from './n8nNodeError';
import type { Operation } from './operation';

/** The columns of a failed item's own: what went wrong, and what it cost where the operation can cost something. */
export function failedColumns(
	{ message, description, context }: N8nNodeError,
	{ costOf, isSending, failedOutcome }: Partial<Operation> = {},
): IDataObject {
	const { code = 'unknown', queryIds = [], billed, sent, serviceMessage } = context as IDataObject;
	const said = quoteServiceMessage({ serviceMessage: textOf(serviceMessage) });
	return {
		error: message,
		errorCode: code,
		errorDetail: description ?? null,
		...(failedOutcome && { outcome: failedOutcome(context), reason: joinSentences(message, said) }),
		...(costOf && { billed, queryId: [queryIds].flat().map(textOf).join(', ') || null }),
		...(isSending && !failedOutcome && { sent: sent !== false }),
	};
}

/**
 * The item as n8n's engine routes it to the error output with its columns. n8n routes by `error`, and afterwards
 * replaces the JSON of an item that still has one: then the item becomes a plain one and keeps its JSON. Until then it
 * is paired by a number, so that n8n adds no columns of the input beside its own, where some have been renamed.
 */
export function routeToErrorOutput(
	item: INodeExecutionData,
	error: N8nNodeError,
	index: number,
): INodeExecutionData {
	const { json } = item;
	item.pairedItem = index;
	Object.defineProperties(item, {
		error: { value: error, enumerable: false, configurable: true },
		json: {
			enumerable: true,
			configurable: true,
			get: () => json,
			set() {
				delete item.error;
				item.pairedItem = { item: index };
				Object.defineProperty(item, 'json', { value: json, enumerable: true, writable: true });
			},
		},
	});
	return item;
}
