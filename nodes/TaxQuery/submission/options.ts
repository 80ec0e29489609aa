import type { INodeProperties } from 'n8n-workflow';
import {
	defineField,
	noticeField,
	parseOneOf,
	optionsEntryField,
	nestedOptionGroupBuilder,
	parseBoolean,
	numberAtLeastParser,
	parseObject,
	parseText,
	type Field,
} from '../../shared/operations/fields';
import { UNITS } from '../../shared/credentials/prices';
import { simplifyField } from '../../shared/operations/commonFields';
import type { Item } from '../../shared/operations/operation';
import type { PaidQueryDefinition } from '../request/queryRequest';
import { reuseScope, type ReuseScope } from './sharing';

/** An AI agent gets this limit for one execution by default. */
const MOST_AS_TOOL = 10;

const emptyField: Field<undefined> = { properties: [], read: () => undefined };

const numberField = (property: Omit<INodeProperties, 'type'>): INodeProperties => ({
	type: 'number',
	typeOptions: { minValue: 0 },
	...property,
});

const isWaiting = defineField(
	{
		displayName: 'Wait for Result',
		name: 'waitForResult',
		type: 'boolean',
		default: false,
		description:
			'Whether to keep this execution open until the result has arrived. See the examples <i>Collect query results</i> and <i>List of taxpayers</i>.',
		hint: 'Off: returns a query ID now, and Tax Query Trigger brings the result, best for many queries. On: this step waits.',
	},
	parseBoolean,
);
const maxWait = defineField(
	numberField({
		displayName: 'Max Wait (Seconds)',
		name: 'maxWait',
		default: 60,
		description:
			'How long to wait once all items are sent. After that, a pending query comes out with its query ID.',
		typeOptions: { minValue: 1 },
		displayOptions: { show: { waitForResult: [true] } },
	}),
	numberAtLeastParser(0),
);
/** Milliseconds; undefined where the item does not wait. */
const waitForResult: Field<number | undefined> = {
	properties: [...isWaiting.properties, ...maxWait.properties],
	read: async (item) =>
		(await isWaiting.read(item)) ? 1000 * (await maxWait.read(item)) : undefined,
};

const reuse = defineField(
	{
		displayName: 'Reuse Results',
		name: 'reuse',
		type: 'options',
		options: [
			{
				name: 'Only While Building (24 Hours)',
				value: 'building',
				description:
					'The editor, evaluations, retries and sub-workflows reuse results (not failures) of the last 24 hours. Items of one execution that ask the same always share one query.',
			},
			{ name: 'Up To (Hours)', value: 'hours' },
			{ name: 'This Calendar Month', value: 'month' },
			{
				name: 'Never',
				value: 'never',
				description: 'Each item is billed, in the editor too, even if several ask the same',
			},
		],
		default: 'building',
		description:
			'Whether to take a result or pending query of the same type and fields instead of sending another one',
	},
	parseOneOf('building', 'hours', 'month', 'never'),
);
const reuseHours = defineField(
	numberField({
		displayName: 'Reuse Results Up To (Hours)',
		name: 'reuseHours',
		default: 24,
		description: 'How old a result may be, e.g. 720 for 30 days',
		displayOptions: { show: { reuse: ['hours'] } },
	}),
	numberAtLeastParser(0),
);
const reuseResults: Field<ReuseScope | undefined> = {
	properties: [...reuse.properties, ...reuseHours.properties],
	async read(item) {
		const choice = await reuse.read(item);
		if (choice !== 'hours') return reuseScope(item.run, choice);
		return reuseScope(item.run, { hours: await reuseHours.read(item) });
	},
};

/** A query without a result has no option: its items share it within their execution. */
const reuseWithoutResult: Field<ReuseScope | undefined> = {
	...emptyField,
	read: ({ run }) => reuseScope(run, { hours: 0 }),
};

/** The price of an item, unless the query has another one. */
export const USUAL_PRICE_TEXT = 'one query per different item';

export const priceNotice = ({
	price = USUAL_PRICE_TEXT,
	hasNoResult,
}: PaidQueryDefinition): Field<undefined> =>
	noticeField(
		'priceNotice',
		`Each run costs ${price}. ${hasNoResult ? 'While building, pin the output.' : "While building, results (not failures) of the last 24 hours are reused (see 'Reuse Results')."} The option 'Preview Only' shows first what it would cost.`,
	);

