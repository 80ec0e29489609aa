import type { ProviderCredential } from '../../../contract/creditProfile';
import { sharedSandboxWithClients } from '../support/clients';

const bench = sharedSandboxWithClients();

const list = async () => (await bench.creditProfile.get<ProviderCredential[]>('/credential')).data;
const post = async (provider: string, body: unknown, headers = {}) =>
	await bench.creditProfile.post<ProviderCredential & { statusCode: number; field: string }>(
		`/credential/${provider}`,
		body,
		{ headers },
	);

it('three providers have a credential from the start', async () => {
	const types = (await list()).map(({ type }) => type);
	expect(types).toEqual(['bureau/pf', 'identity-verification', 'legal-records']);
});

it('a credential is created once for each provider, and replaced after that', async () => {
	const { data: first } = await post('bureau/pm', { user: 'FIRST', password: 'A' });
	const { data: second } = await post('bureau/pm', { user: 'SECOND', password: 'A' });
	expect(second).toMatchObject({ id: first.id, user: 'SECOND', type: 'bureau/pm' });
	expect((await list()).filter(({ type }) => type === 'bureau/pm')).toEqual([second]);
});

it('a credential never holds a secret', async () => {
	const secrets = { apiKey: 'S1', password: 'S2', clientPrivateKey: 'S3', bureauPublicKey: 'S4' };
	const { data } = await post('credit-bureau-b', { ...secrets, username: 'someone' });
	const text = JSON.stringify([data, await list()]);
	expect(text).toContain('someone');
	expect(Object.values(secrets).filter((secret) => text.includes(secret))).toEqual([]);
});

it('a credential may be form-encoded (CP §1), and is a 415 in any other form', async () => {
	const form = new URLSearchParams({ user: 'FORM_1', password: 'B' });
	const { status, data } = await post('prospector/pf', form);
	expect([status, data.user]).toEqual([200, 'FORM_1']);
	const refused = await post('prospector/pf', '<user/>', { 'Content-Type': 'text/xml' });
	expect([refused.status, refused.data.statusCode]).toEqual([415, 415]);
});

it.each([
	['bureau/pm', 'user password', true],
	['bureau/pf', 'user password', true],
	['credit-bureau-b', 'apiKey username password clientPrivateKey bureauPublicKey', true],
	['prospector/pf', 'user password', false],
])('the credential of %s, with %s, expires: %p (CP §2.1)', async (provider, fields, expires) => {
	const body = Object.fromEntries(fields.split(' ').map((field) => [field, 'A']));
	const { data } = await post(provider, body);
	const isDate = /^\d{4}-\d\d-\d\d$/.test(data.metadata?.expirationDate ?? '');
	expect(isDate).toBe(expires);
});

it('credentials that the bureau refuses are a 422, and the old ones stay (CP §4.1.2)', async () => {
	const login = { user: 'REFUSED_USER', password: 'A' };
	const { status, data } = await post('bureau/pf', login);
	expect([status, data.field]).toEqual([422, 'user']);
	expect((await list()).map(({ user }) => user)).not.toContain('REFUSED_USER');
	expect((await post('bureau/pm', login)).status).toBe(200);
});
