import { connect } from '../../shared/transport/request';
import { taxQuery } from '../../shared/transport/service';
import { msLeft } from '../../shared/utils/time';
import { hasList } from '../service/list';
import { isLean, isOpen } from '../service/record';
import type { QueryRecord } from '../service/types';
import { readCutOff, startAgain } from './cutOff';
import type { Outcome } from './emitter';
import { fateOf, reportLeftOut } from './filter';
import type { Ledger } from './ledger';
import { checkDates, NO_LIST, readListing, type Listing } from './listing';
import { confirmed, type Asked } from './asked';
import type { PublishedTrigger } from './published';
import { readRecords, type Found } from './records';
import { reportCourse, reportDropped, reportListing, reportMissing } from './reports';
import { itemMaker, lacksResult, type TriggerResult } from './result';
import { readStart, startOf } from './settings';
import { isBeginning, isSettled, survey, takeIn, type Rules } from './survey';

/** Requests for a look at a list that is up to date. */
const MAX_REQUESTS = 3;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What a look showed of a query: on its way into the workflow, without a result, settled; or why it showed nothing. */
export type Shown = Promise<Outcome> | 'pending' | 'settled' | 'unknown' | 'later' | 'failed';

/** What forged IDs come to, and seldom a true one. */
const STRANGE: unknown[] = [undefined, 'unknown', 'later'];

export interface Look {
	/** What was asked for, by query ID; what is not in it is not listed. */
	queries: Map<string, Shown>;
	/** The list was read; all queries are in it. */
	isListed: boolean;
	isWhole: boolean;
	/** Of which the next look will need as many. */
	requests: number;
	rows: number;
	/** It brought a new result. */
	hasNews: boolean;
	/** There are more new results than one look emits. */
	isMore: boolean;
	/** IDs that were asked for and must wait for the next look. */
	unread: string[];
	/** How many IDs were asked for that nobody knows. */
	strangers: number;
}

/** Looks once: reads what is new, takes it in, and emits it, oldest first. Throws if the service cannot be asked. */
export async function look(trigger: PublishedTrigger, asked: Map<string, Asked>): Promise<Look> {
	const seen = await observe(trigger, asked);
	trigger.mustBeOpen(); // from here on nothing waits
	return new Intake(trigger, asked, seen).run();
}

/** Reads what a look needs; changes nothing that is known. */
async function observe(trigger: PublishedTrigger, asked: Map<string, Asked>) {
	const { context, ledger, settings, mustBegin } = trigger;
	const connection = await connect(context, taxQuery);
	const { mapping } = connection;
	const toItem = itemMaker(settings, connection);
	const rules = rulesOf(trigger);
	const isListed = settings.receiveBy !== 'webhook' && hasList(mapping);
	const account = isListed ? connection.account : ledger.saved.account;
	const isMoved = mustBegin || account !== ledger.saved.account;
	const startAt = isMoved && isListed ? readStart(context) : undefined;
	const isAudit = isMoved || msLeft(ledger.saved.auditedAt, DAY_MS) < 0;
	const ids = [...asked.keys()].reverse(); // a sender that comes again is not to wait behind a flood

	const listing = isListed
		? await readListing(connection, ledger, { asked: ids, mustBeWhole: isAudit })
		: NO_LIST;
	const maxOwing = Math.max(1, MAX_REQUESTS - listing.requests);
	const oldUntil = startAt ?? Infinity;
	const situation = { account, begins: mustBegin, oldUntil, asked: ids, maxOwing };
	const plan = survey(ledger, listing, situation, rules);
	if (isBeginning(plan) && startAt !== undefined) checkDates(listing.rows);
	const read = await readRecords(trigger, connection, plan, listing, asked);
	const cutOff = await readCutOff(trigger, connection);
	return { mapping, toItem, rules, isListed, isAudit, ids, listing, plan, read, cutOff };
}
type Observation = Awaited<ReturnType<typeof observe>>;

/** Takes in what a look has read, and emits it. Nothing here waits, so that nothing can come between. */
class Intake {
	/** IDs that have no result yet. */
	private readonly left = new Set<string>();
	private hasNews = false;

	constructor(
		private readonly trigger: PublishedTrigger,
		private readonly asked: Map<string, Asked>,
		private readonly seen: Observation,
	) {}

