import { missingStoresText } from '../../../demo/queueModeStores';

/** Skipped without Redis or PostgreSQL; where they must not be missing, their absence is a failure. */
export const describeWithStores = missingStoresText() && !process.env.CI ? describe.skip : describe;
