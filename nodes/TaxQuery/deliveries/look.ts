import type { INodeExecutionData } from 'n8n-workflow';
import { connect } from '../../shared/transport/request';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { taxQuery } from '../../shared/transport/service';
import { isLean as isLeanRow, queryIdOf } from '../queries';
import { hasList, type QueryConnection } from '../queries/client';
import { complete, isToBeRead, readQuery, timesTried, triedInVain } from './byId';
import { isRepeated, type Outcome } from './emitter';
import { filterOf, tellLeftOut } from './filter';
import { addUnlisted, isAll, readAsked, readList } from './list';
import {
	begin,
	begun,
	hasAny,
	isToBegin,
	tellCutOff,
	type PublishedTrigger,
} from './memory/published';
import {
	byAge,
	isPending,
	isVague,
	itemMaker,
	resultOf,
	type ItemMaker,
	type Result,
} from './result';

const CONFIRMED = { confirmed: true };

/** What a look showed of a query: on its way into the workflow, without a result, settled; or why it showed nothing. */
type Shown = Promise<Outcome> | 'pending' | 'settled' | 'unknown' | 'unread' | 'failed';

export interface Look {
	/** What the deployment calls things. */
	mapping: TaxQueryMapping;
	/** By query ID; what is not in it is not listed. */
	queries: Map<string, Shown>;
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
}

/** Looks once: reads what is new, emits it, oldest first, and moves the cursor. Throws if the service cannot be asked. */
export async function look(watcher: PublishedTrigger, asked: Set<string>): Promise<Look> {
	const { context, cursor, settings } = watcher;
	const connection = await connect(context, taxQuery);
	const { mapping } = connection;
	const suits = filterOf(settings, mapping);
	const toItem = itemMaker(settings, connection);
	const isKnown = (result: Result) =>
		cursor.has(result) || cursor.isPendingQuery(queryIdOf(result.record));
	const mustBegin = isToBegin(watcher);
	const { account } = cursor.saved;
	const isElsewhere = hasList(mapping) && account !== '' && account !== connection.account;
	const listed = hasList(mapping)
		? await readList(context, connection, cursor, asked, mustBegin || isElsewhere)
		: await readAsked(context, connection, cursor, asked);
	await addUnlisted(listed, watcher, connection, asked);
	watcher.mustBeOpen();
	tellCutOff(watcher, listed);
	const records = listed.results.map(({ record }) => record);
	tellLeftOut(context, settings, mapping, records);
	const isStrange =
		isElsewhere && !listed.results.some(isKnown) && !(await hasAny(connection, cursor.landmarks));
	watcher.mustBeOpen();
	if (mustBegin || isStrange) begin(watcher, listed, isStrange);
	cursor.saved.account = connection.account;
	begun.add(watcher);
	await startOnceMore(watcher, connection, toItem);
	for (const row of listed.results)
		if (asked.has(queryIdOf(row.record) ?? '')) cursor.awaitDelivered(row);
	const old = listed.isWhole ? cursor.recognize(listed.results, isAll(listed)) : 0;
	if (old > 0) context.logger.warn(`${old} results of a list without dates are taken for old`);

	const telling = listed.results.filter((row) => !isVague(row));
	const toldIds = new Set(telling.map(({ record }) => queryIdOf(record)));
	const fresh = listed.results
		.filter((row) => !isVague(row) || !toldIds.has(queryIdOf(row.record)))
		.filter((result) => (isVague(result) ? cursor.isNews(result) : cursor.isNew(result)))
		.sort(byAge);
	// a row may hold less than its record: only where it is whole is it sure that it does not suit
	const isLean = ({ record }: Result) => isLeanRow(record, mapping);
	const isDue = (row: Result) => suits(row) || (isLean(row) && (!isPending(row) || isVague(row)));
	const triesOf = ({ record }: Result) => timesTried(context, queryIdOf(record));
	const due = fresh
		.filter(isDue)
		.sort((a, b) => triesOf(a) - triesOf(b) || cursor.unsure.rankOf(a) - cursor.unsure.rankOf(b));
	const { onTheirWay } = cursor; // of these it is not known yet what becomes of them
	const isOnItsWay = ({ record }: Result) => onTheirWay.has(queryIdOf(record));
	const ready = due.filter((row) => !isOnItsWay(row));
	const batch = ready.slice(0, settings.maxResults);
	const read = await Promise.all(
		batch.map(async (row) => await complete(context, connection, row)),
	);
	watcher.mustBeOpen();

	cursor.settle(fresh.filter((row) => !isDue(row) && !isPending(row)));
	const left = ready.slice(batch.length);
	const isMore = left.some((row) => triesOf(row) === 0);
	// in the order of their creation, they may stand behind pages without news the next time
	const awaitRow = (row: Result) =>
		cursor.unsure.rankOf(row) > 0 || cursor.awaitQuery(queryIdOf(row.record));
	for (const row of left) awaitRow(row);
	let hasNews = false;
	const vague = new Map(listed.results.filter(isVague).map((row) => [queryIdOf(row.record), row]));
	for (const [index, result] of read.entries()) {
		const listedRow = batch[index];
		const row = vague.get(queryIdOf(listedRow.record)) ?? listedRow;
		if (result === 'refused') cursor.settle(row);
		else if (result === undefined) {
			left.push(row);
			awaitRow(row); // wherever the list has it the next time
		} else if (cursor.isOld(row, result)) cursor.settle(row, result);
		else if (watcher.outcomeOf(result) || (suits(result) && cursor.isNew(result))) {
			if (isRepeated(context, result)) cursor.settle(row, result);
			else {
				hasNews ||= !watcher.outcomeOf(result);
				emit(watcher, toItem(result, CONFIRMED), result, row);
			}
		} else if (!isPending(result)) cursor.settle(row, result);
	}
	for (const id of listed.refused) {
		cursor.deferPending(id, false);
		const row = vague.get(id);
		if (row) cursor.settle(row);
	}
	cursor.advance(listed.results, [...left, ...due.filter(isOnItsWay)], listed.isWhole);

	const isLeft = new Set(left);
	const queries = new Map<string, Shown>();
	for (const id of listed.unknown) queries.set(id, 'unknown');
	for (const id of listed.unread) queries.set(id, 'unread');
	for (const id of listed.failed) queries.set(id, 'failed');
	for (const row of listed.results) {
		const isWithout = isPending(row) || isLeft.has(row);
		const shown = watcher.outcomeOf(row) ?? (isWithout ? 'pending' : 'settled');
		queries.set(queryIdOf(row.record) ?? '', shown);
	}
	return {
		mapping,
		queries,
		isWhole: listed.isWhole,
		requests:
			batch.filter((row) => isToBeRead(row, mapping)).length +
			(listed.isDaily ? 1 : listed.requests),
		rows: listed.results.length,
		hasNews,
		isMore,
		unread: listed.unread,
	};
}

