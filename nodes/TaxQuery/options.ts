import type { INodeProperties } from 'n8n-workflow';
import { readSwitch } from '../shared/fields';
import type { Item } from '../shared/operation';
import { readJson, readNumber } from './fields';
import type { QueryKind } from './kinds';

const MAX_WAIT_S = 60;
const POLL_INTERVAL_S = 3;

/** Fields of a query whose result may come later. */
export const waitFields: INodeProperties[] = [
	{
		displayName: 'Wait for Result',
		name: 'waitForResult',
		type: 'boolean',
		default: false,
		description: 'Whether to keep this execution open until the result is there',
		hint: 'Better for many or slow queries: let them go, and start another workflow by the Tax Query Trigger when a result arrives',
	},
	{
		displayName: 'Max Wait',
		name: 'maxWait',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: MAX_WAIT_S,
		description:
			'Seconds to wait for results once all items are sent. What is pending then comes out as such, with its query ID.',
		displayOptions: { show: { waitForResult: [true] } },
	},
];

const pollIntervalOption: INodeProperties = {
	displayName: 'Poll Interval',
	name: 'pollInterval',
	type: 'number',
	typeOptions: { minValue: 0.1 },
	default: POLL_INTERVAL_S,
	description: 'Seconds until a pending query is asked for the first time; then ever longer ones',
};

export const listParametersOption: INodeProperties = {
	displayName: 'List Parameters',
	name: 'listParameters',
	type: 'json',
	default: '{}',
	description:
		'Query parameters for GET /query, which lists the queries made, as a JSON object, e.g. {"limit": 1000}. The service\'s document shows none.',
};

const commonOptions: INodeProperties[] = [
	listParametersOption,
	{
		displayName: 'Additional Body Fields',
		name: 'additionalBodyFields',
		type: 'json',
		default: '{}',
		description:
			'More fields for the body of the request, as a JSON object. One named here replaces one of the same name.',
	},
	{
		displayName: 'External Reference',
		name: 'externalReference',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.customerId }}',
		description:
			'Your own ID for this item. It is not sent; it comes out beside the query ID, so that the pair can be stored.',
	},
	{
		displayName: 'Max Queries per Execution',
		name: 'maxQueries',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 100,
		description:
			'The most queries that this node sends in one execution, however often it runs in it; results that are reused do not count. Without this option there is no limit.',
	},
	{
		displayName: 'Send Again If Unsure',
		name: 'sendAgain',
		type: 'boolean',
		default: false,
		description:
			'Whether to send a query again if nobody knows whether it was accepted and it is not among the queries made. It may then be paid for twice.',
	},
];

const reuseOption: INodeProperties = {
	displayName: 'Reuse a Recent Result',
	name: 'reuseHours',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 24,
	description:
		'Hours. Before paying, look for a query of the same service with the same fields that is not older and has succeeded or is still pending.',
};

/** The options of a query that costs money. */
export function optionsOf(kind: QueryKind): INodeProperties[] {
	return [
		...commonOptions,
		...(kind.options ?? []),
		...(kind.isNotReusable ? [] : [reuseOption]),
		...(kind.isSynchronous ? [] : [pollIntervalOption]),
		...Object.entries(kind.openNames ?? {}).map(nameOption),
		...(kind.isServiceShown ? [] : [serviceOption(kind)]),
	];
}

function nameOption([name, holds]: [string, string]): INodeProperties {
	return {
		displayName: `Field Name: ${holds.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())}`,
		name: `${name}FieldName`,
		type: 'string',
		default: name,
		description: `What the body calls the ${holds}. The service's document does not show it; empty leaves the field out.`,
	};
}

function serviceOption({ service }: QueryKind): INodeProperties {
	return {
		displayName: 'Service Name',
		name: 'serviceName',
		type: 'string',
		default: service,
		description:
			"What query records call this service; needed to find a query again. The service's document does not show it.",
	};
}

/** The options that were set for an item, read. Throws a UserError that names the one that makes no sense. */
export function readOptions({ options }: Item) {
	const { maxQueries, reuseHours, sendAgain, externalReference } = options;
	const has = (value: unknown) => value !== undefined && value !== '';
	return {
		additionalBodyFields: readJson(options.additionalBodyFields, 'Additional Body Fields'),
		listParameters: readJson(options.listParameters, 'List Parameters'),
		externalReference: has(externalReference) ? externalReference : undefined,
		maxQueries: has(maxQueries) ? readNumber(maxQueries, 'Max Queries per Execution', 0) : Infinity,
		reuseHours: has(reuseHours) ? readNumber(reuseHours, 'Reuse a Recent Result', 0) : 0,
		sendAgain: readSwitch(sendAgain ?? false, 'Send Again If Unsure'),
	};
}

/** How an item waits for its result, in milliseconds; undefined if it does not. */
export function readWait(item: Item, kind: QueryKind) {
	if (kind.isSynchronous || !readSwitch(item.parameter('waitForResult'), 'Wait for Result')) {
		return undefined;
	}
	return {
		maxMs: 1000 * readNumber(item.parameter('maxWait'), 'Max Wait', 0),
		intervalMs: 1000 * readNumber(item.options.pollInterval ?? POLL_INTERVAL_S, 'Poll Interval', 0),
	};
}
