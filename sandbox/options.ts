import type { Mapping } from './apiMapping';

/** The command line offers each under its name in kebab-case. */
export interface SandboxOptions {
	/** Address at which it listens; 0.0.0.0: at every one of this machine. */
	host: string;
	/** TCP port; 0 takes a free one. */
	port: number;
	/** An equal seed gives equal people, collections and documents. */
	seed: number;
	/** Milliseconds before each answer of the two services. */
	latency: number;
	/** Points per second and token (CP §8); 0 switches the limiter off. */
	rateLimit: number;
	/** Limits the query service, of which TQ §8 shows none; 0: none. */
	taxRateLimit: number;
	/** The limiter of the query service reports its points in headers. */
	taxRateLimitHeaders: boolean;
	/** Milliseconds that the clock of both services goes before this machine's; negative: behind. */
	clockSkew: number;
	/** Seconds that an access token of the query service lives. */
	tokenLifetime: number;
	/** Milliseconds until an asynchronous query has its result. */
	resultDelay: number;
	/** CRF and RFC data answer with the record at once, which TQ §4.4 and §4.5 document too. */
	immediateRecords: boolean;
	/**
	 * TQ §4.12 shows no response: it is a plain array, a page `{data, total}`, or a page of rows without responses.
	 */
	queryList: 'array' | 'page' | 'summary';
	/** Queries come by time, or shuffled. */
	listOrder: 'newest' | 'oldest' | 'none';
	/** Rows of `GET /query` at most; 0: as many as the mapping says, else 100 of a page and all of an array. */
	pageSize: number;
	/** Keys under which a page has its rows, and its total (or `hasMore`, `next`); undefined: as queryList says. */
	listShape: { rows: string; total?: string } | undefined;
	/** `GET /query/{id}` and `GET /query` hold the response of a query, or not (not shown, TQ §4.13). */
	record: 'full' | 'no-response';
	/** Key under which one record is answered; '': the record itself. */
	recordEnvelope: string;
	/** Without `notFound`, nobody found is a failure like any. */
	statusWords: Partial<Record<'success' | 'pending' | 'failed' | 'notFound', string>>;
	/** The names are OAuth's, those in camel case, or those below `data`. */
	tokenShape: 'snake' | 'camel' | 'data';
	/** It is in seconds, in seconds as text, 0, -1, or left out. */
	tokenExpiresIn: 'number' | 'text' | 'zero' | 'negative' | 'absent';
	noRefreshToken: boolean;
	/** Old, finished queries that `GET /query` lists from the start. */
	pastQueries: number;
	/** It is empty until one is registered by `PUT /sandbox/webhook`. */
	webhookUrl: string;
	/** `PUT /sandbox/webhook` may change it. */
	webhookSigning: 'none' | 'hmac' | 'header' | 'basic' | 'standard';
	/** Number of documents in the largest collection. */
	documents: number;
	/** File from which the state is taken at the start, if it exists, and into which it is put at the end. */
	state: string;
	mapping: Mapping;
}

export const defaultOptions: SandboxOptions = {
	host: '127.0.0.1',
	port: 0,
	seed: 1,
	latency: 0,
	rateLimit: 10,
	taxRateLimit: 0,
	taxRateLimitHeaders: false,
	clockSkew: 0,
	tokenLifetime: 3600,
	resultDelay: 1500,
	immediateRecords: false,
	queryList: 'array',
	listOrder: 'newest',
	pageSize: 0,
	listShape: undefined,
	record: 'full',
	recordEnvelope: '',
	statusWords: {},
	tokenShape: 'snake',
	tokenExpiresIn: 'number',
	noRefreshToken: false,
	pastQueries: 0,
	webhookUrl: '',
	webhookSigning: 'none',
	documents: 12_000,
	state: '',
	mapping: {},
};