/** Settles the row only when it is known what became of its result, which may be on its way already. */
function emit(
	watcher: PublishedTrigger,
	item: INodeExecutionData,
	result: Result,
	row: Result,
): void {
	void watcher.emitOnce(result, item).then((outcome) => {
		if (outcome !== 'failed') watcher.cursor.settle(row);
	});
}

/**
 * Results whose execution was not known to have ended when n8n did are started once more, never a third time; or only
 * if n8n had not started them at all.
 */
async function startOnceMore(
	watcher: PublishedTrigger,
	connection: QueryConnection,
	toItem: ItemMaker,
): Promise<void> {
	const { context, cursor, settings } = watcher;
	const { runsElsewhere } = cursor.saved;
	const isOnceMore = settings.options.afterCrash !== 'leave' && !runsElsewhere;
	// as long as nobody knows whether a worker goes on with them all, one is tried, and tells
	const isTried = isOnceMore && runsElsewhere === undefined;
	if (isTried && cursor.onTheirWay.size > 0) return;
	const cutOff = [...cursor.cutOff]
		.sort(([, [a]], [, [b]]) => timesTried(context, a) - timesTried(context, b))
		.slice(0, isTried ? 1 : undefined);
	const again = cutOff.map(async ([deliveryId, [queryId, times]]) => {
		// undefined: the service does not have it, or not any more
		const read = queryId === '' ? Promise.resolve(undefined) : readQuery(connection, queryId);
		const record = await read.catch((error: unknown) =>
			triedInVain(context, queryId, error) ? undefined : ('failed' as const),
		);
		if (record === 'failed') return; // for the next look
		watcher.mustBeOpen();
		const result = record && resultOf(record, connection.mapping);
		if (result?.deliveryId === deliveryId) {
			void watcher.emitOnce(result, toItem(result, CONFIRMED), isOnceMore ? 2 : times);
			return;
		}
		cursor.end({ deliveryId, updatedAt: undefined });
		const what = queryId === '' ? 'a body that named no query' : `query ${queryId}`;
		const why = `The execution for ${what} may have been cut off, and the service does not have this result any more`;
		context.logger.warn(`${why}. Look for it in the executions list.`);
	});
	await Promise.all(again);
}
