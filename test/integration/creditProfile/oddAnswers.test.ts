import type { INodeParameters } from 'n8n-workflow';
import { startStranger, type Answer, type Asked } from '../dialects/stranger';
import { runNode, type NodeRunOptions } from '../support/runNode';

/** Runs the node at a service that answers so. */
async function ask(
	answer: Answer | ((asked: Asked) => Answer),
	parameters: INodeParameters,
	options: Partial<NodeRunOptions> = {},
) {
	const service = await startStranger(typeof answer === 'function' ? answer : () => answer);
	const { items, error, hints } = await runNode({
		type: 'creditProfile',
		parameters,
		credentials: { creditProfileApi: { baseUrl: service.url, apiToken: 'token-1' } },
		...options,
	});
	await service.close();
	return {
		rows: items.map(({ json }) => json),
		error: error?.message,
		description: error?.description,
		hints: hints.map(({ message }) => message),
		asked: service.asked,
	};
}

const collection = { __rl: true, mode: 'id', value: 7 };
const logins = { resource: 'providerLogin', operation: 'getAll', returnAll: true, simplify: false };
const collections = { ...logins, resource: 'dataCollection' };
const versions = { ...collections, operation: 'getVersions', collection };
const tags = { resource: 'dataCollection', operation: 'getTags' };
const documents = { ...collections, resource: 'dataDocument', collection };
const files = { ...documents, operation: 'downloadFiles' };
const lists = { logins, collections, versions, tags, documents, files };

describe('an answer without content', () => {
	it.each(Object.entries(lists))(
		'is an empty list where its status is 204: %s',
		async (_, list) => {
			const { rows, error } = await ask({ status: 204, type: '' }, list);
			expect([error, rows]).toEqual([undefined, []]);
		},
	);

	it.each(Object.entries(lists))('is none where it tells of a failure: %s', async (_, list) => {
		const body = { success: false, message: 'down', data: [], documents: [], total: 0 };
		const { rows, error, description } = await ask({ body }, list);
		expect([rows, error, description]).toEqual([
			[],
			expect.stringMatching(/answered with an error instead of/),
			'The service says: "down"',
		]);
	});

	it('is none where it says something instead of a total', async () => {
		const { error, description } = await ask(
			{ body: { documents: [], message: 'down' } },
			documents,
		);
		expect([error, description]).toEqual([
			expect.stringMatching(/answered with an error instead of/),
			'The service says: "down"',
		]);
	});
});

describe('an empty list beside a good word', () => {
	it.each(['OK', 'Operación exitosa'])('is an empty list: %s', async (message) => {
		for (const [list, key] of [
			[collections, 'data'],
			[documents, 'documents'],
		] as const) {
			const { rows, error } = await ask({ body: { [key]: [], message } }, list);
			expect([error, rows]).toEqual([undefined, []]);
		}
	});
});

describe('a list that comes at once and tells of more than it holds', () => {
	it.each([
		['logins', logins, { data: [{ id: 1 }], total: 25 }],
		['tags', tags, { data: ['a'], count: 25 }],
	])('is given, and that is said: %s', async (_what, list, body) => {
		const { rows, error, hints } = await ask({ body }, list);
		expect([error, rows.length, hints]).toEqual([
			undefined,
			1,
			[expect.stringMatching(/^The service tells of 25 .*, but gave only 1 of them\.$/)],
		]);
	});

	it('says nothing where a Limit was reached', async () => {
		const body = { data: [{ id: 1 }, { id: 2 }], total: 25 };
		const { rows, hints } = await ask({ body }, { ...logins, returnAll: false, limit: 2 });
		expect([rows.length, hints]).toEqual([2, []]);
	});
});

