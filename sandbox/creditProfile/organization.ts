/** The one organization whose data the sandbox holds. */
export const ORGANIZATION_ID = 101;
/** The user who owns its credentials. */
export const OWNER_ID = 1;
