import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	IDataObject,
} from 'n8n-workflow';
import { CreditProfile } from '../../../nodes/CreditProfile/CreditProfile.node';
import { startStranger } from '../dialects/stranger';
import { runNode } from '../support/runNode';
import './support';

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
	const service = await startStranger(() => ({ body: { id: 1 } }));
	const { error } = await runNode({
		type: 'creditProfile',
		parameters: parameters as never,
		credentials: {
			creditProfileApi: { baseUrl: service.url, apiToken: 'token-1' },
			...(stored && { creditProfileProviderLoginApi: stored as ICredentialDataDecryptedObject }),
		},
	});
	await service.close();
	return { error, sent: service.asked.map(({ body }) => JSON.parse(body) as IDataObject) };
}
const provider = upsert.provider;
const fromCredential = async (values: IDataObject) => await store(upsert, { provider, ...values });
const fromFields = async (values: IDataObject) =>
	await store({ ...upsert, loginFrom: 'fields', ...values });

const test = async (data: object) =>
	await new CreditProfile().methods.credentialTest.testProviderLogin.call(
		{} as ICredentialTestFunctions, // it uses nothing of n8n
		{ id: '1', name: 'Login', type: 'creditProfileProviderLoginApi', data: data as never },
	);

describe.each([
	['a stored credential', fromCredential],
	['fields of the node', fromFields],
])('a key in PEM, from %s', (_where, send) => {
	it.each([
		['that lost its line breaks', without(PEM), PEM],
		['with a blank for each line break', written(PEM, ' '), PEM],
		['with \\n for each line break', written(PEM), PEM],
		['with \\r\\n for each line break', written(PEM, '\\r\\n'), PEM],
		['with \\\\n for each line break', written(PEM, '\\\\n'), PEM],
		['on one line, with a line break behind it', `${without(PEM)}\n`, PEM],
		['with a heading, and \\n for each line break', written(ENCRYPTED), ENCRYPTED],
		['with its line breaks', PEM, PEM],
		['without the last line break', PEM.trim(), PEM.trim()],
		['with the line breaks of Windows', PEM.replaceAll('\n', '\r\n'), PEM.replaceAll('\n', '\r\n')],
		['with lines of its own length', pemOf(BODY), pemOf(BODY)],
		['that is none', 'ssh-rsa AAAAB3Nz\\nC1yc2E=', 'ssh-rsa AAAAB3Nz\\nC1yc2E='],
	])('%s is sent with its line breaks', async (_what, key, expected) => {
		const { error, sent } = await send(login(key, key));
		expect([error, sent]).toEqual([undefined, [login(expected, expected)]]);
		expect(await test({ provider, ...login(key, key) })).toMatchObject({ status: 'OK' });
	});

	it.each([
		['with a heading', without(ENCRYPTED)],
		['with two names', '-----BEGIN A KEY-----MIIE-----END B KEY-----'],
		['of which the end is missing', '-----BEGIN A KEY-----MIIE'],
		['of which the beginning is missing', 'MIIE-----END A KEY-----'],
		['that holds nothing', '-----BEGIN A KEY----------END A KEY-----'],
		['of PGP, with its checksum', '-----BEGIN PGP KEY-----mQEN==-=njUN-----END PGP KEY-----'],
		['two in one', without(PEM + PEM)],
	])('%s, without line breaks, is refused before it is sent', async (_what, key) => {
		const { error, sent } = await send(login(key));
		const message = '"Client Private Key" of the provider\'s login has lost its line breaks';
		expect([error?.message, error?.description, sent]).toEqual([
			message,
			expect.stringContaining('write \\n in the place of each'),
			[],
		]);
		expect(await test({ provider, ...login(key) })).toEqual({ status: 'Error', message });
	});

	it.each(['apiKey', 'username', 'password', 'clientPrivateKey', 'bureauPublicKey'])(
		'and a placeholder that the editor left as %s is never sent',
		async (name) => {
			const blank = '__n8n_BLANK_VALUE_e5362baf-c777-4d57-a609-6eaf1f9e87f6';
			const values = { ...login(PEM), [name]: blank };
			const { error, sent } = await send(values);
			expect([error?.message, sent]).toEqual([
				expect.stringContaining('is a placeholder of n8n: open the credential and enter it again'),
				[],
			]);
			expect(await test({ provider, ...values })).toMatchObject({ status: 'Error' });
		},
	);
});
