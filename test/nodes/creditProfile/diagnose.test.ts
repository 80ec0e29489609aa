import type { IDataObject } from 'n8n-workflow';
import { namesOfChecksNeedingChange, proposedMappingIn } from '../../support/diagnoseRows';
import { type TestSandbox, startSandboxWithHelpers } from '../../support/sandbox';
import { createSandboxNodeRunner } from './support';
import { startStubServer } from '../../support/stubServer';
import { flawOfLogin } from '../../support/credentialTest';
import { toN8nCredentialLoginFields } from '../../support/credentialFields';
import { codeOf } from '../../support/errorCode';
import { runNodeInEngine } from '../../support/runNodeInEngine';

describe('Connection → Diagnose', () => {
	const diagnose = { resource: 'connection', operation: 'diagnose' };
	/** Words and encodings of three environments; the first is the document's. */
	const environments: IDataObject[] = [
		{},
		{ paths: { credential: 'providers/keys' }, filterEncoding: 'dots', listEncoding: 'repeat' },
		{ filterEncoding: 'brackets', listEncoding: 'indices' },
		{ filterEncoding: 'json' },
	];

	describe.each(environments)('of an environment that speaks %j', (mapping) => {
		let sandbox: TestSandbox;
		let rows: IDataObject[];
		beforeAll(async () => {
			sandbox = await startSandboxWithHelpers({
				rateLimit: 10,
				mapping: { creditProfile: mapping },
			});
			const { paths } = mapping;
			const api = { apiMapping: JSON.stringify({ ...(paths !== undefined && { paths }) }) };
			rows = (await createSandboxNodeRunner(sandbox)(diagnose, { api })).items.map(
				({ json }) => json,
			);
		});
		afterAll(async () => await sandbox.close());

		it('proposes the mapping that is served', () => {
			const { filterEncoding, ...others } = mapping;
			const notDefault = filterEncoding !== 'brackets' && filterEncoding !== undefined;
			expect(proposedMappingIn(rows)).toEqual({ ...others, ...(notDefault && { filterEncoding }) });
		});

		it('finds nothing wrong but what the mapping lacks', () => {
			const { filterEncoding = 'brackets', listEncoding = 'brackets' } = mapping;
			expect(namesOfChecksNeedingChange(rows)).toEqual([
				...(filterEncoding === 'brackets' ? [] : ['Filter encoding']),
				...(listEncoding === 'brackets' ? [] : ['List encoding']),
			]);
		});

		it('reports each check with its finding and advice', () => {
			for (const row of rows.slice(0, -1)) {
				expect(row).toEqual({
					check: expect.stringMatching(/./),
					result: expect.stringMatching(/^(OK|Change needed|Not known)$/),
					seen: expect.stringMatching(/\.$/),
					advice: expect.stringMatching(/\.$/),
				});
			}
		});

		it('sends plain reads only', async () => {
			const sent = await sandbox.requests();
			expect([...new Set(sent.map(({ method }) => method))]).toEqual(['GET']);
		});

		it('is free of personal data', () => {
			expect(JSON.stringify(rows)).not.toMatch(/[A-Z]{4}\d{6}|@|\d{10}/);
		});
	});

	it('does not call a type of login wrong, of which the document lists none', async () => {
		const sandbox = await startSandboxWithHelpers({ rateLimit: 0 });
		const logins = [{ id: 1, type: 'buro_pm', isEnabled: true }];
		await sandbox.faults({ path: '/api/v1/credential', fault: { status: 200, body: logins } });
		const { items } = await createSandboxNodeRunner(sandbox)(diagnose);
		await sandbox.close();
		expect(items[1].json).toMatchObject({
			result: 'OK',
			advice: expect.stringContaining('buro_pm'),
		});
	});

	it('reports what is wrong if every check fails', async () => {
		const sandbox = await startSandboxWithHelpers({ rateLimit: 0 });
		const { items } = await createSandboxNodeRunner(sandbox)(diagnose, {
			api: { apiToken: 'of nobody' },
		});
		await sandbox.close();
		expect(items[1].json).toEqual({
			check: 'Address, token and provider logins',
			result: 'Change needed',
			seen: expect.stringMatching(/token/),
			advice: expect.stringMatching(/API token.*base URL/),
		});
	});

	it('runs once, however many items come in, and says what to do with the proposal', async () => {
		const mapping = { creditProfile: { filterEncoding: 'dots' as const } };
		const sandbox = await startSandboxWithHelpers({ rateLimit: 0, mapping });
		const { items, hints } = await createSandboxNodeRunner(sandbox)(diagnose, {
			items: [{}, {}, {}],
		});
		await sandbox.close();
		expect(items.filter(({ json }) => json.check === 'Summary')).toHaveLength(1);
		expect(hints.map(({ message }) => message)).toEqual([items[0].json.advice]);
	});

	it('names the key where the service has no such path', async () => {
		const mapping = { creditProfile: { paths: { credential: 'accesos' } } };
		const sandbox = await startSandboxWithHelpers({ rateLimit: 0, mapping });
		const { items } = await createSandboxNodeRunner(sandbox)(diagnose);
		await sandbox.close();
		expect(items[1].json).toMatchObject({
			result: 'Change needed',
			advice: expect.stringContaining('set paths.credential in'),
		});
	});

	it('reports which parts of a service are missing', async () => {
		const sandbox = await startSandboxWithHelpers({ rateLimit: 0 });
		const path = '/api/v1/data/collection';
		await sandbox.faults({
			path,
			fault: { status: 200, body: { data: [{ id: 1, creatorId: 2 }], total: 1 } },
		});
		const { items } = await createSandboxNodeRunner(sandbox)(diagnose);
		await sandbox.close();
		const found = items.find(({ json }) => json.check === 'Collections with version and creator');
		expect(found?.json).toMatchObject({
			result: 'Change needed',
			seen: expect.stringContaining('missing: name, tags'),
		});
	});
});

