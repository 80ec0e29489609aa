import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import type { Announced } from '../shared/deliveries/payload';
import { resultOf } from '../shared/deliveries/result';
import { isNotFound } from '../shared/errors';
import { queryIdOf, readQueryRecord } from '../shared/queries';
import { connect } from '../shared/request';
import { taxQuery } from '../shared/service';

/** A sender waits for the answer, so a confirmation must not take long. */
const TIMEOUT_MS = 5_000;
const PATIENCE_MS = 2_000;

/** The service's own record, or the status to answer: it knows no such query, or could not be asked. */
export type Confirmation = { record: IDataObject } | { status: 404 | 503 };

/** Copies of a delivery that arrive together share one request; one of a later state must not get an earlier answer. */
const underWay = new Map<string, Promise<Confirmation>>();

/** Fetches a query from the service (§4.13). Never throws: why it could not be asked is told in n8n's log. */
export async function confirm(
	context: IWebhookFunctions,
	{ queryId, record }: Announced,
): Promise<Confirmation> {
	const { deliveryId } = resultOf(record);
	const key = [context.getWorkflow().id, context.getNode().id, deliveryId].join(' ');
	const running = underWay.get(key) ?? fetchRecord(context, queryId);
	underWay.set(key, running);
	return await running.finally(() => underWay.delete(key));
}

async function fetchRecord(context: IWebhookFunctions, queryId: string): Promise<Confirmation> {
	const failed = (error: unknown): Confirmation => {
		if (isNotFound(error)) return { status: 404 };
		const reason = error instanceof Error ? error.message : String(error);
		context.logger.warn(`A delivered result could not be confirmed with the service: ${reason}`);
		return { status: 503 };
	};
	return await connect(context, taxQuery)
		.then(
			async ({ send }) =>
				await send({
					method: 'GET',
					path: `/query/${encodeURIComponent(queryId)}`,
					timeoutMs: TIMEOUT_MS,
					patienceMs: PATIENCE_MS,
				}),
		)
		.then((answer) => {
			const record = readQueryRecord(answer);
			if (queryIdOf(record) === queryId) return { record };
			return failed(new Error('the service answered with another query'));
		})
		.catch(failed);
}
