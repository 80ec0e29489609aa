import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { createServiceConnection } from '../../shared/http/connection';
import { taxQuery } from '../../shared/http/services';
import { offersQueryList } from '../client/queryList';
import { dispositionOf, reportUnknownRecords } from '../trigger/disposition';
import type { EmitOutcome } from '../trigger/emitter';
import { runHourly } from '../trigger/errorReporting';
import type { PollReport } from '../trigger/pollOnce';
import { findPublishedSession, type PollingSession } from '../trigger/pollingSession';
import { fillResponse } from '../trigger/notification';
import { readNotified } from '../trigger/recordReader';
import { succeededWithoutResult } from '../trigger/result';
import { itemMaker, type ItemSettings } from '../trigger/item';
import type { TriggerSettings } from '../trigger/settings';
import type { AssessedNotification } from './trust';
import { respond, RESPONSES, type Fate, type ResponseToSender } from './response';

export interface Call {
	/** The response if handling takes longer than the sender waits. */
	soFar: ResponseToSender;
}

const NO_TRIGGER =
	'A webhook call came to a process that has no published Tax Query Trigger (503). In queue mode, send webhook calls to the main process';

/** The service's record may never hold the result (TQ §4.13). */
const bringsResult = ({ trusted, detail, isReportedPending }: AssessedNotification): boolean =>
	trusted !== undefined || (detail !== undefined && !isReportedPending);

/** Starts what a webhook call brings, or makes the trigger check for it; resolves with the response. */
export async function dispatch(
	context: IWebhookFunctions,
	settings: TriggerSettings,
	all: AssessedNotification[],
	itemSettings: ItemSettings,
	call: Call,
): Promise<ResponseToSender> {
	const trigger = findPublishedSession(context);
	const offersList = settings.receiveBy !== 'webhook' && offersQueryList(itemSettings.mapping);
	// a trigger that has not begun may take what the call names for old
	const isListed = offersList && trigger?.mustBegin !== true;
	const isSafe = (each: AssessedNotification) => isListed && !bringsResult(each);
	if (!trigger) {
		if (all.every(isSafe)) return RESPONSES.onList;
		runHourly(context, 'noTrigger', () => context.logger.warn(NO_TRIGGER));
		return RESPONSES.noTrigger;
	}
	call.soFar = respond(all.map((each) => (isSafe(each) ? 'onList' : 'notYet')));
	const trusted = all.filter((each) => each.trusted);
	const others = all.filter((each) => !each.trusted);
	const hasCredential = context.getNode().credentials?.[taxQuery.credentialType] !== undefined;
	const polled = hasCredential
		? pollFor(trigger, others, isListed, (fates) => {
				call.soFar = respond([...fates, ...trusted.map((): Fate => 'notYet')]);
			})
		: Promise.resolve(others.map((): Fate => 'noCredential'));
	return await Promise.all([emitTrusted(trigger, trusted, itemSettings), polled]).then((fates) =>
		respond(fates.flat()),
	);
}

const FATES: Record<EmitOutcome, Fate> = {
	started: 'started',
	duplicate: 'nothingNew',
	failed: 'notStarted',
};

/** Starts the results of a trusted webhook call as they were delivered. */
async function emitTrusted(
	trigger: PollingSession,
	all: AssessedNotification[],
	itemSettings: ItemSettings,
): Promise<Fate[]> {
	const { context, settings } = trigger;
	const toItem = itemMaker(settings, itemSettings);
	const results = all.flatMap(({ trusted }) => trusted ?? []);
	const records = results.map(({ result }) => result.record);
	reportUnknownRecords(context, settings.choice, itemSettings.mapping, records);
	return await Promise.all(
		results.map(async ({ result, origin }): Promise<Fate> => {
			if (dispositionOf(result, settings.choice) !== 'emit') return 'nothingNew';
			return FATES[await trigger.emitOnce(result, toItem(result, origin))];
		}),
	);
}

