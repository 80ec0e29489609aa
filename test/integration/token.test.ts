import type { FaultRule } from '../../sandbox/faults';
import { runNode } from './support/runNode';
import { sandboxForTest, type TestSandbox } from './support/sandbox';

const TOKEN = '/api/oauth/token';
const calculateRfc = {
	resource: 'taxpayer',
	operation: 'calculateRfc',
	name: 'Emma',
	firstLastName: 'Gómez',
	secondLastName: 'Díaz',
	birthDate: '1956-12-31',
};

let seed = 100;
/** Each test has a client of its own, because logins are shared in the process. */
async function freshSandbox(options: { tokenLifetime?: number } = {}): Promise<TestSandbox> {
	return await sandboxForTest({ rateLimit: 0, seed: seed++, ...options });
}

describe('the access token of the query service', () => {
	let sandbox: TestSandbox;
	afterEach(async () => await sandbox.close());

	const run = async (credentials = sandbox.credentials(), count = 1) =>
		await runNode({
			type: 'taxQuery',
			parameters: calculateRfc,
			credentials,
			items: new Array(count).fill({}),
			onError: 'continueRegularOutput',
		});
	const failed = ({ items }: Awaited<ReturnType<typeof run>>) =>
		items.filter(({ json }) => json.error).map(({ json }) => json);

	it('is asked for once for many items at a time', async () => {
		sandbox = await freshSandbox();
		const result = await run(sandbox.credentials(), 60);
		expect(failed(result)).toEqual([]);
		expect(await sandbox.requests(TOKEN)).toHaveLength(1);
	});

	it('is kept in the credential for the next execution', async () => {
		sandbox = await freshSandbox();
		const credentials = sandbox.credentials();
		await run(credentials);
		await run(credentials);
		expect(await sandbox.requests(TOKEN)).toHaveLength(1);
	});

	it('is renewed once when the service refuses it in the middle of a run', async () => {
		sandbox = await freshSandbox();
		const credentials = sandbox.credentials();
		await run(credentials);
		await sandbox.faults({ path: '/api/query', times: 5, fault: 'expiredToken' });
		const result = await run(credentials, 5);
		expect(failed(result)).toEqual([]);
		expect(await sandbox.requests(TOKEN)).toHaveLength(2);
	});

	it('is renewed ahead of its expiry, so that no request meets a 401', async () => {
		sandbox = await freshSandbox({ tokenLifetime: 1 });
		const credentials = sandbox.credentials();
		await run(credentials);
		const expiry = Date.now() + 1000;
		while (Date.now() < expiry) await new Promise((resolve) => setTimeout(resolve, 50));
		expect(failed(await run(credentials))).toEqual([]);
		const refused = (await sandbox.requests()).filter(({ status }) => status === 401);
		expect(refused).toEqual([]);
	});

	it('is asked for anew when the secret in the credential was changed', async () => {
		sandbox = await freshSandbox();
		const credentials = sandbox.credentials();
		await run(credentials);
		credentials.taxQueryApi.clientSecret = 'changed-and-wrong';
		expect(failed(await run(credentials))[0].error).toContain('No access token');
	});

	it('is asked for only once with a wrong secret, and no item is sent', async () => {
		sandbox = await freshSandbox();
		const credentials = sandbox.credentials({ taxQueryApi: { clientSecret: 'wrong-secret-1' } });
		const result = await run(credentials, 100);
		expect(failed(result)).toHaveLength(100);
		expect(failed(result)[0].error).toContain(
			'No access token: the query service answered POST /oauth/token with status 401. Check client ID',
		);
		expect((await sandbox.requests()).map(({ path }) => path)).toEqual([TOKEN]);
		expect(result.saved).not.toContain('wrong-secret-1');
	});

	it.each<[string, FaultRule['fault']]>([
		['status 503', { status: 503 }],
		['status 429', 'storm'],
		['a connection that was reset', 'resetBefore'],
	])('is asked for again after %s', async (_, fault) => {
		sandbox = await freshSandbox();
		await sandbox.faults({ path: TOKEN, times: 1, fault });
		const result = await run(sandbox.credentials(), 60);
		expect(failed(result)).toEqual([]);
		expect(await sandbox.requests(TOKEN)).toHaveLength(2);
	});

	it('is asked for three times while the service fails, for many items at a time', async () => {
		sandbox = await freshSandbox();
		await sandbox.faults({ path: TOKEN, fault: { status: 503 } });
		const result = await run(sandbox.credentials({ taxQueryApi: { pointsPerSecond: 0 } }), 100);
		expect(failed(result)).toHaveLength(100);
		expect(await sandbox.requests(TOKEN)).toHaveLength(3);
	});

	it.each(['json', 'form'])('can be asked for with a body as %s', async (bodyFormat) => {
		sandbox = await freshSandbox();
		const credentials = sandbox.credentials({ taxQueryApi: { bodyFormat } });
		expect(failed(await run(credentials))).toEqual([]);
		const [request] = await sandbox.requests(TOKEN);
		expect(request.headers['content-type']).toContain(
			bodyFormat === 'form' ? 'application/x-www-form-urlencoded' : 'application/json',
		);
	});

	it('carries additional fields in its request', async () => {
		sandbox = await freshSandbox();
		const additionalFields = '{"audience": "query"}';
		await run(sandbox.credentials({ taxQueryApi: { additionalFields } }));
		const [request] = await sandbox.requests(TOKEN);
		expect(request.body).toMatchObject({ audience: 'query', grant_type: 'client_credentials' });
	});

	it('may be pasted; one that is refused is told to be replaced, after a single request', async () => {
		sandbox = await freshSandbox();
		const credentials = sandbox.credentials({
			taxQueryApi: { grant: 'accessToken', pastedToken: 'header.claims.signature' },
		});
		const result = await run(credentials);
		expect(failed(result)[0].error).toBe(
			'The query service refused the access token. It is wrong or has expired. Paste a new one into the Tax Query credential.',
		);
		expect(await sandbox.requests()).toHaveLength(1);
	});
});
