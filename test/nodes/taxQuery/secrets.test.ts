import { inspect } from 'node:util';
import axios from 'axios';
import type { IDataObject } from 'n8n-workflow';
import { type StubRequest, type StubResponse, runAgainstStub } from '../../support/stubServer';
import { codeOf } from '../../support/errorCode';
import { crfRecord, responderByRequestKind } from './crfResponses';
import { fakeService } from './fakeService';
import {
	CIEC,
	createTaxProfileParameters,
	curps,
	getCrfParameters,
	operationParameters,
	rfcs,
	taxQuerySandbox,
} from './support';
import { shiftAllClocks } from '../../support/clock';
import { respondJson } from '../../support/testServer';
import { createSandboxNodeRunner } from '../creditProfile/support';
import { freshSandboxForEachTest } from '../../support/sharedSandbox';
import { startSandboxWithHelpers } from '../../support/sandbox';

const [RFC] = rfcs(1);
const [CURP] = curps(1);

it.each(['fake-token-1234', 'Secret_of_fake'])(
	'masks a secret that a response without an ID repeats: %s',
	async (secret) => {
		const service = await fakeService({
			post: (_accept, response) =>
				respondJson(response, { message: 'Taken', of: `Bearer ${secret}` }),
		});
		const result = await service.run(createTaxProfileParameters(RFC));
		await service.close();
		expect(service.sent()).toBe(1);
		expect(result.items).toHaveLength(1);
		expect(inspect(result, { depth: 20 })).not.toContain(secret);
	},
);

it.each([
	['signature', 'webhookSecret', 'the-secret-in-force'],
	['header', 'additionalWebhookSecrets', 'the-secret-before'],
	['basic', 'webhookPassword', 'the-password-of-calls'],
])('masks a webhook secret that a response repeats: %s, %s', async (method, field, secret) => {
	const service = await fakeService({
		post: (_accept, response) => respondJson(response, { message: 'Taken', of: secret }),
	});
	const result = await service.run(
		createTaxProfileParameters(RFC),
		service.credential({ webhookVerification: method, [field]: secret }),
	);
	await service.close();
	expect(result.items).toHaveLength(1);
	expect(inspect(result, { depth: 20 })).not.toContain(secret);
});

it('withholds a message with a CIEC that was given under its mapped name', async () => {
	const ciec = 'OtraCiec77';
	const { error } = await runAgainstStub(
		responderByRequestKind({ post: { status: 422, body: { message: `Clave ${ciec} rechazada` } } }),
		{
			...createTaxProfileParameters(RFC),
			options: { additionalBodyFields: JSON.stringify({ clave: ciec }) },
		},
		{ apiMapping: { fields: { createTaxProfile: { ciec: 'clave' } } } },
	);
	expect(codeOf(error)).toBe('status.422');
	expect(error?.description).not.toContain(ciec);
});

describe('a response with status 200 that repeats the token in a message', () => {
	const token = { access_token: 'eyJhbGciOiJub25lIn0.e30.c2lnbmF0dXJl' };
	const message = `Invalid token ${token.access_token}`;
	const secrets = [token.access_token];
	const asList = responderByRequestKind({ post: { body: { queryId: 'q1' } }, rows: { message } });

	it('is withheld where it comes as the list', async () => {
		const limited = getCrfParameters({ rfc: RFC }, { spendingLimits: { maxQueriesPerDay: 5 } });
		const { rows, error } = await runAgainstStub(asList, limited, { token, secrets });
		expect({ rows, code: codeOf(error) }).toEqual({ rows: [], code: 'unlisted' });
		expect(error?.description).not.toContain('Invalid token');
	});

	it('is no list in Diagnose, which shows none of its texts', async () => {
		const diagnose = operationParameters('connection', 'diagnose');
		const { rows } = await runAgainstStub(asList, diagnose, { token, secrets });
		expect(rows[1]).toMatchObject({
			check: 'Address, token and list of queries',
			result: 'Change needed',
		});
		expect(JSON.stringify(rows)).not.toContain('Invalid token');
	});

	it('is withheld where it comes as a success without a record', async () => {
		const csf = operationParameters('taxAuthority', 'getCsf', { rfc: RFC });
		const body = { message: 'Unauthorized', detail: message, requestId: 'r' };
		const { rows } = await runAgainstStub(
			responderByRequestKind({ post: { body }, byId: crfRecord('q1', RFC) }),
			csf,
			{ token, secrets },
		);
		expect(rows).toMatchObject([{ rfc: RFC, warnings: [{ code: 'unconfirmed' }] }]);
		expect(JSON.stringify(rows)).not.toContain('Invalid token');
	});
});