/** `onRead` gets the fates once the poll has read the queries. */
async function pollFor(
	trigger: PollingSession,
	all: AssessedNotification[],
	isListed: boolean,
	onRead: (fates: Fate[]) => void,
): Promise<Fate[]> {
	const left = all.filter(({ reported }) => !reported || !trigger.isOver(reported));
	if (left.length === 0) return all.map((): Fate => 'nothingNew'); // a poll would show nothing else
	const named = left.filter(({ queryId }) => trigger.hasRoomFor(queryId));
	const isSafeUnread = (each: AssessedNotification) => isListed && !bringsResult(each);
	const crowdedOut = left
		.filter((each) => !named.includes(each))
		.map((each): Fate => (isSafeUnread(each) ? 'onList' : 'busy'));
	const seen = await trigger
		.pollSoon(named.map((each) => [each.queryId, each]))
		.catch(() => undefined);
	if (!seen) {
		// the session has reported why, unless it was unpublished meanwhile
		const fate = (each: AssessedNotification): Fate =>
			trigger.isClosed && isSafeUnread(each)
				? 'onList'
				: trigger.isClosed
					? 'notYet'
					: 'unreachable';
		return [...named.map(fate), ...crowdedOut];
	}
	const isSafe = (each: AssessedNotification) =>
		isListed && (seen.held.has(each.queryId) || !bringsResult(each));
	onRead([...named.map((each): Fate => (isSafe(each) ? 'onList' : 'notYet')), ...crowdedOut]);
	const fates = named.map(async (each) => await fateOf(each, seen, isSafe(each)));
	return [...(await Promise.all(fates)), ...crowdedOut];
}

async function fateOf(
	{ queryId, isReportedPending }: AssessedNotification,
	{ queries, isWhole }: PollReport,
	isSafe: boolean,
): Promise<Fate> {
	const notYet: Fate = isSafe ? 'onList' : 'notYet';
	const progress = queries.get(queryId);
	switch (progress) {
		case undefined:
			return notYet;
		case 'pending':
			return isReportedPending ? 'nothingNew' : notYet;
		case 'settled':
			return 'nothingNew';
		case 'unknown':
			return 'unknown';
		case 'later':
			return isSafe && isWhole ? 'onList' : 'busy'; // another list may never show it
		case 'failed':
			return 'unreachable';
		default:
			return FATES[await progress];
	}
}

/** Has n8n start the execution of a test in the editor. */
export async function startTest(
	context: IWebhookFunctions,
	settings: TriggerSettings,
	all: AssessedNotification[],
	itemSettings: ItemSettings,
): Promise<ResponseToSender | IWebhookResponseData> {
	const toRead = all.filter(({ trusted }) => !trusted).map(({ queryId }) => queryId);
	if (toRead.length > 0 && context.getNode().credentials?.[taxQuery.credentialType] === undefined)
		return RESPONSES.noCredential;
	const readAll = async () => {
		const connection = await createServiceConnection(context, taxQuery);
		const reads = toRead.map(async (id) => [id, await readNotified(connection, id)] as const);
		return new Map(await Promise.all(reads));
	};
	const read = toRead.length === 0 ? undefined : await readAll().catch(() => undefined);
	const toItem = itemMaker(settings, itemSettings);
	const isWanted = ({ result }: NonNullable<AssessedNotification['trusted']>) =>
		dispositionOf(result, settings.choice) === 'emit';
	const brought = all.map((notification) => {
		const { queryId, trusted, isReportedPending } = notification;
		if (trusted) return isWanted(trusted) ? trusted : 'nothingNew';
		const reading = read?.get(queryId);
		if (typeof reading !== 'object' || !('found' in reading))
			return reading === 'unknown' ? 'unknown' : 'unreachable';
		const filled = fillResponse(reading.found, notification, itemSettings.mapping);
		const isWaiting =
			dispositionOf(filled.result, settings.choice) === 'wait' && !isReportedPending;
		if (isWaiting || succeededWithoutResult(filled.result)) return 'notYet';
		return isWanted(filled) ? filled : 'nothingNew';
	});
	const items = brought.flatMap((each) =>
		typeof each === 'object' ? [toItem(each.result, each.origin)] : [],
	);
	if (items.length === 0) return respond(brought.filter((each) => typeof each === 'string'));
	return { workflowData: [items], webhookResponse: { message: RESPONSES.started.message } };
}
