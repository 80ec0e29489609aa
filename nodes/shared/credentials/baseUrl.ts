import { CodedError } from '../utils/codedError';

/**
 * A base URL from a credential: http or https, no query, no login in it; without trailing slash. Throws a UserError if
 * it is missing, malformed, or already carries a path that the node appends (`appended`).
 */
function readBaseUrl(value: unknown, example: string, appended: RegExp): string {
	const text = typeof value === 'string' ? value.trim() : '';
	const problem = (message: string) =>
		new CodedError('credential.baseUrl', message, {
			description: `Open the credential and enter it in full, e.g. ${example}`,
		});
	if (text === '') throw problem('The credential has no base URL');
	const parsed = URL.canParse(text) ? new URL(text) : undefined;
	if (!parsed || !['http:', 'https:'].includes(parsed.protocol)) {
		throw problem('The base URL of the credential is not a URL with https:// (or http://)');
	}
	if (parsed.search || parsed.hash || parsed.username || parsed.password) {
		throw problem('The base URL of the credential must hold only host and path');
	}
	const url = parsed.origin + parsed.pathname.replace(/\/+$/, '');
	const [, doubled] = appended.exec(url) ?? [];
	if (doubled) {
		throw problem(
			`The base URL of the credential must not end with "${doubled}", which the node appends`,
		);
	}
	return url;
}

/** The base URL of the Credit Profile Service: the host root (CP §1). */
export const readCreditProfileBaseUrl = (value: unknown): string =>
	readBaseUrl(value, 'https://sandbox.example.com', /(\/api(?:\/v1)?)$/);

/** The base URL of the Tax Query Service: the production address ends with /api, the mock address may not. */
export const readTaxQueryBaseUrl = (value: unknown): string =>
	readBaseUrl(
		value,
		'https://solutions.example.com/api',
		/\/api(\/api|\/v1|\/query|\/oauth(?:\/token)?)$/,
	);
