/** What a sandbox is started with; the command line offers the same under the same names in kebab-case. */
export interface SandboxOptions {
	/** TCP port on 127.0.0.1; 0 takes a free one. */
	port: number;
	/** The same seed gives the same people, collections and documents. */
	seed: number;
	/** Milliseconds before each answer of the two services. */
	latency: number;
	/** Points per second and token (§8 of the Credit Profile document); 0 switches the limiter off. */
	rateLimit: number;
	/** Seconds that an access token of the query service lives. */
	tokenLifetime: number;
	/** Milliseconds until an asynchronous query has its result. */
	resultDelay: number;
	/** How `GET /query` answers: a plain array, or `{data, total}`; its shape is not shown (§4.12). */
	queryList: 'array' | 'page';
	/** Where results are delivered; empty until one is registered by `PUT /sandbox/webhook`. */
	webhookUrl: string;
	/** Number of documents in the largest collection. */
	documents: number;
}

export const defaultOptions: SandboxOptions = {
	port: 0,
	seed: 1,
	latency: 0,
	rateLimit: 10,
	tokenLifetime: 3600,
	resultDelay: 1500,
	queryList: 'array',
	webhookUrl: '',
	documents: 12_000,
};
