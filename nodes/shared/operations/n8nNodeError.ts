import {
	NodeApiError,
	NodeOperationError,
	UserError,
	type IDataObject,
	type INode,
} from 'n8n-workflow';
import { appendRequestIdToMessage } from '../errors/requestIds';
import { RequestError } from '../http/requestError';
import { joinSentences } from '../utils/joinSentences';
import { mapValues } from '../utils/objects';

export type N8nNodeError = NodeApiError | NodeOperationError;

export interface ItemErrorOptions {
	hide?(text: string): string;
	/** The service's own message may name people that the output does not. */
	omitsServiceMessage?: boolean;
	/** Sentences behind the description: what was sent, and what it has cost. */
	more?: string[];
	data?: IDataObject;
	/** The number of the item among several, counted from 1. n8n itself would count it from 0. */
	item?: number;
	/** An AI agent reads the message alone, so the message also says what to do. */
	isJoined?: boolean;
}

/**
 * Makes an item's error for n8n anew from what was thrown, so that no header, token or body reaches the execution
 * data. `context.code` is stable, for programs and tests.
 */
export function toN8nNodeError(
	node: INode,
	thrown: unknown,
	{
		hide = (text) => text,
		omitsServiceMessage,
		more = [],
		data,
		item,
		isJoined,
	}: ItemErrorOptions = {},
): N8nNodeError {
	const cause =
		omitsServiceMessage && hasServiceMessage(thrown) ? thrown.withoutServiceMessage() : thrown;
	const isOurs = cause instanceof UserError || cause instanceof NodeOperationError;
	const what = hide(cause instanceof Error ? cause.message : String(cause));
	const description = joinSentences(hide((isOurs && cause.description) || ''), ...more);
	const named = item === undefined ? what : `Item ${item}: ${what}`;
	const { code, status, mappingKeys = [], data: ofCause } = (cause ?? {}) as Coded;
	const own = withTexts(ofCause ?? {}, hide);
	const text = isJoined ? joinSentences(named, description) : named;
	const message = appendRequestIdToMessage(text, own.requestIds as string[] | undefined);
	const options = {
		message,
		description: description || undefined,
		...(typeof status === 'number' && { httpCode: String(status) }),
	};
	// a login typed into a parameter stays out of the execution data
	const bare = { ...node, parameters: {} };
	const error =
		cause instanceof RequestError || 'httpCode' in options
			? new NodeApiError(bare, { message }, options)
			: new NodeOperationError(bare, message, options);
	error.message = message; // NodeApiError replaces some messages by its own
	error.messages = [];
	Object.assign(
		error.context,
		own,
		data,
		item !== undefined && { item },
		typeof code === 'string' && { code },
		mappingKeys.length > 0 && { mappingKeys },
	);
	return error;
}

/** The data of the nodes' errors, beside their texts. */
interface Coded {
	code?: unknown;
	status?: unknown;
	mappingKeys?: string[];
	data?: IDataObject;
}

/** Texts in it are hidden like the message. */
function withTexts(data: IDataObject, hide: (text: string) => string): IDataObject {
	const hidden = (value: unknown): unknown => {
		if (Array.isArray(value)) return value.map(hidden);
		return typeof value === 'string' ? hide(value) : value;
	};
	return mapValues(data, hidden) as IDataObject;
}

const hasServiceMessage = (thrown: unknown): thrown is { withoutServiceMessage(): unknown } =>
	thrown instanceof UserError && 'withoutServiceMessage' in thrown;
