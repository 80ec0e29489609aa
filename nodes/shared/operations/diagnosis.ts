import type { IDataObject, UserError } from 'n8n-workflow';
import { maskedText } from '../personalData/personalData';
import { sentences } from '../utils/sentences';
import { asItIs } from './fields';
import type { Item } from './operation';

/** What one check of a connection found. */
interface Check {
	check: string;
	ok: boolean | 'unknown';
	/** What the service answered: shapes and words, no personal data. */
	seen: string;
	/** What to do; '' if nothing. */
	advice: string;
}

type Finding = Omit<Check, 'check'>;
/** With what the check gives beside its row. */
export type Found<T> = Finding & { value?: T };

const PASTE =
	'Copy suggestedMapping of the last item (JSON view) into API Mapping of the credential, then diagnose again.';
const MEND = 'Mend what the first row tells, then diagnose again.';
const KEEP =
	'Nothing to change: the API Mapping fits all that plain reads can tell. The table view shows every check.';

/** The rows of Connection → Diagnose, in the order of the checks. */
export class Diagnosis {
	private readonly checks: Check[] = [];
	private hasFirstFailed = false;

	/**
	 * Makes one check; one that fails is a row, too, with the error's words. Resolves with what `work` gives beside its
	 * finding, undefined if it failed.
	 */
	async run<T = undefined>(check: string, work: () => Promise<Found<T>>): Promise<T | undefined> {
		try {
			const { value, ...finding } = await work();
			this.checks.push({ check, ...finding });
			return value;
		} catch (error) {
			const { message, description } = error as UserError;
			this.hasFirstFailed ||= this.checks.length === 0;
			this.checks.push({
				check,
				ok: false,
				seen: sentences(message),
				advice: sentences(description),
			});
			return undefined;
		}
	}

	/**
	 * All rows, the proposed mapping last; identifiers that a service put into its words are masked. The operator is told
	 * what to do with a proposal that says more than the credential holds.
	 */
	items(suggestedMapping: IDataObject, held: IDataObject, item: Item): IDataObject[] {
		const isNew = JSON.stringify(suggestedMapping) !== JSON.stringify(held);
		item.run.hint(this.hasFirstFailed ? MEND : isNew ? PASTE : KEEP);
		const rows = this.checks.map((row) => ({
			...row,
			seen: maskedText(row.seen),
			advice: maskedText(row.advice),
		}));
		return [...rows, { suggestedMapping }].map((row) => item.protect(row, 'written', asItIs));
	}
}

/** Whether the address is encrypted; `answeredAt` is when an answer came, 0 if none did. */
export function checkTls(baseUrl: unknown, answeredAt: number): Finding {
	const isSafe = /^\s*https:/i.test(String(baseUrl));
	if (isSafe && answeredAt === 0) return NOTHING;
	return {
		ok: isSafe,
		seen: isSafe
			? 'The address begins with https, and its certificate was accepted.'
			: 'The address begins with http: nothing is encrypted.',
		advice: isSafe ? '' : 'Use https outside of your own machine.',
	};
}

const HARMLESS_SKEW_MS = 30_000;

/** A check that needs an answer, where none came. */
const NOTHING: Finding = {
	ok: 'unknown',
	seen: 'The service has answered nothing yet.',
	advice: '',
};

/** How far the service's clock is from ours, by the Date header of an answer; `now` is when it came, 0 if none did. */
export function checkClock({ date }: IDataObject, now: number): Finding {
	if (now === 0) return NOTHING;
	const theirs = Date.parse(String(date));
	if (Number.isNaN(theirs)) {
		return { ok: 'unknown', seen: 'Answers carry no Date header.', advice: '' };
	}
	const seconds = Math.round((theirs - now) / 1000);
	const isFine = Math.abs(seconds) * 1000 <= HARMLESS_SKEW_MS;
	const difference = `is ${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} the one of this machine`;
	return {
		ok: isFine,
		seen: `The clock of the service ${seconds === 0 ? 'agrees with the one of this machine' : difference}.`,
		advice: isFine ? '' : 'Set the clock of this machine by a time server.',
	};
}

/** The rate-limit headers of an answer and the unit of the reset (CP §8.4: Unix time in milliseconds). */
export function checkRateLimit(headers: IDataObject, now: number): Finding {
	if (now === 0) return NOTHING;
	const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => {
		const value = headers[`x-ratelimit-${name}`];
		return value === undefined ? NaN : Number(value);
	});
	if ([limit, remaining, reset].some(Number.isNaN)) {
		return {
			ok: 'unknown',
			seen: 'Answers carry no complete set of X-RateLimit headers.',
			advice:
				'The node keeps to the points per second that it knows, and waits where the service answers 429.',
		};
	}
	const unit =
		reset > now / 2
			? 'Unix time in milliseconds'
			: reset > now / 2000
				? 'Unix time in seconds'
				: 'a number of seconds or milliseconds to go';
	return {
		ok: true,
		seen: `Limit ${limit}, remaining ${remaining}; the reset is ${unit}.`,
		advice: '',
	};
}

/** A row's keys against those of the document. */
export function checkShape(
	what: string,
	row: IDataObject,
	known: string[],
	needed: string[],
): Finding {
	const missing = needed.filter((name) => row[name] === undefined);
	const further = Object.keys(row).filter((name) => !known.includes(name));
	const seen = [
		`${what} with ${Object.keys(row).length} keys`,
		missing.length > 0 ? `missing: ${missing.join(', ')}` : 'all that is needed is there',
		...(further.length > 0 ? [`not in the document: ${further.join(', ')}`] : []),
	].join('; ');
	return {
		ok: missing.length === 0,
		seen: `${seen}.`,
		advice:
			missing.length > 0
				? 'Ask the service what these are called; with Simplify off all that came is shown.'
				: '',
	};
}
