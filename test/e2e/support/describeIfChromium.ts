import { findChromium } from './chromium';

/** Skipped without Chromium; where that must not be missing, its absence is a failure. */
export const describeIfChromium = findChromium() || process.env.CI ? describe : describe.skip;
