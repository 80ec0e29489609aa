import { Type } from '@sinclair/typebox';
import Fastify from 'fastify';
import { CredentialList } from '../../contract/creditProfile';
import { sendError } from '../../sandbox/plugins/errors';
import { enforceContract } from '../../sandbox/plugins/contractValidation';

/** An application with one route that answers whatever it is given, held to the contract of credentials. */
async function answerOf(body: unknown) {
	const app = Fastify();
	enforceContract(app);
	app.setErrorHandler(sendError);
	app.get('/list', { schema: { response: { 200: CredentialList } } }, async () => body);
	const { statusCode, payload } = await app.inject('/list');
	await app.close();
	return { statusCode, body: JSON.parse(payload) as unknown };
}

const credential = {
	id: 1,
	createdAt: '2026-01-01',
	updatedAt: '2026-01-01',
	organizationId: 1,
	type: 'bureau/pf',
	isEnabled: true,
};

describe('an answer of the sandbox', () => {
	it('is sent as it is when it keeps the contract', async () => {
		expect(await answerOf([credential])).toEqual({ statusCode: 200, body: [credential] });
	});

	it.each([
		['a secret', { ...credential, password: 'x' }, '0.password": Unexpected property'],
		['a field of another type', { ...credential, id: '1' }, '0.id": Expected number'],
	])(
		'is a 500 that names the field when it breaks the contract by %s',
		async (_what, one, message) => {
			expect(await answerOf([one])).toEqual({
				statusCode: 500,
				body: { statusCode: 500, message: `GET /list broke the contract: "${message}` },
			});
		},
	);
});

describe('a query', () => {
	const schema = {
		querystring: Type.Object({
			count: Type.Integer({ default: 3 }),
			on: Type.Optional(Type.Boolean()),
			order: Type.Optional(Type.Union([Type.Literal('up'), Type.Null()])),
		}),
	};
	async function read(query: string) {
		const app = Fastify();
		enforceContract(app);
		app.setErrorHandler(sendError);
		app.get('/', { schema }, async (request) => request.query);
		const { payload } = await app.inject(`/?${query}`);
		await app.close();
		return JSON.parse(payload) as unknown;
	}

	it('is read as the numbers, booleans and null that its schema wants', async () => {
		expect(await read('count=7&on=false&order=')).toEqual({ count: 7, on: false, order: null });
	});

	it('gets the defaults of what is left out', async () => {
		expect(await read('')).toEqual({ count: 3 });
	});

	it.each(['count=7.5', 'count=0x7', 'count=', 'on=1', 'order=down', 'count=1&count=2'])(
		'of %s is refused',
		async (query) => {
			expect(await read(query)).toMatchObject({ statusCode: 400 });
		},
	);
});
