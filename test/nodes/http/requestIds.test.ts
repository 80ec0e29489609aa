import type { INodeParameters } from 'n8n-workflow';
import { runAgainstStub, type StubResponse } from '../../exhaustive/apiVariants/stubServer';
import { testTaxQuery } from '../../support/credentialTestAgainstStub';
import { CredentialTestContext } from 'n8n-core';
import { credentialOfClient, serve } from '../../support/testServer';
import { getCrfParameters, operationParameters, rfcs } from '../taxQuery/support';

const [RFC] = rfcs(1);
const get = operationParameters('query', 'get', { queryId: 'q1' });
const list = operationParameters('query', 'getAll');
const crf = getCrfParameters({ rfc: RFC });
const named = (headers: Record<string, string>, answer: StubResponse): StubResponse => ({
	...answer,
	headers,
});
const run = async (answer: StubResponse, parameters: INodeParameters, options = {}) =>
	await runAgainstStub(() => answer, parameters, options);

const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('the identifier of a request in the headers of its response', () => {
	it.each<[string, Record<string, string>, string]>([
		['X-Request-Id', { 'X-Request-Id': 'req-7f3a' }, 'x-request-id: req-7f3a'],
		['X-Correlation-ID', { 'X-Correlation-ID': 'c-9' }, 'x-correlation-id: c-9'],
		['traceparent', { traceparent: TRACE }, `traceparent: ${TRACE}`],
	])('ends the message and is in the context: %s', async (_name, headers, text) => {
		const { error } = await run(named(headers, { status: 400, body: { message: 'x' } }), get);
		expect(error?.message.endsWith(`(${text})`)).toBe(true);
		expect(error?.context?.requestIds).toEqual([text]);
	});

	it.each<[string, INodeParameters, StubResponse]>([
		['a refused query', crf, { status: 404, body: {} }],
		['a 2xx that reports a failure', crf, { body: { success: false } }],
		['a 2xx without a query', crf, { body: { hello: 1 } }],
		['a body of another shape', get, { body: { hello: 1 } }],
		['a list of another shape', list, { body: { hello: 1 } }],
		['a body that is not JSON', get, { type: 'text/html', body: '<p>x</p>' }],
		['a list that is not found', list, { status: 404, body: {} }],
	])('ends the message of %s', async (_what, parameters, answer) => {
		const { error } = await run(named({ 'x-request-id': 'req-1' }, answer), parameters);
		expect(error?.message).toMatch(/\(x-request-id: req-1\)$/);
		expect(error?.context?.requestIds).toEqual(['x-request-id: req-1']);
	});

	it('ends the message of a query that may have been accepted', async () => {
		const { error } = await runAgainstStub(
			({ method }) =>
				method === 'POST'
					? named({ 'x-request-id': 'req-1' }, { status: 500, body: {} })
					: { body: [] },
			crf,
		);
		expect([error?.context?.code, error?.context?.requestIds]).toEqual([
			'unsure',
			['x-request-id: req-1'],
		]);
		expect(error?.message).toMatch(/\(x-request-id: req-1\)$/);
	});

	it('ends the message of an item that failed under Continue On Fail', async () => {
		const answer = named({ 'x-request-id': 'req-1' }, { status: 400, body: {} });
		const { rows } = await run(answer, get, { onError: 'continueRegularOutput' });
		expect(rows[0].error).toMatch(/\(x-request-id: req-1\)$/);
	});

	it('is left out where it holds a secret, several words, or more than 200 characters', async () => {
		for (const id of ['secret-of-the-client', 'two words', 'x'.repeat(201)]) {
			const answer = named({ 'x-request-id': id }, { status: 400, body: {} });
			const { error } = await run(answer, get);
			expect([error?.message.includes(id), error?.context?.requestIds]).toEqual([false, undefined]);
		}
	});

	it('is in the row of Diagnose and in the result of the credential test', async () => {
		const headers = { 'x-request-id': 'req-1', 'content-type': 'application/json' };
		const { rows } = await run(
			named(headers, { status: 400, body: {} }),
			operationParameters('connection', 'diagnose'),
		);
		expect(rows[1].seen).toContain('req-1');
		const service = await serve((_request, response) => {
			response.writeHead(401, headers);
			response.end('{}');
		});
		const data = {
			...credentialOfClient(`${service.url}/api`, 'client-of-ids'),
			clientSecret: 'secret-1',
		};
		const result = await testTaxQuery.call(new CredentialTestContext(), {
			...{ id: '1', name: 'x', type: 'taxQueryApi', data },
		} as never);
		await service.close();
		expect(result).toMatchObject({ status: 'Error', message: expect.stringMatching(/req-1\)$/) });
	});
});
