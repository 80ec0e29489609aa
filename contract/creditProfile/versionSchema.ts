import { Type, type Static } from '@sinclair/typebox';
import { oneOf } from '../builders';

const typeName = oneOf(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);
const uniqueStrings = Type.Array(Type.String(), { uniqueItems: true });

/** CP §2.5, the schema of a version: a JSON Schema with these keywords only, at every depth. */
export const CollectionVersionJsonSchema = Type.Recursive(
	(This) =>
		Type.Partial(
			Type.Object(
				{
					title: Type.String(),
					description: Type.String(),
					type: Type.Union([
						typeName,
						Type.Array(typeName, {
							minItems: 2,
							maxItems: 2,
							uniqueItems: true,
							contains: Type.Literal('null'),
						}),
					]),
					pattern: Type.String({ format: 'regex' }),
					format: oneOf(['uuid', 'email', 'date-time', 'time', 'date', 'hostname', 'uri']),
					properties: Type.Record(Type.String(), This),
					items: This,
					required: uniqueStrings,
					enum: uniqueStrings,
					additionalProperties: Type.Boolean(),
				},
				{ additionalProperties: false },
			),
		),
	{ $id: 'CollectionVersionJsonSchema' },
);
export type CollectionVersionJsonSchema = Static<typeof CollectionVersionJsonSchema>;
