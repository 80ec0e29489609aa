import { toN8nCredentialLoginFields } from '../../support/credentialFieldBuilders';
import { CredentialTestContext } from 'n8n-core';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import {
	credentialTestError,
	testCreditProfile,
	testTaxQuery,
} from '../../support/credentialTestAgainstStub';
import { CreditProfileApi } from '../../../credentials/CreditProfileApi.credentials';
import { TaxQueryApi } from '../../../credentials/TaxQueryApi.credentials';
import { runNodeInEngine } from '../../support/runNodeInEngine';
import { startSandboxWithHelpers } from '../../support/sandbox';
import { sandboxForTestGroup } from '../../support/sandboxForTestGroup';

describe('the test of a credential', () => {
	const sandbox = sandboxForTestGroup(startSandboxWithHelpers, { rateLimit: 0, seed: 4711 });

	const renderOf = async (
		test: typeof testTaxQuery,
		data: ICredentialDataDecryptedObject,
	): Promise<string> => {
		const context = new CredentialTestContext();
		const { message } = await test.call(context, { id: '1', name: 'Test', type: 'test', data });
		return message;
	};
	const creditProfile = async (fields: object) =>
		await renderOf(testCreditProfile, { ...sandbox.credentials().creditProfileApi, ...fields });
	const taxQuery = async (fields: object) =>
		await renderOf(testTaxQuery, { ...sandbox.credentials().taxQueryApi, ...fields });

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
		[{ apiToken: '' }, /^The credential has no API token\. Open the credential/],
		[{ apiToken: 'Token ' }, /^The credential has no API token\./],
		[{ apiMapping: '{"pathz": {}}' }, /^API Mapping: "pathz" is not known; known are paths/],
		[{ pseudonymKey: 'too short' }, /^'Pseudonym Key' must have 16 characters or more\./],
	])("the Credit Profile credential's test reports %j", async (fields, text) => {
		expect(await creditProfile(fields)).toMatch(text);
	});

	it.each([
		[{ baseUrl: 'http://127.0.0.1:1' }, /^The query service refused the connection\./],
		[{ pseudonymKey: 'too short' }, /^'Pseudonym Key' must have 16 characters or more\./],
		[{ clientSecret: 'wrong-secret-1' }, /^The service refused the client ID or secret\. Check/],
		[
			{ grant: 'accessToken', pastedToken: 'wrong-token-1' },
			/^The Tax Query Service refused the token\./,
		],
		[{ grant: 'accessToken', pastedToken: ' ' }, /^The credential has no access token\./],
		[{ grant: 'accessToken', pastedToken: 'Bearer ' }, /^The credential has no access token\./],
		[{ additionalSecretFields: '[1]' }, /^'Additional Secret Fields' .* must be a JSON object\./],
		[{ apiMapping: '{"list": {"pageSize": "x"}}' }, /^API Mapping: "list\.pageSize" must be/],
	])("the query service credential's test reports %j without secrets", async (fields, text) => {
		const message = await taxQuery(fields);
		expect(message).toMatch(text);
		expect(message).not.toMatch(/wrong-(secret|token)-1/);
	});

	it.each([
		['creditProfile', { apiToken: '' }, 'API token'],
		['taxQuery', { grant: 'accessToken', pastedToken: '' }, 'access token'],
	] as const)('of %s without a token: its node sends nothing either', async (...row) => {
		const [type, fields, name] = row;
		await sandbox.reset();
		const all = sandbox.credentials();
		const { error } = await runNodeInEngine({
			type,
			parameters:
				type === 'taxQuery'
					? { resource: 'person', operation: 'getCurpData', curp: 'HEGG560427MVZRRL04' }
					: { resource: 'providerLogin', operation: 'getAll', returnAll: true },
			credentials: { [`${type}Api`]: { ...all[`${type}Api`], ...fields } },
		});
		expect([error?.message, await sandbox.requests()]).toEqual([
			`The credential has no ${name}`,
			[],
		]);
	});

	it.each([
		[new CreditProfileApi(), { apiToken: '' }],
		[new TaxQueryApi(), { grant: 'accessToken', pastedToken: '' }],
	])("other nodes report a missing token without the credential's test: %#", async (...row) => {
		const [credential, fields] = row;
		const held = { ...sandbox.credentials()[credential.name as 'taxQueryApi'], ...fields };
		await expect(credential.authenticate(held, { url: 'http://127.0.0.1:1' })).rejects.toThrow(
			/^The credential has no (API|access) token$/,
		);
	});

	it.each([
		[
			new CreditProfileApi(),
			{
				apiToken: 'token-1',
				...toN8nCredentialLoginFields('bureau/pm', { user: 'u', password: 'Bureau_1' }),
			},
			'Token token-1',
		],
		[
			new TaxQueryApi(),
			{
				...{ grant: 'accessToken', pastedToken: 'token-1' },
				...{ webhookVerification: 'header', webhookSecret: 'Webhook_1' },
				...toN8nCredentialLoginFields('taxAuthority', {
					rfc: 'GODE561231GR8',
					ciec: 'Ciec_1',
				}),
			},
			'Bearer token-1',
		],
	])('hands other nodes nothing but the header Authorization: %#', async (...row) => {
		const [credential, fields, Authorization] = row;
		const held = { baseUrl: 'https://service.example', ...fields };
		const request = {
			url: 'https://service.example/x',
			headers: { A: 'b' },
			qs: { c: 1 },
			body: {},
		};
		expect(await credential.authenticate(held, { ...request })).toEqual({
			...request,
			headers: { A: 'b', Authorization },
		});
	});

	it('says how the base URL of the query service ends', async () => {
		const { baseUrl } = sandbox.taxQuery;
		expect(await taxQuery({ baseUrl: baseUrl.replace(/api$/, 'ap') })).toMatch(
			/^No query service at this base URL; it usually ends with \/api\. Check the base URL/,
		);
	});
});

describe('the test of webhook verification', () => {
	const plain = { webhookVerification: 'signature', webhookSecret: 's', signatureHeader: 'X' };
	const signed = {
		...plain,
		signatureFormat: 'timestamped',
		timestampHeader: 'T',
	};
	const standard = {
		webhookVerification: 'signature',
		signatureFormat: 'standard',
		webhookSecret: 'whsec_c2VjcmV0',
	};
	const statusOf = async (data: ICredentialDataDecryptedObject) =>
		(await credentialTestError('taxQueryApi', data)) === undefined ? 'OK' : 'Error';

	it.each([
		[{ ...signed, timestampTolerance: '' }, 'Error'],
		[{ ...signed, timestampTolerance: 0 }, 'Error'],
		[{ ...standard, timestampTolerance: '' }, 'Error'],
		[{ ...signed, timestampTolerance: 300 }, 'OK'],
		[{ ...signed }, 'OK'],
		[{ ...plain, timestampTolerance: '' }, 'OK'],
		[{ ...standard, timestampTolerance: 60 }, 'OK'],
	])('refuses a tolerance in which no delivery arrives: %j', async (data, status) => {
		expect(await statusOf(data)).toBe(status);
	});
});
