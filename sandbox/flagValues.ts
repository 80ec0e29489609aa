import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { parseMapping } from './apiMapping';

/** Thrown for a command line that cannot be read; the message is the one line that the user sees. */
export class UsageError extends Error {}

export type FlagReader = (text: string, name: string) => unknown;

export const wholeNumberReader =
	({ min = 0, max = Number.MAX_SAFE_INTEGER } = {}): FlagReader =>
	(text, name) => {
		if (/^-?\d+$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
		const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`;
		throw new UsageError(`--${name} must be a whole number (${range}), not "${text}"`);
	};

export const choice =
	(...choices: string[]): FlagReader =>
	(text, name) => {
		if (choices.includes(text)) return text;
		throw new UsageError(`--${name} must be ${choices.join(' or ')}, not "${text}"`);
	};

export const url: FlagReader = (text, name) => {
	if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
	throw new UsageError(`--${name} must be a URL beginning with http:// or https://, not "${text}"`);
};

export const ipAddress: FlagReader = (text, name) => {
	if (isIP(text)) return text;
	throw new UsageError(
		`--${name} must be an IP address such as 127.0.0.1 or 0.0.0.0, not "${text}"`,
	);
};

export const unchangedText: FlagReader = (text) => text;

/** `items` or `items,totalCount` */
export const parseListShapeKeys: FlagReader = (text) => {
	const [rows, total] = text.split(',');
	return { rows, ...(total && { total }) };
};

/** `success=DONE,failed=ERROR` */
export const parseWordsByStatus: FlagReader = (text, name) => {
	const words = text.split(',').map((pair) => pair.split('='));
	if (words.every(([state, word]) => /^(success|pending|failed|notFound)$/.test(state) && word)) {
		return Object.fromEntries(words) as unknown;
	}
	throw new UsageError(
		`--${name} must be like success=DONE,pending=WAIT,failed=ERROR,notFound=NONE`,
	);
};

export const mappingFile: FlagReader = (path, name) => {
	try {
		return parseMapping(JSON.parse(readFileSync(path, 'utf8')));
	} catch (error) {
		throw new UsageError(`--${name} ${path}: ${(error as Error).message}`);
	}
};
