import type { IDataObject, UserError } from 'n8n-workflow';
import { maskIdentifiersInText } from '../personalData/redactor';
import { appendRequestIdToMessage } from '../errors/requestIds';
import { RequestError } from '../http/requestError';
import { joinSentences } from '../utils/joinSentences';
import { identity } from './commonFields';
import type { Item } from './operation';

interface Check {
	check: string;
	ok: boolean | 'unknown';
	/** The shapes and texts of the service's response, without personal data. */
	seen: string;
	advice?: string;
}

type CheckFinding = Omit<Check, 'check'>;
export type CheckOutcome<T> = CheckFinding & { value?: T };

/** The name of the proposal's row, which the operator finds in the table. */
const PROPOSAL = 'Suggested API Mapping';
const PASTE = `Copy the text under "seen" of the row ${PROPOSAL} into API Mapping of the credential, then diagnose again.`;
const NOTHING_TO_DO = 'Nothing to do.';
/** The result of a check, as the operator reads it. */
const RESULTS = { true: 'OK', false: 'Change needed', unknown: 'Not known' };

/** The rows of Connection → Diagnose, in the order of the checks. */
export class ConnectionDiagnosis {
	readonly #checks: Check[] = [];
	#hasFirstFailed = false;

	/**
	 * A check that fails is a row, too, with the error's text. Resolves with the value that `work` returns beside its
	 * finding, undefined if it failed.
	 */
	async run<T = undefined>(
		check: string,
		work: () => Promise<CheckOutcome<T>>,
	): Promise<T | undefined> {
		const { value, ok, seen, advice }: CheckOutcome<T> = await work().catch((error: UserError) => {
			this.#hasFirstFailed ||= this.#checks.length === 0;
			// a service may write people's names into its messages
			const silent = error instanceof RequestError ? error.withoutServiceMessage() : error;
			const { message, description } = silent;
			const { data } = silent as Partial<RequestError>;
			const seen = appendRequestIdToMessage(
				joinSentences(message),
				data?.requestIds as string[] | undefined,
			);
			return { ok: false, seen, advice: joinSentences(description) };
		});
		// a service may put identifiers into its messages
		this.#checks.push({
			check,
			ok,
			seen: maskIdentifiersInText(seen),
			advice: maskIdentifiersInText(advice ?? ''),
		});
		return value;
	}

	/**
	 * All rows have equal columns: a summary that can be read alone, the checks, the proposed mapping as JSON text.
	 */
	items(suggestedMapping: IDataObject, held: IDataObject, item: Item): IDataObject[] {
		const seen = JSON.stringify(suggestedMapping);
		const isNew = seen !== JSON.stringify(held);
		const proposal: Check = { check: PROPOSAL, ok: !isNew, seen, advice: isNew ? PASTE : '' };
		if (!isNew && this.#hasFirstFailed) {
			Object.assign(proposal, { ok: 'unknown', advice: this.#fixFirst() });
		}
		const wrong = [...this.#checks, proposal].filter(({ ok }) => ok === false);
		const next = this.#nextStep(isNew);
		item.run.hint(next);
		const rows: Check[] = [
			{ check: 'Summary', ok: wrong.length === 0, seen: this.#summary(wrong), advice: next },
			...this.#checks,
			proposal,
		];
		return rows.map(({ check, ok, seen, advice }) =>
			item.protect(
				{ check, result: RESULTS[`${ok}`], seen, advice: advice || NOTHING_TO_DO },
				'written',
				identity,
			),
		);
	}

	#withResult(result: Check['ok']): Check[] {
		return this.#checks.filter(({ ok }) => ok === result);
	}

	#nextStep(isNew: boolean): string {
		const wrong = this.#withResult(false).map(({ check }) => check);
		if (this.#hasFirstFailed) return this.#fixFirst();
		const others = wrong.length > 0 ? `Follow the advice of: ${wrong.join(', ')}` : '';
		if (isNew) return joinSentences(PASTE, others);
		if (others !== '') return joinSentences(others);
		// no read can decide it, and the operator can
		return this.#withResult('unknown').some(({ advice }) => advice)
			? 'Compare the rows "Not known" with your contract.'
			: NOTHING_TO_DO;
	}

	#fixFirst(): string {
		return `Fix "${this.#checks[0].check}", then diagnose again.`;
	}

	/** Each row that needs a change is named. */
	#summary(changes: Check[]): string {
		const [fine, open] = ([true, 'unknown'] as const).map(
			(result) => this.#withResult(result).length,
		);
		return joinSentences(
			`Checks: ${fine} OK, ${open} not known`,
			changes.length > 0 ? `Change needed: ${changes.map(({ check }) => check).join('; ')}` : '',
		);
	}
}

/** `respondedAt` is the time of a response, 0 if none came. */
export function checkHttps(baseUrl: unknown, respondedAt: number): CheckFinding {
	const address = String(baseUrl).trim();
	if (/^https:/i.test(address)) {
		return respondedAt === 0 ? NOTHING : { ok: true, seen: 'https, with an accepted certificate.' };
	}
	return OWN_MACHINE.test(address)
		? { ok: true, seen: 'http, but requests do not leave this machine.' }
		: { ok: false, seen: 'http: nothing is encrypted.', advice: 'Use https in the base URL.' };
}

const OWN_MACHINE = /^http:\/\/(localhost|127(\.\d+){3}|\[::1\])(:\d+)?(\/|$)/i;

const HARMLESS_SKEW_S = 30;

/** A check that needs a response, where none came. */
const NOTHING: CheckFinding = { ok: 'unknown', seen: 'The service has not responded yet.' };

/** `date` is a response's header; it came at `now`, 0 if none did. */
export function checkClock({ date }: IDataObject, now: number): CheckFinding {
	if (now === 0) return NOTHING;
	const theirs = Date.parse(String(date));
	if (Number.isNaN(theirs)) return { ok: 'unknown', seen: 'Responses have no Date header.' };
	const seconds = Math.abs(Math.round((theirs - now) / 1000));
	const isFine = seconds <= HARMLESS_SKEW_S;
	return {
		ok: isFine,
		seen: `The clocks of the service and this machine differ by ${seconds} s.`,
		advice: isFine ? '' : 'Set the clock of this machine by a time server.',
	};
}

/** The rate-limit headers of a response and the unit of the reset (CP §8.4: Unix time in milliseconds). */
export function checkRateLimitHeaders(headers: IDataObject, now: number): CheckFinding {
	if (now === 0) return NOTHING;
	const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
		Number(headers[`x-ratelimit-${name}`] ?? NaN),
	);
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
				: 'the time to go';
	return { ok: true, seen: `Limit ${limit}, remaining ${remaining}; the reset is ${unit}.` };
}

/** A row's keys against those of the API reference. */
export function checkShape(
	what: string,
	row: IDataObject,
	known: string[],
	needed: string[],
): CheckFinding {
	const missing = needed.filter((name) => row[name] === undefined);
	const additional = Object.keys(row).filter((name) => !known.includes(name));
	const isWhole = missing.length === 0;
	const seen = [
		`${what} with ${Object.keys(row).length} keys`,
		isWhole ? 'all needed keys are there' : `missing: ${missing.join(', ')}`,
		...(additional.length > 0 ? [`not in the API reference: ${additional.join(', ')}`] : []),
	].join('; ');
	return {
		ok: isWhole,
		seen: `${seen}.`,
		advice: isWhole
			? ''
			: "Ask your provider for their names. With 'Simplify' off, the output shows all fields.",
	};
}
