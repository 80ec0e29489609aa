import { createHash } from 'node:crypto';
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { protectionOf } from '../../shared/personalData/personalData';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { nodeKey } from '../deliveries/emitter';
import { filterOf, tellLeftOut } from '../deliveries/filter';
import { tellHourly } from '../deliveries/outage';
import { isDated, itemMaker, resultOf } from '../deliveries/result';
import { readSettings, type Settings } from '../deliveries/settings';
import { askLater } from '../deliveries/memory/node';
import { watcherOf, type ResultWatcher } from '../deliveries/watcher';
import { hasList } from '../queries/client';
import {
	answerFor,
	cannotAsk,
	later,
	nothingNew,
	tryAgain,
	unreachable,
	worstOf,
	type Answer,
} from './answers';
import { bring, bringNamed, bringShared, inTime, type Outcome } from './bring';
import { deploymentOf, proofOf } from './credentials';
import { isIdAlone, isWithoutResult, namedIn, type Named } from './named';
import { readPayload, readRawBody } from './payload';
import { unrecognized } from './unrecognized';
import { watcherSoon } from './watcherSoon';

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

async function take(context: IWebhookFunctions): Promise<Outcome> {
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
	// a service may use a query's ID for each of its messages
	const text = createHash('sha256').update(read.body).digest('hex');
	const message = messageId && !isTest ? `${nodeKey(context)} ${messageId} ${text}` : '';
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
): Promise<Outcome> {
	const payload = readPayload(body);
	let watcher = watcherOf(context);
	const isTest = context.getMode() === 'manual';
	if (!('announced' in payload)) {
		const isWanted = settings.isAuthenticated && settings.options.emitUnrecognized === true;
		if (payload.status !== 400 || !isWanted) {
			if (watcher && !isTest) ringFor(watcher, payload.reason);
			return { status: payload.status, message: payload.reason };
		}
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
	// not awaited here, or what was read of a body that nothing proves would be kept as long
	const named = namedIn(announced, mapping);
	const proved = isByProof ? announced : [];
	if (!watcher || isTest) return bringNamed(context, settings, named, proved);
	if (!isByProof) return lookFor(watcher, named, isListed);
	return inTime(bringShared(context, settings, named, proved, watcher), () => tryAgain);
}

/** What is not understood may tell of a result all the same: the trigger looks, as it does for any delivery. */
function ringFor(watcher: ResultWatcher, reason: string): void {
	const { context } = watcher;
	const told = `The Tax Query Trigger does not understand a delivery: ${reason}`;
	tellHourly(`unread ${nodeKey(context)}`, () => context.logger.warn(told));
	if (watcher.needsLooks) watcher.lookSoon([]).catch(() => {}); // the watcher tells why
}

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
	return await inTime(looking, () => otherwise).finally(() => {
		waiting--;
	});
}
