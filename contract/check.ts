import { FormatRegistry, type TSchema } from '@sinclair/typebox';
import { TypeCompiler, type TypeCheck } from '@sinclair/typebox/compiler';
import { formats } from './formats';

for (const [name, matches] of Object.entries(formats)) FormatRegistry.Set(name, matches);

/** The first thing in which a value deviates from its schema. */
interface SchemaViolation {
	/** Dotted path of the field, e.g. `data.0.id`; '' is the value itself. */
	field: string;
	message: string;
}

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>();

/**
 * Compares a value with a schema of the contract. In: a TypeBox schema and any JSON value. Out: the first
 * violation, or undefined if the value is valid. Throws if the schema itself is no TypeBox schema.
 */
export function firstViolation(schema: TSchema, value: unknown): SchemaViolation | undefined {
	let check = compiled.get(schema);
	if (!check) {
		check = TypeCompiler.Compile(schema);
		compiled.set(schema, check);
	}
	if (check.Check(value)) return undefined;
	const error = check.Errors(value).First();
	return {
		field: (error?.path ?? '').slice(1).replaceAll('/', '.'),
		message: error?.message ?? 'does not match',
	};
}
