import type { IDataObject } from 'n8n-workflow';
import {
	runAgainstStub,
	type StubRequest,
	type StubResponse,
} from '../../exhaustive/apiVariants/stubServer';
import { codeOf } from '../../support/errorCode';
import { crfRecord, queryGetPathsIn } from './crfStubResponses';
import { curps, getCrfParameters, itemsForRfcs, operationParameters, rfcs } from './support';

const wanted = rfcs(2);

describe('query IDs that lead elsewhere', () => {
	it.each(['.', '..', ' .. '])('are refused before anything is sent: %j', async (queryId) => {
		const { error, requests } = await runAgainstStub(
			() => ({ body: {} }),
			operationParameters('query', 'get', { queryId }),
		);
		expect([codeOf(error), requests]).toEqual(['field.id', []]);
	});
});

describe('query IDs that are numbers', () => {
	/** Acknowledges with these IDs as text, for JavaScript would round them before they are sent. */
	const numbered = (ids: string[]) => {
		const taken = ids.values();
		const requests: string[] = [];
		return ({ method, path, body }: StubRequest): StubResponse => {
			if (method === 'POST') {
				requests.push((JSON.parse(body) as { rfc: string }).rfc);
				return { body: `{"queryId":${taken.next().value}}` };
			}
			const id = path.split('/').at(-1) ?? '';
			return { body: path === '/api/query' ? [] : crfRecord(id, requests[ids.indexOf(id)]) };
		};
	};
	const run = async (...ids: string[]) =>
		await runAgainstStub(numbered(ids), getCrfParameters({ waitForResult: true }), {
			items: itemsForRfcs(wanted),
			onError: 'continueRegularOutput',
		});

	it('are read as text where JSON holds them exactly', async () => {
		const { rows, requests } = await run('7', '9007199254740991');
		expect(rows).toMatchObject([{ queryId: '7' }, { queryId: '9007199254740991' }]);
		expect(queryGetPathsIn(requests)).toContain('/api/query/7');
	});

	it('are read by their digits beyond that', async () => {
		const ids = ['1234567890123456789', '1234567890123456790'];
		const { rows, requests } = await run(...ids);
		expect(rows).toMatchObject(ids.map((queryId) => ({ queryId, pending: false })));
		expect(queryGetPathsIn(requests)).toEqual(ids.map((id) => `/api/query/${id}`));
	});
});

describe('a query ID under which the service has nothing', () => {
	const NOTHING: Array<[string, StubResponse]> = [
		['404', { status: 404, body: { message: 'Nothing' } }],
		['null', { body: 'null' }],
		['null as plain text', { type: 'text/plain', body: 'null' }],
		['204', { status: 204, type: '' }],
	];
	const [[, nothing]] = NOTHING;

	it.each(NOTHING)('fails Query → Get after one read: %s', async (_how, byId) => {
		const { error, requests } = await runAgainstStub(
			() => byId,
			operationParameters('query', 'get', { queryId: 'q1' }),
		);
		expect(codeOf(error)).toBe('noQuery');
		expect(queryGetPathsIn(requests)).toEqual(['/api/query/q1']);
	});

	it('fails no item with Reuse Results, if a listed row has it', async () => {
		const row = crfRecord('q1', wanted[0], { query: undefined, response: undefined });
		const { rows, error } = await runAgainstStub(
			({ method, path, times }) => {
				if (method === 'POST') return { body: { queryId: `new-${times}` } };
				return path === '/api/query' ? { body: [row] } : nothing;
			},
			getCrfParameters({ reuse: 'hours', reuseHours: 24 }),
			{ items: itemsForRfcs(wanted) },
		);
		expect(error).toBeUndefined();
		expect(rows).toHaveLength(2);
	});

	const people = curps(2);
	it.each<[string, IDataObject, IDataObject[]]>([
		['whose result follows', getCrfParameters(), itemsForRfcs(wanted)],
		[
			'whose result comes at once',
			operationParameters('person', 'getCurpData', { curp: '={{ $json.curp }}' }),
			people.map((curp) => ({ curp })),
		],
	])('is pending in a further try of a query %s', async (_what, parameters, items) => {
		const [[first]] = items.map((item) => Object.values(item));
		let refusals = 0;
		const { rows, error } = await runAgainstStub(
			({ method, body }) => {
				if (method === 'GET') return nothing;
				if (body.includes(String(first))) return { body: { message: 'ok', queryId: 'q1' } };
				return refusals++ === 0 ? { status: 400, body: {} } : { body: { queryId: 'q2' } };
			},
			parameters as never,
			{ items, maxTries: 2 },
		);
		expect(error).toBeUndefined();
		expect(rows).toMatchObject([
			{ ...items[0], queryId: 'q1', pending: true },
			{ ...items[1], queryId: 'q2', pending: true },
		]);
	});
});
