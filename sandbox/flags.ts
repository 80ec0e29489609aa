import { parseArgs } from 'node:util';
import {
	asWritten,
	choice,
	listShape,
	mapping,
	statusWords,
	url,
	UsageError,
	wholeNumber,
	type Read,
} from './flagValues';
import { defaultOptions, type SandboxOptions } from './options';

interface Flag {
	option: keyof SandboxOptions;
	/** Name of the value in the help; a switch has none. */
	value?: string;
	help: string;
	read: Read;
}

const flags: Record<string, Flag> = {
	port: {
		option: 'port',
		value: 'n',
		help: 'port on 127.0.0.1; 0 takes a free one',
		read: wholeNumber({ max: 65_535 }),
	},
	seed: {
		option: 'seed',
		value: 'n',
		help: 'the same seed gives the same data and secrets',
		read: wholeNumber(),
	},
	documents: {
		option: 'documents',
		value: 'n',
		help: 'documents in the largest collection',
		read: wholeNumber(),
	},
	'past-queries': {
		option: 'pastQueries',
		value: 'n',
		help: 'old queries in the list from the start',
		read: wholeNumber(),
	},
	latency: {
		option: 'latency',
		value: 'ms',
		help: 'waited before each answer',
		read: wholeNumber(),
	},
	'rate-limit': {
		option: 'rateLimit',
		value: 'n',
		help: 'points per second and token; 0: off',
		read: wholeNumber(),
	},
	'tax-rate-limit': {
		option: 'taxRateLimit',
		value: 'n',
		help: 'the same for the query service',
		read: wholeNumber(),
	},
	'tax-rate-limit-headers': {
		option: 'taxRateLimitHeaders',
		help: 'and its points are told in headers',
		read: asWritten,
	},
	'clock-skew': {
		option: 'clockSkew',
		value: 'ms',
		help: "the services' clock before this one; negative: behind",
		read: wholeNumber({ min: Number.MIN_SAFE_INTEGER }),
	},
	'result-delay': {
		option: 'resultDelay',
		value: 'ms',
		help: 'until a slow query has its result',
		read: wholeNumber(),
	},
	'immediate-records': {
		option: 'immediateRecords',
		help: 'CRF and RFC data answer with the record at once',
		read: asWritten,
	},
	'query-list': {
		option: 'queryList',
		value: 'form',
		help: 'GET /query answers array, page: {data, total}, or lean: the same without query and response',
		read: choice('array', 'page', 'lean'),
	},
	'list-shape': {
		option: 'listShape',
		value: 'key[,key]',
		help: 'keys of the rows and the total (or hasMore, next) of that page',
		read: listShape,
	},
	'record-envelope': {
		option: 'recordEnvelope',
		value: 'key',
		help: 'one record is answered under this key',
		read: asWritten,
	},
	'status-words': {
		option: 'statusWords',
		value: 'words',
		help: 'e.g. success=DONE,pending=WAIT,failed=ERROR',
		read: statusWords,
	},
	'token-lifetime': {
		option: 'tokenLifetime',
		value: 's',
		help: 'life of an access token',
		read: wholeNumber(),
	},
	'token-shape': {
		option: 'tokenShape',
		value: 'form',
		help: 'names of the token answer: snake, camel, or data: below data',
		read: choice('snake', 'camel', 'data'),
	},
	'token-expires-in': {
		option: 'tokenExpiresIn',
		value: 'form',
		help: 'its life as number, text, zero, negative, or absent',
		read: choice('number', 'text', 'zero', 'negative', 'absent'),
	},
	'no-refresh-token': {
		option: 'noRefreshToken',
		help: 'and no refresh token comes with it',
		read: asWritten,
	},
	'webhook-url': {
		option: 'webhookUrl',
		value: 'url',
		help: 'where results are delivered',
		read: url,
	},
	'webhook-signing': {
		option: 'webhookSigning',
		value: 'way',
		help: 'none, hmac, header, basic, or standard: Standard Webhooks',
		read: choice('none', 'hmac', 'header', 'basic', 'standard'),
	},
	state: {
		option: 'state',
		value: 'file',
		help: 'the state is taken from it, if it exists, and put into it at the end',
		read: asWritten,
	},
	mapping: {
		option: 'mapping',
		value: 'file',
		help: 'JSON {creditProfile, taxQuery}: what this deployment calls paths, fields and words',
		read: mapping,
	},
};

/** What a person gets without the flag, if one line can tell it. */
function standardOf(option: keyof SandboxOptions): string {
	const standard = defaultOptions[option];
	return standard === '' || ['object', 'boolean', 'undefined'].includes(typeof standard)
		? ''
		: ` (${String(standard)})`;
}

export const help = `The Credit Profile and the Tax Query service, simulated on this machine.

  npm run sandbox -- [flags]

${Object.entries(flags)
	.map(([name, { value, help: text, option }]) => {
		const flag = `--${name}${value ? ` <${value}>` : ''}`;
		return `  ${flag.padEnd(26)} ${text}${standardOf(option)}`;
	})
	.join('\n')}
  --json                     print one line of JSON when ready
  --help                     print this
`;

/** What the command line asks for. Throws a UsageError for an unknown flag or a malformed value. */
export function readFlags(args: string[]): {
	json: boolean;
	help: boolean;
	options: Partial<SandboxOptions>;
} {
	let values: Record<string, string | boolean | undefined>;
	try {
		({ values } = parseArgs({
			args,
			options: {
				...Object.fromEntries(
					Object.entries(flags).map(([name, { value }]) => [
						name,
						{ type: value ? ('string' as const) : ('boolean' as const) },
					]),
				),
				json: { type: 'boolean' },
				help: { type: 'boolean' },
			},
		}));
	} catch (error) {
		const [line] = (error as Error).message.split('. ');
		throw new UsageError(`${line}; --help lists the flags`);
	}
	const options = Object.entries(flags).flatMap(([name, { option, read }]) => {
		const value = values[name];
		if (value === undefined) return [];
		return [[option, typeof value === 'string' ? read(value, name) : value]];
	});
	return {
		json: values.json === true,
		help: values.help === true,
		options: Object.fromEntries(options) as Partial<SandboxOptions>,
	};
}
