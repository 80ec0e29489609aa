import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { INodeParameters } from 'n8n-workflow';
import { codeOf } from './errorCode';
import { runNodeInEngine, type NodeRunOptions } from './runNodeInEngine';
import { credentialOfClient, serve } from './testServer';

/** It is JSON, or a text or bytes as they are. */
export interface StubResponse {
	status?: number;
	type?: string;
	body?: unknown;
	headers?: Record<string, string>;
}
export interface StubRequest {
	method: string;
	/** Without the query. */
	path: string;
	query: URLSearchParams;
	body: string;
	/** Earlier requests with this method and path count. */
	times: number;
}

/** A small service on this machine that answers as it likes, and says nothing more than it must. */
export async function startStubServer(respond: (request: StubRequest) => StubResponse) {
	const requests: StubRequest[] = [];
	const handle = async (request: IncomingMessage, response: ServerResponse) => {
		const { method = '', url = '' } = request;
		const { pathname: path, searchParams: query } = new URL(url, 'http://localhost');
		const times = requests.filter((one) => one.method === method && one.path === path).length;
		const one = { method, path, query, body: await text(request), times };
		requests.push(one);
		const { status = 200, type = 'application/json', body = '', headers = {} } = respond(one);
		response.writeHead(status, { ...(type && { 'content-type': type }), ...headers });
		response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
	};
	const service = await serve((request, response) => void handle(request, response));
	return { ...service, requests };
}

let runs = 0;
/** Runs the Tax Query node at a service that answers so; its token request is answered beside it. */
export async function runAgainstStub(
	respond: (requests: StubRequest) => StubResponse,
	parameters: INodeParameters,
	{
		token = { access_token: 'token-1' },
		apiMapping = {},
		...options
	}: Partial<NodeRunOptions> & { token?: unknown; apiMapping?: object } = {},
) {
	const service = await startStubServer((requests) =>
		requests.path === '/api/oauth/token' ? { body: token } : respond(requests),
	);
	const run = runNodeInEngine({
		type: 'taxQuery',
		parameters,
		executionId: `stub-run-${++runs}`,
		credentials: {
			taxQueryApi: {
				...credentialOfClient(`${service.url}/api/`, `client-${runs}`),
				clientSecret: 'secret-of-the-client',
				apiMapping: JSON.stringify(apiMapping),
			},
		},
		...options,
	});
	await run.catch(() => {});
	await service.close();
	const { items, error, hints, metadata } = await run;
	return {
		rows: items.map(({ json }) => json),
		/** The codes of items that failed. */
		codes: items.map(({ json }) => codeOf(json)),
		...{ error, hints, metadata, requests: service.requests },
	};
}
