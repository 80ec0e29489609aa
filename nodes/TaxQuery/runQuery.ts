import { UserError, type IDataObject, type INodeProperties } from 'n8n-workflow';
import type { Item } from '../shared/operation';

/** A required text field. */
export function textField(
	displayName: string,
	name: string,
	placeholder: string,
	description: string,
): INodeProperties {
	return {
		displayName,
		name,
		type: 'string',
		default: '',
		required: true,
		placeholder,
		description,
	};
}

/** Posts one query with the named parameters as its body. An empty one is refused before anything is sent. */
export async function runQuery(item: Item, path: string, names: string[]) {
	const body: IDataObject = {};
	for (const name of names) body[name] = readText(item, name);
	return await item.request({ method: 'POST', path, body });
}

/** A parameter's text, trimmed. Throws a UserError if it is empty or no text. */
export function readText(item: Item, name: string): string {
	const value: unknown = item.parameter(name);
	if (typeof value !== 'string' || value.trim() === '') {
		throw new UserError(`"${name}" is empty or not a text`, {
			description: 'Enter it, or check the expression that fills it for this item.',
		});
	}
	return value.trim();
}
