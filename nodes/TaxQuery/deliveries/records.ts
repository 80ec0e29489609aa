import { OperationalError } from 'n8n-workflow';
import type { QueryService } from '../service/client';
import { isLean } from '../service/record';
import { readAsked, readInTime, readQuery, timesTried, triedInVain } from './byId';
import { nodeKey } from './emitter';
import type { Listing } from './listing';
import type { Asked, PublishedTrigger } from './published';
import { lacksResult, type TriggerResult } from './result';
import type { Plan } from './survey';

/** A row with its result; undefined if that cannot be had now, 'refused' if it is put aside. */
export type Found = TriggerResult | 'refused' | undefined;

/** What was read by ID for a look. */
export interface Records {
	/** Of rows that are due and do not hold their result. */
	rows: Map<string, Found>;
	/** Of queries that were asked for or owe a result, and are not listed. */
	others: TriggerResult[];
	/** Why there is no record of what was asked for. */
	untold: Map<string, 'unknown' | 'later' | 'failed'>;
	/** Owing ones that are put aside, and that have none now. */
	refused: string[];
	inVain: string[];
	requests: number;
}

/** So many rows whose record had no result before are read again by one look. */
const MAX_AGAIN = 10;

/** Reads by ID what a look needs and the list does not show. */
export async function readRecords(
	{ context, ledger }: PublishedTrigger,
	service: QueryService,
	plan: Plan<TriggerResult>,
	listing: Listing,
	asked: Map<string, Asked>,
): Promise<Records> {
	const read: Records = {
		rows: new Map(),
		others: [],
		untold: new Map(),
		refused: [],
		inVain: [],
		requests: plan.owing.length,
	};
	const isSure = (id: string) => ledger.owes(id) || asked.get(id)?.isProved === true;
	// what nobody knows is first left to the list, which may show it a moment later
	const isLeft = (id: string) =>
		listing.requests > 0 && !isSure(id) && !ledger.isSeen(id) && !asked.get(id)?.isAgain;
	for (const id of plan.asked.filter(isLeft)) read.untold.set(id, 'later');
	const wantedIds = plan.asked.filter((id) => !isLeft(id));
	const named = await readAsked(nodeKey(context), service, wantedIds, isSure).catch(
		(error: unknown) => {
			if (listing.requests === 0) throw error as Error;
			return new Map(wantedIds.map((id) => [id, 'failed' as const]));
		},
	);
	for (const [id, found] of named) {
		if (typeof found === 'object') read.others.push(found);
		else read.untold.set(id, found);
	}
	read.requests += read.others.length;

	for (const id of plan.owing) {
		const found = await readQuery(service, id).catch((error: unknown) => ({ error }));
		if (found && 'queryId' in found) read.others.push(found);
		else {
			// a list that was not read to its end may show it
			const isGone = found === undefined && (listing.isWhole || listing.extent === 'cut');
			const error = isGone || listing.requests === 0 ? new OperationalError(GONE) : found?.error;
			const isRefused = error !== undefined && triedInVain(context, id, error);
			(isRefused ? read.refused : read.inVain).push(id);
		}
	}

	const lean = plan.due.filter(({ record }) => isLean(record));
	const isNew = ({ queryId }: TriggerResult) => timesTried(context, queryId) === 0;
	const again = lean.filter((row) => !isNew(row)).slice(0, MAX_AGAIN);
	const wanted = [...lean.filter(isNew), ...again];
	read.requests += wanted.length;
	await Promise.all(
		wanted.map(async (row) => {
			const found = await readInTime(context, service, row.queryId);
			// what does not promise more than it holds is taken as it is listed
			const isEnough = found === 'refused' && row.hasStatus && !lacksResult(row);
			read.rows.set(row.queryId, isEnough ? row : found);
		}),
	);
	return read;
}

const GONE = 'The service neither lists it nor has it by its ID';
