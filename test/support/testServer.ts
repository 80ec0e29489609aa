import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on this machine that answers as a test wants it. */
export async function serve(answer: RequestListener) {
	const server = createServer(answer);
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		async close() {
			server.closeAllConnections();
			await new Promise((closed) => server.close(closed));
		},
	};
}

/** One for all tests of a group. */
export function serverForTestGroup(answer: RequestListener): { readonly url: string } {
	let server: Awaited<ReturnType<typeof serve>>;
	beforeAll(async () => (server = await serve(answer)));
	afterAll(async () => await server.close());
	return {
		get url() {
			return server.url;
		},
	};
}

/** Answers with JSON. */
export function respondJson(response: ServerResponse, body: unknown, status = 200): void {
	response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** The credential of a client of a query service that is served so, without a limit on its requests. */
export const credentialOfClient = (baseUrl: string, clientId: string) => ({
	...{ baseUrl, grant: 'clientCredentials', clientId, clientSecret: `Secret_of_${clientId}` },
	...{ pointsPerSecond: 0, accessToken: '' },
});