export const waitAndReuseFieldsOf = ({ queryType, hasNoResult }: PaidQueryDefinition) => ({
	wait: queryType.isImmediate ? emptyField : waitForResult,
	reuse: hasNoResult ? reuseWithoutResult : reuseResults,
});

const spending = nestedOptionGroupBuilder({
	displayName: 'Spending Limits',
	name: 'spendingLimits',
	type: 'collection',
	placeholder: 'Add limit',
	default: {},
	description: 'How many queries may be sent, and whether one may be sent twice',
});
/** `default` is what an entry begins with once it is added; without it there is no limit. */
const limits = {
	maxQueriesPerDay: spending.entry(
		numberField({
			displayName: 'Max Queries per Day',
			name: 'maxQueriesPerDay',
			default: 500,
			description:
				"The most queries in one day of the workflow's time zone. The service's list counts: all who use this credential.",
		}),
		numberAtLeastParser(0),
		Infinity,
	),
	maxQueries: spending.entry<number | undefined>(
		numberField({
			displayName: 'Max Queries per Execution',
			name: 'maxQueries',
			default: 100,
			description: `The most queries that this node sends in one execution, over all its runs. Unless set, an AI agent has ${MOST_AS_TOOL}.`,
		}),
		numberAtLeastParser(0),
		undefined,
	),
	maxAmountPerDay: spending.entry(
		numberField({
			displayName: 'Max Amount per Day',
			name: 'maxAmountPerDay',
			default: 1000,
			description:
				"The most that all queries of a day may cost, by the prices in the credential. Counts like 'Max Queries per Day'.",
		}),
		(value, label) => Math.round(numberAtLeastParser(0)(value, label) * UNITS),
		Infinity,
	),
	sendAgain: spending.entry(
		{
			displayName: 'Send Again If Unsure',
			name: 'sendAgain',
			type: 'boolean',
			default: false,
			description:
				"Whether to resend a query whose outcome is unknown and that is not in the service's list. You may be billed twice.",
		},
		parseBoolean,
		false,
	),
};

/** An operator adds it to switch it on. */
export const previewOnly: Field<boolean> = optionsEntryField(
	{
		displayName: 'Preview Only',
		name: 'previewOnly',
		type: 'boolean',
		default: true,
		description:
			'Whether to send and bill nothing, and only say what a run would do with each row, in <code>outcome</code>, and what it would cost',
	},
	parseBoolean,
	false,
);

/** Simplify, where it leaves documented fields out. */
const simplifyWithout = (fields: string): Field<boolean> => ({
	...simplifyField,
	properties: simplifyField.properties.map((property) => ({
		...property,
		hint: `On: ten columns, without ${fields}. Off: the whole record.`,
	})),
});

/** The entries of the "Options" collection of a paid query, those of the business first. */
export const paidQueryOptions = ({
	options = [],
	queryType: { leftOut },
}: PaidQueryDefinition) => ({
	simplify: leftOut === undefined ? simplifyField : simplifyWithout(leftOut),
	isPreview: previewOnly,
	spendingLimits: spending.group(),
	...limits,
	maxQueries: {
		...emptyField,
		read: async (item: Item) =>
			(await limits.maxQueries.read(item)) ?? (item.run.isTool ? MOST_AS_TOOL : Infinity),
	},
	externalReference: optionsEntryField<unknown>(
		{
			displayName: 'External Reference',
			name: 'externalReference',
			type: 'string',
			default: '',
			placeholder: 'e.g. {{ $json.customerId }}',
			description: 'Your own ID for this item. It is not sent; it comes out beside the query ID.',
		},
		(value, label) => (typeof value === 'number' ? value : parseText(value, label)),
		undefined,
	),
	/** Read by the definition's own input. */
	checks: { ...emptyField, properties: options },
	additionalBodyFields: optionsEntryField(
		{
			displayName: 'Additional Body Fields',
			name: 'additionalBodyFields',
			type: 'json',
			default: '{}',
			description:
				'More fields for the request body, as a JSON object. They replace fields of the same name.',
		},
		(value, label) => parseObject(value || 'nothing', label),
		{},
	),
});
