import {
	NodeApiError,
	NodeConnectionTypes,
	type IDataObject,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';
import { connect } from '../shared/request';
import { taxQuery } from '../shared/service';
import { queryIdOf } from './payload';

/** A sender waits for the answer, so the confirmation must not take long. */
const CONFIRMATION_TIMEOUT_MS = 10_000;

export class TaxQueryTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Tax Query Trigger',
		name: 'taxQueryTrigger',
		icon: { light: 'file:../../icons/taxQuery.svg', dark: 'file:../../icons/taxQuery.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: 'On query result',
		description: 'Starts the workflow when the query service delivers the result of a query',
		defaults: { name: 'Tax Query Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'taxQueryApi', required: true }],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				path: 'tax-query',
			},
		],
		properties: [
			{
				displayName:
					'Register the webhook URL above with the query service as the address that results are delivered to. What is delivered is only taken as a hint: the node fetches the query from the service by its ID and emits that record, so a forged delivery cannot enter the workflow.',
				name: 'registrationNotice',
				type: 'notice',
				default: '',
			},
		],
	};

	/** The document shows no endpoint for registration (§6.2): the operator registers the URL by hand. */
	webhookMethods = {
		default: {
			async checkExists() {
				return true;
			},
			async create() {
				return true;
			},
			async delete() {
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		const answer = (status: number, message: string): IWebhookResponseData => {
			this.getResponseObject().status(status).json({ message });
			return { noWebhookResponse: true };
		};
		const queryId = queryIdOf(this.getBodyData());
		if (queryId === undefined) return answer(400, 'The body names no query');

		const record = await connect(this, taxQuery)
			.then(
				async (connection) =>
					await connection.send({
						method: 'GET',
						path: `/query/${encodeURIComponent(queryId)}`,
						timeoutMs: CONFIRMATION_TIMEOUT_MS,
					}),
			)
			.catch((error: unknown) => (error instanceof NodeApiError && error.httpCode) || 'fault');
		if (record === '404') return answer(404, 'The query service does not know this query');
		if (typeof record === 'string') {
			return answer(503, 'The result could not be confirmed with the query service');
		}
		return { workflowData: [this.helpers.returnJsonArray(record as IDataObject)] };
	}
}
