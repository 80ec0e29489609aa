import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { raceAbort } from '../../shared/http/answerBody';
import { connect } from '../../shared/transport/request';
import { taxQuery } from '../../shared/transport/service';
import { isRepeated, nodeKey } from '../deliveries/emitter';
import { filterOf } from '../deliveries/filter';
import { isPending, itemMaker, resultOf } from '../deliveries/result';
import type { Settings } from '../deliveries/settings';
import type { ResultWatcher } from '../deliveries/watcher';
import {
	accepted,
	later,
	nothingNew,
	notTaken,
	tooMany,
	tryAgain,
	unknown,
	unreachable,
	type Answer,
} from './answers';
import { holdsResult, readNamed, type Named } from './named';
import type { Announced } from './payload';
import type { Brought } from './unrecognized';

/** A sender waits for the answer; after this long the result is on its way, but not known to have started. */
const PATIENCE_MS = 8_000;
/** Where the trigger also reads the list, that brings what n8n could not start: the sender need not wait for the start. */
const HANDED_OVER_MS = 5;
/** The most deliveries whose records are being read at the same time. */
const MAX_READING = 200;

/** What came of a delivery: the sender's answer, or what n8n is to start and answer. */
export type Outcome = Answer | IWebhookResponseData;

/** The answer, or after eight seconds another one; leaves no timer behind. */
export const inTime = async <T>(
	answering: Promise<T>,
	otherwise = () => later,
	patienceMs = PATIENCE_MS,
): Promise<T | Answer> =>
	await raceAbort(answering, AbortSignal.timeout(patienceMs)).catch(() => otherwise());

/** Emits each by the published trigger; without one n8n starts the execution, which is at least once. */
export async function bring(
	watcher: ResultWatcher | undefined,
	brought: Brought[],
	willBeListed = false,
): Promise<Outcome> {
	if (brought.length === 0) return nothingNew;
	if (!watcher) {
		return {
			workflowData: [brought.map(({ item }) => item)],
			webhookResponse: { message: accepted.message },
		};
	}
	const fresh = brought.filter(({ result }) => !isRepeated(watcher.context, result));
	const outcomes = Promise.all(
		fresh.map(async ({ result, item }) => await watcher.emitOnce(result, item)),
	).then((all) => {
		if (all.includes('failed')) return notTaken;
		return all.includes('started') ? accepted : nothingNew;
	});
	return willBeListed
		? await inTime(outcomes, () => accepted, HANDED_OVER_MS)
		: await inTime(outcomes);
}

/** Deliveries whose records are being read, by node and IDs. */
const reading = new Map<string, Promise<Outcome>>();

/** As `bringNamed`, by the published trigger; a copy that comes while the records are being read shares the reading. */
export async function bringShared(
	context: IWebhookFunctions,
	settings: Settings,
	named: Named[],
	proved: Announced[],
	watcher: ResultWatcher,
): Promise<Outcome> {
	const key = [nodeKey(context), ...named.map(({ queryId }) => queryId).sort()].join(' ');
	const running = reading.get(key);
	if (running) return await running;
	if (reading.size >= MAX_READING) return tooMany;
	const bringing = bringNamed(context, settings, named, proved, watcher);
	reading.set(key, bringing);
	return await bringing.finally(() => reading.delete(key));
}

/**
 * Reads the records by their IDs: in a test, in a process that has no published trigger, and of a proved delivery without
 * the response where nothing asks. What the service does not know is taken as a proved delivery brings it.
 */
export async function bringNamed(
	context: IWebhookFunctions,
	settings: Settings,
	named: Named[],
	proved: Announced[],
	watcher?: ResultWatcher,
): Promise<Outcome> {
	const connection = await connect(context, taxQuery);
	const { mapping } = connection;
	const suits = filterOf(settings, mapping);
	const toItem = itemMaker(settings, connection);
	const patienceMs = settings.isToBeConfirmed ? 0 : watcher ? Infinity : PATIENCE_MS;
	const reads = readNamed(nodeKey(context), connection, named, patienceMs, watcher);
	const read = await reads.catch(() => undefined);
	if (!read) return unreachable;

	const unknowns = proved.filter(({ queryId }) => read.get(queryId) === 'unknown');
	const asSent = unknowns.filter(holdsResult);
	if (unknowns.length === 0 && [...read.values()].every((what) => what === 'unknown'))
		return unknown;
	const isUnread =
		unknowns.length > asSent.length ||
		[...read.values()].some((what) => what === 'later' || what === 'failed');
	const all = [
		...[...read.values()]
			.filter((record) => typeof record === 'object')
			.map((record) => ({ record, event: undefined, confirmed: true })),
		...asSent.map(({ record, event }) => ({ record, event, confirmed: false })),
	].map(({ record, ...origin }) => ({ result: resultOf(record, mapping), origin }));
	const isEarly = all.some(({ result }) => isPending(result) && !suits(result));
	const isLeft = isUnread || (isEarly && !named.every(({ isSaidPending }) => isSaidPending));
	if (isLeft && !watcher) return tryAgain;
	const brought = all
		.filter(({ result }) => suits(result))
		.map(({ result, origin }) => ({ result, item: toItem(result, origin) }));
	const outcome = await bring(watcher, brought);
	return isLeft ? tryAgain : outcome;
}
