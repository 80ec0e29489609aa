import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { parseObjectBlankAsEmpty } from '../utils/json';
import type { Item, Operation, StepResult } from './operation';
import { DEFAULT_FIELD_ADVICE, fieldError } from '../utils/codedError';
import { normalizeText, hasEncodingDamage } from '../utils/cleanText';

/** A parameter of an operation that reads itself; with several properties, they make one value together. */
export interface Field<T> {
	properties: INodeProperties[];
	/** The value for an item. Throws a UserError that names the field if it cannot be used. */
	read(item: Item): T | Promise<T>;
}

type Fields = Record<string, Field<unknown>>;
type Values<F extends Fields> = { [Name in keyof F]: Awaited<ReturnType<F[Name]['read']>> };

interface Definition<F extends Fields, O extends Fields> extends Omit<
	Operation,
	'fields' | 'options' | 'execute'
> {
	fields: F;
	/** Entries of the "Options" collection beside those that every operation has. */
	options?: O;
	/** Gets every field's and option's value under its name; all of them were read before. */
	execute(item: Item, values: Values<F> & Values<O>): Promise<StepResult>;
}

/** An operation whose fields are read, and so checked, before it begins. */
export function defineOperation<F extends Fields, O extends Fields = Record<never, never>>(
	definition: Definition<F, O>,
): Operation {
	const { fields, options, execute, ...entry } = definition;
	const all = Object.entries({ ...fields, ...options });
	return {
		...entry,
		fields: Object.values(fields).flatMap(({ properties }) => properties),
		options: Object.values(options ?? {}).flatMap(({ properties }) => properties),
		async execute(item) {
			const values: Record<string, unknown> = {};
			for (const [name, field] of all) values[name] = await field.read(item);
			return await execute(item, values as Values<F> & Values<O>);
		},
	};
}

/** A text above the fields; it has no value. */
export const noticeField = (name: string, displayName: string): Field<undefined> => ({
	properties: [{ displayName, name, type: 'notice', default: '' }],
	read: () => undefined,
});

/** A field of one property; `parse` gets the value and the label to name in an error. */
export const defineField = <T>(
	property: INodeProperties,
	parse: (value: unknown, label: string) => T,
): Field<T> => ({
	properties: [property],
	read: (item) => parse(item.parameter(property.name), property.displayName),
});

/**
 * An entry of the "Options" collection. `absent` is its value where it was not added. One that was added and comes out
 * empty is an error: left out in silence, a limit would not hold.
 */
export const optionsEntryField = <T>(
	property: INodeProperties,
	parse: (value: unknown, label: string) => T,
	absent: T,
): Field<T> => ({
	properties: [property],
	read: ({ options }) => readOption(options, property, parse, absent),
});

function readOption<T>(
	options: IDataObject,
	{ name, displayName }: INodeProperties,
	parse: (value: unknown, label: string) => T,
	absent: T,
): T {
	return Object.hasOwn(options, name) ? parse(options[name], displayName) : absent;
}

/** Options of one subject, in a collection of their own among the options; each counts only where it was added. */
export function nestedOptionGroupBuilder(group: INodeProperties) {
	const properties: INodeProperties[] = [];
	return {
		/** The group itself, once all its entries are there. */
		group: (): Field<undefined> => ({
			properties: [{ ...group, options: properties }],
			read: () => undefined,
		}),
		entry<T>(
			property: INodeProperties,
			parse: (value: unknown, label: string) => T,
			absent: T,
		): Field<T> {
			properties.push(property);
			return {
				properties: [],
				read({ options }) {
					const given = parseObject(options[group.name] ?? {}, group.displayName);
					return readOption(given, property, parse, absent);
				},
			};
		},
	};
}

/** Throws a UserError for anything else. */
export const parseOneOf =
	<T extends string>(...values: T[]) =>
	(value: unknown, label: string): T => {
		if (values.includes(value as T)) return value as T;
		throw fieldError(
			'field.choice',
			label,
			'is not in the list',
			`It must be one of ${values.join(', ')}. ${DEFAULT_FIELD_ADVICE}`,
		);
	};

/**
 * Reads a text as it is sent: the one place that all inputs of text pass but passwords. Throws a UserError if it is empty,
 * no text, or surely damaged.
 */
export function parseText(value: unknown, label: string): string {
	const given = typeof value === 'number' ? String(value) : value;
	const text = typeof given === 'string' ? normalizeText(given) : '';
	if (text === '') throw fieldError('field.empty', label, 'is empty or not a text');
	if (!hasEncodingDamage(given as string)) return text;
	throw fieldError(
		'field.damaged',
		label,
		'has lost letters on its way, such as Ã± for ñ',
		'Correct it at its source: a file or table was read in another encoding than UTF-8.',
	);
}

/** Takes a number or its digits; throws a UserError for anything else. */
export const numberAtLeastParser =
	(least: number) =>
	(value: unknown, label: string): number => {
		const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
		if (typeof number === 'number' && Number.isFinite(number) && number >= least) return number;
		throw fieldError('field.number', label, `must be a number, ${least} or more`);
	};

/** True or false, also as text; throws a UserError for anything else. */
export function parseBoolean(value: unknown, label: string): boolean {
	if (value === true || value === 'true') return true;
	if (value === false || value === 'false') return false;
	throw fieldError('field.boolean', label, 'is neither true nor false');
}

/** A JSON object or its text, {} for nothing; throws a UserError for anything else. */
export function parseObject(value: unknown, label: string): IDataObject {
	const object = parseObjectBlankAsEmpty(value);
	if (object) return object;
	throw fieldError(
		'field.object',
		label,
		'must be a JSON object',
		'For example {"name": "value"}, or {} for none.',
	);
}
