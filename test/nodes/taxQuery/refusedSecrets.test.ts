import {
	startStubServer,
	type StubRequest,
	type StubResponse,
} from '../../exhaustive/apiVariants/stubServer';
import { shiftAllClocks } from '../../support/clock';
import { codeOf } from '../../support/errorCode';
import { runNodeInEngine, type NodeRunOptions } from '../../support/runNodeInEngine';
import { credentialOfClient } from '../../support/testServer';
import { createSandboxNodeRunner } from '../creditProfile/support';
import { freshSandboxForEachTest } from '../../support/sandboxForTestGroup';
import { startSandboxWithHelpers } from '../../support/sandbox';
import {
	CIEC,
	createTaxProfileParameters,
	operationParameters,
	rfcs,
	taxQuerySandbox,
} from './support';

const PROFILE = '/api/query/tax/profile';
const [RFC] = rfcs(1);

describe('a CIEC that the service refuses', () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox);
	const sent = async () => (await sandbox.requests(PROFILE)).length;
	const refuse = async (status: number, times?: number) =>
		await sandbox.faults({ path: PROFILE, method: 'POST', fault: { status }, times });

	it.each([400, 401, 403, 422])('is sent once in five tries: status %i', async (status) => {
		await refuse(status);
		const { error } = await sandbox.run(createTaxProfileParameters(RFC), { maxTries: 5 });
		expect([await sent(), codeOf(error)]).toEqual([1, `status.${status}`]);
	});

	it('is sent once, however its RFC is spelled, with Check Identifiers: Off', async () => {
		await refuse(422);
		const { items } = await sandbox.run(
			{ ...createTaxProfileParameters('={{ $json.rfc }}'), options: { checkIdentifiers: 'off' } },
			{
				items: [{ rfc: RFC }, { rfc: `${RFC.slice(0, 4)}-${RFC.slice(4)}` }],
				onError: 'continueRegularOutput',
			},
		);
		expect(items.map(({ json }) => codeOf(json))).toEqual(['status.422', 'status.422']);
		expect(await sent()).toBe(1);
	});

	it("is not sent again by the editor's Retry", async () => {
		await refuse(401);
		const memory = {};
		await sandbox.run(createTaxProfileParameters(RFC), { memory });
		const { error } = await sandbox.run(createTaxProfileParameters(RFC), { memory, mode: 'retry' });
		expect([await sent(), codeOf(error)]).toEqual([1, 'status.401']);
		expect(error?.description).toContain('not sent again');
	});

	it('is sent once for two tool calls at the same time', async () => {
		await refuse(422);
		const call = async () =>
			await sandbox.run(createTaxProfileParameters(RFC), {
				executionId: 'parallel-ciec',
				isTool: true,
			});
		await Promise.all([call(), call()]);
		expect(await sent()).toBe(1);
	});

	it('does not keep a corrected one from being sent', async () => {
		await refuse(422, 1);
		const memory = {};
		await sandbox.run(createTaxProfileParameters(RFC), { memory });
		const corrected = { ...createTaxProfileParameters(RFC), ciec: `${CIEC}_right` };
		const { error } = await sandbox.run(corrected, { memory, mode: 'retry' });
		expect([await sent(), error]).toEqual([2, undefined]);
	});

	it('leaves nothing of itself in what n8n saves', async () => {
		await refuse(422);
		const memory = {};
		await sandbox.run(createTaxProfileParameters(RFC), { memory });
		expect(JSON.stringify(memory)).not.toContain(CIEC);
		expect(Object.keys(memory)).not.toEqual([]);
	});

	it('is sent again after a 401 for an expired token, which a read meets, too', async () => {
		await sandbox.run({ resource: 'query', operation: 'getAll' });
		await sandbox.faults(
			{ path: PROFILE, times: 1, fault: 'expiredToken' },
			{ path: '/api/query', exact: true, times: 1, fault: 'expiredToken' },
		);
		const { error } = await sandbox.run(createTaxProfileParameters(RFC));
		expect([await sent(), error]).toEqual([2, undefined]);
	});

	it('is sent again after a 401 for an expired token, though a first read fails', async () => {
		await sandbox.run({ resource: 'query', operation: 'getAll' });
		await sandbox.faults(
			{ path: PROFILE, times: 1, fault: 'expiredToken' },
			{ path: '/api/query', exact: true, times: 1, fault: { status: 503 } },
			{ path: '/api/query', exact: true, times: 1, fault: 'expiredToken' },
		);
		const { error } = await sandbox.run(createTaxProfileParameters(RFC));
		expect(error).toBeUndefined();
		expect(await sent()).toBe(2);
	});

	it('is sent again after a 401 for an expired token where there is no list', async () => {
		const apiMapping = { paths: { getAll: '' } };
		await sandbox.run(operationParameters('query', 'get', { queryId: 'any' }), { apiMapping });
		await sandbox.faults(
			{ path: PROFILE, times: 1, fault: 'expiredToken' },
			{ path: '/api/query', method: 'GET', times: 1, fault: 'expiredToken' },
		);
		const { error } = await sandbox.run(createTaxProfileParameters(RFC), { apiMapping });
		expect(error).toBeUndefined();
		expect(await sent()).toBe(2);
	});

	it('does not cost a new token where the service answers with 401', async () => {
		await refuse(401);
		await sandbox.run(createTaxProfileParameters(RFC), { maxTries: 3 });
		expect(await sandbox.requests('/api/oauth/token')).toHaveLength(1);
	});
});