const BODY = Buffer.from('a test key, and no real one at all '.repeat(5)).toString('base64');

const pemOf = (...lines: string[]) =>
	['-----BEGIN TEST KEY-----', ...lines, '-----END TEST KEY-----', ''].join('\n');

/** As a tool writes it: 64 letters a line, a line break at the end. */
const PEM = pemOf(...(BODY.match(/.{1,64}/g) as string[]));
const ENCRYPTED = pemOf('Proc-Type: 4,ENCRYPTED', 'DEK-Info: AES-256-CBC,0A1B', '', BODY);
const without = (key: string) => key.replaceAll('\n', '');
const written = (key: string, mark = '\\n') => key.trim().replaceAll('\n', mark);

const login = (clientPrivateKey: string, bureauPublicKey = 'AAAA') => ({
	...{ apiKey: 'api-key-1', username: 'u', password: 'p-1234' },
	clientPrivateKey,
	bureauPublicKey,
});

const upsert = {
	resource: 'providerLogin',
	operation: 'upsert',
	provider: 'credit-bureau-b',
};

async function store(parameters: IDataObject, stored?: IDataObject) {
	const service = await startStubServer(() => ({ body: { id: 1, type: 'credit-bureau-b' } }));
	const { error } = await runNodeInEngine({
		type: 'creditProfile',
		parameters: parameters as never,
		credentials: {
			creditProfileApi: { baseUrl: service.url, apiToken: 'token-1', ...stored } as never,
		},
	});
	await service.close();
	return { error, sent: service.requests.map(({ body }) => JSON.parse(body) as IDataObject) };
}

const provider = upsert.provider;

const fromCredential = async (values: IDataObject) =>
	await store(upsert, toN8nCredentialLoginFields(provider, values) as IDataObject);

const fromFields = async (values: IDataObject) =>
	await store({ ...upsert, loginFrom: 'fields', ...values });

describe.each([
	['a stored credential', fromCredential],
	['fields of the node', fromFields],
])('a key in PEM, from %s', (_where, send) => {
	it.each([
		['with \\n for each line break', written(PEM), PEM.trim()],
		['with a heading, and \\n for each line break', written(ENCRYPTED), ENCRYPTED.trim()],
		['that is no PEM, with \\n', 'ssh-rsa AAAAB3Nz\\nC1yc2E=', 'ssh-rsa AAAAB3Nz\nC1yc2E='],
	])('on one line, %s, gets line breaks', async (_what, key, expected) => {
		const { error, sent } = await send(login(key, key));
		expect([error, sent]).toEqual([undefined, [login(expected, expected)]]);
		expect(await flawOfLogin(provider, login(key, key))).toBeUndefined();
	});

	it.each([
		['that lost its line breaks', without(PEM), PEM.trim()],
		['with a blank for each line break', written(PEM, ' '), PEM.trim()],
		['with a line break behind it', `${without(PEM)}\n`, PEM],
		['with a line break in its data alone', without(PEM).replace('a', 'a\n'), PEM.trim()],
		['two in one', without(PEM + PEM), PEM + PEM.trim()],
	])('%s is repaired', async (_what, key, expected) => {
		const { error, sent } = await send(login(key, key));
		expect([error, sent]).toEqual([undefined, [login(expected, expected)]]);
		expect(await flawOfLogin(provider, login(key, key))).toBeUndefined();
	});

	it.each([
		['of which the end is missing', '-----BEGIN A KEY-----MIIE'],
		['of which the beginning is missing', 'MIIE-----END A KEY-----'],
		['with lost headings', without(ENCRYPTED)],
		['with another end', '-----BEGIN A KEY-----MIIE-----END B KEY-----'],
		['that is cut, with its line breaks', PEM.slice(0, 90)],
	])('%s is refused', async (_what, key) => {
		const { error, sent } = await send(login(key));
		expect([codeOf(error), sent]).toEqual(['login.key', []]);
		expect(await flawOfLogin(provider, login(key))).toContain('line breaks');
	});

	it.each([
		['with its line breaks', PEM],
		['without the last line break', PEM.trim()],
		['with the line breaks of Windows', PEM.replaceAll('\n', '\r\n')],
		['with lines of its own length', pemOf(BODY)],
		['that is encrypted', ENCRYPTED],
		['that is none', 'MIIE AAAA'],
	])('%s is sent as entered', async (_what, key) => {
		const { error, sent } = await send(login(key, key));
		expect([error, sent]).toEqual([undefined, [login(key, key)]]);
		expect(await flawOfLogin(provider, login(key, key))).toBeUndefined();
	});

	it.each(['apiKey', 'username', 'password', 'clientPrivateKey', 'bureauPublicKey'])(
		'and a placeholder that the editor left as %s is never sent',
		async (name) => {
			const blank = '__n8n_BLANK_VALUE_e5362baf-c777-4d57-a609-6eaf1f9e87f6';
			const values = { ...login(PEM), [name]: blank };
			const { error, sent } = await send(values);
			expect([codeOf(error), sent]).toEqual(['login.placeholder', []]);
			expect(await flawOfLogin(provider, values)).toBeDefined();
		},
	);
});
