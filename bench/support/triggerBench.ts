// The trigger's benchmarks share a published trigger that reports to a sink, queries, and senders of
// results.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { N8n } from '../../demo/startN8n';
import type { Sandbox } from '../../sandbox';
import { buildWorkflow } from '../../demo/workflow';
import { sandboxQueryClient } from './sandboxQueryClient';

/** Of the header with which deliveries are proved. */
export const WEBHOOK_HEADER_SECRET = 'whsec-bench';

/** A result that came out of the trigger. */
export interface Arrival {
	queryId: string;
	deliveryId: string;
	/** Milliseconds since 1970. */
	at: number;
}

export async function startTriggerOutputSink() {
	const arrivals: Arrival[] = [];
	const server = createServer((request, response) => {
		const { searchParams } = new URL(request.url ?? '', 'http://sink');
		const { queryId, deliveryId } = Object.fromEntries(searchParams);
		arrivals.push({ queryId, deliveryId, at: Date.now() });
		response.end('{}');
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		arrivals,
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		async close() {
			server.closeAllConnections();
			await new Promise((done) => server.close(done));
		},
	};
}

export async function createCredential(
	{ client }: Pick<N8n, 'client'>,
	{ taxQuery }: Sandbox,
): Promise<string> {
	return await client.createCredential('taxQueryApi', 'Tax Query sandbox', {
		baseUrl: taxQuery.baseUrl,
		grant: 'clientCredentials',
		clientId: taxQuery.clientId,
		clientSecret: taxQuery.clientSecret,
		pointsPerSecond: 0,
		...{
			webhookVerification: 'header',
			webhookSecret: WEBHOOK_HEADER_SECRET,
			webhookHeaderName: 'X-Secret',
		},
	});
}

/**
 * Publishes the trigger with a node behind it that reports to the sink. Returns the webhook's URL and the workflow.
 */
export async function publishTrigger(
	{ client, url }: Pick<N8n, 'client' | 'url'>,
	credentialId: string,
	name: string,
	parameters: object,
	sinkUrl: string,
): Promise<{ url: string; workflowId: string }> {
	const credentials = { taxQueryApi: { id: credentialId, name: 'Tax Query sandbox' } };
	const webhookId = `bench-${name}`;
	const nodes = [
		{
			name: 'Webhook',
			type: 'n8n-nodes-credit-profile.taxQueryTrigger',
			typeVersion: 1,
			webhookId,
			parameters,
			credentials,
		},
		{
			name: 'Sink',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				url: `=${sinkUrl}/?queryId={{ $json.queryId }}&deliveryId={{ $json.deliveryId }}`,
				options: {},
			},
		},
	];
	const id = await client.createWorkflow(buildWorkflow(name, nodes));
	await client.publish(id);
	return { url: `${url}/webhook/${webhookId}/tax-query`, workflowId: id };
}

/** Does what an operator does after a crash: nobody else starts again what n8n has marked as crashed. */
export async function retryCrashed(
	{ client }: Pick<N8n, 'client'>,
	workflowId: string,
	log: (line: string) => void,
): Promise<void> {
	const crashed = await client.executionsIn('crashed', workflowId);
	log(`retrying ${crashed.length} crashed executions`);
	for (const { id } of crashed) await client.retry(id);
}

/** Asks so many queries, evenly; returns their ids. */
export async function submitQueries(
	sandbox: Sandbox,
	many: number,
	perSecond: number,
): Promise<string[]> {
	const queries = await sandboxQueryClient(sandbox);
	const ids: string[] = [];
	for (let count = 0; count < many; count++) {
		ids.push(await queries.ask());
		await sleep(1000 / perSecond);
	}
	return ids;
}

/** Calls `deliver` with each result, once it is there and without waiting for the one before, until it is over. */
export async function pollAndDeliverFinishedQueries(
	sandbox: Sandbox,
	isOver: () => boolean,
	deliver: (result: { _id: string; updatedAt: string }, index: number) => Promise<unknown>,
): Promise<void> {
	type Row = { _id: string; status: string; updatedAt: string };
	const { service } = await sandboxQueryClient(sandbox);
	const seen = new Set<string>();
	const delivering: Array<Promise<unknown>> = [];
	while (!isOver()) {
		const { data } = await service.get<Row[]>('/query');
		for (const row of data) {
			if (row.status === 'PENDING' || seen.has(row._id)) continue;
			delivering.push(deliver(row, seen.size));
			seen.add(row._id);
		}
		await sleep(500);
	}
	await Promise.all(delivering);
}

export function countLostAndRepeatedArrivals(ids: string[], arrivals: Arrival[]) {
	const each = ids.map((id) => arrivals.filter(({ queryId }) => queryId === id));
	const times = (test: (count: number) => boolean) =>
		each.filter(({ length }) => test(length)).length;
	return {
		through: times((count) => count > 0),
		lost: times((count) => count === 0),
		twice: times((count) => count === 2),
		moreOften: times((count) => count > 2),
		unequal: each.filter((same) => new Set(same.map(({ deliveryId }) => deliveryId)).size > 1)
			.length,
	};
}
