import type { Mapping } from './mapping';

/** What a sandbox is started with; the command line offers the same under the same names in kebab-case. */
export interface SandboxOptions {
	/** Address at which it listens; 0.0.0.0: at every one of this machine. */
	host: string;
	/** TCP port; 0 takes a free one. */
	port: number;
	/** The same seed gives the same people, collections and documents. */
	seed: number;
	/** Milliseconds before each answer of the two services. */
	latency: number;
	/** Points per second and token (CP §8); 0 switches the limiter off. */
	rateLimit: number;
	/** The same for the query service, of which TQ §8 shows none; 0: none. */
	taxRateLimit: number;
	/** Whether that limiter tells its points in headers. */
	taxRateLimitHeaders: boolean;
	/** Milliseconds that the clock of both services goes before this machine's; negative: behind. */
	clockSkew: number;
	/** Seconds that an access token of the query service lives. */
	tokenLifetime: number;
	/** Milliseconds until an asynchronous query has its result. */
	resultDelay: number;
	/** Whether CRF and RFC data answer with the record at once, which TQ §4.4 and §4.5 document too. */
	immediateRecords: boolean;
	/** How `GET /query` answers (not shown, TQ §4.12): a plain array; a page `{data, total}`; a page of lean rows. */
	queryList: 'array' | 'page' | 'lean';
	/** In which order `GET /query` lists queries: by time, or by nothing that a reader could use. */
	listOrder: 'newest' | 'oldest' | 'none';
	/** Rows of `GET /query` at most; 0: as many as the mapping says, else 100 of a page and all of an array. */
	pageSize: number;
	/** Keys under which a page has its rows, and its total (or `hasMore`, `next`); undefined: as queryList says. */
	listShape: { rows: string; total?: string } | undefined;
	/** Whether `GET /query/{id}` and `GET /query` hold the response of a query (not shown, TQ §4.13). */
	record: 'full' | 'lean';
	/** Key under which one record is answered; '': the record itself. */
	recordEnvelope: string;
	/** What the query service calls the states of a query. */
	statusWords: { success?: string; pending?: string; failed?: string };
	/** How the token request is answered: OAuth's names, the same in camel case, or below `data`. */
	tokenShape: 'snake' | 'camel' | 'data';
	/** What it says of the token's life: seconds, the same as text, 0, -1, or nothing. */
	tokenExpiresIn: 'number' | 'text' | 'zero' | 'negative' | 'absent';
	/** Whether it holds no refresh token. */
	noRefreshToken: boolean;
	/** Old, finished queries that `GET /query` lists from the start. */
	pastQueries: number;
	/** Where results are delivered; empty until one is registered by `PUT /sandbox/webhook`. */
	webhookUrl: string;
	/** How deliveries are signed until `PUT /sandbox/webhook` says otherwise. */
	webhookSigning: 'none' | 'hmac' | 'header' | 'basic' | 'standard';
	/** Number of documents in the largest collection. */
	documents: number;
	/** File from which the state is taken at the start, if it exists, and into which it is put at the end. */
	state: string;
	/** What this environment calls the paths, fields and words of the two documents. */
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
