import { join } from 'node:path';
import { fetchUnpooled } from './fetchUnpooled';
import { repositoryRoot } from './installPackage';
import type { Processes } from './processes';

/** `npm run sandbox -- --json` prints it once it listens. */
export interface SandboxAccess {
	creditProfile: { baseUrl: string; token: string };
	taxQuery: { baseUrl: string; clientId: string; clientSecret: string };
	/** Address of its page; the control plane is below it, at `sandbox/`. */
	page: string;
}

/** Flags are left out. */
export interface SandboxCommand {
	command: string;
	args: string[];
	cwd: string;
}

const fromSources: SandboxCommand = {
	command: process.execPath,
	args: ['--import', 'tsx', join(repositoryRoot, 'sandbox', 'cli.ts')],
	cwd: repositoryRoot,
};

/** Starts the sandbox, on a free port unless one is given, and waits until it listens. */
export async function startSandboxAndGetAccess(
	processes: Processes,
	{ command, args, cwd }: SandboxCommand = fromSources,
	flags: string[] = [],
	port = 0,
): Promise<SandboxAccess> {
	return await new Promise<SandboxAccess>((resolve, reject) => {
		const sandbox = processes.start(
			command,
			[...args, '--json', '--port', String(port), ...flags],
			{
				cwd,
				onLine: (line) => {
					if (line.startsWith('{')) resolve(JSON.parse(line) as SandboxAccess);
				},
			},
		);
		void sandbox.exited.then((code) =>
			reject(new Error(`The sandbox ended with ${code}:\n${sandbox.tail()}`)),
		);
	});
}

/** Only a sandbox of the sources serves it. */
export const sandboxServedDocsUrl = ({ page }: SandboxAccess): string =>
	new URL('repository/', page).href;

/** Registers with the sandbox where to deliver results. Throws if it does not accept the address. */
export async function registerWebhook(sandbox: SandboxAccess, url: string): Promise<void> {
	const response = await fetchUnpooled(new URL('sandbox/webhook', sandbox.page), {
		method: 'PUT',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ url }),
	});
	if (!response.ok) {
		throw new Error(
			`The sandbox did not accept the webhook URL: ${response.status} ${await response.text()}`,
		);
	}
}
