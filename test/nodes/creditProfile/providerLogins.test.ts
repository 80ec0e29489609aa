import { json } from 'node:stream/consumers';
import { inspect } from 'node:util';
import type { ICredentialDataDecryptedObject, OnError } from 'n8n-workflow';
import { CredentialTestContext } from 'n8n-core';
import { shiftAllClocks } from '../../support/clock';
import { flawOfLogin, testCreditProfile } from '../../support/credentialTestAgainstStub';
import { codeOf, codeAndFieldOf } from '../../support/errorCode';
import { toN8nCredentialLoginFields } from '../../support/credentialFieldBuilders';
import { startSandboxWithHelpers, type TestSandbox } from '../../support/sandbox';
import { createSandboxNodeRunner } from './support';
import { respondJson, serverForTestGroup } from '../../support/testServer';
import { sandboxForTestGroup } from '../../support/sandboxForTestGroup';

const PEM =
	'-----BEGIN TEST KEY-----\nbm90IGEgcmVhbCBrZXksIGp1c3QgdGVzdA==\n-----END TEST KEY-----\n';

/** A complete login of each provider. */
const logins: Array<[provider: string, login: Record<string, string>]> = [
	['bureau/pm', { user: 'lender_1', password: 'Bureau_Secret_1' }],
	['bureau/pf', { user: 'lender_2', password: 'Encrypted_Secret_2' }],
	['prospector/pf', { user: 'lender_3', password: 'Encrypted_Secret_3' }],
	['identity-verification', { user: 'idv', password: 'S3cret pass-phrase!' }],
	['sanctions-screening', { token: 'screening-token-1' }],
	[
		'credit-bureau-b',
		{
			apiKey: 'api-key-123',
			username: 'second',
			password: 'pa$$ w0rd "quoted"',
			clientPrivateKey: PEM,
			bureauPublicKey: 'ssh-rsa\nAAAAB3NzaC1yc2E=\n',
		},
	],
	['legal-records', { username: 'legal@lender.mx', password: 'l3gal p@ss' }],
];
const upsert = (provider: string) => ({
	resource: 'providerLogin',
	operation: 'upsert',
	provider,
});
const stored = toN8nCredentialLoginFields;

