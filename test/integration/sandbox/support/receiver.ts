import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Received {
	headers: IncomingHttpHeaders;
	body: string;
}

/** A webhook's receiver on 127.0.0.1, which answers with the statuses given, the last one for ever. */
export async function startReceiver(...statuses: number[]) {
	const received: Received[] = [];
	const waiting: Array<() => void> = [];
	const server = createServer((request, response) => {
		void text(request).then((body) => {
			const status = statuses[Math.min(received.length, statuses.length - 1)] ?? 200;
			received.push({ headers: request.headers, body });
			response.writeHead(status).end();
			for (const wake of waiting.splice(0)) wake();
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
		received,
		/** Resolves when so many deliveries have come. */
		async arrived(count: number): Promise<Received[]> {
			while (received.length < count) {
				await new Promise<void>((resolve) => waiting.push(resolve));
			}
			return received;
		},
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