describe('documents whose titles cannot be had', () => {
	const row = { id: 1, dataCollectionVersionId: 9, document: { monto: 5 } };
	const page = { body: { total: 1, documents: [row] } };
	const simple = { ...documents, simplify: true };
	const at = (versionsAnswer: Answer) => (asked: Asked) =>
		asked.path.endsWith('/versions') ? versionsAnswer : page;

	it.each<[string, Answer]>([
		['403', { status: 403, body: { message: 'A beta' } }],
		['404', { status: 404 }],
		['something else', { body: { message: 'A beta' } }],
	])('come under their keys, and it is said: %s', async (_what, answer) => {
		const { rows, error, hints } = await ask(at(answer), simple, { items: [{}, {}] });
		expect([error, rows]).toEqual([undefined, [1, 2].map(() => ({ monto: 5, id: 1 }))]);
		const told = hints.filter((hint) => hint.includes('columns are named by'));
		expect(told).toEqual([
			expect.stringMatching(/^The titles of collection 7 could not be read, .* Service /),
		]);
	});

	it.each<[string, Answer, RegExp]>([
		['500', { status: 500 }, /500/],
		['401', { status: 401 }, /token/],
	])('are an error where the next run might have them: %s', async (_what, answer, told) => {
		const { rows, error, description } = await ask(at(answer), simple);
		expect([rows, error, description]).toEqual([
			[],
			expect.stringMatching(told),
			expect.stringMatching(/titles of the collection could not be read.*turn Simplify off/),
		]);
	});

	it('come under their titles where the version is named as text', async () => {
		const schema = { properties: { monto: { title: 'Monto' } } };
		const { rows } = await ask(at({ body: { data: [{ id: '9', schema }], total: 1 } }), simple);
		expect(rows).toEqual([{ Monto: 5, id: 1 }]);
	});

	it('are an error where they cannot be had, either', async () => {
		const { error } = await ask({ status: 403 }, simple);
		expect(error).toBe('The Credit Profile Service does not allow this operation');
	});
});

describe('a login that was stored', () => {
	const upsert = {
		...{ resource: 'providerLogin', operation: 'upsert', loginFrom: 'fields' },
		...{ provider: 'bureau/pm', user: 'lender_1', password: 'Secret_1' },
	};
	const each = { ...upsert, password: '=Secret_{{ $json.n }}' };

	it.each<[string, Answer]>([
		['202 with a word', { status: 202, body: { message: 'Accepted' } }],
		['201 with an empty object', { status: 201, body: {} }],
		['200 with success', { body: { success: true } }],
	])('and is not shown is no failure, and the next is sent: %s', async (_what, answer) => {
		const { rows, error, hints, asked } = await ask(answer, each, { items: [{ n: 1 }, { n: 2 }] });
		expect([error, rows, asked.length]).toEqual([
			undefined,
			[1, 2].map(() => expect.objectContaining({ type: 'bureau/pm', id: null })),
			2,
		]);
		expect(hints[0]).toMatch(/^The service took the login without showing it/);
	});

	it('is told apart from one that was not', async () => {
		const body = { success: false, message: 'Unknown user' };
		const { error, description } = await ask({ body }, upsert);
		expect([error, description]).toEqual([
			'The Credit Profile Service answered with an error instead of the provider login',
			'The service says: "Unknown user"',
		]);
	});

	it('is not, where the path or something else is unknown: the service is quoted', async () => {
		const message = 'The organization has not contracted the bureau service';
		const { error, description } = await ask({ status: 404, body: { message } }, upsert);
		expect(error).toMatch(/^The Credit Profile Service does not know the path/);
		expect(description).toContain(`The service says: "${message}"`);
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
	it('is not followed; where it leads is told without what it carries', async () => {
		const location = 'https://user:pass@api.example.com/api/v1/data/collection/?token=token-1#x';
		const answer = { status: 308, headers: { location } };
		const { error, description, asked } = await ask(answer, collections);
		expect([error, asked.length]).toEqual([expect.stringContaining('a redirect'), 1]);
		expect(description).toContain('It leads to https://api.example.com/api/v1/data/collection/.');
		expect(description).not.toMatch(/pass|token-1/);
	});
});

describe('an ID in Filters', () => {
	const filtered = (value: unknown) => ({
		...collections,
		filters: { parentCollectionId__eq: value } as INodeParameters,
	});

	it.each([0, -3, 1.5, '0', [4, 0]])('of %j is refused', async (value) => {
		const { error, asked } = await ask({}, filtered(value));
		expect([error, asked]).toEqual([
			expect.stringMatching(/^"Parent Collection ID" in Filters (has no value|must be a whole)/),
			[],
		]);
	});

	it('of 0 is nothing that an agent was told to look for', async () => {
		const { error, asked } = await ask({ body: { data: [], total: 0 } }, filtered(0), {
			isTool: true,
		});
		expect([error, asked.map(({ query }) => [...query.keys()])]).toEqual([
			undefined,
			[['limit', 'offset']],
		]);
	});
});
