import { runAgainstStub, type StubResponse } from '../../exhaustive/apiVariants/stubServer';
import { curps, getCrfParameters, operationParameters, rfcs } from '../taxQuery/support';

const page = (body: string): StubResponse => ({ status: 404, type: 'text/html', body });
const plain = (body: string): StubResponse => ({ status: 404, type: 'text/plain', body });
const json = (body: unknown): StubResponse => ({ status: 404, body });

/** What stands between n8n and a service during a rollout, and answers in its place. */
const GATEWAYS: Array<[name: string, answer: StubResponse]> = [
	['Express', page('<!DOCTYPE html>\n<html><body><pre>Cannot POST /query/crf</pre></body></html>')],
	[
		'nginx',
		page(
			'<html>\r\n<head><title>404 Not Found</title></head><body><center>nginx</center></body></html>',
		),
	],
	['the default backend of ingress', plain('default backend - 404')],
	['Heroku', page('<!DOCTYPE html><html><head><title>No such app</title></head></html>')],
	['Kong', json({ message: 'no Route matched with those values' })],
	[
		'Kong with a request ID',
		json({ message: 'no Route matched with those values', request_id: 'a1' }),
	],
	['Traefik', plain('404 page not found\n')],
	['Envoy, without a body', { status: 404, type: 'text/plain', body: '' }],
	['a body of blanks', plain(' \n')],
	['Nest', json({ statusCode: 404, message: 'Cannot POST /query/crf', error: 'Not Found' })],
	['Fastify', json({ statusCode: 404, message: 'Route POST:/query/crf not found' })],
	['a text in JSON', json('Not Found')],
	['a list in JSON', json(['Not Found'])],
	['null in JSON', json(null)],
];

const [RFC] = rfcs(1);
const [CURP] = curps(1);
const crf = getCrfParameters({ rfc: RFC, reuse: 'never' });
const byId = operationParameters('query', 'get', { queryId: 'q1' });

describe("a gateway's 404", () => {
	it.each(GATEWAYS)('is no word about a taxpayer: %s', async (_name, answer) => {
		const { error } = await runAgainstStub(() => answer, crf);
		expect(error?.message).toMatch(/^Something between n8n and the service answered/);
		expect(error?.context).toMatchObject({ code: 'gateway.404', mappingKeys: ['paths.getCrf'] });
	});

	it.each(GATEWAYS)('is no word about a person or a past query: %s', async (_name, answer) => {
		const curpData = operationParameters('person', 'getCurpData', { curp: CURP });
		const runs = [
			await runAgainstStub(() => answer, curpData),
			await runAgainstStub(() => answer, byId),
		];
		expect(runs.map(({ error }) => error?.context?.code)).toEqual(['gateway.404', 'gateway.404']);
	});

	it('is not the refusal of a password, nor a missing tax profile', async () => {
		const csf = operationParameters('taxAuthority', 'getCsf', { rfc: RFC, reuse: 'never' });
		const { error } = await runAgainstStub(() => plain('default backend - 404'), csf);
		expect(error?.description).not.toContain('Create Tax Profile');
		expect(error?.context?.mayLackProfile).toBeUndefined();
	});

	it.each([400, 403, 409, 422])('with status %i instead is none either', async (status) => {
		const { error } = await runAgainstStub(() => ({ ...plain('upstream'), status }), crf);
		expect(error?.context?.code).toBe(`gateway.${status}`);
	});
});

describe("a 404 in JSON that may be the service's own", () => {
	it.each([{}, { message: 'Not Found' }, { error: 'unknown RFC' }])(
		'is said to be both: %j',
		async (body) => {
			const { error } = await runAgainstStub(() => json(body), crf);
			expect(error?.message).toBe('No taxpayer was found for this RFC');
			expect(error?.description).toMatch(/If every item fails so, a gateway answered/);
			expect(error?.context).toMatchObject({ code: 'status.404' });
		},
	);
});
