import type { INodeProperties } from 'n8n-workflow';
import { sentences } from '../utils/sentences';

/** What a model reads at most. */
const MAX_LENGTH = 1000;

interface Described {
	action: string;
	description: string;
	toolNote?: string;
	fields: INodeProperties[];
}

/**
 * What an AI agent reads of an operation. n8n makes it from the action alone, and the editor gives the model's own
 * parameters no description, so that each field's format stands here. The operator may rewrite it.
 */
export function toolDescriptionOf(operation: Described): INodeProperties {
	return {
		displayName: 'Tool Description',
		name: 'toolDescription',
		type: 'string',
		typeOptions: { rows: 4 },
		default: textOf(operation),
		description: 'What the AI agent is told about this tool',
		displayOptions: { show: { '@tool': [true] } },
	};
}

/** Whole sentences, as many as a model is given. */
function textOf({ action, description, toolNote = '', fields }: Described): string {
	let text = `${action}: ${sentences(description, toolNote)}`;
	const filters = fields.filter(({ name }) => name === 'filters').flatMap(entriesOf);
	for (const field of [...fields, ...filters].filter(isForModel)) {
		const label = field.displayName;
		const told = `${text} ${sentences(`${label}: ${plain(field.description ?? '')}`)}`;
		if (told.length > MAX_LENGTH || text.includes(` ${label}: `)) continue;
		text = told;
	}
	return text;
}

/** The operator's, who says how much is got, waited for and paid. */
const OF_OPERATOR = ['limit', 'maxWait', 'reuseHours'];

/** What a model may fill in; what is chosen from a list, or is secret, is the operator's, too. */
const isForModel = ({ type, typeOptions, description, name }: INodeProperties) =>
	['string', 'number', 'dateTime', 'resourceLocator'].includes(type) &&
	description !== undefined &&
	!OF_OPERATOR.includes(name) &&
	!typeOptions?.password;

const entriesOf = ({ options = [] }: INodeProperties) => options as INodeProperties[];

const plain = (html: string) => html.replace(/<[^>]*>/g, '');
