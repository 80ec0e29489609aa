import { Type, type Static } from '@sinclair/typebox';
import { dateTime, nullable, oneOf } from '../builders';

/** CP §2.6, the creator of a collection or of a version. */
export const User = Type.Partial(
	Type.Object({
		id: Type.Number(),
		organizationId: Type.Number(),
		name: nullable(Type.String()),
		lastName: nullable(Type.String()),
		createdAt: dateTime,
		deletedAt: nullable(dateTime),
		updatedAt: dateTime,
		email: Type.String({ format: 'email' }),
		phone: Type.String(),
		permissions: Type.Array(Type.String()),
		role: oneOf(['admin', 'member', 'base']),
	}),
);
export type User = Static<typeof User>;
