import {
	Expression,
	resolveWebhookDescriptionField,
	webhookDescriptionIsNativelyResolvable,
	type INode,
} from 'n8n-workflow';
import { webhookDescription } from '../../../../nodes/TaxQuery/trigger/description';

const node = (receiveBy: string): INode => ({
	id: '1',
	name: 'Trigger',
	type: 'n8n-nodes-credit-profile.taxQueryTrigger',
	typeVersion: 1,
	position: [0, 0],
	parameters: { receiveBy },
});

describe("the webhook's description", () => {
	it('is read by n8n without its expression engine', () => {
		expect(webhookDescriptionIsNativelyResolvable(webhookDescription)).toBe(true);
	});

	it.each([
		['both', 'POST'],
		['webhook', 'POST'],
		['asking', ''],
	])('gives the same method either way: %s', (receiveBy, method) => {
		const native = resolveWebhookDescriptionField(
			node(receiveBy),
			webhookDescription,
			'httpMethod',
		);
		const engine = new Expression('UTC').resolveSimpleParameterValue(
			webhookDescription.httpMethod,
			{ $parameter: node(receiveBy).parameters } as never,
		);
		expect([native, engine]).toEqual([{ resolved: true, value: method }, method]);
	});
});
