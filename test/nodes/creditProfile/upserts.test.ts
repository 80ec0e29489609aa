import type { IDataObject } from 'n8n-workflow';
import {
	startStubServer,
	type StubResponse,
	type StubRequest,
} from '../../exhaustive/apiVariants/stubServer';
import { codeOf } from '../../support/errorCode';
import { runNodeInEngine, type NodeRunOptions } from '../../support/runNodeInEngine';

const LEGAL = 'legal-records';

let executions = 0;

/** Stores each item's login at a service with this response; the item names the provider, too. */
async function store(
	answer: (requests: StubRequest) => StubResponse,
	items: IDataObject[],
	more: Partial<NodeRunOptions> = {},
) {
	const service = await startStubServer(answer);
	const { error, ...run } = await runNodeInEngine({
		type: 'creditProfile',
		executionId: `execution ${++executions}`, // within one, a refused login is not sent again
		parameters: {
			...{ resource: 'providerLogin', operation: 'upsert', loginFrom: 'fields' },
			...{ provider: LEGAL, username: '={{ $json.user }}', password: '={{ $json.password }}' },
		},
		items,
		credentials: {
			creditProfileApi: { baseUrl: service.url, apiToken: 'token-1', pointsPerSecond: 0 },
		},
		...more,
	});
	await service.close();
	const sent = service.requests.map(({ body }) => (JSON.parse(body) as IDataObject).password);
	return {
		error,
		sent,
		hints: run.hints.map(({ message }) => message),
		rows: run.items.map(({ json }) => json.user ?? json.error),
		failed: run.failed.map(({ json }) => json.error),
		actions: run.items.map(({ json }) => json.action),
	};
}
const login = (password: string) => ({ user: 'lender', password });
const stored = ({ body }: StubRequest): StubResponse => ({
	body: { id: 1, type: LEGAL, user: (JSON.parse(body) as IDataObject).username },
});

describe('several logins for one provider in one run', () => {
	it('are stored one after another: the last item is the one that stays', async () => {
		const { error, sent, rows } = await store(
			(requests) => (requests.times === 0 ? { status: 429, body: {} } : stored(requests)),
			[login('Old_1'), login('New_2')],
		);
		expect([error, sent, rows]).toEqual([
			undefined,
			['Old_1', 'Old_1', 'New_2'],
			['lender', 'lender'],
		]);
	});

	it('that are the same are stored once, and each item gets the answer', async () => {
		const { sent, rows } = await store(
			stored,
			Array.from({ length: 60 }, () => login('Same_1')),
		);
		expect([sent, rows]).toEqual([['Same_1'], Array.from({ length: 60 }, () => 'lender')]);
	});

	it('that come again after another are stored again', async () => {
		const { sent } = await store(stored, [login('A'), login('B'), login('A'), login('A')]);
		expect(sent).toEqual(['A', 'B', 'A']);
	});

	const refuseOld = (requests: StubRequest) =>
		requests.body.includes('Old') ? { status: 422, body: { message: 'No' } } : stored(requests);

	it('go on after one that fails, under Continue On Fail', async () => {
		const { sent, rows, failed } = await store(
			refuseOld,
			[login('Old_1'), login('New_2'), login('Old_3'), login('New_4')],
			{ onError: 'continueErrorOutput' },
		);
		expect([sent, rows, failed.length]).toEqual([
			['Old_1', 'New_2', 'Old_3', 'New_4'],
			['lender', 'lender'],
			2,
		]);
	});

	it('are not sent any more after one that fails', async () => {
		const { error, sent } = await store(refuseOld, [login('New_1'), login('Old_2'), login('B')]);
		expect([codeOf(error), error?.context?.item, sent]).toEqual([
			'status.422',
			2,
			['New_1', 'Old_2'],
		]);
	});

	it('fail with the first item where the same login is refused', async () => {
		const { error, sent } = await store(refuseOld, [login('Old_1'), login('Old_1')]);
		expect([error?.context?.item, sent]).toEqual([1, ['Old_1']]);
	});
});

