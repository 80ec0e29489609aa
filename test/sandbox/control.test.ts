import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { QueryRecord } from '../../contract/taxQuery';
import { startSandbox, type SandboxOptions } from '../../sandbox';
import {
	CURP,
	PERSON_RFC,
	startSandboxWithClients,
	withSandboxClients,
	type SandboxWithClients,
} from './support/clients';
import { startReceiver } from './support/receiver';

/** Reserved: stays PENDING. */
const PENDING = 'PEEP850314ER8';
const HOUR_MS = 3_600_000;

const folder = mkdtempSync(join(tmpdir(), 'sandbox-state-'));
let bench: SandboxWithClients;

afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(async () => {
	bench = await startSandboxWithClients();
});
afterEach(async () => await bench.sandbox.close());

async function restart(options: Partial<SandboxOptions>): Promise<void> {
	await bench.sandbox.close();
	bench = await startSandboxWithClients(options);
}
const get = async <T>(path: string) => (await bench.control.get<T>(path)).data;
const query = async (id: string) => (await bench.taxQuery.get<QueryRecord>(`/query/${id}`)).data;
const list = async () => (await bench.taxQuery.get<QueryRecord[]>('/query')).data;
const endOf = async (rfc?: string) => (await bench.finished(await bench.requestCrf(rfc))).status;
const advance = async (ms: number) => await bench.control.post('/clock', { advance: ms });

describe('/sandbox/outcomes', () => {
	it('scripted outcomes are taken one for each query, then queries end as usual', async () => {
		const script = ['FAIL', 'NOT_FOUND', 'SUCCESS', 'PENDING'];
		await bench.control.put('/outcomes', { [PERSON_RFC]: script });
		expect([await endOf(), await endOf(), await endOf()]).toEqual(['FAILED', 'FAILED', 'SUCCESS']);
		const pending = await bench.requestCrf();
		expect([await endOf(), (await query(pending)).status]).toEqual(['SUCCESS', 'PENDING']);
	});

	it('scripted outcomes hold for reserved people and for queries that answer at once', async () => {
		await bench.control.put('/outcomes', { [CURP]: ['NOT_FOUND'], [PENDING]: ['SUCCESS'] });
		const post = async () => (await bench.taxQuery.post('/query/curp-data', { curp: CURP })).status;
		expect([await post(), await post(), await endOf(PENDING)]).toEqual([404, 200, 'SUCCESS']);
	});

	it('an unknown outcome is refused', async () => {
		expect((await bench.control.put('/outcomes', { [PERSON_RFC]: ['PERHAPS'] })).status).toBe(400);
	});
});

describe('/sandbox/queries/{id}/deliver', () => {
	it('deliver ends a query that waits, with its result, and calls the webhook', async () => {
		const receiver = await startReceiver();
		await bench.control.put('/webhook', { url: receiver.url });
		const id = await bench.requestCrf(PENDING);
		expect((await bench.control.post(`/queries/${id}/deliver`)).status).toBe(200);
		const [{ body }] = await receiver.arrived(1);
		await receiver.close();
		expect(JSON.parse(body)).toMatchObject({ _id: id, status: 'SUCCESS' });
		expect(await query(id)).toEqual(JSON.parse(body));
	});

	it('deliver sends a finished query again, and answers 404 for an unknown one', async () => {
		const { _id } = await bench.finished(await bench.requestCrf());
		await bench.control.post(`/queries/${_id}/deliver`);
		expect(await get('/deliveries')).toHaveLength(2);
		expect((await bench.control.post('/queries/none/deliver')).status).toBe(404);
	});
});

