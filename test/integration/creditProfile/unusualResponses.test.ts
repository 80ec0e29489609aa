import type { INodeParameters } from 'n8n-workflow';
import { startStubServer, type StubResponse, type StubRequest } from '../apiVariants/stubServer';
import { codeOf, fieldErrorOf } from '../support/errorCode';
import { runNode, type NodeRunOptions } from '../support/runNode';

/** Runs the node at a service that answers so. */
async function ask(
	answer: StubResponse | ((requests: StubRequest) => StubResponse),
	parameters: INodeParameters,
	options: Partial<NodeRunOptions> = {},
) {
	const service = await startStubServer(typeof answer === 'function' ? answer : () => answer);
	const { items, error } = await runNode({
		type: 'creditProfile',
		parameters,
		credentials: { creditProfileApi: { baseUrl: service.url, apiToken: 'token-1' } },
		...options,
	});
	await service.close();
	return {
		rows: items.map(({ json }) => json),
		code: codeOf(error),
		error,
		requests: service.requests,
	};
}

const collection = { __rl: true, mode: 'id', value: 7 };
const logins = {
	resource: 'providerLogin',
	operation: 'getAll',
	returnAll: true,
	options: { simplify: false },
};
const collections = { ...logins, resource: 'dataCollection' };
const tags = { resource: 'dataCollection', operation: 'getTags' };
const documents = { ...collections, resource: 'dataDocument', collection };
const files = { ...documents, operation: 'downloadFiles', filesFrom: 'collection' };
/** Each way in which rows are read: at once, texts, page by page, and by what needs them. */
const lists = { logins, tags, documents, files };

describe('a list of which it is not known what it holds is an error', () => {
	it.each(Object.entries(lists))('without content: %s', async (_, list) => {
		const { rows, code } = await ask({ status: 204, type: '' }, list);
		expect([rows, code]).toEqual([[], 'body.empty']);
	});

	it.each(Object.entries(lists))('fails on a list that reports a failure: %s', async (_, list) => {
		const body = { success: false, message: 'down', data: [], documents: [], total: 0 };
		const { rows, code, error } = await ask({ body }, list);
		expect([rows, code, error?.context?.serviceMessage]).toEqual([[], 'failure', 'down']);
	});

	it.each(['down', 'OK'])('where it is empty and has no total, but says: %s', async (message) => {
		const { rows, code } = await ask({ body: { documents: [], message } }, documents);
		expect([rows, code]).toEqual([[], 'incomplete']);
	});

	it('where it holds fewer tags than it counts', async () => {
		const body = { count: 3, data: ['a', 'b'] };
		for (const resource of ['dataCollection', 'dataDocument']) {
			const { rows, error } = await ask({ body }, { ...tags, resource });
			expect([rows, error?.context]).toEqual([
				[],
				expect.objectContaining({ code: 'incomplete', given: 2, total: 3 }),
			]);
		}
	});

	it('fails on a list in one response with fewer rows than reported', async () => {
		const body = { data: [1, 2].map((id) => ({ id, type: 'bureau/pf' })), total: 25 };
		const all = await ask({ body }, logins);
		expect([all.rows, all.code]).toEqual([[], 'incomplete']);
		const two = await ask({ body }, { ...logins, returnAll: false, limit: 2 });
		expect([two.rows.length, two.code]).toEqual([2, undefined]);
	});
});

describe('documents whose titles cannot be had', () => {
	const row = { id: 1, dataCollectionVersionId: 9, document: { monto: 5 } };
	const page = { body: { total: 1, documents: [row] } };
	const simple = { ...documents, columnNames: 'titles', options: {} };
	const at = (versionsAnswer: StubResponse) => (requests: StubRequest) =>
		requests.path.endsWith('/versions') ? versionsAnswer : page;

	it.each<[string, StubResponse]>([
		['403', { status: 403, body: { message: 'A beta' } }],
		['something else', { body: { message: 'A beta' } }],
	])('fails when requested titles cannot be read: %s', async (_, answer) => {
		const { rows, code } = await ask(at(answer), simple);
		expect([rows, code]).toEqual([[], expect.any(String)]);
	});

	it('names columns by key with one request if no titles are requested', async () => {
		const { rows, requests } = await ask(at({ status: 403 }), {
			...simple,
			columnNames: 'keys',
		});
		expect([rows, requests.length]).toEqual([[{ monto: 5, id: 1 }], 1]);
	});

	it('come under their titles where the version is named as text', async () => {
		const schema = { properties: { monto: { title: 'Monto' } } };
		const { rows } = await ask(at({ body: { data: [{ id: '9', schema }], total: 1 } }), simple);
		expect(rows).toEqual([{ Monto: 5, id: 1 }]);
	});

	it('are an error where they cannot be had, either', async () => {
		const { code } = await ask({ status: 403 }, simple);
		expect(code).toBe('status.403');
	});
});

describe('a login', () => {
	const upsert = {
		...{ resource: 'providerLogin', operation: 'upsert', loginFrom: 'fields' },
		...{ provider: 'bureau/pm', user: 'lender_1', password: 'Secret_1' },
	};

	it('is not saved where the path or something else is unknown: the service is quoted', async () => {
		const message = 'The organization has not contracted the bureau service';
		const { code, error } = await ask({ status: 404, body: { message } }, upsert);
		expect([code, error?.context?.serviceMessage]).toEqual(['status.404', message]);
	});
});

describe('a body in Latin-1', () => {
	it.each<[string, BufferEncoding]>([
		['iso-8859-1', 'latin1'],
		['windows-1252', 'latin1'],
		['ISO-8859-1', 'latin1'],
		['ISO-8859-1', 'utf8'],
	])(
		'is read as its type says, unless its bytes are UTF-8: %s over %s',
		async (charset, encoding) => {
			const page = JSON.stringify({ data: [{ id: 1, name: 'Peña Ávila' }], total: 1 });
			const body = Buffer.from(page, encoding);
			const { rows } = await ask(
				{ type: `application/json; charset=${charset}`, body },
				collections,
			);
			expect(rows).toEqual([{ id: 1, name: 'Peña Ávila' }]);
		},
	);
});

describe('a redirect', () => {
	it("reports a redirect's target without its query, and does not follow it", async () => {
		const location = 'https://user:pass@api.example.com/api/v1/data/collection/?token=token-1#x';
		const answer = { status: 308, headers: { location } };
		const { code, error, requests } = await ask(answer, collections);
		expect([code, requests.length]).toEqual(['status.308', 1]);
		expect(error?.description).toContain(' https://api.example.com/api/v1/data/collection/.');
		expect(error?.description).not.toMatch(/pass|token-1/);
	});
});

describe('an ID in Filters', () => {
	const filtered = (value: unknown) => ({
		...collections,
		filters: { parentCollectionId__eq: value } as INodeParameters,
	});

	it.each([
		[0, 'filter.empty'],
		[1.5, 'filter.id'],
		[[4, 0], 'filter.empty'],
	])('of %j is refused', async (value, code) => {
		const { error, requests } = await ask({}, filtered(value));
		expect([fieldErrorOf(error), requests]).toEqual([[code, 'Parent Collection ID'], []]);
	});

	it('refuses the ID 0 in Filters', async () => {
		const { error, requests } = await ask({ body: { data: [], total: 0 } }, filtered(0), {
			isTool: true,
		});
		expect([error, requests.map(({ query }) => [...query.keys()])]).toEqual([
			undefined,
			[['limit', 'offset']],
		]);
	});
});
