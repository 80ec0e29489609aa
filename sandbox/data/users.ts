import type { User } from '../../contract/creditProfile';
import { fakerFor } from './faker';

/** The one organization whose data the sandbox holds. */
export const ORGANIZATION_ID = 101;
/** The user who owns its credentials. */
export const PROVIDER_LOGINS_OWNER_ID = 1;
export const USER_COUNT = 5;
const ROLES = ['admin', 'member', 'base'] as const;
const PERMISSIONS = ['credentials:write', 'collections:write', 'documents:write', 'documents:read'];

/** Their ids count from 1. */
export function createUsers(seed: number): User[] {
	return Array.from({ length: USER_COUNT }, (_, index) => {
		const faker = fakerFor(seed, `user ${index}`);
		const role = ROLES[Math.min(index, ROLES.length - 1)];
		const joined = Date.UTC(2023, index, 3, 15, 20, index);
		return {
			id: PROVIDER_LOGINS_OWNER_ID + index,
			organizationId: ORGANIZATION_ID,
			name: faker.person.firstName(),
			lastName: faker.person.lastName(),
			createdAt: new Date(joined).toISOString(),
			deletedAt: index === USER_COUNT - 1 ? new Date(Date.UTC(2025, 2, 7)).toISOString() : null,
			updatedAt: new Date(joined + 86_400_000).toISOString(),
			email: `usuario${index + 1}@sandbox.example`,
			phone: faker.string.numeric({ length: 10, allowLeadingZeros: false }),
			permissions: PERMISSIONS.slice(ROLES.indexOf(role)),
			role,
		};
	});
}
