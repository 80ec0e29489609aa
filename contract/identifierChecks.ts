const DIGITS_AND_LETTERS = '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ';
/** The 32 states and NE, born abroad, as a CURP writes them. */
const CURP_STATES =
	'AS|BC|BS|CC|CL|CM|CS|CH|DF|DG|GT|GR|HG|JC|MC|MN|MS|NT|NL|OC|PL|QT|QR|SP|SL|SR|TC|TS|TL|VZ|YN|ZS|NE';

const RFC = /^[A-ZÑ&]{3,4}(\d{6})([A-Z\d]{2}[\dA])?$/;
const CURP = new RegExp(
	`^[A-Z][AEIOUX][A-Z]{2}(\\d{6})[HMX](?:${CURP_STATES})[B-DF-HJ-NP-TV-Z]{3}([\\dA-Z])\\d$`,
);

/** `digits` are YYMMDD, and `century` is its first year. */
function isDayOf(century: number, digits: string): boolean {
	const [year, month, day] = (digits.match(/../g) ?? []).map(Number);
	const date = new Date(Date.UTC(century + year, month - 1, day));
	return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** An RFC has no century: a day of either will do. */
const isDayOfRfc = (digits: string): boolean => isDayOf(1900, digits) || isDayOf(2000, digits);

/**
 * An RFC of any type with homoclave (CP §2.8 rfc): form and date. Not its check digit, which real RFCs are known
 * to fail.
 */
export function isRfc(text: string): boolean {
	const [, digits, homoclave] = RFC.exec(text) ?? [];
	return homoclave !== undefined && isDayOfRfc(digits);
}

/** An RFC without homoclave (CP §2.8 basicRFC). */
export function isRfcWithoutHomoclave(text: string): boolean {
	const [, digits, homoclave] = RFC.exec(text) ?? [];
	return digits !== undefined && homoclave === undefined && isDayOfRfc(digits);
}

/** Checks a CURP (CP §2.8 curp): form, state, date (position 17 gives the century) and check digit. */
export function isCurp(text: string): boolean {
	const [, digits, century] = CURP.exec(text) ?? [];
	if (digits === undefined || !isDayOf(/\d/.test(century) ? 1900 : 2000, digits)) return false;
	const sum = [...text.slice(0, 17)].reduce(
		(total, character, index) => total + DIGITS_AND_LETTERS.indexOf(character) * (18 - index),
		0,
	);
	return Number(text[17]) === (10 - (sum % 10)) % 10;
}

/** A social security number (CP §2.8 nss): eleven digits, the last after Luhn. */
export function isNss(text: string): boolean {
	if (!/^\d{11}$/.test(text)) return false;
	const sum = [...text].reduce((total, character, index) => {
		const product = Number(character) * (index % 2 === 0 ? 1 : 2);
		return total + (product > 9 ? product - 9 : product);
	}, 0);
	return sum % 10 === 0;
}