describe('a response to a login', () => {
	const row = {
		...{ id: 1, type: LEGAL, user: 'lender', isEnabled: true, organizationId: 7 },
		...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-02-01T00:00:00.000Z' },
	};
	const respond = async (body: unknown, status = 200) =>
		await store(() => ({ status, body }), [login('Lender_Secret_1')]);

	it.each<[string, unknown, number?]>([
		['the row', row],
		['the row without a user', { ...row, user: undefined }],
		['the row, created', row, 201],
		['a short row', { id: 1, type: LEGAL }],
		['an ID as text', { ...row, id: '17' }],
		['a row with a state of its own', { ...row, status: 'failed' }],
		['the row in a list', [row]],
		['the row under data', { data: row }],
		['the row under another name', { credential: row, message: 'ok' }],
		['the row without errors', { ...row, errors: [], error: null }],
	])('that is %s says that it was saved', async (_what, body, status = 200) => {
		const { error, sent } = await respond(body, status);
		expect([error, sent]).toEqual([undefined, ['Lender_Secret_1']]);
	});

	it.each<[unknown, number?]>([
		['', 200],
		['', 204],
		['<html>Saved</html>'],
		[null],
		[[]],
		[{}],
		[{ locked: true }],
		[{ message: 'Your contract ended', code: 204 }],
		[{ status: 'rejected' }],
		[{ user: 'lender', message: 'Wrong password' }],
		[{ success: true }],
		[{ message: 'Credential stored successfully' }],
		[{ user: 'lender', type: LEGAL }],
		[{ id: 1 }],
		[{ id: 17, type: 'error', message: 'Locked' }],
		[{ id: null, type: LEGAL, isEnabled: true }],
		[{ ...row, id: undefined }],
		[{ ...row, success: false }],
		[{ success: false, data: row }],
		[{ errors: [{ id: 'e1', detail: 'No such user' }] }],
		[[{ ...row, id: 2, type: 'bureau-pm' }, row]],
		[{ data: [row] }],
		[{ old: row, new: row }],
	])('that is anything else leaves it unknown: %j, %j', async (body, status = 200) => {
		const { error, rows, sent } = await respond(body, status);
		expect([rows, sent, codeOf(error)]).toEqual([[], ['Lender_Secret_1'], 'unsure']);
	});

	it('that quotes no row is quoted', async () => {
		const { error } = await respond({ message: 'Your contract ended' });
		expect(error?.context?.serviceMessage).toBe('Your contract ended');
	});

	it('with status 404 quotes the service', async () => {
		const message = 'The organization has not contracted the bureau service';
		const { error } = await respond({ message }, 404);
		expect(error?.context).toMatchObject({ code: 'status.404', serviceMessage: message });
	});

	it('that repeats the password is not', async () => {
		const { error } = await respond({ message: 'Lender_Secret_1 rejected' });
		expect(error?.description).not.toContain('Lender_Secret_1');
	});

	it('sends no other item, nor this login again, after a response without a row', async () => {
		const answer = () => ({ body: { status: 'rejected' } });
		const items = [login('A'), login('A'), login('B')];
		expect((await store(answer, items)).sent).toEqual(['A']);
		const { sent, failed } = await store(answer, items, { onError: 'continueErrorOutput' });
		expect([sent, failed.length]).toEqual([['A', 'B'], 3]);
	});

	it.each<[string, IDataObject]>([
		['another user', { user: 'SOMEBODY_ELSE' }],
		['a user masked by the service', { user: 'lexxxx' }],
		['a login that is off', { isEnabled: false }],
	])('hints at a login whose row shows %s, without failing', async (_what, more) => {
		const { error, rows, hints } = await respond({ ...row, ...more });
		expect([error, rows, hints]).toEqual([
			undefined,
			[more.user ?? 'lender'],
			[expect.stringContaining('Legal Records')],
		]);
	});

	it.each<[string, IDataObject]>([
		['what was sent', {}],
		['no user', { user: null }],
		['a type of its own', { type: 'LEGAL_RECORDS' }],
	])('shows no hint for a login whose row shows %s', async (_what, more) => {
		const { error, hints } = await respond({ ...row, ...more });
		expect([error, hints]).toEqual([undefined, []]);
	});

	it.each<[string, IDataObject, string | null]>([
		['created', { updatedAt: row.createdAt }, 'created'],
		['updated', {}, 'updated'],
		['saved, as far as it shows', { updatedAt: undefined }, null],
	])('reports that the login was %s', async (_what, more, action) => {
		const { actions } = await respond({ ...row, ...more });
		expect(actions).toEqual([action]);
	});
});
