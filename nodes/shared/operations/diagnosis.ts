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

/** The proposal's row, in words that the operator finds in the table. */
const PROPOSAL = 'Suggested API Mapping';
const PASTE = `Copy the text under "seen" of the row ${PROPOSAL} into API Mapping of the credential, then diagnose again.`;
const KEEP = 'The API Mapping fits every check.';
const COMPARE = 'Compare the rows "Not known" with your contract.';
const NOTHING_TO_DO = 'Nothing to do.';
/** What became of a check, as the operator reads it. */
const RESULTS = { true: 'OK', false: 'Change needed', unknown: 'Not known' };

/** No read can decide it, and the operator can. */
const isOpen = ({ ok, advice }: Check) => ok === 'unknown' && advice !== '';

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
	 * All rows, of the same columns: a summary that can be read alone, the checks, the proposed mapping as JSON text.
	 * Identifiers that a service put into its words are masked.
	 */
	items(suggestedMapping: IDataObject, held: IDataObject, item: Item): IDataObject[] {
		const proposed = JSON.stringify(suggestedMapping);
		const isNew = proposed !== JSON.stringify(held);
		const advice = this.nextStep(isNew);
		item.run.hint(advice);
		const isFine = this.checks.every(({ ok }) => ok !== false) && !isNew;
		const rows: Check[] = [
			{ check: 'Summary', ok: isFine, seen: this.counts(), advice },
			...this.checks,
			{ check: PROPOSAL, ok: !isNew, seen: proposed, advice: isNew ? PASTE : '' },
		];
		return rows.map(({ check, ok, seen, advice: todo }) =>
			item.protect(
				{
					check,
					result: RESULTS[`${ok}`],
					seen: check === PROPOSAL ? seen : maskedText(seen),
					advice: maskedText(todo) || NOTHING_TO_DO,
				},
				'written',
				asItIs,
			),
		);
	}

	/** What to do next, first things first. */
	private nextStep(isNew: boolean): string {
		const wrong = this.checks.filter(({ ok }) => ok === false).map(({ check }) => check);
		if (this.hasFirstFailed)
			return `Fix "${wrong[0]}" first, as its row says, then diagnose again.`;
		if (isNew) return PASTE;
		if (wrong.length > 0) return `Follow the advice of: ${wrong.join(', ')}.`;
		return sentences(KEEP, this.checks.some(isOpen) ? COMPARE : NOTHING_TO_DO);
	}

	private counts(): string {
		const count = (ok: Check['ok']) => this.checks.filter((one) => one.ok === ok).length;
		return `Of ${this.checks.length} checks: ${count(true)} OK, ${count(false)} with a change needed, ${count('unknown')} not known.`;
	}
}

/** Whether the address is encrypted; `answeredAt` is when a response came, 0 if none did. */
export function checkTls(baseUrl: unknown, answeredAt: number): Finding {
	const isSafe = /^\s*https:/i.test(String(baseUrl));
	if (isSafe && answeredAt === 0) return NOTHING;
	if (isSafe) {
		const seen = 'The address begins with https, and its certificate was accepted.';
		return { ok: true, seen, advice: '' };
	}
	if (OWN_MACHINE.test(String(baseUrl))) {
		const seen = 'The address begins with http. Requests do not leave this machine.';
		return { ok: true, seen, advice: '' };
	}
	return {
		ok: false,
		seen: 'The address begins with http: nothing is encrypted.',
		advice: 'Use https in the base URL.',
	};
}

const OWN_MACHINE = /^\s*http:\/\/(localhost|127(\.\d+){3}|\[::1\])(:\d+)?(\/|\s*$)/i;

const HARMLESS_SKEW_MS = 30_000;

/** A check that needs a response, where none came. */
const NOTHING: Finding = {
	ok: 'unknown',
	seen: 'The service has not responded yet.',
	advice: '',
};

/** How far the service's clock is from ours, by the Date header of a response; `now` is when it came, 0 if none did. */
export function checkClock({ date }: IDataObject, now: number): Finding {
	if (now === 0) return NOTHING;
	const theirs = Date.parse(String(date));
	if (Number.isNaN(theirs)) {
		return { ok: 'unknown', seen: 'Responses have no Date header.', advice: '' };
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

/** The rate-limit headers of a response and the unit of the reset (CP §8.4: Unix time in milliseconds). */
export function checkRateLimit(headers: IDataObject, now: number): Finding {
	if (now === 0) return NOTHING;
	const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => {
		const value = headers[`x-ratelimit-${name}`];
		return value === undefined ? NaN : Number(value);
	});
	if ([limit, remaining, reset].some(Number.isNaN)) {
		return {
			ok: 'unknown',
			seen: 'Responses have no complete set of X-RateLimit headers.',
			advice: "The node keeps to 'Max Requests per Second', and waits after status 429.",
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

/** A row's keys against those of the API reference. */
export function checkShape(
	what: string,
	row: IDataObject,
	known: string[],
	needed: string[],
): Finding {
	const missing = needed.filter((name) => row[name] === undefined);
	const additional = Object.keys(row).filter((name) => !known.includes(name));
	const seen = [
		`${what} with ${Object.keys(row).length} keys`,
		missing.length > 0 ? `missing: ${missing.join(', ')}` : 'all needed keys are there',
		...(additional.length > 0 ? [`not in the API reference: ${additional.join(', ')}`] : []),
	].join('; ');
	return {
		ok: missing.length === 0,
		seen: `${seen}.`,
		advice:
			missing.length > 0
				? "Ask your provider for their names. With 'Simplify' off, the output shows all fields."
				: '',
	};
}
