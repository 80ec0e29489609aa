import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { serve } from '../../support/testServer';

export interface Received {
	headers: IncomingHttpHeaders;
	/** Each value of a header that was sent more than once. */
	headersDistinct: NodeJS.Dict<string[]>;
	body: string;
	/** The body as it came. */
	bytes: Buffer;
}

/** A webhook's receiver on 127.0.0.1, which answers with the statuses given, the last one for ever. */
export async function startReceiver(...statuses: number[]) {
	const received: Received[] = [];
	const waiting: Array<() => void> = [];
	const { url, close } = await serve((request, response) => {
		void buffer(request).then((bytes) => {
			const status = statuses[Math.min(received.length, statuses.length - 1)] ?? 200;
			const { headers, headersDistinct } = request;
			received.push({ headers, headersDistinct, body: bytes.toString(), bytes });
			response.writeHead(status).end();
			for (const wake of waiting.splice(0)) wake();
		});
	});
	return {
		url: `${url}/hook`,
		...{ received, close },
		/** Resolves when so many deliveries have come. */
		async arrived(count: number): Promise<Received[]> {
			while (received.length < count) {
				await new Promise<void>((resolve) => waiting.push(resolve));
			}
			return received;
		},
	};
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
