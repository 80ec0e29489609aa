import type { INodeParameters } from 'n8n-workflow';
import { startStubServer, type StubResponse } from '../../exhaustive/apiVariants/stubServer';
import { codeOf } from '../../support/errorCode';
import { runNodeInEngine } from '../../support/runNodeInEngine';

/** Returns what comes out of a list or a record when the service responds like this: rows, or the error's code. */
async function outcomeOf(parameters: INodeParameters, answer: StubResponse) {
	const service = await startStubServer(() => answer);
	try {
		const { items, error } = await runNodeInEngine({
			type: 'creditProfile',
			parameters,
			credentials: { creditProfileApi: { baseUrl: service.url, apiToken: 'token-1' } },
		});
		return error ? codeOf(error) : items.length;
	} finally {
		await service.close();
	}
}

const row = { id: 1, name: 'A', tags: [], creatorId: 2, activeDataCollectionVersionId: 3 };
const two = [row, { ...row, id: 2 }];

/** Responses that mean the same wherever they come. */
const anywhere: Array<[body: unknown, code: string]> = [
	[{}, 'shape'],
	[{ ok: true }, 'shape'],
	[{ ok: true, id: 7 }, 'shape'],
	[{ locked: true }, 'shape'],
	[{ status: 'DONE' }, 'shape'],
	[{ message: 'Your contract ended', code: 204 }, 'shape'],
	[{ mensaje: 'Recibido', turno: 12 }, 'shape'],
	[{ data: null }, 'shape'],
	[{ data: {} }, 'shape'],
	[{ data: 'none' }, 'shape'],
	[{ data: [1, 2] }, 'shape'],
	[{ data: [{ id: 1 }], total: 1 }, 'shape'],
	[{ data: [{ name: 'A' }], total: 1 }, 'shape'],
	[{ data: [{ ...row, id: null }], total: 1 }, 'shape'],
	[{ data: [{ ...row, id: '' }], total: 1 }, 'shape'],
	[{ data: [row, 'x'], total: 2 }, 'shape'],
	[[[row]], 'shape'],
	[[1], 'shape'],
	[{ a: two, b: two, total: 2 }, 'shape'],
	[{ success: false }, 'failure'],
	[{ success: false, data: [] }, 'failure'],
	[{ success: false, message: 'Not today', data: [], total: 0 }, 'failure'],
	[{ errors: [{ message: 'No' }] }, 'failure'],
	[{ errors: ['No'], data: [], total: 0 }, 'failure'],
	[{ error: { code: 17 } }, 'failure'],
	[{ error: 'No' }, 'failure'],
	['<html>Sign in</html>', 'body.notJson'],
	['{"data": [', 'body.truncated'],
	['', 'body.empty'],
	['null', 'body.scalar'],
	['17', 'body.scalar'],
	['"ok"', 'body.notJson'],
];

const lists: Array<[body: unknown, outcome: unknown]> = [
	...anywhere,
	[{ data: two, total: 2 }, 2],
	[{ data: two, total: '2' }, 2],
	[{ data: two, totalCount: 2 }, 2],
	[{ data: [], total: 0 }, 0],
	[{ data: null, total: 0 }, 0],
	[{ items: null, total: 0 }, 0],
	[{ data: null, total: 7 }, 'shape'],
	[{ data: null }, 'shape'],
	[null, 'body.scalar'],
	[{ rows: two, total: 2 }, 2],
	[{ errors: [], data: two, total: 2 }, 2],
	[{ data: two }, 'incomplete'],
	[two, 'incomplete'],
	[{ data: two, count: 2 }, 'incomplete'],
	[{ data: two, pagination: { total: 2, next: null } }, 'incomplete'],
	[{ data: two, total: 1 }, 2],
	[{ data: two, total: -1 }, 'incomplete'],
	[{ data: two, total: 'many' }, 'incomplete'],
	[{ data: [], total: 7 }, 'incomplete'],
	[{ data: [] }, 'incomplete'],
];

