import type { INodeProperties } from 'n8n-workflow';

/** n8n's editor shows this text instead of an empty masked value. */
const EMPTY = '__n8n_EMPTY_VALUE_7b1af746-3729-4c60-9b9b-e08eb29e58da';

const advancedSwitch: INodeProperties = {
	displayName: 'Advanced',
	name: 'advanced',
	type: 'boolean',
	default: false,
	description: 'Whether to show settings that few need. Those that are filled in are always shown.',
};

/**
 * The switch, and the fields behind it. n8n drops the value of a hidden field when it saves a credential and when it
 * hands one to a node. So a field that differs from its default stays shown with the switch off: it has two entries, of
 * which one at most is shown.
 */
export const hideBehindAdvanced = (fields: INodeProperties[]): INodeProperties[] => [
	advancedSwitch,
	...fields.flatMap((field): INodeProperties[] => {
		const { name, default: usual, displayOptions: { show, hide } = {} } = field;
		const unused = { advanced: [true], [`/${name}`]: [usual as string, EMPTY] };
		return [
			// without a key that is undefined: n8n before 2.20 fails at it
			{ ...field, displayOptions: { ...(hide && { hide }), show: { ...show, advanced: [true] } } },
			{ ...field, displayOptions: { ...(show && { show }), hide: { ...hide, ...unused } } },
		];
	}),
];
