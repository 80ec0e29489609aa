import { until } from '../../support/until';
import type { FaultRule } from '../../../sandbox/plugins/faults';
import { shiftAllClocks } from '../../support/clock';
import { codeOf } from '../../support/errorCode';
import { runNodeInEngine } from '../../support/runNodeInEngine';
import { startSandboxWithHelpers, type TestSandbox } from '../../support/sandbox';

const TOKEN = '/api/oauth/token';
const TOKEN_LIFETIME_MS = 3_600_000;
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
async function freshSandbox(): Promise<TestSandbox> {
	return await startSandboxWithHelpers({ rateLimit: 0, seed: seed++ });
}

describe('the access token of the query service', () => {
	let sandbox: TestSandbox;
	afterEach(async () => await sandbox.close());

	const run = async (credentials = sandbox.credentials(), count = 1) =>
		await runNodeInEngine({
			type: 'taxQuery',
			parameters: { ...calculateRfc, reuse: 'never' },
			credentials,
			items: new Array(count).fill({}),
			onError: 'continueRegularOutput',
		});
	const failed = ({ items }: Awaited<ReturnType<typeof run>>) =>
		items.filter(({ json }) => json.error).map(({ json }) => json);
	const codesOf = ({ items }: Awaited<ReturnType<typeof run>>) =>
		items.map(({ json }) => codeOf(json));

	it('requests one token for many concurrent items', async () => {
		sandbox = await freshSandbox();
		const result = await run(sandbox.credentials(), 60);
		expect(failed(result)).toEqual([]);
		expect(await sandbox.requests(TOKEN)).toHaveLength(1);
	});

	it('stores the token in the credential for the next execution', async () => {
		sandbox = await freshSandbox();
		const credentials = sandbox.credentials();
		await run(credentials);
		await run(credentials);
		expect(await sandbox.requests(TOKEN)).toHaveLength(1);
	});

	it('is renewed once when the service refuses it in the middle of a run', async () => {
		sandbox = await freshSandbox();
		const credentials = sandbox.credentials({ taxQueryApi: { pointsPerSecond: 0 } });
		await run(credentials);
		await sandbox.faults({ path: '/api/query', times: 5, fault: 'expiredToken' });
		const result = await run(credentials, 5);
		expect(failed(result)).toEqual([]);
		expect(await sandbox.requests(TOKEN)).toHaveLength(2);
	});

	it('is renewed ahead of its expiry, so that no request meets a 401', async () => {
		sandbox = await freshSandbox();
		const credentials = sandbox.credentials();
		await run(credentials);
		shiftAllClocks(TOKEN_LIFETIME_MS);
		expect(failed(await run(credentials))).toEqual([]);
		const refused = (await sandbox.requests()).filter(({ status }) => status === 401);
		expect(refused).toEqual([]);
	});

	it('requests a new token after the secret was changed', async () => {
		sandbox = await freshSandbox();
		const credentials = sandbox.credentials();
		await run(credentials);
		credentials.taxQueryApi.clientSecret = 'changed-and-wrong';
		expect(codesOf(await run(credentials))).toEqual(['login.refused']);
	});

	it('requests a token once with a wrong secret, and sends no item', async () => {
		sandbox = await freshSandbox();
		const credentials = sandbox.credentials({ taxQueryApi: { clientSecret: 'wrong-secret-1' } });
		const result = await run(credentials, 100);
		expect(codesOf(result)).toEqual(Array(100).fill('login.refused'));
		expect((await sandbox.requests()).map(({ path }) => path)).toEqual([TOKEN]);
		expect(result.saved).not.toContain('wrong-secret-1');
	});

	it.each<[string, FaultRule['fault']]>([
		['status 503', { status: 503 }],
		['status 429', 'storm'],
		['a connection that was reset', 'resetBefore'],
	])('requests a token again after %s', async (_, fault) => {
		sandbox = await freshSandbox();
		await sandbox.faults({ path: TOKEN, times: 1, fault });
		const result = await run(sandbox.credentials(), 60);
		expect(failed(result)).toEqual([]);
		expect(await sandbox.requests(TOKEN)).toHaveLength(2);
	});

	it('is waited for while the login fails four times: no item of a hundred fails', async () => {
		sandbox = await freshSandbox();
		await sandbox.faults({ path: TOKEN, times: 4, fault: { status: 503 } });
		const credentials = sandbox.credentials({ taxQueryApi: { pointsPerSecond: 0 } });
		const result = await run(credentials, 100);
		expect(failed(result)).toEqual([]);
		const statuses = (await sandbox.requests(TOKEN)).map(({ status }) => status);
		expect(statuses).toEqual([503, 503, 503, 503, 200]);
	});

	it('is not waited for once the execution is cancelled', async () => {
		sandbox = await freshSandbox();
		await sandbox.faults({ path: TOKEN, fault: 'hang' });
		let cancel = () => {};
		const running = runNodeInEngine({
			type: 'taxQuery',
			parameters: calculateRfc,
			credentials: sandbox.credentials(),
			onStart: (stop) => (cancel = stop),
		});
		await until('a login', async () => (await sandbox.requests(TOKEN)).length > 0);
		cancel();
		await running;
		expect((await sandbox.requests()).map(({ path }) => path)).toEqual([TOKEN]);
	});

	it.each(['json', 'form'])('requests a token with a body as %s', async (body) => {
		sandbox = await freshSandbox();
		const apiMapping = JSON.stringify({ token: { body } });
		const credentials = sandbox.credentials({ taxQueryApi: { apiMapping } });
		expect(failed(await run(credentials))).toEqual([]);
		const [request] = await sandbox.requests(TOKEN);
		expect(request.headers['content-type']).toContain(
			body === 'form' ? 'application/x-www-form-urlencoded' : 'application/json',
		);
	});

	it('carries additional fields in its request', async () => {
		sandbox = await freshSandbox();
		const apiMapping = '{"token": {"additional": {"audience": "query"}}}';
		await run(sandbox.credentials({ taxQueryApi: { apiMapping } }));
		const [request] = await sandbox.requests(TOKEN);
		expect(request.body).toMatchObject({ audience: 'query', grant_type: 'client_credentials' });
	});

	it.each([301, 302, 307, 308])('is not followed to where a redirect leads: %d', async (status) => {
		sandbox = await freshSandbox();
		const redirect = { status, headers: { location: 'https://elsewhere.example.com/' } };
		await sandbox.faults({ path: TOKEN, fault: redirect });
		expect(codesOf(await run())).toEqual(['login.redirect']);
		expect(await sandbox.requests(TOKEN)).toHaveLength(1);
	});

	it('asks to replace a refused pasted token after a single request', async () => {
		sandbox = await freshSandbox();
		const credentials = sandbox.credentials({
			taxQueryApi: { grant: 'accessToken', pastedToken: 'header.claims.signature' },
		});
		const result = await run(credentials);
		expect(codesOf(result)).toEqual(['status.401']);
		expect(await sandbox.requests()).toHaveLength(1);
	});
});