describe('a provider login that the service refuses', () => {
	const sandbox = freshSandboxForEachTest(startSandboxWithHelpers);
	const login = { provider: 'bureau/pf', user: 'someone', password: 'wrong_password_1' };

	it.each([401, 403, 422])('is sent once in five tries: status %i', async (status) => {
		const path = '/api/v1/credential/bureau/pf';
		await sandbox.faults({ path, method: 'POST', fault: { status } });
		const { error } = await createSandboxNodeRunner(sandbox)(
			{ resource: 'providerLogin', operation: 'upsert', loginFrom: 'fields', ...login },
			{ maxTries: 5, executionId: `login-${status}`, memory: {} },
		);
		expect([(await sandbox.requests(path)).length, codeOf(error)]).toEqual([1, `status.${status}`]);
	});
});

describe('a CIEC that met an expired token', () => {
	it.each<[number, Record<string, string>]>([
		[302, { location: '/login' }],
		[408, {}],
	])(
		'is sent again by the Retry where status %i of a read left the token unproved',
		async (status, headers) => {
			shiftAllClocks(61_000); // n8n has run for a minute
			let isTokenGood = false;
			const respond = ({ path, method }: StubRequest): StubResponse => {
				if (path.endsWith('/oauth/token')) return { body: { access_token: 'token-1' } };
				const isPost = method === 'POST';
				if (isTokenGood)
					return { body: isPost ? { _id: 'p1', status: 'SUCCESS', service: 'TAX_PROFILE' } : [] };
				if (isPost) return { status: 401, body: { message: 'token expired' } };
				return path === '/api/query' ? { status, headers } : {};
			};
			const service = await startStubServer(respond);
			const run: NodeRunOptions = {
				type: 'taxQuery',
				parameters: createTaxProfileParameters(RFC),
				memory: {},
				credentials: { taxQueryApi: credentialOfClient(`${service.url}/api`, `probe-${status}`) },
			};
			await runNodeInEngine({ ...run, executionId: `probe-${status}` });
			isTokenGood = true;
			const { error } = await runNodeInEngine({
				...{ ...run, mode: 'retry', executionId: `probe-${status}-again` },
			});
			await service.close();
			const posts = service.requests.filter(
				({ method, path }) => method === 'POST' && path === PROFILE,
			);
			expect({ error, sent: posts.length }).toEqual({ error: undefined, sent: 2 });
		},
	);
});