describe('a record that repeats the head of its request', () => {
	const TOKEN = 'an-access-token-of-the-service';
	const person = {
		_id: 'q1',
		service: 'CURP',
		status: 'SUCCESS',
		query: { curp: CURP },
		metadata: { request: { headers: { authorization: `Bearer ${TOKEN}` } } },
		authentication: Buffer.from('secret-of-the-client').toString('base64'),
		response: { curp: CURP, nombre: 'EMMA' },
		createdAt: new Date().toISOString(),
	};
	const options = { simplify: false };

	it.each([
		operationParameters('person', 'getCurpData', { curp: CURP, options }),
		operationParameters('query', 'get', { queryId: 'q1', options }),
		operationParameters('query', 'getAll', { returnAll: true, options }),
	])('comes out without the secrets of the credential: $operation', async (parameters) => {
		const { rows } = await runAgainstStub(
			({ method, path }) => ({
				body: method === 'GET' && path === '/api/query' ? [person] : person,
			}),
			parameters,
			{ token: { access_token: TOKEN }, secrets: [TOKEN, person.authentication] },
		);
		expect(rows).toEqual([
			{
				...person,
				metadata: { request: { headers: { authorization: '***' } } },
				authentication: '***',
			},
		]);
	});
});

describe('refused secrets', () => {
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
			const { error } = await sandbox.run(createTaxProfileParameters(RFC), {
				memory,
				mode: 'retry',
			});
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

		it('goes out with a new token where the last one is older than a minute', async () => {
			await sandbox.run({ resource: 'query', operation: 'getAll' });
			shiftAllClocks(61_000);
			await refuse(401);
			const { error } = await sandbox.run(createTaxProfileParameters(RFC));
			const logins = await sandbox.requests('/api/oauth/token');
			expect([logins.length, await sent(), codeOf(error)]).toEqual([2, 1, 'status.401']);
			expect(error?.message).not.toContain('token');
		});

		it('may be refused as well as a pasted token, which the error says', async () => {
			await refuse(401);
			const { taxQueryApi } = sandbox.credentials({});
			const { baseUrl, clientId, clientSecret } = sandbox.taxQuery;
			const login = { client_id: clientId, client_secret: clientSecret };
			const { data } = await axios.post(`${baseUrl}/oauth/token`, login);
			const { access_token: pastedToken } = data as { access_token: string };
			const { error } = await sandbox.run(createTaxProfileParameters(RFC), {
				credentials: { taxQueryApi: { ...taxQueryApi, grant: 'accessToken', pastedToken } },
			});
			expect(error?.message).toContain('refused the token, or the password of this item');
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
			expect([(await sandbox.requests(path)).length, codeOf(error)]).toEqual([
				1,
				`status.${status}`,
			]);
		});
	});
});