const records: Array<[body: unknown, outcome: unknown]> = [
	...anywhere.filter(([body]) => !JSON.stringify(body).includes('"name":"A"')),
	[row, 1],
	[{ data: row }, 1],
	[{ collection: row }, 1],
	[[row], 1],
	[two, 'shape'],
	[{ a: row, b: row }, 'shape'],
	[{ id: 1 }, 'shape'],
	[{ name: 'A' }, 'shape'],
	[{ data: { data: row } }, 'shape'],
	[{ success: false, id: 1 }, 'failure'],
];

const statuses: Array<[status: number, code: string]> = [
	...[400, 401, 402, 403, 404, 405, 409, 410, 413, 415, 418, 422, 423, 451].map(
		(status): [number, string] => [status, `status.${status}`],
	),
	...[300, 301, 302, 303, 307, 308].map((status): [number, string] => [status, `status.${status}`]),
];

const getMany = { resource: 'dataCollection', operation: 'getAll', returnAll: true };
const get = {
	resource: 'dataCollection',
	operation: 'get',
	collection: { __rl: true, mode: 'id', value: 1 },
};

describe('a list of collections', () => {
	it.each(lists)('with the body %j gives %p', async (body, outcome) => {
		expect(await outcomeOf(getMany, { body })).toEqual(outcome);
	});
});

describe('a list of provider logins', () => {
	const login = {
		...{ id: 1, type: 'legal_records', organizationId: 2, isEnabled: true },
		...{ createdAt: '2026-01-05T10:00:00.000Z', updatedAt: '2026-01-05T10:00:00.000Z' },
	};
	const all = { resource: 'providerLogin', operation: 'getAll', returnAll: true };
	const one = { ...all, returnAll: false, limit: 1 };
	it.each<[body: unknown, parameters: INodeParameters, outcome: unknown]>([
		[[login], all, 1],
		[{ data: [login] }, all, 1],
		[{ data: [login], total: 1 }, all, 1],
		[{ data: [login], total: 2 }, all, 'incomplete'],
		[{ data: [login], total: 2 }, one, 1],
		[{ credentials: [login], count: 1 }, all, 1],
		[{ data: null, count: 0 }, all, 'shape'],
	])('with the body %j, read by %j, gives %p', async (body, parameters, outcome) => {
		expect(await outcomeOf(parameters, { body })).toEqual(outcome);
	});
});

describe('tags', () => {
	const tags = { resource: 'dataDocument', operation: 'getTags' };

	it.each<[body: unknown, outcome: unknown]>([
		[{ count: 0, data: null }, 0],
		[{ count: 1, data: ['aval'] }, 1],
		[['aval', 'otro'], 2],
	])('with the body %j give %p', async (body, outcome) => {
		expect(await outcomeOf(tags, { body })).toEqual(outcome);
	});

	it('of a plain array are counted with Simplify off', async () => {
		const service = await startStubServer(() => ({ body: ['aval', 'otro'] }));
		const { items } = await runNodeInEngine({
			type: 'creditProfile',
			parameters: { ...tags, options: { simplify: false } },
			credentials: { creditProfileApi: { baseUrl: service.url, apiToken: 'token-1' } },
		});
		await service.close();
		expect(items.map(({ json }) => json)).toEqual([{ count: 2, data: ['aval', 'otro'] }]);
	});
});

describe('a record', () => {
	it.each(records)('with the body %j gives %p', async (body, outcome) => {
		expect(await outcomeOf(get, { body })).toEqual(outcome);
	});
});

describe('a list and a record', () => {
	it.each(statuses)('with status %d fail with %s', async (status, code) => {
		const answer = { status, body: { data: two, total: 2 } };
		expect([await outcomeOf(getMany, answer), await outcomeOf(get, answer)]).toEqual([code, code]);
	});
});
