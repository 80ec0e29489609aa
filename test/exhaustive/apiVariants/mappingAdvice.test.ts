import { createSandboxNodeRunner } from '../../nodes/creditProfile/support';
import { startSandboxWithHelpers } from '../../support/sandbox';
import type { NodeRun } from '../../support/runNodeInEngine';
import {
	getCrfParameters,
	operationParameters,
	rfcs,
	taxQuerySandbox,
} from '../../nodes/taxQuery/support';
import { freshSandboxForEachTest } from '../../support/sharedSandbox';

const [RFC] = rfcs(1);
const crf = getCrfParameters({ rfc: RFC });
const csf = operationParameters('taxAuthority', 'getCsf', { rfc: RFC });

/** The keys of the API Mapping that an error names. */
const keysOf = ({ error }: NodeRun) => [error !== undefined, error?.context?.mappingKeys];
const NONE = [true, undefined];

describe('advice about the API Mapping', () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox);
	const refuse = async (status: number) =>
		await sandbox.faults({ path: '/api/query/', method: 'POST', fault: { status, body: {} } });
	const accept = async () => await sandbox.faults();

	it.each([404, 400, 422])('names the keys for status %i, whatever worked', async (status) => {
		const isPath = status === 404;
		const keys = [
			[true, [isPath ? 'paths.getCrf' : 'fields.getCrf']],
			[true, isPath ? ['paths.tax', 'paths.getCsf'] : ['fields.getCsf']],
		];
		await refuse(status);
		const first = [await sandbox.run(crf), await sandbox.run(csf)].map(keysOf);
		await accept();
		await sandbox.run(crf);
		await refuse(status);
		const then = [await sandbox.run(crf), await sandbox.run(csf)].map(keysOf);
		expect([first, then]).toEqual([keys, keys]);
	});

	it('names the key of the list', async () => {
		const all = operationParameters('query', 'getAll', { returnAll: true });
		await sandbox.run(all);
		await sandbox.faults({ path: '/api/query', exact: true, fault: { status: 404, body: {} } });
		expect(keysOf(await sandbox.run(all))).toEqual([true, ['paths.getAll']]);
	});

	it('names the path of one query for an unknown ID', async () => {
		const get = (queryId: string) => operationParameters('query', 'get', { queryId });
		const run = await sandbox.run(get('unknown-1'));
		expect(keysOf(run)).toEqual([true, ['paths.get']]);
		expect(run.error?.description).toContain('paths.get in API Mapping');
	});

	it('names the path of one query where a wait cannot read the result by its ID', async () => {
		await sandbox.faults({ path: '/api/query/', method: 'GET', fault: { status: 404, body: {} } });
		const { items } = await sandbox.run(
			getCrfParameters({ rfc: RFC, waitForResult: true, maxWait: 2 }),
		);
		const [{ json }] = items;
		expect([json.outcome, json.reason]).toEqual(['pending', expect.stringContaining('paths.get')]);
	});

	it('is not given for a wrong secret or a refused token', async () => {
		const wrong = [
			await sandbox.run(crf, {
				credentials: sandbox.credentials({ taxQueryApi: { clientSecret: 'wrong_secret_3' } }),
			}),
			await sandbox.run(crf, {
				credentials: sandbox.credentials({
					taxQueryApi: { grant: 'accessToken', pastedToken: 'wrong_token_3' },
				}),
			}),
		];
		expect(wrong.map(keysOf)).toEqual([NONE, NONE]);
		const texts = wrong.map(({ error }) => `${error?.message} ${error?.description}`);
		expect(texts.filter((text) => text.includes('API Mapping'))).toEqual([]);
	});

	it('of provider logins names the segments of the path', async () => {
		const profile = await startSandboxWithHelpers({ rateLimit: 0 });
		const run = createSandboxNodeRunner(profile);
		const list = { resource: 'providerLogin', operation: 'getAll', returnAll: true };
		const missing = { path: '/api/v1/credential', fault: { status: 404, body: {} } };
		const login = {
			...{ resource: 'providerLogin', operation: 'upsert', loginFrom: 'fields' },
			...{ provider: 'sanctions-screening', token: 'token-123' },
		};
		await profile.faults(missing);
		const first = keysOf(await run(list));
		await profile.faults();
		await run(list);
		await profile.faults(missing);
		const then = [await run(list), await run(login)].map(keysOf);
		await profile.close();
		expect([first, ...then]).toEqual([
			[true, ['paths.credential']],
			[true, ['paths.credential']],
			[true, ['paths.credential', 'paths.sanctions-screening']],
		]);
	});
});
