import { type IWebhookFunctions, type IWebhookResponseData } from 'n8n-workflow';
import { raceAbort } from '../../shared/http/answerBody';
import { protectionOf } from '../../shared/personalData/personalData';
import { hasList } from '../queries/client';
import { connect } from '../../shared/transport/request';
import { taxQuery } from '../../shared/transport/service';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { nodeKey } from '../deliveries/emitter';
import { filterOf, tellLeftOut } from '../deliveries/filter';
import type { Look } from '../deliveries/look';
import { tellHourly } from '../deliveries/outage';
import { isDated, isPending, itemMaker, resultOf } from '../deliveries/result';
import { readSettings, type Settings } from '../deliveries/settings';
import { askLater } from '../deliveries/memory/node';
import { watcherOf, type ResultWatcher } from '../deliveries/watcher';
import {
	worstOf,
	type Answer,
	accepted,
	cannotAsk,
	later,
	notTaken,
	nothingNew,
	tooMany,
	tryAgain,
	unknown,
	unreachable,
} from './answers';
import { deploymentOf, proofOf } from './credentials';
import { isIdAlone, isWithoutResult, namedIn, readNamed, type Named } from './named';
import { readPayload } from './payload';
import { readRawBody } from './rawBody';
import { unrecognized, type Brought } from './unrecognized';
import { watcherSoon } from './watcherSoon';

/** A sender waits for the answer; after this long the result is on its way, but not known to have started. */
const PATIENCE_MS = 8_000;
/** Where the trigger also reads the list, that brings what n8n could not start: the sender need not wait for the start. */
const HANDED_OVER_MS = 5;
/** The most senders that wait at the same time. */
const MAX_WAITING = 200;
const RETRY_AFTER_SECONDS = 5;
const MAX_TAKEN = 5_000;
const REFUSED =
	'The Tax Query Trigger refuses deliveries (401): they do not prove by its webhook credential that they come from the service. If the service sent them, compare method, header names and secret with those of the service';

/**
 * Takes one delivery. Unless it proves where it comes from and confirmation is off, nothing of it is believed: it makes
 * the published trigger look now. Answers the sender by what came of it, in one place, and throws nothing: what is
 * thrown here would start an execution, failed, for each delivery.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const outcome = await take(context).catch((error: unknown): Answer => {
		const reason = error instanceof Error ? error.message : 'for an unknown reason';
		context.logger.error(`A delivery could not be handled: ${reason}`);
		return { status: 500, message: 'The delivery could not be handled' };
	});
	if (!('status' in outcome)) return outcome;
	const response = context.getResponseObject();
	if (outcome.status === 503) response.setHeader('Retry-After', String(RETRY_AFTER_SECONDS));
	response.status(outcome.status).json({ message: outcome.message });
	return { noWebhookResponse: true };
}

/** Messages of Standard Webhooks that were taken: a copy, or a replay within the tolerance, is not looked at again. */
const taken = new BoundedMap<string, true>(MAX_TAKEN);

async function take(context: IWebhookFunctions): Promise<Answer | IWebhookResponseData> {
	const settings = readSettings(context);
	const read = await readRawBody(context.getRequestObject());
	if ('status' in read) {
		const message = read.status === 413 ? 'The body is too large' : 'The body could not be read';
		return { status: read.status, message };
	}
	if (!settings.isAuthenticated) return await takeBody(context, settings, read.body);
	const { isAuthentic, messageId } = await proofOf(context, read.body);
	if (!isAuthentic) {
		tellHourly(`refused ${nodeKey(context)}`, () => context.logger.warn(REFUSED));
		return { status: 401, message: 'Unauthorized' };
	}
	const isTest = context.getMode() === 'manual';
	const message = messageId && !isTest ? `${nodeKey(context)} ${messageId}` : '';
	if (taken.has(message)) return nothingNew;
	const outcome = await takeBody(context, settings, read.body);
	const isTaken = !('status' in outcome) || outcome.status === 200;
	if (message && isTaken) taken.set(message, true);
	return outcome;
}

async function takeBody(
	context: IWebhookFunctions,
	settings: Settings,
	body: Buffer,
): Promise<Answer | IWebhookResponseData> {
	const payload = readPayload(body);
	let watcher = watcherOf(context);
	const isTest = context.getMode() === 'manual';
	if (!('announced' in payload)) {
		const isWanted = settings.isAuthenticated && settings.options.emitUnrecognized === true;
		if (payload.status !== 400 || !isWanted)
			return { status: payload.status, message: payload.reason };
		const { mapping, pseudonymKey } = await deploymentOf(context);
		const protection = protectionOf(settings.personalData, pseudonymKey);
		const brought = unrecognized(body, payload.reason, mapping, protection);
		return await bring(isTest ? undefined : watcher, [brought]);
	}
	const { announced } = payload;
	const asks = settings.receiveBy !== 'webhook';
	const deployment = await deploymentOf(context);
	const { mapping } = deployment;
	const isListed = asks && hasList(mapping);
	if (!watcher && !isTest && isListed) {
		askLater(context, namedIn(announced, mapping));
		return later; // this process has no trigger yet
	}
	if (!isTest) watcher ??= await watcherSoon(context);
	// what holds less than a record has another deliveryId than the listed one, which a look would start again
	const isWhole = announced.every(
		({ record }) => (record.response ?? undefined) !== undefined && isDated(record),
	);
	const canAsk = context.getNode().credentials?.taxQueryApi !== undefined;
	const isBare = announced.some((each) => isWithoutResult(each, mapping));
	const isByProof = !settings.isToBeConfirmed && (isWhole || !asks || isTest);
	if (isByProof && !canAsk && announced.every(isIdAlone)) return cannotAsk;
	if (isByProof && !(isBare && canAsk)) {
		const suits = filterOf(settings, mapping);
		const toItem = itemMaker(settings, deployment);
		const records = announced.map(({ record }) => record);
		if (watcher && !isTest) tellLeftOut(watcher.context, settings, mapping, records);
		const results = announced.flatMap(({ record, event }) => {
			const result = resultOf(record, mapping);
			return suits(result) ? [{ result, item: toItem(result, { event, confirmed: false }) }] : [];
		});
		return await bring(isTest ? undefined : watcher, results, isListed);
	}
	// not awaited here, or what was read of the body would be kept as long
	const named = namedIn(announced, mapping);
	if (!watcher || isTest) return bringNamed(context, settings, named);
	if (!isByProof) return lookFor(watcher, named, isListed);
	return inTime(bringNamed(context, settings, named, watcher), PATIENCE_MS, () => tryAgain);
}

