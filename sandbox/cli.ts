import { help, parseFlags } from './flags';
import { UsageError } from './flagValues';
import type { Sandbox } from './index';

function describe({ creditProfile, taxQuery, page }: Sandbox): string {
	return `Sandbox ready. Page: ${page}

Credit Profile service
  base URL       ${creditProfile.baseUrl}
  API token      ${creditProfile.token}
Tax and Identity Query service
  base URL       ${taxQuery.baseUrl}
  client id      ${taxQuery.clientId}
  client secret  ${taxQuery.clientSecret}

Ctrl-C stops it.`;
}

async function main(): Promise<void> {
	const { json, help: wantsHelp, options } = parseFlags(process.argv.slice(2));
	if (wantsHelp) {
		process.stdout.write(help);
		return;
	}
	const { startSandbox } = await import('./index'); // not loaded for a flag that is wrong
	const sandbox = await startSandbox(options);
	const { creditProfile, taxQuery, page } = sandbox;
	let isClosing = false;
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
		process.on(signal, () => {
			if (isClosing) return; // Ctrl-C comes twice: from the terminal, and from whoever started this
			isClosing = true;
			void sandbox.close();
		});
	}
	console.log(json ? JSON.stringify({ creditProfile, taxQuery, page }) : describe(sandbox));
}

main().catch((error: NodeJS.ErrnoException) => {
	if (error instanceof UsageError) {
		console.error(error.message);
		process.exitCode = 2;
		return;
	}
	const taken = error.code === 'EADDRINUSE';
	console.error(
		taken ? `${error.message.replace(/^listen /, '')}: choose another with --port` : error,
	);
	process.exitCode = 1;
});
