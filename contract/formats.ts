import { isRfcWithoutHomoclave, isCurp, isNss, isRfc } from './identifierChecks';

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME =
	/^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

function isDate(text: string): boolean {
	const [, year, month, day] = (DATE.exec(text) ?? []).map(Number);
	if (!day) return false;
	const date = new Date(Date.UTC(year, month - 1, day));
	return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** The string formats that the two documents name, and the identifiers that they validate. */
export const formats: Record<string, (text: string) => boolean> = {
	date: isDate,
	'date-time': (text) => isDate(DATE_TIME.exec(text)?.[1] ?? ''),
	email: (text) => /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text),
	uri: (text) => /^[a-z][a-z\d+.-]*:\S+$/i.test(text) && URL.canParse(text),
	regex(text) {
		try {
			new RegExp(text);
			return true;
		} catch {
			return false;
		}
	},
	rfc: isRfc,
	'basic-rfc': isRfcWithoutHomoclave,
	curp: isCurp,
	nss: isNss,
};