/** The answer, or after so long another one; leaves no timer behind. */
const inTime = async <T>(
	answering: Promise<T>,
	patienceMs = PATIENCE_MS,
	otherwise = () => later,
): Promise<T | Answer> =>
	await raceAbort(answering, AbortSignal.timeout(patienceMs)).catch(() => otherwise());

let waiting = 0;

/** Lets the trigger look, and answers by what it sees of the queries that the delivery names. */
async function lookFor(watcher: ResultWatcher, named: Named[], isListed: boolean): Promise<Answer> {
	// what n8n has been given, or a list will show, comes without the sender
	let otherwise = isListed ? later : tryAgain;
	const look = watcher.lookSoon(named.map(({ queryId }) => queryId));
	if (waiting >= MAX_WAITING) {
		look.catch(() => {}); // the watcher tells why
		return otherwise;
	}
	const looking = look
		.then(async (seen) => {
			const answers = named.map(async (each) => await answerFor(each, seen, watcher));
			otherwise = later;
			return worstOf(await Promise.all(answers));
		})
		.catch(() => unreachable); // the watcher has told why
	waiting++;
	return await inTime(looking, PATIENCE_MS, () => otherwise).finally(() => {
		waiting--;
	});
}

async function answerFor(
	{ queryId, isSaidPending }: Named,
	{ queries, isWhole }: Look,
	{ settings }: ResultWatcher,
): Promise<Answer> {
	const notYet = settings.receiveBy === 'webhook' ? tryAgain : later;
	const shown = queries.get(queryId);
	if (shown === undefined) return isWhole ? unknown : notYet;
	if (shown === 'unknown') return unknown;
	if (shown === 'unread') return tooMany;
	if (shown === 'settled') return nothingNew;
	if (shown === 'pending') return isSaidPending ? nothingNew : notYet;
	const outcome = await shown;
	if (outcome === 'failed') return notTaken;
	return outcome === 'started' ? accepted : nothingNew;
}

/** Emits each by the published trigger; without one n8n starts the execution, which is at least once. */
async function bring(
	watcher: ResultWatcher | undefined,
	brought: Brought[],
	willBeListed = false,
): Promise<Answer | IWebhookResponseData> {
	if (brought.length === 0) return nothingNew;
	if (!watcher) {
		return {
			workflowData: [brought.map(({ item }) => item)],
			webhookResponse: { message: accepted.message },
		};
	}
	const outcomes = Promise.all(
		brought.map(async ({ result, item }) => await watcher.emitOnce(result, item)),
	).then((all) => {
		if (all.includes('failed')) return notTaken;
		return all.includes('started') ? accepted : nothingNew;
	});
	return willBeListed
		? await inTime(outcomes, HANDED_OVER_MS, () => accepted)
		: await inTime(outcomes);
}

/**
 * Reads the records by their IDs: in a test, in a process that has no published trigger, and of a proved delivery without
 * the response where nothing asks.
 */
async function bringNamed(
	context: IWebhookFunctions,
	settings: Settings,
	named: Named[],
	watcher?: ResultWatcher,
): Promise<Answer | IWebhookResponseData> {
	const connection = await connect(context, taxQuery);
	const { mapping } = connection;
	const suits = filterOf(settings, mapping);
	const toItem = itemMaker(settings, connection);
	const patienceMs = settings.isToBeConfirmed ? 0 : watcher ? Infinity : PATIENCE_MS;
	const reading = readNamed(nodeKey(context), connection, named, patienceMs);
	const records = await reading.catch(() => undefined);
	if (!records) return unreachable;
	if (records.every((record) => record === 'unknown')) return unknown;
	const isUnread = records.includes('later') || records.includes('failed');
	const all = records
		.filter((record) => typeof record === 'object')
		.map((record) => resultOf(record, mapping));
	const results = all.filter(suits);
	const isEarly = all.some((result) => isPending(result) && !suits(result));
	const isLeft = isUnread || (isEarly && !named.every(({ isSaidPending }) => isSaidPending));
	if (isLeft && !watcher) return tryAgain;
	const items = results.map((result) => ({ result, item: toItem(result, { confirmed: true }) }));
	const outcome = await bring(watcher, items);
	return isLeft ? tryAgain : outcome;
}
