import type { INodeProperties } from 'n8n-workflow';

/**
 * What an AI agent reads of an operation. n8n makes it from the action alone, and the editor gives the model's own
 * parameters no description. The operator may rewrite it.
 */
export const toolDescriptionOf = (tool: string): INodeProperties => ({
	displayName: 'Tool Description',
	name: 'toolDescription',
	type: 'string',
	typeOptions: { rows: 4 },
	default: tool,
	description: 'What the AI agent reads about this tool',
	displayOptions: { show: { '@tool': [true] } },
});
