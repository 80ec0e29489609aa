import { createHash } from 'node:crypto';

/** The hash is in the characters of base64url. */
export const hash = (text: string, length?: number): string =>
	createHash('sha256').update(text).digest('base64url').slice(0, length);
