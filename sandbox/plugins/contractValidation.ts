import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { FastifyInstance } from 'fastify';
import { firstViolation } from '../../contract/check';
import { HttpError } from './errors';

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

const MAPPER = Symbol('responseMapper');
type ResponseMapper = (value: unknown) => unknown;

/** Wraps a response's schema: responses are validated by it first, and then mapped to other names. */
export const withResponseMapper = <T extends TSchema>(
	schema: T,
	map: (value: Static<T>) => unknown,
): T => ({
	...schema,
	[MAPPER]: map,
});

/**
 * Validates every request and every response by the TypeBox schema of its route. An invalid request is refused with
 * 400 and the field's name. An invalid response is a 500, because then the sandbox is wrong.
 */
export function enforceContract(app: FastifyInstance): void {
	app.setValidatorCompiler<TSchema>(({ schema, httpPart }) => (data) => {
		const value = httpPart === 'body' ? data : Value.Default(schema, readTexts(schema, data));
		const violation = firstViolation(schema, value ?? undefined);
		if (!violation) return { value };
		const { field, message } = violation;
		const part = PART_NAMES[httpPart ?? ''] ?? httpPart;
		const where = field ? `"${field}" in the ${part}` : `The ${part}`;
		return { error: new HttpError(400, `${where}: ${message}`, field || undefined) };
	});

	app.setSerializerCompiler<TSchema>(({ schema, method, url }) => (data) => {
		const violation = firstViolation(schema, data);
		if (violation) {
			const { field, message } = violation;
			throw new HttpError(500, `${method} ${url} broke the contract: "${field}": ${message}`);
		}
		const map = (schema as TSchema & { [MAPPER]?: ResponseMapper })[MAPPER];
		return JSON.stringify(map ? map(data) : data);
	});
}
