import { createHash } from 'node:crypto';
import type {
	IDataObject,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { readFilter, suits } from '../shared/deliveries/filter';
import { readPayload, type Announced } from '../shared/deliveries/payload';
import { Registry, registryOf } from '../shared/deliveries/registry';
import { isPending, resultOf, toItem, type Result } from '../shared/deliveries/result';
import { isAuthentic } from './authenticity';
import { confirm } from './confirm';
import { readRawBody } from './rawBody';

interface Refusal {
	status: number;
	reason: string;
}
/** A result and the item that it becomes. */
type Arrival = Result & { item: INodeExecutionData };

/**
 * Takes one delivery: checks where it comes from, reads it, confirms it, and hands over what is new. Answers the
 * sender 200 once n8n has accepted the execution, or if there is nothing new; 400, 401, 404, 413 or 503 otherwise,
 * and then starts nothing. Throws nothing: what is thrown here would start an execution, failed, for each delivery.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const isTest = context.getMode() === 'manual'; // it takes nothing away from production
	const memory = context.getWorkflowStaticData('global');
	const registry = isTest ? new Registry() : registryOf(String(context.getWorkflow().id), memory);
	const outcome = await arrivalsOf(context, registry);
	if ('status' in outcome) return answer(context, outcome.status, outcome.reason);
	const claimed = outcome.arrivals.filter((arrival) => registry.claim(arrival));
	if (claimed.length === 0) return answer(context, 200, 'Nothing new');
	if (!isTest) registry.save(memory);
	const response = context.getResponseObject();
	response.once('finish', () => {
		// n8n could not start the execution, and the sender will try again.
		if (response.statusCode >= 400) claimed.forEach((arrival) => registry.release(arrival));
	});
	return {
		workflowData: [claimed.map(({ item }) => item)],
		webhookResponse: { message: 'Accepted' },
	};
}

function answer(context: IWebhookFunctions, status: number, message: string): IWebhookResponseData {
	context.getResponseObject().status(status).json({ message });
	return { noWebhookResponse: true };
}

async function arrivalsOf(
	context: IWebhookFunctions,
	registry: Registry,
): Promise<{ arrivals: Arrival[] } | Refusal> {
	const request = context.getRequestObject();
	const read = await readRawBody(request);
	if ('status' in read) {
		const reason = read.status === 413 ? 'The body is too large' : 'The body could not be read';
		return { status: read.status, reason };
	}
	const { body } = read;
	if (context.getNodeParameter('authenticity') === 'credential') {
		const credential = await context
			.getCredentials('taxQueryWebhookApi')
			.catch((error: Error) => context.logger.error(`No webhook credential: ${error.message}`));
		if (!credential) return { status: 503, reason: 'The trigger is not set up' };
		if (!isAuthentic({ rawHeaders: request.rawHeaders, body }, credential, Date.now())) {
			return { status: 401, reason: 'Unauthorized' };
		}
	}
	const settings = context.getNodeParameter('settings', {}) as IDataObject;
	const payload = readPayload(body);
	if ('announced' in payload) {
		const unknown = payload.announced.filter(({ record }) => !isCopy(registry, resultOf(record)));
		return unknown.length > 0 ? await confirmed(context, unknown, settings) : { arrivals: [] };
	}
	if (payload.status === 400 && settings.emitUnrecognized === true) {
		return { arrivals: [unrecognized(body, payload.reason)] };
	}
	return payload;
}

/** Copies are not worth a request each. What names no time may mean a later state of the same query. */
const isCopy = (registry: Registry, result: Result) =>
	result.updatedAt !== undefined && registry.has(result);

async function confirmed(
	context: IWebhookFunctions,
	announced: Announced[],
	settings: IDataObject,
): Promise<{ arrivals: Arrival[] } | Refusal> {
	const filter = readFilter(
		context.getNodeParameter('services', []),
		context.getNodeParameter('statuses', []),
		settings,
	);
	const simplify = context.getNodeParameter('simplify', true) as boolean;
	const isToBeConfirmed = context.getNodeParameter('confirm', true) as boolean;
	const confirmations = await Promise.all(
		announced.map(async (each) =>
			isToBeConfirmed ? await confirm(context, each) : { record: each.record },
		),
	);
	const arrivals: Arrival[] = [];
	for (const [index, confirmation] of confirmations.entries()) {
		const { event, record: said } = announced[index];
		if (!('record' in confirmation)) {
			if (confirmation.status === 404) continue;
			return { status: 503, reason: 'The result could not be confirmed with the query service' };
		}
		const { record } = confirmation;
		const isSaidFinished =
			!isPending(said) || (said.status === undefined && !suits(record, filter));
		if (isToBeConfirmed && isPending(record) && isSaidFinished) {
			return { status: 503, reason: 'The query service does not have the result yet' };
		}
		if (!suits(record, filter)) continue;
		const result = resultOf(record);
		const item = toItem(result, { confirmed: isToBeConfirmed, simplify, event });
		arrivals.push({ ...result, item });
	}
	const isUnknown = confirmations.every((each) => 'status' in each);
	return isUnknown
		? { status: 404, reason: 'The query service does not know this query' }
		: { arrivals };
}

function unrecognized(body: Buffer, reason: string): Arrival {
	const deliveryId = createHash('sha256').update(body).digest('hex').slice(0, 32);
	const json = { unrecognized: true, reason, body: body.toString(), deliveryId, confirmed: false };
	return { deliveryId, updatedAt: undefined, record: {}, item: { json } };
}
