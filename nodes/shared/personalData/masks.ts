import { createHmac } from 'node:crypto';

export const STARS = '******';

export interface HidersByValueKind {
	/** Hides a field that is documented as personal. */
	personal(value: string): string;
	/** Hides a value of which nothing is known. */
	free(value: string): string;
}

export const maskingFunctions: HidersByValueKind = { personal: hint, free: () => STARS };

export const pseudonymFunctionsForKey = (key: string): HidersByValueKind => ({
	personal: (value) => pseudonym(value, key),
	free: (value) => pseudonym(value, key),
});

const BEGINS_LIKE_IDENTIFIER = /^[A-ZÑ&]{3,4}\d{4}(?=\d\d)/i;

/** GODE5612****** of an RFC or CURP, e***@example.com, ******78 of a number, E*** G*** of a name. */
function hint(value: string): string {
	const [visible] = BEGINS_LIKE_IDENTIFIER.exec(value) ?? [];
	if (visible) return visible + STARS;
	if (value.includes('://')) return STARS;
	if (isEmail(value)) return `${value[0]}***${value.slice(value.indexOf('@'))}`;
	if (/^[\d\s()+.-]+$/.test(value)) return value.length >= 8 ? STARS + value.slice(-2) : STARS;
	return value.replace(/\S+/g, (part) => {
		const letters = Array.from(part);
		return `${letters.length > 2 ? letters[0] : ''}***`;
	});
}

/** Takes one pass over each part. A name of two letters or more is one. */
function isEmail(value: string): boolean {
	const [name, domain = '', ...more] = value.split('@');
	if (more.length > 0 || name.length < 2 || /\s/.test(value)) return false;
	const dot = domain.indexOf('.', 1);
	return dot > 0 && dot < domain.length - 1;
}

const WHOLE_IDENTIFIER = /^[A-ZÑ&]{3,4}\d{6}[A-Z0-9]{0,8}$/;

/** Is equal for equal values, regardless of letter case, blanks, and hyphens in an identifier. */
function pseudonym(value: string, key: string): string {
	const written = value.normalize('NFC').trim().replace(/\s+/g, ' ').toUpperCase();
	const compact = written.replace(/[ -]/g, '');
	const same = WHOLE_IDENTIFIER.test(compact) ? compact : written;
	return `p_${createHmac('sha256', key).update(same).digest('hex').slice(0, 24)}`;
}

const YEAR = '((?:1[89]|2[01])\\d\\d)';
const DATE_PATTERNS = [
	new RegExp(
		`^${YEAR}[-/](?:0?[1-9]|1[0-2])[-/](?:0?[1-9]|[12]\\d|3[01])(?:[T ]\\d\\d:\\d\\d\\S*)?$`,
	),
	new RegExp(`^\\d{1,2}[-/]\\d{1,2}[-/]${YEAR}$`),
];

/** Is undefined for a text that is no date. */
export const yearOf = (value: string): string | undefined =>
	DATE_PATTERNS.map((date) => date.exec(value.trim())?.[1]).find(Boolean);

/**
 * Matches CURP, RFC, RFC without homoclave and e-mail address, as people write them. A UUID is left alone, because
 * part of it may resemble an RFC. So are IDs such as LOAN-261122-001 or LOAN261122. An address is tried only where its
 * name begins, so that a long text without one takes one pass.
 */
const IN_TEXT =
	/(?<uuid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})|(?<![A-Z0-9Ñ])(?:[A-Z]{4}[ -]?\d{6}[ -]?[HMX][A-Z]{5}[ -]?[A-Z0-9]\d|[A-ZÑ&]{3,4}(?:\d\d(?:0[1-9]|1[0-2])[0-3]\d|[ -]?\d\d(?:0[1-9]|1[0-2])[0-3]\d[ -]?(?=\w{0,2}\d)(?=\w{0,2}[A-Z]))[A-Z0-9]{2}[0-9A]|(?<basic>(?<![A-Z0-9Ñ][-_])[A-ZÑ&]{4}-?\d\d(?:0[1-9]|1[0-2])[0-3]\d(?![-_]\w)))(?![A-Z0-9Ñ])|(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]*[\w-]/gi;

/** A text that the node wrote, identifiers and e-mail addresses in it hidden. */
export const hideRfcCurpAndEmails = (value: string, hide: (value: string) => string): string =>
	value.replace(IN_TEXT, (found: string, ...more: unknown[]) => {
		const { uuid, basic } = more.at(-1) as { uuid?: string; basic?: string };
		if (uuid || (basic && found === value)) return found;
		return hide(found.includes('@') ? found : found.replace(/[ -]/g, ''));
	});
