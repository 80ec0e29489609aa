import type { INodeParameters } from 'n8n-workflow';
import { startStranger, type Answer, type Asked } from '../dialects/stranger';
import { codeOf } from '../support/errorCode';
import { runNode, type NodeRunOptions } from '../support/runNode';

/** Runs the node at a service that answers so. */
async function ask(
	answer: Answer | ((asked: Asked) => Answer),
	parameters: INodeParameters,
	options: Partial<NodeRunOptions> = {},
) {
	const service = await startStranger(typeof answer === 'function' ? answer : () => answer);
	const { items, error } = await runNode({
		type: 'creditProfile',
		parameters,
		credentials: { creditProfileApi: { baseUrl: service.url, apiToken: 'token-1' } },
		...options,
	});
	await service.close();
	return {
		rows: items.map(({ json }) => json),
		error: error?.message,
		code: codeOf(error),
		description: error?.description,
		asked: service.asked,
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

	it.each(Object.entries(lists))('where it tells of a failure: %s', async (_, list) => {
		const body = { success: false, message: 'down', data: [], documents: [], total: 0 };
		const { rows, code, description } = await ask({ body }, list);
		expect([rows, code, description]).toEqual([
			[],
			'failure',
			expect.stringContaining('The service says: "down"'),
		]);
	});

	it.each(['down', 'OK'])('where it is empty and has no total, but says: %s', async (message) => {
		const { rows, code } = await ask({ body: { documents: [], message } }, documents);
		expect([rows, code]).toEqual([[], 'incomplete']);
	});

	it('where it holds fewer tags than it counts, with words that name no Limit', async () => {
		const body = { count: 3, data: ['a', 'b'] };
		for (const resource of ['dataCollection', 'dataDocument']) {
			const { rows, code, error, description } = await ask({ body }, { ...tags, resource });
			expect([rows, code, error]).toEqual([[], 'incomplete', '2 of 3 rows returned']);
			expect(description).not.toContain('Limit');
		}
	});

	it('where it comes at once and holds less than it reports, unless that fills the Limit', async () => {
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
	const at = (versionsAnswer: Answer) => (asked: Asked) =>
		asked.path.endsWith('/versions') ? versionsAnswer : page;

	it.each<[string, Answer]>([
		['403', { status: 403, body: { message: 'A beta' } }],
		['something else', { body: { message: 'A beta' } }],
	])(
		'fail where they are asked for, for no column is to change its name: %s',
		async (_, answer) => {
			const { rows, error } = await ask(at(answer), simple);
			expect([rows, error]).toEqual([[], expect.any(String)]);
		},
	);

	it('come under their keys where they are not asked for, by one request', async () => {
		const { rows, asked } = await ask(at({ status: 403 }), { ...simple, columnNames: 'keys' });
		expect([rows, asked.length]).toEqual([[{ monto: 5, id: 1 }], 1]);
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

describe('a login', () => {
	const upsert = {
		...{ resource: 'providerLogin', operation: 'upsert', loginFrom: 'fields' },
		...{ provider: 'bureau/pm', user: 'lender_1', password: 'Secret_1' },
	};

	it('is not saved where the path or something else is unknown: the service is quoted', async () => {
		const message = 'The organization has not contracted the bureau service';
		const { code, description } = await ask({ status: 404, body: { message } }, upsert);
		expect(code).toBe('status.404');
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

	it.each([0, 1.5, [4, 0]])('of %j is refused', async (value) => {
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
