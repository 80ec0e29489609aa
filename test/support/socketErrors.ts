import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

const CHANNEL = 'net.client.socket';

/** Collects the error codes of connections that this process could not make while `work` runs. */
export async function collectSocketErrorsDuring<T>(
	work: (first: Promise<string>) => Promise<T>,
): Promise<string[]> {
	const codes: string[] = [];
	let resolveFirst: (code: string) => void;
	const first = new Promise<string>((resolve) => (resolveFirst = resolve));
	const onSocket = (message: unknown) => {
		const { socket } = message as { socket: Socket };
		socket.once('error', ({ code = '' }: NodeJS.ErrnoException) => {
			codes.push(code);
			resolveFirst(code);
		});
	};
	subscribe(CHANNEL, onSocket);
	await work(first).finally(() => unsubscribe(CHANNEL, onSocket));
	return codes;
}
