import { runAgainstStub, type StubResponse } from '../../exhaustive/apiVariants/stubServer';
import { codeOf } from '../../support/errorCode';
import { fakeService, respondJson } from './fakeService';
import { queryPostsIn, responderByRequestKind } from './crfStubResponses';
import {
	CIEC,
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

describe('a corrected CIEC', () => {
	const NEW = 'Ciec_Corrected_8';
	const withCiec = (ciec: string) => ({ ...createTaxProfileParameters(RFC), ciec });

	it.each([
		['after a refusal', 422],
		['after it was accepted', undefined],
	])('is sent by the retry %s, though a profile exists', async (_when, status) => {
		const service = await fakeService({
			post: (accept, response) =>
				service.sent() === 2 && status !== undefined
					? respondJson(response, { message: 'Wrong CIEC' }, status)
					: respondJson(response, { queryId: accept()._id }),
		});
		const execution = { executionId: `corrected-${status}`, memory: {} };
		await service.run(withCiec(CIEC));
		await service.run(withCiec('Mistyped_Ciec'), execution);
		const { items } = await service.run(withCiec(NEW), { ...execution, mode: 'retry' });
		await service.close();
		expect(items[0].json).not.toHaveProperty('reused');
		expect(service.billed.at(-1)?.query).toMatchObject({ rfc: RFC, ciec: NEW });
	});

	it('is not sent again by a retry with the same one', async () => {
		const service = await fakeService();
		const execution = { executionId: 'same-ciec', memory: {} };
		for (const mode of ['trigger', 'retry'] as const)
			await service.run(withCiec(CIEC), { ...execution, mode });
		await service.close();
		expect(service.sent()).toBe(1);
	});
});
