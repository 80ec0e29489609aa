import axios, { type AxiosInstance } from 'axios';
import type { QueryRecord } from '../../../contract/taxQuery';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox';
import { until } from '../../support/until';

/** A person and a company that tests query. */
export const PERSON_RFC = 'GODE561231GR8';
export const COMPANY_RFC = 'EKU9003173C9';
export const CURP = 'PEXL990821HSRRXS05';

/** A running sandbox and its clients, for which every status is a response. */
export interface SandboxWithClients {
	sandbox: Sandbox;
	/** Sends to the Credit Profile service, below /api/v1, with its token. */
	creditProfile: AxiosInstance;
	/** Sends to the query service with an access token. */
	taxQuery: AxiosInstance;
	/** Sends to the control paths, below /sandbox. */
	control: AxiosInstance;
	/** Sends to the whole sandbox without a token. */
	anyone: AxiosInstance;
	/** Requests a CRF, and returns the ID of the query. */
	requestCrf(rfc?: string): Promise<string>;
	/** The record once it is no longer pending. */
	finished(queryId: string): Promise<QueryRecord>;
}

/** Starts a sandbox for a test, which closes it; without limiter unless the options say otherwise. */
export async function startSandboxWithClients(
	options: Partial<SandboxOptions> = {},
): Promise<SandboxWithClients> {
	const sandbox = await startSandbox({ rateLimit: 0, resultDelay: 20, ...options });
	const { baseUrl, token } = sandbox.creditProfile;
	const { clientId: client_id, clientSecret: client_secret } = sandbox.taxQuery;
	const client = (path: string, Authorization?: string) =>
		axios.create({
			baseURL: baseUrl + path,
			headers: Authorization ? { Authorization } : {},
			validateStatus: () => true,
			proxy: false,
		});
	const anyone = client('');
	const { data } = await anyone.post('/api/oauth/token', { client_id, client_secret });
	const taxQuery = client('/api', `Bearer ${data.access_token}`);
	return {
		sandbox,
		creditProfile: client('/api/v1', `Token ${token}`),
		taxQuery,
		control: client('/sandbox'),
		anyone,
		requestCrf: async (rfc = PERSON_RFC) =>
			(await taxQuery.post<{ queryId: string }>('/query/crf', { rfc })).data.queryId,
		finished: async (queryId) =>
			await until(`the result of query ${queryId}`, async () => {
				const { data: record } = await taxQuery.get<QueryRecord>(`/query/${queryId}`);
				return record.status !== 'PENDING' && record;
			}),
	};
}

/** One bench for every test of a file or a group. */
export function sharedSandboxWithClients(
	options: Partial<SandboxOptions> = {},
): SandboxWithClients {
	const bench = {} as SandboxWithClients;
	beforeAll(async () => Object.assign(bench, await startSandboxWithClients(options)));
	afterAll(async () => await bench.sandbox.close());
	return bench;
}

/** A bench for one piece of work. */
export async function withSandboxClients<T>(
	options: Partial<SandboxOptions>,
	work: (bench: SandboxWithClients) => Promise<T>,
): Promise<T> {
	const bench = await startSandboxWithClients(options);
	try {
		return await work(bench);
	} finally {
		await bench.sandbox.close();
	}
}