describe('the CIEC', () => {
	const [RFC] = rfcs(1);

	/** The record of a tax profile as TQ §2.1 describes it: the echo of the request's fields holds the CIEC. */
	const profile = (more: object = {}, name = 'ciec'): IDataObject => ({
		_id: 'p1',
		service: 'TAX_PROFILE',
		status: 'SUCCESS',
		query: { rfc: RFC, [name]: CIEC },
		metadata: { clientType: 'PF', query: { rfc: RFC, [name]: CIEC } },
		response: { message: `Created with ${CIEC}` },
		createdAt: new Date().toISOString(),
		...more,
	});

	const answering =
		(record: IDataObject) =>
		({ path }: StubRequest): StubResponse => ({ body: path === '/api/query' ? [record] : record });

	const get = (simplify: boolean) =>
		operationParameters('query', 'get', { queryId: 'p1', options: { simplify } });

	const getMany = (simplify: boolean, options = {}) =>
		operationParameters('query', 'getAll', { returnAll: true, options: { simplify } }, options);

	describe('the CIEC of a tax profile, which its record repeats, comes out masked', () => {
		it.each([
			['Query → Get', get(true)],
			['Query → Get without Simplify', get(false)],
			['Query → Get Many', getMany(true)],
			['Query → Get Many without Simplify', getMany(false)],
			['Query → Get Many with Complete Rows', getMany(false, { completeRows: true })],
		])('of %s', async (_what, parameters) => {
			const { rows } = await runAgainstStub(answering(profile()), parameters);
			expect([rows.length, JSON.stringify(rows).includes(CIEC)]).toEqual([1, false]);
		});

		it.each([
			['where the service is called otherwise', profile({ service: 'PERFIL_FISCAL' }), {}],
			[
				'where the field is called otherwise',
				profile({ service: 'PERFIL_FISCAL' }, 'clave'),
				{ fields: { createTaxProfile: { ciec: 'clave' } } },
			],
			['in capitals', profile({}, 'CIEC'), {}],
			['where it is a number', profile({ query: { rfc: RFC, ciec: 12345678 } }), {}],
			['in a field of its own', profile({ query: { login: { rfc: RFC, ciec: [CIEC] } } }), {}],
			['where it is called a password', profile({ query: { rfc: RFC, password: CIEC } }), {}],
			['where it is a clave', profile({ query: { rfc: RFC, clave: CIEC }, metadata: null }), {}],
			['in the response as contraseña', profile({ query: {}, metadata: null, response: { acceso: { Contraseña: CIEC }, text: `sent ${CIEC}` } }), {}], // prettier-ignore
			['in the response', profile({ query: {}, metadata: null, response: { ciec: CIEC } }), {}],
		])('%s', async (_where, record, apiMapping) => {
			const { rows } = await runAgainstStub(answering(record), get(false), { apiMapping });
			const text = JSON.stringify(rows);
			expect([rows[0]._id, text.includes(CIEC), text.includes('12345678')]).toEqual([
				'p1',
				false,
				false,
			]);
		});

		it.each([
			['as a number', { query: { rfc: RFC, ciec: 12345678 } }],
			['in capitals', { query: { rfc: RFC, ciec: CIEC.toUpperCase() }, response: null }],
			['in a text alone', { query: { rfc: RFC }, response: { message: `Created with ${CIEC}` } }],
		])('in the answer to Create Tax Profile: %s', async (_how, more) => {
			const record = profile({ metadata: null, response: {}, ...more });
			for (const simplify of [true, false]) {
				const parameters = { ...createTaxProfileParameters(RFC), options: { simplify } };
				const { rows } = await runAgainstStub(() => ({ body: record }), parameters);
				const text = JSON.stringify(rows).toUpperCase();
				expect([rows.length, text.includes(CIEC.toUpperCase()), text.includes('12345678')]).toEqual(
					[1, false, false],
				);
			}
		});

		it('and makes no column; a text that repeats it is masked whole', async () => {
			const { rows } = await runAgainstStub(answering(profile()), get(true));
			expect(rows).toEqual([
				{
					rfc: RFC,
					message: '***',
					outcome: 'result',
					reason: null,
					status: 'SUCCESS',
					service: 'TAX_PROFILE',
					createdAt: expect.any(String),
					queryId: 'p1',
				},
			]);
		});

		it('and a field of the same name as the renamed one stays in other results', async () => {
			const record = { ...profile({}, 'clave'), response: { clave: '601', ok: true } };
			const apiMapping = { fields: { createTaxProfile: { ciec: 'clave' } } };
			const { rows } = await runAgainstStub(answering(record), get(false), { apiMapping });
			expect(rows[0].response).toEqual({ clave: '601', ok: true });
		});

		it('and where it says no more than that there is one, nothing else is masked', async () => {
			const record = profile({
				query: { rfc: RFC, ciec: 'SI' },
				metadata: {},
				response: { a: 'SI' },
			});
			const { rows } = await runAgainstStub(answering(record), get(false));
			expect(rows[0]).toMatchObject({ status: 'SUCCESS', response: { a: 'SI' } });
		});
	});

	describe('an equal tax profile', () => {
		it.each([
			['ciec', {}],
			['clave', { fields: { createTaxProfile: { ciec: 'clave' } } }],
		])('is found again after its answer was lost, though masked: %s', async (name, apiMapping) => {
			const { rows, requests } = await runAgainstStub(
				({ method, path }) => {
					if (method === 'POST') return { status: 502 };
					return answering(profile({}, name))({ path } as StubRequest);
				},
				createTaxProfileParameters(RFC),
				{ apiMapping },
			);
			expect([
				rows.map(({ queryId, recovered }) => [queryId, recovered]),
				requests.filter(({ path }) => path.endsWith('/profile')).length,
				JSON.stringify(rows).includes(CIEC),
			]).toEqual([[['p1', true]], 1, false]);
		});

		it.each([true, false])(
			'finds a query with the CIEC as additional field, and hides it (Simplify: %s)',
			async (simplify) => {
				const csf = profile({ service: 'CSF' });
				const { rows } = await runAgainstStub(
					({ method, path }) => {
						if (method === 'POST') return { status: 502 };
						return answering(csf)({ path } as StubRequest);
					},
					operationParameters(
						'taxAuthority',
						'getCsf',
						{ rfc: RFC, options: { simplify } },
						{ additionalBodyFields: JSON.stringify({ ciec: CIEC }) },
					),
				);
				expect([rows[0]?.recovered, JSON.stringify(rows).includes(CIEC)]).toEqual([true, false]);
			},
		);
	});
});
