import { CodedError } from '../utils/codedError';

const flaw = (message: string, description: string) =>
	new CodedError('credential.baseUrl', message, { description });

/** Reads a base URL from a credential: http or https, no query, no login in it; without trailing slash. */
function parse(value: unknown, example: string): string {
	const text = typeof value === 'string' ? value.trim() : '';
	const flawOf = (what: string) =>
		flaw(what, `Open the credential and enter it in full, e.g. ${example}`);
	if (text === '') throw flawOf('The credential has no base URL');
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (!url || !['http:', 'https:'].includes(url.protocol)) {
		throw flawOf('The base URL of the credential is not a URL with https:// (or http://)');
	}
	if (url.search || url.hash || url.username || url.password) {
		throw flawOf('The base URL of the credential must hold only host and path');
	}
	return url.origin + url.pathname.replace(/\/+$/, '');
}

/**
 * The base URL of the Credit Profile Service: the host root (§1 of its document), without trailing slash.
 * Throws a UserError if it is missing, malformed, or already carries the path that the node appends.
 */
export function creditProfileBaseUrl(value: unknown): string {
	const url = parse(value, 'https://sandbox.example.com');
	const doubled = /(\/api(\/v1)?)$/.exec(url);
	if (doubled) {
		throw flaw(
			`The base URL of the Credit Profile credential must not end with "${doubled[1]}"`,
			'The node appends "/api/v1" by itself. Enter the host root only.',
		);
	}
	return url;
}

/**
 * The base URL of the Tax and Identity Query Service: the production address ends with /api, the mock address
 * may not. Without trailing slash. Throws a UserError if it is missing, malformed, or already carries a path
 * that the node appends.
 */
export function taxQueryBaseUrl(value: unknown): string {
	const url = parse(value, 'https://solutions.example.com/api');
	const doubled = /\/api(\/api|\/v1|\/query|\/oauth(?:\/token)?)$/.exec(url);
	if (doubled) {
		throw flaw(
			`The base URL of the Tax Query credential must end with "/api", not with "/api${doubled[1]}"`,
			'The node appends the rest of the path by itself.',
		);
	}
	return url;
}
