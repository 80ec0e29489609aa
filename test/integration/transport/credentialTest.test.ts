import { CredentialTestContext } from 'n8n-core';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { testCreditProfile, testTaxQuery } from '../../../nodes/shared/transport/testConnection';
import { sandboxForTest, type TestSandbox } from '../support/sandbox';

describe('the test of a credential', () => {
	let sandbox: TestSandbox;
	beforeAll(async () => {
		sandbox = await sandboxForTest({ rateLimit: 0, seed: 4711 });
	});
	afterAll(async () => await sandbox.close());

	const tellOf = async (
		test: typeof testTaxQuery,
		data: ICredentialDataDecryptedObject,
	): Promise<string> => {
		const context = new CredentialTestContext();
		const { message } = await test.call(context, { id: '1', name: 'Test', type: 'test', data });
		return message;
	};
	const creditProfile = async (fields: object) =>
		await tellOf(testCreditProfile, { ...sandbox.credentials().creditProfileApi, ...fields });
	const taxQuery = async (fields: object) =>
		await tellOf(testTaxQuery, { ...sandbox.credentials().taxQueryApi, ...fields });

	it('takes what is right', async () => {
		expect([await creditProfile({}), await taxQuery({})]).toEqual([
			'Connection successful!',
			'Connection successful!',
		]);
	});

	it.each([
		[{ baseUrl: 'http://127.0.0.1:1' }, /^The Credit Profile Service refused the connection\./],
		[
			{ baseUrl: 'http://no-such-host.invalid' },
			/^The Credit Profile Service was not found: its host name/,
		],
		[{ apiToken: 'wrong-token-1' }, /^The Credit Profile Service refused the token\. Tokens are/],
		[{ baseUrl: '' }, /^The credential has no base URL\./],
		[{ apiMapping: '{"pathz": {}}' }, /^API Mapping: "pathz" is not known; known are paths/],
	])('of the Credit Profile Service tells of %j', async (fields, told) => {
		expect(await creditProfile(fields)).toMatch(told);
	});

	it.each([
		[{ baseUrl: 'http://127.0.0.1:1' }, /^The query service refused the connection\./],
		[{ clientSecret: 'wrong-secret-1' }, /^The service refused the client ID or secret\. Check/],
		[
			{ grant: 'accessToken', pastedToken: 'wrong-token-1' },
			/^The Tax Query Service refused the token\./,
		],
		[{ additionalSecretFields: '[1]' }, /^"Additional Secret Fields" .* must be a JSON object\./],
		[{ apiMapping: '{"list": {"pageSize": "x"}}' }, /^API Mapping: "list\.pageSize" must be/],
	])('of the query service tells of %j, and shows no secret', async (fields, told) => {
		const message = await taxQuery(fields);
		expect(message).toMatch(told);
		expect(message).not.toMatch(/wrong-(secret|token)-1/);
	});

	it('says how the base URL of the query service ends', async () => {
		const { baseUrl } = sandbox.taxQuery;
		expect(await taxQuery({ baseUrl: baseUrl.replace(/api$/, 'ap') })).toMatch(
			/^No query service at this base URL; it usually ends with \/api\. Check it/,
		);
	});
});
