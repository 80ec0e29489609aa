import axios, { type AxiosInstance } from 'axios';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../../sandbox';

/** A running sandbox and clients that take every status as an answer. */
export interface TestBench {
	sandbox: Sandbox;
	/** Speaks to the Credit Profile service, paths relative to /api/v1, with its token. */
	service: AxiosInstance;
	/** Speaks to the whole sandbox without a token. */
	anyone: AxiosInstance;
}

/** Starts a sandbox for a test, without limiter unless the options say otherwise; the test closes it. */
export async function startBench(options: Partial<SandboxOptions> = {}): Promise<TestBench> {
	const sandbox = await startSandbox({ rateLimit: 0, ...options });
	const { baseUrl, token } = sandbox.creditProfile;
	const common = { validateStatus: () => true, proxy: false as const };
	return {
		sandbox,
		service: axios.create({
			...common,
			baseURL: `${baseUrl}/api/v1`,
			headers: { Authorization: `Token ${token}` },
		}),
		anyone: axios.create({ ...common, baseURL: baseUrl }),
	};
}

/** The same for every test of this file or block; closed at its end. */
export function benchForTests(options: Partial<SandboxOptions> = {}): TestBench {
	const bench = {} as TestBench;
	beforeAll(async () => Object.assign(bench, await startBench(options)));
	afterAll(() => bench.sandbox.close());
	return bench;
}
