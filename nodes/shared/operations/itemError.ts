import {
	NodeApiError,
	NodeOperationError,
	UserError,
	type IDataObject,
	type INode,
} from 'n8n-workflow';
import { RequestError } from '../transport/result';
import { sentences } from '../utils/sentences';

export type ItemError = NodeApiError | NodeOperationError;

/** The node as an error may carry it into the execution data: a login typed into a parameter stays out of it. */
const withoutParameters = (node: INode): INode => ({ ...node, parameters: {} });

interface Wording {
	/** Hides personal data in a text. */
	hide?(text: string): string;
	/** The service's own words may name people that the output does not. */
	isWithoutWords?: boolean;
	/** What follows the description: what was sent, and what it has cost. */
	more?: string[];
	/** What the error gives as data, beside its code. */
	data?: IDataObject;
	/** Where n8n shows the message alone (an error item, an AI agent), it says what to do, too. */
	isJoined?: boolean;
}

/**
 * The error of an item as n8n shows it: made anew of what was thrown, so that no header, token or body of a request
 * reaches the execution data. `context.code` is stable, for programs and tests.
 */
export function itemErrorOf(
	node: INode,
	thrown: unknown,
	itemIndex: number | undefined,
	{ hide, isWithoutWords = false, more = [], data = {}, isJoined = false }: Wording = {},
): ItemError {
	const cause = isWithoutWords && hasWords(thrown) ? thrown.withoutWords() : thrown;
	const words = wordsOf(cause);
	const [what, todo] = [words.message, words.description].map((text) => hide?.(text) ?? text);
	const description = sentences(todo, ...more);
	const message = isJoined ? sentences(what, description) : what;
	const own = make(node, cause, { message, description: description || undefined, itemIndex });
	own.message = message; // NodeApiError replaces some messages by its own
	own.messages = [];
	const { code, mappingKeys, data: ofCause } = (cause ?? {}) as Coded;
	const isHelped = mappingKeys !== undefined && mappingKeys.length > 0;
	Object.assign(
		own.context,
		ofCause && withTexts(ofCause, hide),
		data,
		typeof code === 'string' && { code },
		isHelped && { mappingKeys },
	);
	return own;
}

/** What errors of the nodes are beside their words. */
interface Coded {
	code?: unknown;
	mappingKeys?: string[];
	data?: IDataObject;
}

/** Data in which each text is hidden as the words are. */
function withTexts(
	data: IDataObject,
	hide: (text: string) => string = (text) => text,
): IDataObject {
	const hidden = (value: unknown): unknown => {
		if (Array.isArray(value)) return value.map(hidden);
		return typeof value === 'string' ? hide(value) : value;
	};
	return Object.fromEntries(
		Object.entries(data).map(([name, value]) => [name, hidden(value)]),
	) as IDataObject;
}

/** An error that can do without what the service said. */
const hasWords = (thrown: unknown): thrown is { withoutWords(): unknown } =>
	thrown instanceof UserError && 'withoutWords' in thrown;

function wordsOf(cause: unknown): { message: string; description: string } {
	if (cause instanceof UserError || cause instanceof NodeOperationError) {
		return { message: cause.message, description: cause.description ?? '' };
	}
	return { message: cause instanceof Error ? cause.message : String(cause), description: '' };
}

interface Shown {
	message: string;
	description?: string;
	itemIndex?: number;
}

function make(node: INode, cause: unknown, shown: Shown): ItemError {
	const bare = withoutParameters(node);
	const { status } = (cause ?? {}) as { status?: unknown };
	const isOfRequest = cause instanceof RequestError || typeof status === 'number';
	if (!isOfRequest) return new NodeOperationError(bare, shown.message, shown);
	const httpCode = typeof status === 'number' ? { httpCode: String(status) } : {};
	return new NodeApiError(bare, { message: shown.message }, { ...shown, ...httpCode });
}