describe('the credentials of providers', () => {
	const sandbox = sandboxForTestGroup(startSandboxWithHelpers, { rateLimit: 0 });
	const run = createSandboxNodeRunner(sandbox);

	describe('are sent as they were entered', () => {
		/** Answers like the service and keeps the bodies, which the sandbox's log masks. */
		const bodies: unknown[] = [];
		const server = serverForTestGroup((request, response) => {
			void json(request).then((body) => {
				bodies.push(body);
				respondJson(response, { id: 1, type: 'x' });
			});
		});

		const received = async (parameters: object, login?: ICredentialDataDecryptedObject) => {
			bodies.length = 0;
			await run(
				{ ...parameters },
				{
					credentials: {
						creditProfileApi: { baseUrl: server.url, apiToken: 'token-1', ...login },
					},
				},
			);
			return bodies;
		};

		it.each(logins)('%s, from a stored credential', async (provider, login) => {
			expect(await received(upsert(provider), stored(provider, login))).toEqual([login]);
		});

		it.each(logins)('%s, from fields of the node', async (provider, login) => {
			const parameters = { ...upsert(provider), loginFrom: 'fields', ...login };
			expect(await received(parameters)).toEqual([login]);
		});
	});

	it('come back simplified, without a secret', async () => {
		const login = stored(...logins[1]);
		await run(upsert('bureau/pf'), { login });
		shiftAllClocks(2_000); // what is stored within a second of its creation counts as created
		const { items, hints } = await run(upsert('bureau/pf'), { login });
		expect(hints).toEqual([]);
		expect(items.map(({ json }) => json)).toEqual([
			{
				action: 'updated',
				id: expect.any(Number),
				type: 'bureau/pf',
				user: 'lender_2',
				isEnabled: true,
				expirationDate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
				isAutoRenewEnabled: true,
				ownerId: expect.any(Number),
				createdAt: expect.any(String),
				updatedAt: expect.any(String),
			},
		]);
	});

	it('come back as the service gives them with Simplify off', async () => {
		const login = stored(...logins[1]);
		const { items } = await run(
			{ ...upsert('bureau/pf'), options: { simplify: false } },
			{ login },
		);
		expect(items[0].json).toMatchObject({
			metadata: { expirationDate: expect.any(String) },
			configuration: { isAutoRenewEnabled: true },
		});
	});

	it.each(['1', 'Encrypted_Secret_2'])(
		'removes a password that the service repeats, and nothing else: %s',
		async (secret) => {
			const body = {
				id: 11,
				type: 'bureau/pf',
				user: '1 and 11',
				metadata: { password: secret, '1': 1, note: 'x1y' },
				configuration: { basic: Buffer.from('Encrypted_Secret_2').toString('base64') },
			};
			await sandbox.faults({
				path: '/api/v1/credential/bureau/pf',
				fault: { status: 200, body },
			});
			const login = stored('bureau/pf', { user: 'lender_2', password: secret });
			const { items } = await run(
				{ ...upsert('bureau/pf'), options: { simplify: false } },
				{ login },
			);
			const isLong = secret.length > 3; // a shorter one is in texts that have nothing to do with it
			expect(items.map(({ json }) => json)).toEqual([
				{
					...body,
					metadata: { ...body.metadata, password: '***' },
					configuration: isLong ? { basic: '***' } : body.configuration,
				},
			]);
		},
	);

	it("keeps the row's own ID and dates, though a short password is part of them", async () => {
		const at = '2026-11-01T00:00:00Z';
		const body = { id: 2026, createdAt: at, updatedAt: at, type: 'bureau/pm', user: 'u' };
		await sandbox.faults({ path: '/api/v1/credential/bureau/pm', fault: { status: 200, body } });
		const login = { loginFrom: 'fields', user: 'u', password: '2026' };
		const { items, error } = await run({ ...upsert('bureau/pm'), ...login });
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toMatchObject([
			{ id: 2026, createdAt: at, updatedAt: at },
		]);
	});

	it('come back without a secret that the service repeats as a number or as a key', async () => {
		const body = { id: 11, type: 'bureau/pf', password: 12345678, metadata: { '12345678': 1 } };
		await sandbox.faults({ path: '/api/v1/credential/bureau/pf', fault: { status: 200, body } });
		const login = stored('bureau/pf', { user: 'lender_2', password: '12345678' });
		const { items } = await run(
			{ ...upsert('bureau/pf'), options: { simplify: false } },
			{ login },
		);
		expect(items.map(({ json }) => json)).toEqual([
			{ ...body, password: '***', metadata: { '***': 1 } },
		]);
	});

	describe('listed', () => {
		let own: TestSandbox; // in which no other test stores a login
		beforeAll(async () => {
			own = await startSandboxWithHelpers({ rateLimit: 0 });
			for (const [provider, login] of logins.slice(0, 3)) {
				await createSandboxNodeRunner(own)(upsert(provider), { login: stored(provider, login) });
			}
		});
		afterAll(async () => await own.close());
		const list = async (parameters: object) =>
			(
				await createSandboxNodeRunner(own)({
					resource: 'providerLogin',
					operation: 'getAll',
					...parameters,
				})
			).items.map(({ json }) => json.type);
		/** Two of those that the sandbox has from the start, and the three stored here. */
		const all = [
			'identity-verification',
			'legal-records',
			'bureau/pm',
			'bureau/pf',
			'prospector/pf',
		];

		it('are all there with Return All', async () => {
			expect((await list({ returnAll: true })).sort()).toEqual([...all].sort());
		});

		it('are no more than the Limit', async () => {
			expect(await list({ limit: 2 })).toHaveLength(2);
		});
	});

	it('are refused by the bureau itself', async () => {
		const refused = stored('bureau/pf', { user: 'REFUSED_USER', password: 'Encrypted_Secret_2' });
		const { error } = await run(upsert('bureau/pf'), { login: refused });
		expect([codeOf(error), error?.context?.serviceMessage]).toEqual([
			'status.422',
			expect.stringContaining('bureau did not accept'), // of the sandbox
		]);
		const { items } = await run({
			...{ resource: 'providerLogin', operation: 'getAll', returnAll: true },
		});
		expect(items.map(({ json }) => json.user)).not.toContain('REFUSED_USER');
	});

	it.each(['bureau/pm', 'bureau/pf', 'credit-bureau-b'])(
		'of the credit bureau %s come with the day on which they end',
		async (provider) => {
			const [, login] = logins.find(([name]) => name === provider) as (typeof logins)[0];
			const { items } = await run(upsert(provider), { login: stored(provider, login) });
			expect(items[0].json.expirationDate).toMatch(/^\d{4}-\d\d-\d\d$/);
		},
	);

	describe('are checked before a request is spent', () => {
		/** A login, and what the error is about. */
		const [EMPTY, SIGN] = ['login.empty', 'login.characters'];
		const wrong: Array<[what: string, provider: string, login: object, ...expected: string[]]> = [
			['an empty user', 'bureau/pm', { user: '', password: 'x1' }, EMPTY, 'User'],
			['a blank password', 'legal-records', { username: 'a', password: ' ' }, EMPTY, 'Password'],
			['a blank in the user', 'bureau/pm', { user: 'a b', password: 'x1' }, SIGN, 'User'],
			['a sign in the password', 'bureau/pm', { user: 'a', password: 'x-1' }, SIGN, 'Password'],
			['an ñ', 'prospector/pf', { user: 'ñ', password: 'x1' }, SIGN, 'User'],
			['a line end', 'bureau/pf', { user: 'a', password: 'x1\n' }, SIGN, 'Encrypted Password'],
			['a token that is missing', 'sanctions-screening', {}, EMPTY, 'Token'],
			['a number', 'sanctions-screening', { token: 12345 }, EMPTY, 'Token'],
			['an object', 'sanctions-screening', { token: { a: 1 } }, EMPTY, 'Token'],
			['a key that is missing', 'credit-bureau-b', { apiKey: 'k' }, EMPTY, 'Username'],
		];

		it.each(wrong)('%s', async (_what, provider, login, ...reported) => {
			const { error } = await run(upsert(provider), { login: stored(provider, login) });
			const sent = await sandbox.requests();
			expect([codeAndFieldOf(error), error?.context?.sent, sent]).toEqual([reported, false, []]);
		});

		it('a provider that was not chosen', async () => {
			const running = run({ ...upsert(''), loginFrom: 'fields' });
			await expect(running).rejects.toThrow('Parameter "Provider" is required');
		});

		it.each(['bureau/pm', 'bureau/pf', 'prospector/pf'])(
			'one of %s may be empty where the operator allows it',
			async (provider) => {
				const login = stored(provider, { user: '', password: '' });
				const { error } = await run(
					{ ...upsert(provider), options: { allowEmpty: true } },
					{ login },
				);
				expect(error).toBeUndefined();
				expect((await sandbox.requests()).length).toBe(1);
			},
		);

		it('blanks around it are sent as entered, with a warning', async () => {
			const login = stored('sanctions-screening', { token: ' screening-token-1\t' });
			const { error, hints } = await run(upsert('sanctions-screening'), { login });
			expect([error, hints.map(({ message }) => message)]).toEqual([
				undefined,
				[expect.stringContaining("'Token'")],
			]);
		});

		it('a stored login that is missing', async () => {
			const login = stored('legal-records', { username: 'u', password: 'p' });
			for (const held of [undefined, login]) {
				const { error } = await run(upsert('bureau/pm'), { login: held });
				expect(codeOf(error)).toBe('storedLogin.provider');
			}
			expect(await sandbox.requests()).toEqual([]);
		});

		it('one of several stored logins is sent, by the provider that the node names', async () => {
			const login = {
				...stored('bureau/pm', { user: 'lender_1', password: 'Bureau_Secret_1' }),
				...stored('legal-records', { username: 'legal@lender.mx', password: 'l3gal p@ss' }),
				providerLogins: ['bureau/pm', 'legal-records'],
			};
			const { items } = await run(upsert('legal-records'), { login });
			expect(items.map(({ json }) => [json.type, json.user])).toEqual([
				['legal-records', 'legal@lender.mx'],
			]);
		});
	});

	describe('stay secret', () => {
		const secretsOf = (login: Record<string, string>) =>
			Object.entries(login)
				.filter(([name]) => !/^user|Public/.test(name))
				.flatMap(([, value]) => [value, JSON.stringify(value).slice(1, -1)])
				.concat(login.clientPrivateKey ? [PEM.split('\n')[1]] : []);
		/** The service answers with the whole login, as no service should. */
		const echo = async (provider: string, login: object) =>
			await sandbox.faults({
				path: `/api/v1/credential/${provider}`,
				fault: {
					status: 400,
					body: {
						message: `Not valid: ${Object.values(login).join(', ')} ${JSON.stringify(login)}`,
					},
				},
			});

		it.each(logins)(
			'%s, stored, when the service echoes them in a sentence, which is withheld',
			async (provider, login) => {
				await echo(provider, login);
				const secrets = secretsOf(login);
				const { error } = await run(upsert(provider), { login: stored(provider, login), secrets });
				expect([codeOf(error), error?.description]).toEqual([
					'status.400',
					expect.not.stringContaining('Not valid'),
				]);
			},
		);

		it('when the service quotes the body that held them as a text in JSON', async () => {
			const [provider, login] = ['legal-records', { username: 'u', password: 'l3g"al/ñ' }];
			const message = `Bad body: ${JSON.stringify(JSON.stringify(login))}`;
			await sandbox.faults({
				path: `/api/v1/credential/${provider}`,
				fault: { status: 422, body: { message } },
			});
			const { error } = await run(upsert(provider), { login: stored(provider, login) });
			expect(codeOf(error)).toBe('status.422');
			expect(error?.description).not.toContain('Bad body');
		});

		/** All that comes out of a run; n8n itself keeps the node's fields beside it, to be able to run it again. */
		const reported = ({ items, failed, error, hints }: Awaited<ReturnType<typeof run>>) =>
			JSON.stringify({ items, failed, hints, error, ...error }) + inspect(error, { depth: 10 });

		const fromFields = async (provider: string, login: object, onError?: OnError) =>
			reported(await run({ ...upsert(provider), loginFrom: 'fields', ...login }, { onError }));

		describe.each(logins)('%s, from fields', (provider, login) => {
			const found = (text: string) => secretsOf(login).filter((secret) => text.includes(secret));

			it('when the service echoes them', async () => {
				await echo(provider, login);
				expect(found(await fromFields(provider, login))).toEqual([]);
			});

			it('in an item of the error output', async () => {
				await echo(provider, login);
				expect(found(await fromFields(provider, login, 'continueErrorOutput'))).toEqual([]);
			});

			it.each([
				['the connection breaks', 'resetAfter' as const],
				['the service fails', { status: 500 }],
				['the answer is no JSON', 'nonJson' as const],
			])('when %s', async (_what, fault) => {
				await sandbox.faults({ path: `/api/v1/credential/${provider}`, fault });
				expect(found(await fromFields(provider, login))).toEqual([]);
			});

			it('when a field is wrong', async () => {
				const [last] = Object.keys(login).slice(-1);
				expect(found(await fromFields(provider, { ...login, [last]: ' ' }))).toEqual([]);
			});
		});
	});

	describe('that are stored are tested offline', () => {
		it.each([...logins, ['taxAuthority', { rfc: 'GODE561231GR8', ciec: 'Abcd1234' }] as const])(
			'a complete one of %s is fine',
			async (provider, login) => {
				expect(await flawOfLogin(provider, login)).toBeUndefined();
			},
		);

		it.each([
			['no user', 'bureau/pm', { password: 'x' }, "'User'"],
			['a sign', 'bureau/pf', { user: 'a', password: '*' }, "'Encrypted Password'"],
			['no CIEC', 'taxAuthority', { rfc: 'GODE561231GR8' }, "'CIEC'"],
		])('one with %s is not', async (_what, provider, login, message) => {
			expect(await flawOfLogin(provider, login)).toContain(message);
		});

		it('by the test of the whole credential, after its connection', async () => {
			const { creditProfileApi } = sandbox.credentials();
			const messageOf = async (login: object) => {
				const data = {
					...creditProfileApi,
					...toN8nCredentialLoginFields('bureau/pm', login),
				};
				const credential = { id: '1', name: 'x', type: 'creditProfileApi', data };
				return await testCreditProfile.call(new CredentialTestContext(), credential as never);
			};
			expect([
				(await messageOf({ user: 'lender_1', password: 'Bureau_1' })).status,
				(await messageOf({ user: '', password: '' })).message,
			]).toEqual(['OK', expect.stringContaining('Persona Moral')]);
		});
	});
});