describe('the clock of the sandbox', () => {
	it('advancing the clock brings what is due by then, and lets tokens expire', async () => {
		await restart({ resultDelay: HOUR_MS, tokenLifetime: 7200 });
		const id = await bench.requestCrf();
		await advance(HOUR_MS - 60_000);
		expect((await query(id)).status).toBe('PENDING');
		await advance(61_000);
		expect((await bench.finished(id)).status).toBe('SUCCESS');
		await advance(HOUR_MS);
		expect((await bench.taxQuery.get('/query')).status).toBe(401);
	});

	it.each([120_000, -120_000])(
		'--clock-skew %i shifts each time that is sent',
		async (clockSkew) => {
			await restart({ clockSkew, taxRateLimit: 5, taxRateLimitHeaders: true });
			const waits = ['nextTick', 'queueMicrotask', 'setImmediate', 'setTimeout'] as const;
			jest.useFakeTimers({ doNotFake: [...waits] });
			const expected = Date.now() + clockSkew;
			const { headers } = await bench.taxQuery.post('/query/crf', { rfc: PERSON_RFC });
			const [{ createdAt }] = await list();
			const [{ at }] = await get<Array<{ at: string }>>('/ledger');
			const { now } = await get<{ now: string }>('/clock');
			jest.useRealTimers();
			expect(Number(headers['x-ratelimit-reset'])).toBe(expected + 1000);
			expect(headers.date).toBe(new Date(expected).toUTCString());
			expect([createdAt, at, now].map((time) => Date.parse(time))).toEqual(Array(3).fill(expected));
		},
	);
});

describe('the state of the sandbox', () => {
	/** Changes something of everything that a sandbox remembers. */
	async function changeAll(): Promise<void> {
		await bench.taxQuery.post('/query/tax/profile', { rfc: PERSON_RFC, ciec: 'abcd1234' });
		await bench.finished(await bench.requestCrf());
		await bench.requestCrf(PENDING);
		await bench.creditProfile.post('/credential/bureau/pm', { user: 'A', password: 'B' });
		await bench.control.put('/outcomes', { [PERSON_RFC]: ['FAIL'] });
		await bench.control.put('/webhook', { shape: 'id' });
		await bench.control.put('/faults', [{ path: '/nowhere', fault: 'hang' }]);
		await advance(1000);
	}
	const snapshot = async () => await get<object>('/snapshot');
	/** What the services and the control paths show of it. */
	const visible = async (): Promise<Record<string, unknown>> => ({
		queries: await list(),
		credentials: (await bench.creditProfile.get<object[]>('/credential')).data,
		...{ ledger: await get('/ledger'), outcomes: await get('/outcomes') },
		...{ webhook: await get('/webhook'), faults: await get('/faults') },
	});

	it('POST /sandbox/reset restores the state of the start', async () => {
		const [first, saved] = [await visible(), await snapshot()];
		await changeAll();
		for (const [part, value] of Object.entries(await visible())) {
			expect(value).not.toEqual(first[part]);
		}
		await bench.control.post('/reset');
		expect(await get('/requests')).toEqual([]);
		expect([await visible(), await snapshot()]).toEqual([first, saved]);
	});

	it('PUT /sandbox/snapshot restores a state, in another sandbox too', async () => {
		await changeAll();
		const taken = await snapshot();
		const before = await visible();
		await bench.control.post('/reset');
		await bench.control.put('/snapshot', taken);
		expect([await visible(), await snapshot()]).toEqual([before, taken]);
		await withSandboxClients({}, async ({ control, taxQuery }) => {
			await control.put('/snapshot', taken);
			const csf = await taxQuery.post('/query/tax/csf', { rfc: PERSON_RFC });
			const { data } = await taxQuery.get<QueryRecord[]>('/query');
			expect([csf.status, data.slice(1)]).toEqual([200, before.queries]);
		});
	});

	it('a query that is restored still gets its result', async () => {
		await restart({ resultDelay: HOUR_MS, tokenLifetime: 7200 });
		const id = await bench.requestCrf();
		const taken = await snapshot();
		await bench.control.post('/reset');
		await bench.control.put('/snapshot', taken);
		await advance(HOUR_MS);
		expect((await bench.finished(id)).status).toBe('SUCCESS');
	});

	it.each([{}, [], { queries: {} }])('PUT /sandbox/snapshot refuses %j', async (saved) => {
		expect((await bench.control.put('/snapshot', saved)).status).toBe(400);
	});

	it('--state stores the state in a file from one start to the next', async () => {
		const state = join(folder, 'state.json');
		await restart({ state });
		await changeAll();
		const before = await visible();
		await restart({ state });
		expect(await visible()).toEqual(before);
	});

	it('--state with a file that holds no state stops the start, and names the file', async () => {
		const state = join(folder, 'other.json');
		writeFileSync(state, '{"queries": 5}');
		await expect(startSandbox({ state })).rejects.toThrow(`${state} is no state of a sandbox`);
	});
});
