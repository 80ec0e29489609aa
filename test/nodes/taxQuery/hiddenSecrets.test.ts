import { inspect } from 'node:util';
import { runAgainstStub } from '../../exhaustive/apiVariants/stubServer';
import { codeOf } from '../../support/errorCode';
import { crfRecord, responderByRequestKind } from './crfStubResponses';
import { fakeService, respondJson } from './fakeService';
import {
	createTaxProfileParameters,
	curps,
	getCrfParameters,
	operationParameters,
	rfcs,
} from './support';

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
