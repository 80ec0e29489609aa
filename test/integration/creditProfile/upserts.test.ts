import type { IDataObject } from 'n8n-workflow';
import { startStranger, type Answer, type Asked } from '../dialects/stranger';
import { runNode, type NodeRunOptions } from '../support/runNode';

const LEGAL = 'legal-records';

/** Stores the login of each item, at a service that answers so; the provider is told by the item, too. */
async function store(
	answer: (asked: Asked) => Answer,
	items: IDataObject[],
	more: Partial<NodeRunOptions> = {},
) {
	const service = await startStranger(answer);
	const { error, ...run } = await runNode({
		type: 'creditProfile',
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
	const sent = service.asked.map(({ body }) => (JSON.parse(body) as IDataObject).password);
	return {
		error,
		sent,
		hints: run.hints.map(({ message }) => message),
		rows: run.items.map(({ json }) => json.user ?? json.error),
		failed: run.failed.map(({ json }) => json.error),
	};
}
const login = (password: string) => ({ user: 'lender', password });
const stored = ({ body }: Asked): Answer => ({
	body: { id: 1, type: LEGAL, user: (JSON.parse(body) as IDataObject).username },
});

describe('several logins for one provider in one run', () => {
	it('are stored one after another: the last item is the one that stays', async () => {
		const { error, sent, rows } = await store(
			(asked) => (asked.times === 0 ? { status: 429, body: {} } : stored(asked)),
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

	const refuseOld = (asked: Asked) =>
		asked.body.includes('Old') ? { status: 422, body: { message: 'No' } } : stored(asked);

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
		expect([error?.message, error?.context?.itemIndex, sent]).toEqual([
			'The Credit Profile Service did not accept the values sent',
			1,
			['New_1', 'Old_2'],
		]);
	});

	it('fail with the first item where the same login is refused', async () => {
		const { error, sent } = await store(refuseOld, [login('Old_1'), login('Old_1')]);
		expect([error?.context?.itemIndex, sent]).toEqual([0, ['Old_1']]);
	});
});

it('a stored login with a state of its own is no error', async () => {
	const createdAt = '2026-01-01T00:00:00.000Z';
	const body = { id: 1, type: LEGAL, user: 'lender', status: 'failed', createdAt };
	const { error, rows } = await store(() => ({ body }), [login('A')]);
	expect([error, rows]).toEqual([undefined, ['lender']]);
});

describe('an answer without the login', () => {
	const told = async (body: unknown, status = 200) =>
		await store(() => ({ status, body }), [login('Lender_Secret_1')]);

	it.each<[unknown, string]>([
		[{ message: 'Invalid bureau credentials' }, 'Invalid bureau credentials'],
		[{ message: 'Credenciales inválidas' }, 'Credenciales inválidas'],
		[{ mensaje: 'No autorizado' }, 'No autorizado'],
		[{ detail: 'Lender_Secret_1 rejected by the bureau' }, '*** rejected by the bureau'],
		[{ message: 'Login could not be stored' }, 'Login could not be stored'],
		[{ message: 'Not accepted' }, 'Not accepted'],
		[{ status: 'rejected' }, "{'status':'rejected'}"],
		[{ valid: false }, "{'valid':false}"],
		[{ code: 'INVALID_CREDENTIALS', message: 'x' }, 'x'],
		[{ requestId: 'a1' }, "{'requestId':'a1'}"],
		[{ user: 'lender', message: 'Wrong password' }, 'Wrong password'],
	])('that does not say it was stored is an error: %j', async (body, said) => {
		const { error, rows } = await told(body);
		expect([rows, error?.message]).toEqual([
			[],
			'Nobody knows whether the provider login was stored',
		]);
		expect(error?.description).toContain('Look with Provider Login → Get Many before you send');
		expect(error?.description).toContain(`The service says: "${said}"`);
	});

	it.each<[unknown, number]>([
		[{}, 200],
		[{ data: null, message: '' }, 200],
		[{ success: true, message: 'No changes' }, 200],
		[{ ok: true }, 200],
		[{ status: 'OK' }, 200],
		[{ message: 'Credential stored successfully' }, 200],
		[{ mensaje: 'Operación realizada con éxito' }, 200],
		[{ code: 'CREDENTIAL_CREATED' }, 200],
		[{ statusCode: 200, message: '' }, 200],
		[{ user: 'lender', type: LEGAL }, 200],
		[{ requestId: 'a1' }, 201],
		[{ message: 'Being processed' }, 202],
	])('that says it was, or has a status that does, is none: %j, %i', async (body, status) => {
		const { error, rows } = await told(body, status);
		expect([error, rows.length]).toEqual([undefined, 1]);
	});

	it('lets no further item be sent, and the same login is not sent again', async () => {
		const answer = () => ({ body: { status: 'rejected' } });
		const items = [login('A'), login('A'), login('B')];
		expect((await store(answer, items)).sent).toEqual(['A']);
		const { sent, failed } = await store(answer, items, { onError: 'continueErrorOutput' });
		expect([sent, failed.length]).toEqual([['A', 'B'], 3]);
	});
});

describe('a login that the service refuses with status 200', () => {
	it.each<[string, unknown, string]>([
		[
			'success false',
			{ success: false, message: 'Bureau rejected', id: 'err1' },
			'The service says: "Bureau rejected"',
		],
		[
			'an error',
			{ error: { code: 'X', id: 'e1', title: 'Refused' } },
			'The service says: "Refused"',
		],
		[
			'errors',
			{ errors: [{ id: 'e1', detail: 'No such user' }] },
			'The service says: "No such user"',
		],
		[
			'a failure under data',
			{ data: { ok: false, id: 4, reason: 'Lender_Secret_1 is wrong' } },
			'The service says: "*** is wrong"',
		],
	])('is an error, not stored: %s', async (_what, body, said) => {
		const { error, rows } = await store(() => ({ body }), [login('Lender_Secret_1')]);
		expect([rows, error?.message, error?.description]).toEqual([
			[],
			'The Credit Profile Service answered with an error instead of the provider login',
			expect.stringContaining(said),
		]);
	});
});

describe('an answer that is not what was sent', () => {
	const record = { id: 1, type: LEGAL, user: 'lender', isEnabled: true, createdAt: '2026-01-01' };
	const told = async (body: unknown) => await store(() => ({ body }), [login('Secret_1')]);

	it.each<[string, IDataObject, string]>([
		['another user', { user: 'SOMEBODY_ELSE' }, 'shows another user'],
		['another type', { type: 'bureau-pm' }, 'shows another type'],
		['a login that is off', { isEnabled: false }, 'says that it is not enabled'],
		[
			'errors',
			{ errors: ['invalid Secret_1'] },
			'tells of an error. Provider Login → Get Many tells what is stored. The service says: "invalid ***"',
		],
		['the state of an error', { status: 'error', message: 'No' }, 'tells of an error'],
		[
			'all of it',
			{ user: 'x', type: 'BUREAU_PF', isEnabled: 'false', error: 'E' },
			'shows another user, shows another type, says that it is not enabled, tells of an error',
		],
	])('is told, and is no failure: %s', async (_what, more, doubt) => {
		const { error, rows, hints } = await told({ ...record, ...more });
		expect([error, rows, hints]).toEqual([
			undefined,
			[more.user ?? 'lender'],
			[
				expect.stringContaining(
					`The service took the login for Legal Records, but its answer ${doubt}`,
				),
			],
		]);
	});

	it.each<[string, IDataObject]>([
		['what was sent', {}],
		['a masked user', { user: 'le****' }],
		['a user masked by x', { user: 'lexxxx' }],
		['the user in another case', { user: ' Lender' }],
		['no user', { user: null }],
		['a type of its own', { type: 'PJ_RECORDS' }],
		['the type in other letters', { type: 'LEGAL_RECORDS' }],
		['no state', { isEnabled: null }],
		['an empty list of errors', { errors: [], error: null }],
	])('may be %s', async (_what, more) => {
		const { error, hints } = await told({ ...record, ...more });
		expect([error, hints]).toEqual([undefined, []]);
	});

	it.each<[string, unknown]>([
		['nothing', []],
		['all logins', [{ ...record, id: 2, type: 'bureau-pm' }, record]],
	])('may have been stored all the same: %s', async (_what, body) => {
		const { error, rows } = await told(body);
		expect([rows, error?.message, error?.description]).toEqual([
			[],
			'The Credit Profile Service answered without the provider login',
			expect.stringMatching(
				/^It may have been accepted all the same. Running it again is safe: .* Check that the base/,
			),
		]);
	});
});