	run(): Look {
		const { trigger, seen } = this;
		const { context, ledger, settings } = trigger;
		const { listing, plan, read, rules } = seen;
		reportCourse(context, plan.course);
		reportListing(context, listing);
		reportLeftOut(context, settings.choice, seen.mapping, recordsIn(listing, read.others));
		reportDropped(context, takeIn(ledger, plan, rules, startOf(context)));
		if (seen.isListed) note(ledger, listing, seen.isAudit);
		startAgain(trigger, seen.cutOff, seen.toItem);
		for (const row of plan.due) {
			this.bring(row, isLean(row.record) ? read.rows.get(row.queryId) : row);
		}
		for (const result of read.others) this.bring(result, result);
		for (const id of read.refused) ledger.giveUp(id);
		ledger.await(...read.inVain.filter((id) => ledger.owes(id)));
		return this.look();
	}

	/** By the record, or why there is none, to a row of the list. */
	private bring(row: TriggerResult, found: Found): void {
		const { ledger } = this.trigger;
		if (found === undefined) this.left.add(row.queryId);
		else if (found === 'refused') giveUp(ledger, row);
		else this.bringRecord(row, found);
	}

	private bringRecord(row: TriggerResult, found: TriggerResult): void {
		const { trigger, left } = this;
		const { context, ledger } = trigger;
		const { rules, mapping, toItem } = this.seen;
		const { queryId } = row;
		const said = this.asked.get(queryId);
		const { result, origin } = confirmed(found, said, mapping);
		const fate = rules.fateOf(result);
		if (fate === 'unwanted' || isSettled(ledger, result)) return settle(ledger, result, row);
		ledger.await(queryId); // the others first, the next time
		if (trigger.outcomeOf(result)) return;
		if (fate === 'waits' || lacksResult(result)) {
			left.add(queryId);
			trigger.tries.inVain(queryId);
			if (fate === 'due') reportMissing(context, queryId, said?.hasResponse === true);
			return;
		}
		trigger.tries.wasRead(queryId);
		this.hasNews = true;
		void trigger.emitOnce(result, toItem(result, origin)).then((outcome) => {
			if (outcome !== 'failed') settle(ledger, result, row);
		});
	}

	private look(): Look {
		const { isListed, isAudit, ids, listing, plan, read } = this.seen;
		const queries = this.shown();
		return {
			queries,
			isListed,
			isWhole: listing.isWhole,
			requests: read.requests + (isAudit ? Math.min(1, listing.requests) : listing.requests),
			rows: listing.rows.length,
			hasNews: this.hasNews,
			isMore: plan.isMore,
			unread: ids.filter((id) => queries.get(id) === 'later'),
			strangers: ids.filter((id) => STRANGE.includes(queries.get(id))).length,
		};
	}

	/** What it showed of the queries that were asked for, and of those read by ID. */
	private shown(): Map<string, Shown> {
		const { read, ids, plan } = this.seen;
		const listed = ids.flatMap((id) => plan.listed.get(id) ?? []);
		const known = [...read.others, ...listed].map((result) => {
			return [result.queryId, this.shownOf(result)] as const;
		});
		// the first of a query stands: why there is no record, then its record, then its row
		return new Map([...known.reverse(), ...read.untold]);
	}

	private shownOf(result: TriggerResult): Shown {
		const { trigger, left } = this;
		const isOver = !left.has(result.queryId) && isSettled(trigger.ledger, result);
		return trigger.outcomeOf(result) ?? (isOver ? 'settled' : 'pending');
	}
}

const rulesOf = (trigger: PublishedTrigger): Rules<TriggerResult> => ({
	fateOf: (result) => fateOf(result, trigger.settings.choice),
	isRunning: (result) => trigger.outcomeOf(result) !== undefined,
	triesOf: ({ queryId }) => trigger.tries.timesOf(queryId),
	maxResults: trigger.settings.maxResults,
});

/** The query has come through in this state, which a row of the list may call by another word. */
function settle(ledger: Ledger, result: TriggerResult, row: TriggerResult): void {
	const owesMore = isOpen(result.record.state);
	if (owesMore && ledger.owes(result.queryId)) ledger.await(result.queryId);
	ledger.settle(result, owesMore);
	if (row.word !== result.word) ledger.settle(row, owesMore);
}

function giveUp(ledger: Ledger, row: TriggerResult): void {
	ledger.settle(row);
	ledger.giveUp(row.queryId);
}

const recordsIn = ({ rows }: Listing, others: TriggerResult[]): QueryRecord[] =>
	[...rows, ...others].map(({ record }) => record);

/** Takes in how the list was read. */
function note({ saved }: Ledger, { order, extent }: Listing, isAudit: boolean): void {
	if (order) saved.order = order;
	if (isAudit) saved.auditedAt = Date.now() - (extent === 'cut' ? DAY_MS - HOUR_MS : 0);
}
