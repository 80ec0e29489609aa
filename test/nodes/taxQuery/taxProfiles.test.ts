import { runAgainstStub, type StubResponse } from '../../exhaustive/apiVariants/stubServer';
import { codeOf } from '../../support/errorCode';
import { queryPostsIn, responderByRequestKind } from './crfStubResponses';
import {
	createTaxProfileParameters,
	buildNextCrfFaultRule,
	getCrfParameters,
	operationParameters,
	rfcs,
	taxQuerySandbox,
} from './support';

const [RFC] = rfcs(1);

describe('the creation of a tax profile', () => {
	const message = 'The profile was created';

	it.each<[string, StubResponse, columns: object]>([
		['204', { status: 204, type: '' }, {}],
		['a status', { status: 201, body: { status: 'CREATED' } }, {}],
		['a message', { body: { message } }, { message }],
	])('counts as done, with a warning, after %s', async (_how, post, columns) => {
		const { rows, error, requests } = await runAgainstStub(
			responderByRequestKind({ post }),
			createTaxProfileParameters(RFC),
		);
		expect(error).toBeUndefined();
		expect(rows).toMatchObject([
			{ rfc: RFC, pending: false, ...columns, warnings: [{ code: 'unconfirmed' }] },
		]);
		expect(queryPostsIn(requests)).toHaveLength(1);
	});

	it.each<[string, StubResponse]>([
		['a failure', { body: { success: false } }],
		['an HTML page', { type: 'text/html', body: '<html>' }],
		['an empty list', { body: [] }],
	])('is uncertain after %s', async (_how, post) => {
		const { rows, error } = await runAgainstStub(
			responderByRequestKind({ post }),
			createTaxProfileParameters(RFC),
		);
		expect({ rows, code: codeOf(error) }).toEqual({ rows: [], code: 'unsure' });
	});

	it('is recovered from the list after a message alone', async () => {
		const sandbox = await taxQuerySandbox();
		const fault = { status: 200, body: { message: 'Accepted' }, accepted: true };
		await sandbox.faults(
			{ ...buildNextCrfFaultRule(fault), path: '/api/query/tax/profile' },
			{ path: '/api/query', exact: true, times: 1, fault: 'nonJson' },
		);
		const { items } = await sandbox.run(createTaxProfileParameters(RFC));
		const [{ queryId }] = await sandbox.ledger();
		await sandbox.close();
		expect(items.map(({ json }) => json)).toMatchObject([
			{ queryId, pending: false, recovered: true },
		]);
	});
});

describe('a refused query hints at a missing tax profile', () => {
	const csf = operationParameters('taxAuthority', 'getCsf', { rfc: RFC, reuse: 'never' });
	const refused = async (status: number, message: string, parameters = csf) => {
		const post = { status, body: { message } };
		const { error } = await runAgainstStub(responderByRequestKind({ post }), parameters);
		return error?.context;
	};

	it.each([404, 422])('after status %i, with the message of the service', async (status) => {
		expect(await refused(status, 'Perfil no encontrado')).toMatchObject({
			mayLackProfile: true,
			serviceMessage: 'Perfil no encontrado',
		});
	});

	it('but not after status 402', async () => {
		expect(await refused(402, 'Tax profile required')).not.toHaveProperty('mayLackProfile');
	});

	it('but not if the query needs none', async () => {
		const context = await refused(422, 'Tax profile required', getCrfParameters({ rfc: RFC }));
		expect(context).not.toHaveProperty('mayLackProfile');
	});
});
