import { Type, type Static, type TProperties, type TSchema } from '@sinclair/typebox';

/** An object with these properties and no others. */
export const closed = <T extends TProperties>(properties: T) =>
	Type.Object(properties, { additionalProperties: false });

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const optionalNullable = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));

/** The query of an endpoint without parameters. */
export const NoQuery = closed({});

export const oneOf = <T extends string[]>(values: readonly [...T]) =>
	Type.Union(values.map((value) => Type.Literal(value)) as { [K in keyof T]: TLiteralOf<T[K]> });

type TLiteralOf<T> = T extends string ? ReturnType<typeof Type.Literal<T>> : never;

export const dateTime = Type.String({ format: 'date-time' });

/** An object with free-form keys. */
export const freeForm = Type.Record(Type.String(), Type.Unknown());

/** The body of an error. Neither document shows one (CP §7, TQ §7): this shape is the sandbox's own. */
export const SandboxErrorBody = Type.Object({
	statusCode: Type.Integer({ description: 'The HTTP status again' }),
	message: Type.String({ description: 'What is wrong, and where' }),
	field: Type.Optional(Type.String({ description: 'The field that is wrong, as a dotted path' })),
});
export type SandboxErrorBody = Static<typeof SandboxErrorBody>;
