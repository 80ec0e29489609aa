import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fetchUnpooled } from '../../../demo/fetchUnpooled';
import { signUpOwner } from '../../../demo/n8nClient';

const servers: Array<ReturnType<typeof createServer>> = [];
async function serve(listener: RequestListener): Promise<string> {
	const server = createServer(listener).listen(0, '127.0.0.1');
	servers.push(server);
	await once(server, 'listening');
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
afterEach(() => {
	for (const server of servers.splice(0)) {
		server.closeAllConnections();
		server.close();
	}
});

describe('fetchUnpooled', () => {
	it('opens a connection for each request', async () => {
		const connections = new Set<unknown>();
		const url = await serve(({ socket }, response) => {
			connections.add(socket);
			response.end();
		});
		for (let sent = 0; sent < 3; sent++) await fetchUnpooled(url, { method: 'POST', body: 'x' });
		expect(connections.size).toBe(3);
	});

	it('sends a POST once and rejects when its connection is reset', async () => {
		let requests = 0;
		const url = await serve(({ socket }) => {
			requests++;
			socket.resetAndDestroy();
		});
		await expect(fetchUnpooled(url, { method: 'POST', body: 'x' })).rejects.toMatchObject({
			cause: { code: 'ECONNRESET' },
		});
		expect(requests).toBe(1);
	});

	it('rejects when its signal aborts', async () => {
		const gone = new AbortController();
		const url = await serve(() => gone.abort());
		await expect(fetchUnpooled(url, { signal: gone.signal })).rejects.toMatchObject({
			name: 'AbortError',
		});
	});

	it('sends and reads what fetch does', async () => {
		const url = await serve((request, response) => {
			void text(request).then((body) => {
				response.setHeader('set-cookie', ['a=1', 'b=2']);
				response.writeHead(418).end(JSON.stringify([request.method, request.headers.type, body]));
			});
		});
		const response = await fetchUnpooled(url, { method: 'PUT', headers: { type: 'x' }, body: 'ñ' });
		expect([response.status, response.ok, response.headers.getSetCookie()]).toEqual([
			418,
			false,
			['a=1', 'b=2'],
		]);
		expect(await response.json()).toEqual(['PUT', 'x', 'ñ']);
	});

	it('reads a response without a body', async () => {
		const url = await serve((_request, response) => response.writeHead(204).end());
		expect(await (await fetchUnpooled(url)).text()).toBe('');
	});
});

describe("the demo's n8n client", () => {
	it('resends a POST that n8n did not process because its database was busy', async () => {
		const met: Array<string | undefined> = [];
		const url = await serve((request, response) => {
			met.push(request.url);
			const isBusy = met.length === 1;
			response
				.writeHead(isBusy ? 503 : 200)
				.end(isBusy ? '' : JSON.stringify({ data: { rawApiKey: 'key' } }));
		});
		await signUpOwner(url, { email: 'owner@demo.invalid', password: 'x' });
		expect(met).toEqual(['/rest/owner/setup', '/rest/owner/setup', '/rest/api-keys']);
	});
});
