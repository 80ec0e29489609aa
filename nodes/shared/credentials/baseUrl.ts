import { CodedError } from '../utils/codedError';

const CODE = 'credential.baseUrl';

/** Reads a base URL from a credential: http or https, no query, no login in it; without trailing slash. */
function parse(value: unknown, example: string): string {
	const text = typeof value === 'string' ? value.trim() : '';
	const hint = `Open the credential and enter it in full, e.g. ${example}`;
	if (text === '')
		throw new CodedError(CODE, 'The credential has no base URL', { description: hint });
	if (!URL.canParse(text)) {
		throw new CodedError(CODE, 'The base URL of the credential is not a valid URL', {
			description: hint,
		});
	}
	const url = new URL(text);
	if (!['http:', 'https:'].includes(url.protocol)) {
		throw new CodedError(
			CODE,
			'The base URL of the credential must begin with https:// (or http://)',
			{
				description: hint,
			},
		);
	}
	if (url.search || url.hash || url.username || url.password) {
		throw new CodedError(CODE, 'The base URL of the credential must hold only host and path', {
			description: hint,
		});
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
		throw new CodedError(
			CODE,
			`The base URL of the Credit Profile credential must not end with "${doubled[1]}"`,
			{ description: 'The node appends "/api/v1" by itself. Enter the host root only.' },
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
		throw new CodedError(
			CODE,
			`The base URL of the Tax Query credential must end with "/api", not with "/api${doubled[1]}"`,
			{ description: 'The node appends the rest of the path by itself.' },
		);
	}
	return url;
}
