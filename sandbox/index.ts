import { setMaxListeners } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buildApp } from './app';
import { secretsOf, type SandboxContext } from './context';
import { defaultOptions, type SandboxOptions } from './options';
import { People } from './people';
import { RequestLog } from './requests';
import { Ledger } from './taxQuery/ledger';
import { QueryStore } from './taxQuery/store';
import { Webhooks } from './webhook';

export type { SandboxOptions } from './options';

export interface Sandbox {
	creditProfile: { baseUrl: string; token: string };
	taxQuery: { baseUrl: string; clientId: string; clientSecret: string };
	/** Address of the page that shows and steers the sandbox. */
	page: string;
	/** Closes sockets and timers at once, hanging ones too. */
	close(): Promise<void>;
}

/**
 * Starts both services on 127.0.0.1. In: the options that differ from the default. Out: addresses and secrets.
 * Throws with code EADDRINUSE if the port is taken.
 */
export async function startSandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
	const closing = new AbortController();
	setMaxListeners(0, closing.signal); // one for each query that waits for its result
	const chosen = { ...defaultOptions, ...options };
	const shared = {
		options: chosen,
		secrets: secretsOf(chosen.seed),
		people: new People(chosen.seed),
		requests: new RequestLog(),
		ledger: new Ledger(),
		closing: closing.signal,
	};
	const webhooks = new Webhooks(shared);
	const queries = new QueryStore({ ...shared, webhooks });
	const context: SandboxContext = { ...shared, webhooks, queries };

	const app = await buildApp(context);
	await app.listen({ host: '127.0.0.1', port: chosen.port });
	const { port } = app.server.address() as AddressInfo;
	const origin = `http://127.0.0.1:${port}`;
	const { token, clientId, clientSecret } = context.secrets;
	return {
		creditProfile: { baseUrl: origin, token },
		taxQuery: { baseUrl: `${origin}/api`, clientId, clientSecret },
		page: `${origin}/`,
		async close() {
			app.server.closeAllConnections();
			closing.abort();
			await app.close();
		},
	};
}
