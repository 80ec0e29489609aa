import { UserError, type IDataObject } from 'n8n-workflow';
import { RequestError } from '../../shared/http/requestError';
import { LoginError } from '../../shared/credentials/loginError';
import { identity } from '../../shared/operations/commonFields';
import type { Item, Run } from '../../shared/operations/operation';
import type { Outcome } from '../../shared/operations/outcome';
import { CodedError } from '../../shared/utils/codedError';
import { countedIfAny } from '../../shared/utils/counted';
import { joinSentences } from '../../shared/utils/joinSentences';
import type { Prices } from '../../shared/credentials/prices';
import { QueryError, type QueryProblem } from '../errors/queryError';
import type { OutputRowWarning } from '../fields/identifiers';
import { AmountByCurrency } from '../spending/amounts';
import { requestPersonalDataRules } from './personalData';
import { gapTexts, reuseText, type ReuseSearchGaps } from './receiptText';
import type { SubmittedQuery } from './rows';
import { requestedColumns, withoutUndefined } from './simplify';

/** What a run would do with a query. */
type PreviewOutcome = Extract<
	Outcome,
	'wouldSend' | 'wouldReuse' | 'notSent' | 'overLimit' | 'uncertain'
>;

/** A query that an item would send, or get without sending it. */
export interface PreviewedQuery {
	outcome: 'wouldSend' | 'wouldReuse' | 'uncertain';
	/** The requested fields that the row shows. */
	requested: IDataObject;
	/** The query that it would get; an equal item that is yet to be sent has none. */
	query?: SubmittedQuery;
	ageMs?: number;
}

interface PreviewSettings {
	externalReference: unknown;
	warnings: OutputRowWarning[];
}

const SHARED = 'Another item asks the same: both share one query';
const LOST = 'An equal query may have been accepted and billed: a run first looks for it';

/** Returns the row of a query; its cost is nothing, because nothing was sent. */
export function buildPreviewRow(
	item: Item,
	{ outcome, requested, query, ageMs }: PreviewedQuery,
	{ externalReference, warnings }: PreviewSettings,
): IDataObject {
	const why = { wouldSend: null, wouldReuse: query ? null : SHARED, uncertain: LOST }[outcome];
	const row = {
		...item.protect(requested, requestPersonalDataRules, requestedColumns),
		outcome,
		reason: warnings.at(0)?.message ?? why,
		billed: 0,
		queryId: query && query.kind !== 'withoutId' ? query.id : undefined,
		externalReference: externalReference as IDataObject[string],
		ageHours: ageMs === undefined ? undefined : Math.round(ageMs / 36_000) / 100,
		warnings: warnings.length > 0 ? warnings : undefined,
	};
	return item.protect(withoutUndefined(row), 'written', identity);
}

/**
 * Returns the row of an item that would not be sent. Unless the run goes on with errors, it throws what says nothing of the
 * item: the service cannot be asked.
 */
export function buildUnsentRow(item: Item, error: unknown): IDataObject {
	const isOfItem = error instanceof UserError && !isOfService(error);
	if (!(error instanceof Error) || !(isOfItem || item.continuesOnFail) || isCancelled(error)) {
		throw error;
	}
	const { message, description } = error as UserError;
	const reason = joinSentences(message, description ?? '');
	return item.protect({ outcome: unsentOutcome(error), reason, billed: 0 }, 'written', identity);
}

const isCancelled = (error: Error) => (error as { code?: unknown }).code === 'cancelled';

const OF_SERVICE: Array<QueryProblem['kind']> = ['unlisted', 'passed'];

const isOfService = (error: UserError): boolean =>
	error instanceof RequestError ||
	error instanceof LoginError ||
	(error instanceof CodedError && error.code.startsWith('credential')) ||
	(error instanceof QueryError && OF_SERVICE.includes(error.queryProblem.kind));

const OF_LIMITS: Array<QueryProblem['kind']> = ['limitOfExecution', 'limitOfDay', 'budgetOfDay'];

function unsentOutcome(error: Error): PreviewOutcome {
	if (!(error instanceof QueryError)) return 'notSent';
	const { kind } = error.queryProblem;
	if (kind === 'unsure') return 'uncertain';
	return OF_LIMITS.includes(kind) ? 'overLimit' : 'notSent';
}

/** Counts the rows of a preview; the run ends with one line about them. */
export class PreviewSummary {
	readonly #counts = new Map<unknown, number>();
	readonly #amount = new AmountByCurrency();
	readonly #unsent: number[] = [];
	readonly #items = new Set<number>();
	#withWarning = 0;
	#stops = false;
	#reusesByDefault = false;

	constructor(run: Run, gaps: () => ReuseSearchGaps) {
		run.atEnd((failure) => {
			if (!failure) run.hint(this.#text(run, gaps()));
		});
	}

	add(
		{ index, continuesOnFail }: Item,
		rows: IDataObject[],
		cost?: { operation: string; prices: Prices | undefined; isByDefault: boolean },
	): void {
		this.#items.add(index);
		for (const { outcome, queryId, warnings } of rows) {
			this.#counts.set(outcome, this.#count(outcome) + 1);
			if (warnings !== undefined) this.#withWarning++;
			if (outcome === 'wouldSend' && cost) this.#amount.add(cost.operation, 1, cost.prices);
			const isListed = outcome === 'wouldReuse' && queryId !== undefined;
			this.#reusesByDefault ||= isListed && cost?.isByDefault === true;
		}
		if (cost) return;
		this.#unsent.push(index);
		this.#stops ||= !continuesOnFail;
	}

	#count(outcome: unknown): number {
		return this.#counts.get(outcome) ?? 0;
	}

	#text({ mode, items }: Run, gaps: ReuseSearchGaps): string {
		const amount = this.#amount.text;
		const sent = this.#count('wouldSend');
		const counts = [
			`${countedIfAny(sent, 'query', 'queries') || 'No queries'} would be sent${amount === '' ? '' : ` (${amount})`}`,
			rowsText(this.#count('wouldReuse'), 'would reuse a query'),
			rowsText(this.#count('notSent'), 'is not ready', 'are not ready'),
			rowsText(this.#count('overLimit'), 'is over a limit', 'are over a limit'),
			rowsText(this.#count('uncertain'), 'may have been sent before'),
		];
		return joinSentences(
			counts.filter((text) => text !== '').join(', '),
			this.#items.size === items ? 'Nothing was sent' : 'Nothing was sent for them',
			rowsText(this.#withWarning, 'with a warning'),
			this.#stops
				? `With 'On Error' set to Stop Workflow, a run would fail at item ${1 + Math.min(...this.#unsent)} and send nothing`
				: '',
			this.#reusesByDefault ? reuseText(mode) : '',
			...gapTexts(gaps),
		);
	}
}

const rowsText = (count: number, one: string, many = one): string =>
	countedIfAny(count, `row ${one}`, `rows ${many}`);
