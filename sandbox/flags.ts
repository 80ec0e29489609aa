import { parseArgs } from 'node:util';
import { packagedAssets } from './assets';
import {
	ipAddress,
	unchangedText,
	choice,
	parseListShapeKeys,
	mappingFile,
	parseWordsByStatus,
	url,
	UsageError,
	wholeNumberReader,
	type FlagReader,
} from './flagValues';
import { defaultOptions, type SandboxOptions } from './options';

interface Flag {
	option: keyof SandboxOptions;
	/** Name of the value in the help; a switch has none. */
	value?: string;
	help: string;
	read: FlagReader;
}

const groups: Record<string, Record<string, Flag>> = {
	Start: {
		host: {
			option: 'host',
			value: 'address',
			help: 'listen on this address; 0.0.0.0 lets containers and other machines in',
			read: ipAddress,
		},
		port: {
			option: 'port',
			value: 'n',
			help: 'listen on this port; 0 takes a free one',
			read: wholeNumberReader({ max: 65_535 }),
		},
		state: {
			option: 'state',
			value: 'file',
			help: 'read the state from this file, if it exists; write it at the end',
			read: unchangedText,
		},
	},
	Data: {
		seed: {
			option: 'seed',
			value: 'n',
			help: 'the same seed gives the same people, documents and secrets',
			read: wholeNumberReader(),
		},
		documents: {
			option: 'documents',
			value: 'n',
			help: 'documents in the largest collection',
			read: wholeNumberReader(),
		},
		'past-queries': {
			option: 'pastQueries',
			value: 'n',
			help: 'finished queries in the list from the start',
			read: wholeNumberReader(),
		},
	},
	'Speed and limits': {
		latency: {
			option: 'latency',
			value: 'ms',
			help: 'wait before each response',
			read: wholeNumberReader(),
		},
		'result-delay': {
			option: 'resultDelay',
			value: 'ms',
			help: 'time until a slow query has its result',
			read: wholeNumberReader(),
		},
		'rate-limit': {
			option: 'rateLimit',
			value: 'n',
			help: 'points per second and token; 0 switches the limit off',
			read: wholeNumberReader(),
		},
		'tax-rate-limit': {
			option: 'taxRateLimit',
			value: 'n',
			help: 'the same for the query service',
			read: wholeNumberReader(),
		},
		'tax-rate-limit-headers': {
			option: 'taxRateLimitHeaders',
			help: 'report its points in headers',
			read: unchangedText,
		},
		'clock-skew': {
			option: 'clockSkew',
			value: 'ms',
			help: "how far the services' clock is ahead; negative: behind",
			read: wholeNumberReader({ min: Number.MIN_SAFE_INTEGER }),
		},
	},
	'What the API references leave open': {
		'query-list': {
			option: 'queryList',
			value: 'form',
			help: 'GET /query: array, page ({data, total}), or summary (without query and response)',
			read: choice('array', 'page', 'summary'),
		},
		'list-order': {
			option: 'listOrder',
			value: 'order',
			help: 'order of GET /query: newest, oldest or none',
			read: choice('newest', 'oldest', 'none'),
		},
		'page-size': {
			option: 'pageSize',
			value: 'n',
			help: 'rows per GET /query; 0: 100 in a page, all in an array',
			read: wholeNumberReader(),
		},
		'list-shape': {
			option: 'listShape',
			value: 'key[,key]',
			help: "names of that page's rows and total (or hasMore, next): items,totalCount",
			read: parseListShapeKeys,
		},
		record: {
			option: 'record',
			value: 'form',
			help: 'full, or no-response: no response in GET /query/{id} and GET /query',
			read: choice('full', 'no-response'),
		},
		'record-envelope': {
			option: 'recordEnvelope',
			value: 'key',
			help: 'wrap one record in this key',
			read: unchangedText,
		},
		'immediate-records': {
			option: 'immediateRecords',
			help: 'CRF and RFC data return the record at once',
			read: unchangedText,
		},
		'status-words': {
			option: 'statusWords',
			value: 'words',
			help: 'for example success=DONE,pending=WAIT,failed=ERROR,notFound=NONE',
			read: parseWordsByStatus,
		},
		'token-lifetime': {
			option: 'tokenLifetime',
			value: 's',
			help: 'lifetime of an access token',
			read: wholeNumberReader(),
		},
		'token-shape': {
			option: 'tokenShape',
			value: 'form',
			help: 'names in the token response: snake, camel or data (below data)',
			read: choice('snake', 'camel', 'data'),
		},
		'token-expires-in': {
			option: 'tokenExpiresIn',
			value: 'form',
			help: 'its lifetime as number, text, zero, negative or absent',
			read: choice('number', 'text', 'zero', 'negative', 'absent'),
		},
		'no-refresh-token': {
			option: 'noRefreshToken',
			help: 'leave the refresh token out',
			read: unchangedText,
		},
		mapping: {
			option: 'mapping',
			value: 'file',
			help: 'JSON {creditProfile, taxQuery}: other names for paths, fields and words',
			read: mappingFile,
		},
	},
	Webhook: {
		'webhook-url': {
			option: 'webhookUrl',
			value: 'url',
			help: 'send results to this URL',
			read: url,
		},
		'webhook-signing': {
			option: 'webhookSigning',
			value: 'way',
			help: 'none, hmac, header, basic or standard (Standard Webhooks)',
			read: choice('none', 'hmac', 'header', 'basic', 'standard'),
		},
	},
};

const flags = Object.assign({}, ...Object.values(groups)) as Record<string, Flag>;

/** Undefined if one line cannot describe it. */
function standardOf(option: keyof SandboxOptions): string {
	const standard = defaultOptions[option];
	return standard === '' || ['object', 'boolean', 'undefined'].includes(typeof standard)
		? ''
		: ` [${String(standard)}]`;
}

const COLUMN = 29;

const lineOf = ([name, { value, help: text, option }]: [string, Flag]) => {
	const flag = `  --${name}${value ? ` <${value}>` : ''}`;
	return `${flag.padEnd(COLUMN)}${text}${standardOf(option)}`;
};

export const help = `The Credit Profile and the Tax Query service, simulated on this machine.

Usage: ${packagedAssets.command} [flags]

${Object.entries(groups)
	.map(([title, some]) => `${title}\n${Object.entries(some).map(lineOf).join('\n')}`)
	.join('\n\n')}

Output
${'  --json'.padEnd(COLUMN)}print one line of JSON when ready
${'  --help'.padEnd(COLUMN)}print this

The page shows what happens, steers it, and has example workflows for n8n.
`;

/** Throws a UsageError for an unknown flag or a malformed value. */
export function parseFlags(args: string[]): {
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
