import type { AddressInfo } from 'node:net';
import { buildApp } from './app';
import { createContext } from './createContext';
import { defaultOptions, type SandboxOptions } from './options';
import { restoreStateFile, saveStateFile } from './savedState';

export type { SandboxOptions } from './options';

export interface Sandbox {
	creditProfile: { baseUrl: string; token: string };
	taxQuery: { baseUrl: string; clientId: string; clientSecret: string };
	page: string;
	/** Closes sockets and timers at once, hanging ones too. */
	close(): Promise<void>;
}

/** A listening address as it is written in a URL; at every address means at the loopback one, too. */
function hostIn(address: string): string {
	if (['0.0.0.0', '::'].includes(address)) return '127.0.0.1';
	return address.includes(':') ? `[${address}]` : address;
}

/**
 * It listens on 127.0.0.1, unless the options name another address. Throws with code EADDRINUSE if the port is
 * taken.
 */
export async function startSandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
	const closing = new AbortController();
	const context = createContext({ ...defaultOptions, ...options }, closing.signal);
	const app = await buildApp(context);
	try {
		restoreStateFile(context);
	} catch (error) {
		closing.abort();
		throw error;
	}
	const { host } = context.options;
	await app.listen({ host, port: context.options.port });
	const { port } = app.server.address() as AddressInfo;
	const origin = `http://${hostIn(host)}:${port}`;
	const { token, clientId, clientSecret } = context.secrets;
	return {
		creditProfile: { baseUrl: origin, token },
		taxQuery: { baseUrl: `${origin}/api`, clientId, clientSecret },
		page: `${origin}/`,
		async close() {
			app.server.closeAllConnections();
			closing.abort();
			saveStateFile(context);
			await app.close();
		},
	};
}
