import { parseArgs } from 'node:util';
import { startSandbox, type Sandbox } from './index';
import { defaultOptions, type SandboxOptions } from './options';

/** Thrown for a command line that cannot be read; the message is the one line that the user sees. */
class UsageError extends Error {}

interface Flag {
	option: keyof SandboxOptions;
	/** Name of the value in the help. */
	value: string;
	help: string;
	max?: number;
	/** The only values there are. */
	choices?: string[];
}

const flags: Record<string, Flag> = {
	port: { option: 'port', value: 'n', help: 'port on 127.0.0.1; 0 takes a free one', max: 65_535 },
	seed: { option: 'seed', value: 'n', help: 'the same seed gives the same data and secrets' },
	latency: { option: 'latency', value: 'ms', help: 'waited before each answer' },
	'rate-limit': { option: 'rateLimit', value: 'n', help: 'points per second and token; 0: off' },
	'token-lifetime': { option: 'tokenLifetime', value: 's', help: 'life of an access token' },
	'result-delay': { option: 'resultDelay', value: 'ms', help: 'until a slow query has its result' },
	'query-list': {
		option: 'queryList',
		value: 'form',
		help: 'GET /query answers array, or page: {data, total}',
		choices: ['array', 'page'],
	},
	'webhook-url': { option: 'webhookUrl', value: 'url', help: 'where results are delivered' },
	documents: { option: 'documents', value: 'n', help: 'documents in the largest collection' },
};

const help = `The Credit Profile and the Tax Query service, simulated on this machine.

  npm run sandbox -- [flags]

${Object.entries(flags)
	.map(([name, { value, help: text, option }]) => {
		const standard = defaultOptions[option];
		return `  ${`--${name} <${value}>`.padEnd(24)}${text}${standard === '' ? '' : ` (${standard})`}`;
	})
	.join('\n')}
  --json                  print one line of JSON when ready
  --help                  print this
`;

function readNumber(name: string, text: string, max = Number.MAX_SAFE_INTEGER): number {
	if (!/^\d+$/.test(text) || Number(text) > max) {
		const range = max === Number.MAX_SAFE_INTEGER ? '0 or more' : `0 to ${max}`;
		throw new UsageError(`--${name} must be a whole number (${range}), not "${text}"`);
	}
	return Number(text);
}

function readChoice(name: string, text: string, choices: string[]): string {
	if (choices.includes(text)) return text;
	throw new UsageError(`--${name} must be ${choices.join(' or ')}, not "${text}"`);
}

function readUrl(name: string, text: string): string {
	if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
	throw new UsageError(`--${name} must be a URL beginning with http:// or https://, not "${text}"`);
}

/** What the command line asks for. Throws a UsageError for an unknown flag or a malformed value. */
function read(args: string[]): { json: boolean; help: boolean; options: Partial<SandboxOptions> } {
	let values: Record<string, string | boolean | undefined>;
	try {
		({ values } = parseArgs({
			args,
			options: {
				...Object.fromEntries(
					Object.keys(flags).map((name) => [name, { type: 'string' as const }]),
				),
				json: { type: 'boolean' },
				help: { type: 'boolean' },
			},
		}));
	} catch (error) {
		const [line] = (error as Error).message.split('. ');
		throw new UsageError(`${line}; --help lists the flags`);
	}
	const options = Object.entries(flags).flatMap(([name, { option, max, choices }]) => {
		const text = values[name];
		if (typeof text !== 'string') return [];
		if (choices) return [[option, readChoice(name, text, choices)]];
		const isNumber = typeof defaultOptions[option] === 'number';
		return [[option, isNumber ? readNumber(name, text, max) : readUrl(name, text)]];
	});
	return {
		json: values.json === true,
		help: values.help === true,
		options: Object.fromEntries(options) as Partial<SandboxOptions>,
	};
}

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
	const { json, help: wantsHelp, options } = read(process.argv.slice(2));
	if (wantsHelp) {
		process.stdout.write(help);
		return;
	}
	const sandbox = await startSandbox(options);
	const { creditProfile, taxQuery, page } = sandbox;
	console.log(json ? JSON.stringify({ creditProfile, taxQuery, page }) : describe(sandbox));
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		process.once(signal, () => void sandbox.close());
	}
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
