import type { Mapping } from './apiMapping';

/** Describes the options of a sandbox. The command line offers each under its name in kebab-case. */
export interface SandboxOptions {
	/** Address at which it listens; 0.0.0.0: at every one of this machine. */
	host: string;
	/** TCP port; 0 takes a free one. */
	port: number;
	/** Gives equal people, collections and documents for an equal seed. */
	seed: number;
	/** Milliseconds before each answer of the two services. */
	latency: number;
	/** Points per second and token (CP §8); 0 switches the limiter off. */
	rateLimit: number;
	/** Limits the query service, of which TQ §8 shows none; 0: none. */
	taxRateLimit: number;
	/** Says whether that limiter reports its points in headers. */
	taxRateLimitHeaders: boolean;
	/** Milliseconds that the clock of both services goes before this machine's; negative: behind. */
	clockSkew: number;
	/** Seconds that an access token of the query service lives. */
	tokenLifetime: number;
	/** Milliseconds until an asynchronous query has its result. */
	resultDelay: number;
	/** Says whether CRF and RFC data answer with the record at once, which TQ §4.4 and §4.5 document too. */
	immediateRecords: boolean;
	/**
	 * Selects the response of `GET /query` (not shown, TQ §4.12): a plain array, a page `{data, total}`, or a page of
	 * rows without responses.
	 */
	queryList: 'array' | 'page' | 'summary';
	/** Gives the order in which `GET /query` lists queries: by time, or shuffled. */
	listOrder: 'newest' | 'oldest' | 'none';
	/** Rows of `GET /query` at most; 0: as many as the mapping says, else 100 of a page and all of an array. */
	pageSize: number;
	/** Keys under which a page has its rows, and its total (or `hasMore`, `next`); undefined: as queryList says. */
	listShape: { rows: string; total?: string } | undefined;
	/** Says whether `GET /query/{id}` and `GET /query` hold the response of a query (not shown, TQ §4.13). */
	record: 'full' | 'no-response';
	/** Key under which one record is answered; '': the record itself. */
	recordEnvelope: string;
	/** Says what the query service calls the states of a query. */
	statusWords: { success?: string; pending?: string; failed?: string };
	/** Selects the shape of the token response: OAuth's names, those in camel case, or below `data`. */
	tokenShape: 'snake' | 'camel' | 'data';
	/** Gives the token's lifetime in the response: seconds, seconds as text, 0, -1, or nothing. */
	tokenExpiresIn: 'number' | 'text' | 'zero' | 'negative' | 'absent';
	/** Says whether it holds no refresh token. */
	noRefreshToken: boolean;
	/** Old, finished queries that `GET /query` lists from the start. */
	pastQueries: number;
	/** Says where results are delivered; empty until one is registered by `PUT /sandbox/webhook`. */
	webhookUrl: string;
	/** Says how deliveries are signed until `PUT /sandbox/webhook` says otherwise. */
	webhookSigning: 'none' | 'hmac' | 'header' | 'basic' | 'standard';
	/** Number of documents in the largest collection. */
	documents: number;
	/** File from which the state is taken at the start, if it exists, and into which it is put at the end. */
	state: string;
	/** Says what this environment calls the paths, fields and words of the two documents. */
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
