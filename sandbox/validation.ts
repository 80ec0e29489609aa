import type { TSchema } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { departureFrom } from '../contract/check';
import { Refusal } from './errors';

const PART_NAMES: Record<string, string> = { querystring: 'query', params: 'path' };
const NUMBER = /^-?\d+(\.\d+)?$/;

const takesNull = (schema?: TSchema): boolean =>
	((schema?.anyOf ?? []) as TSchema[]).some(({ type }) => type === 'null');

/** Texts of a query string or a path read as the numbers and booleans that the schema wants, '' as its null; others stay. */
function readTexts(schema: TSchema, values: unknown): unknown {
	if (typeof values !== 'object' || values === null) return values;
	const properties: Record<string, TSchema> = schema.properties ?? {};
	return Object.fromEntries(
		Object.entries(values).map(([name, text]: [string, unknown]) => {
			if (typeof text !== 'string') return [name, text];
			if (text === '' && takesNull(properties[name])) return [name, null];
			const type: unknown = properties[name]?.type;
			if ((type === 'number' || type === 'integer') && NUMBER.test(text)) {
				return [name, Number(text)];
			}
			if (type === 'boolean' && (text === 'true' || text === 'false')) {
				return [name, text === 'true'];
			}
			return [name, text];
		}),
	);
}

/** The values with the defaults that the schema states for those left out. */
function withDefaults(schema: TSchema, values: unknown): unknown {
	if (typeof values !== 'object' || values === null) return values;
	const defaults = Object.entries((schema.properties ?? {}) as Record<string, TSchema>)
		.filter(([, property]) => property.default !== undefined)
		.map(([name, property]) => [name, property.default as unknown]);
	return { ...Object.fromEntries(defaults), ...values };
}

/**
 * Holds every request and every response to the TypeBox schema of its route. A request that departs from it is
 * refused with 400 and the field's name; a response that does is a 500, because then the sandbox is wrong.
 */
export function checkByContract(app: FastifyInstance): void {
	app.setValidatorCompiler<TSchema>(({ schema, httpPart }) => (data) => {
		const value = httpPart === 'body' ? data : withDefaults(schema, readTexts(schema, data));
		const departure = departureFrom(schema, value ?? undefined);
		if (!departure) return { value };
		const { field, message } = departure;
		const part = PART_NAMES[httpPart ?? ''] ?? httpPart;
		const where = field ? `"${field}" in the ${part}` : `The ${part}`;
		return { error: new Refusal(400, `${where}: ${message}`, field || undefined) };
	});

	app.setSerializerCompiler<TSchema>(({ schema, method, url }) => (data) => {
		const departure = departureFrom(schema, data);
		if (departure) {
			const { field, message } = departure;
			throw new Refusal(500, `${method} ${url} broke the contract: "${field}": ${message}`);
		}
		return JSON.stringify(data);
	});
}
