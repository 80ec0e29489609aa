import { toN8nCredentialLoginFields } from '../../support/credentialFields';
import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import { CredentialTestContext } from 'n8n-core';
import { testCreditProfile, testTaxQuery } from '../../support/credentialTest';
import {
	EMPTY_COLLECTION_ID,
	LOANS_COLLECTION_ID,
	createSandboxNodeRunner,
	PEOPLE_COLLECTION_ID,
} from '../../nodes/creditProfile/support';
import { mappedClient } from '../../support/mappedClient';
import { startSandboxWithHelpers, type TestSandbox } from '../../support/sandbox';
import { sampledApiVariants, stripVolatileFields, type ApiVariant } from './samples';

const KEY = '-----BEGIN TEST KEY-----\nbm90IGEgcmVhbCBrZXk=\n-----END TEST KEY-----\n';
const bureau = { user: 'lender_1', password: 'Bureau_Secret_1' };
const logins: Array<[provider: string, login: Record<string, string>]> = [
	['bureau/pm', bureau],
	['bureau/pf', bureau],
	['prospector/pf', bureau],
	['identity-verification', { user: 'idv', password: 'S3cret pass-phrase!' }],
	['sanctions-screening', { token: 'screening-token-1' }],
	[
		'credit-bureau-b',
		{
			...{ apiKey: 'api-key-123', username: 'second', password: 'pa$$ w0rd "quoted"' },
			...{ clientPrivateKey: KEY, bureauPublicKey: 'ssh-rsa AAAAB3NzaC1yc2E=' },
		},
	],
	['legal-records', { username: 'legal@lender.mx', password: 'l3gal p@ss' }],
];

const read = (resource: string, operation: string, parameters: INodeParameters = {}) => ({
	resource,
	operation,
	returnAll: true,
	...parameters,
});
const filtered = (filters: INodeParameters) => read('dataCollection', 'getAll', { filters });
const one = (collection: number) => ({ collection: { __rl: true, mode: 'id', value: collection } });

/** Reads, each of which gives the same in any environment. */
const reads: Array<[what: string, parameters: INodeParameters]> = [
	['all collections', filtered({})],
	['by one name', filtered({ name__eq: ['Identidad'] })],
	['by several names', filtered({ name__eq: ['Identidad', 'Personas físicas'] })],
	['by a part of a name', filtered({ name__like: 'juicios' })],
	[
		'by several IDs',
		filtered({ parentCollectionId__eq: [PEOPLE_COLLECTION_ID, LOANS_COLLECTION_ID] }),
	],
	['by tags', filtered({ tags__anyOf: ['aval', 'fiscal'], name__like: 'o' })],
	['one collection', read('dataCollection', 'get', one(LOANS_COLLECTION_ID))],
	['versions', read('dataCollection', 'getVersions', one(LOANS_COLLECTION_ID))],
	[
		'versions from the second on',
		read('dataCollection', 'getVersions', { ...one(LOANS_COLLECTION_ID), options: { offset: 1 } }),
	],
	['documents', read('dataDocument', 'getAll', one(LOANS_COLLECTION_ID))],
	['no documents', read('dataDocument', 'getAll', one(EMPTY_COLLECTION_ID))],
	['tags of collections', read('dataCollection', 'getTags')],
	['tags of documents', read('dataDocument', 'getTags')],
];

type Run = ReturnType<typeof createSandboxNodeRunner>;

async function play(run: Run, api: ICredentialDataDecryptedObject) {
	const outputs: Record<string, unknown> = {};
	for (const [what, parameters] of reads) {
		const { items, error } = await run(parameters, { api });
		outputs[what] = error?.message ?? items.map(({ json }) => json);
	}
	return stripVolatileFields(outputs);
}

let documented: unknown;
beforeAll(async () => {
	const sandbox = await startSandboxWithHelpers({ rateLimit: 0, documents: 40 });
	documented = await play(createSandboxNodeRunner(sandbox), {});
	await sandbox.close();
});

it("reads all of it under the document's own words", () => {
	const counts = Object.entries(documented as Record<string, unknown[]>).map(
		([what, rows]) => [what, rows.length] as const,
	);
	expect(counts.filter(([, count]) => !(count > 0)).map(([what]) => what)).toEqual([
		'no documents',
	]);
	expect(Object.fromEntries(counts)).toMatchObject({
		'by several names': 2,
		versions: 3,
		'versions from the second on': 2,
		documents: 40,
	});
});

describe.each(sampledApiVariants)(
	'the Credit Profile node at environment $environment',
	({ mapping, shape }) => {
		const client = mappedClient(mapping);
		const { creditProfile } = mapping as {
			creditProfile: NonNullable<ApiVariant['creditProfile']>;
		};
		const api = { apiMapping: JSON.stringify(creditProfile) };
		const typeOf = (provider: string) =>
			client.credentialPath(provider).slice(client.credentialPath().length + 1);
		let sandbox: TestSandbox;
		let run: Run;
		beforeAll(async () => {
			sandbox = await startSandboxWithHelpers({ rateLimit: 0, documents: 40, mapping, ...shape });
			run = createSandboxNodeRunner(sandbox);
		});
		beforeEach(async () => await sandbox.reset());
		afterAll(async () => await sandbox.close());

		it('reads what it reads at the document', async () => {
			expect(await play(run, api)).toEqual(documented);
		});

		it.each(logins)(
			'stores the login of %s where the environment has it',
			async (provider, login) => {
				const parameters = { resource: 'providerLogin', operation: 'upsert', provider };
				const { items, error } = await run(parameters, {
					api,
					login: toN8nCredentialLoginFields(provider, login),
				});
				const [{ method, path, body }] = await sandbox.requests();
				const sent = client.credentialBody(login);
				expect([error, items[0].json.user ?? null]).toEqual([
					undefined,
					login.user ?? login.username ?? null,
				]);
				expect([method, path, Object.keys(body as object)]).toEqual([
					'POST',
					`/api/v1${client.credentialPath(provider)}`,
					Object.keys(sent),
				]);
			},
		);

		it('takes a login from the fields of the node, too', async () => {
			const [provider, login] = logins[5];
			const parameters = { resource: 'providerLogin', operation: 'upsert', provider };
			const { items } = await run(
				{ ...parameters, loginFrom: 'fields', ...login },
				{ api, secrets: [KEY] },
			);
			expect(items[0].json).toMatchObject({
				type: typeOf(provider),
				expirationDate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
			});
		});

		it('lists the logins', async () => {
			const { items } = await run(read('providerLogin', 'getAll'), { api });
			expect(items.map(({ json }) => json.type)).toContain(typeOf('bureau/pf'));
		});

		it('tests the credentials of both services', async () => {
			const { creditProfileApi, taxQueryApi } = sandbox.credentials({
				creditProfileApi: api,
				taxQueryApi: { apiMapping: JSON.stringify(mapping.taxQuery) },
			});
			const context = new CredentialTestContext();
			const testMessage = async (test: typeof testTaxQuery, data: ICredentialDataDecryptedObject) =>
				(await test.call(context, { id: '1', name: 'Test', type: 'test', data })).message;
			expect([
				await testMessage(testCreditProfile, creditProfileApi),
				await testMessage(testTaxQuery, taxQueryApi),
			]).toEqual(['Connection successful!', 'Connection successful!']);
		});
	},
);
