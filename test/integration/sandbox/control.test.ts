import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { QueryRecord } from '../../../contract/taxQuery';
import { startSandbox } from '../../../sandbox';
import { startReceiver } from './support/receiver';
import { startTaxQueryBench, type TaxQueryBench } from './support/taxQuery';

const RFC = 'GODE561231GR8';
const HOUR_MS = 3_600_000;

const folder = mkdtempSync(join(tmpdir(), 'sandbox-state-'));
let bench: TaxQueryBench;

afterAll(() => rmSync(folder, { recursive: true }));

beforeEach(async () => {
	bench = await startTaxQueryBench();
});
afterEach(async () => await bench.sandbox.close());

const ask = async (rfc = RFC) =>
	(await bench.service.post<{ queryId: string }>('/query/crf', { rfc })).data.queryId;
const query = async (id: string) => (await bench.service.get<QueryRecord>(`/query/${id}`)).data;
const list = async () => (await bench.service.get<QueryRecord[]>('/query')).data;
const pendingRfc = async () => {
	const { data } = await bench.control.get('/state');
	return data.reserved.find((one: { behaviour: string }) => one.behaviour === 'pending').rfc;
};

describe('scripted outcomes (/sandbox/outcomes)', () => {
	it('are taken one for each query, then it ends as usual', async () => {
		await bench.control.put('/outcomes', { [RFC]: ['FAIL', 'NOT_FOUND', 'SUCCESS', 'PENDING'] });
		const ends = [];
		for (let times = 0; times < 3; times++) ends.push((await bench.finished(await ask())).status);
		const pending = await ask();
		await bench.finished(await ask());
		expect([...ends, (await query(pending)).status]).toEqual([
			'FAILED',
			'FAILED',
			'SUCCESS',
			'PENDING',
		]);
	});

	it('hold for reserved people and for queries that answer at once, too', async () => {
		const curp = 'PEXL990821HSRRXS05';
		const rfc = await pendingRfc();
		await bench.control.put('/outcomes', { [curp]: ['NOT_FOUND'], [rfc]: ['SUCCESS'] });
		const post = async () => (await bench.service.post('/query/curp-data', { curp })).status;
		expect([await post(), await post()]).toEqual([404, 200]);
		expect((await bench.finished(await ask(rfc))).status).toBe('SUCCESS');
	});

	it('of an unknown word are refused', async () => {
		expect((await bench.control.put('/outcomes', { [RFC]: ['PERHAPS'] })).status).toBe(400);
	});
});

describe('deliver now (/sandbox/queries/{id}/deliver)', () => {
	it('ends a query that waits, with its result, and delivers it', async () => {
		const receiver = await startReceiver();
		await bench.control.put('/webhook', { url: receiver.url });
		const id = await ask(await pendingRfc());
		expect((await bench.control.post(`/queries/${id}/deliver`)).status).toBe(200);
		const [{ body }] = await receiver.arrived(1);
		await receiver.close();
		expect(JSON.parse(body)).toMatchObject({ _id: id, status: 'SUCCESS' });
		expect(await query(id)).toEqual(JSON.parse(body));
	});

	it('delivers a finished one again', async () => {
		const id = await ask();
		await bench.finished(id);
		await bench.control.post(`/queries/${id}/deliver`);
		expect((await bench.control.get('/deliveries')).data).toHaveLength(2);
	});

	it('answers 404 for an unknown query', async () => {
		expect((await bench.control.post('/queries/none/deliver')).status).toBe(404);
	});
});

describe('a test delivery (/sandbox/deliveries/test)', () => {
	it('is of a query that the service lists and nobody pays for', async () => {
		const receiver = await startReceiver();
		await bench.control.put('/webhook', { url: receiver.url });
		const { data } = await bench.control.post<QueryRecord>('/deliveries/test');
		await receiver.arrived(1);
		await receiver.close();
		expect([(await list())[0]._id, (await bench.control.get('/ledger')).data]).toEqual([
			data._id,
			[],
		]);
		// of a kind that comes later: what comes at once starts no trigger that is as it was made
		expect([data.service, Object.keys(data.response)]).toEqual([
			'CRF',
			expect.arrayContaining(['RFC', 'RegimenesFiscales']),
		]);
	});

	it('wants a webhook', async () => {
		expect((await bench.control.post('/deliveries/test')).status).toBe(409);
	});
});

describe('the clock (/sandbox/clock)', () => {
	it('brings what is due by then, and lets tokens expire', async () => {
		await bench.sandbox.close();
		bench = await startTaxQueryBench({ resultDelay: HOUR_MS, tokenLifetime: 7200 });
		const id = await ask();
		const advance = async (ms: number) => await bench.control.post('/clock', { advance: ms });
		await advance(HOUR_MS + 1000);
		expect((await bench.finished(id)).status).toBe('SUCCESS');
		await advance(HOUR_MS);
		expect((await bench.service.get('/query')).status).toBe(401);
	});

	it.each([120_000, -120_000])(
		'goes %i ms beside this one with --clock-skew',
		async (clockSkew) => {
			await bench.sandbox.close();
			bench = await startTaxQueryBench({ clockSkew, taxRateLimit: 5, taxRateLimitHeaders: true });
			const { headers } = await bench.service.post('/query/crf', { rfc: RFC });
			const [{ createdAt }] = await list();
			const { data: ledger } = await bench.control.get<Array<{ at: string }>>('/ledger');
			const times = [
				Date.parse(String(headers.date)),
				Number(headers['x-ratelimit-reset']),
				Date.parse(createdAt),
				Date.parse(ledger[0].at),
			];
			const off = times.map((time) => Math.round((time - Date.now()) / 60_000));
			expect(off).toEqual(Array(4).fill(clockSkew / 60_000));
		},
	);
});

describe('the rate limiter of the query service', () => {
	it.each([
		[true, ['3', '2']],
		[false, [undefined, undefined]],
	])('with headers: %p', async (taxRateLimitHeaders, headers) => {
		await bench.sandbox.close();
		bench = await startTaxQueryBench({ taxRateLimit: 3, taxRateLimitHeaders });
		const answers = await Promise.all([1, 2, 3, 4, 5].map(() => bench.service.get('/query')));
		expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429]);
		expect(['limit', 'remaining'].map((name) => answers[0].headers[`x-ratelimit-${name}`])).toEqual(
			headers,
		);
	});
});

describe('the state', () => {
	/** Something of everything that a sandbox remembers. */
	async function live(): Promise<void> {
		await bench.service.post('/query/tax/profile', { rfc: RFC, ciec: 'abcd1234' });
		await bench.finished(await ask());
		await ask(await pendingRfc());
		await bench.control.put('/outcomes', { [RFC]: ['FAIL'] });
		await bench.control.put('/webhook', { shape: 'id' });
		await bench.control.put('/faults', [{ path: '/nowhere', fault: 'hang' }]);
		await bench.control.post('/clock', { advance: 1000 });
	}
	const snapshot = async () => (await bench.control.get('/snapshot')).data;

	it('is as at the start after POST /sandbox/reset', async () => {
		const first = await snapshot();
		await live();
		await bench.control.post('/reset');
		expect(await snapshot()).toEqual(first);
		expect([await list(), (await bench.control.get('/requests')).data.length]).toEqual([[], 1]);
	});

	it('is taken and restored by /sandbox/snapshot, in another sandbox too', async () => {
		await live();
		const taken = await snapshot();
		const before = await list();
		await bench.control.post('/reset');
		await bench.control.put('/snapshot', taken);
		expect([await list(), await snapshot()]).toEqual([before, taken]);
		const other = await startTaxQueryBench();
		await other.control.put('/snapshot', taken);
		const { data } = await other.service.get('/query');
		const csf = await other.service.post('/query/tax/csf', { rfc: RFC });
		await other.sandbox.close();
		expect([data, csf.status]).toEqual([before, 200]);
	});

	it('lets a restored query have its result', async () => {
		await bench.sandbox.close();
		bench = await startTaxQueryBench({ resultDelay: HOUR_MS, tokenLifetime: 7200 });
		const id = await ask();
		const taken = await snapshot();
		await bench.control.post('/reset');
		await bench.control.put('/snapshot', taken);
		await bench.control.post('/clock', { advance: HOUR_MS });
		expect((await bench.finished(id)).status).toBe('SUCCESS');
	});

	it.each([{}, [], { queries: {} }])('that is none is refused: %j', async (saved) => {
		expect((await bench.control.put('/snapshot', saved)).status).toBe(400);
	});

	it('stays in the file of --state from one start to the next', async () => {
		const state = join(folder, 'state.json');
		await bench.sandbox.close();
		bench = await startTaxQueryBench({ state });
		await live();
		const before = await list();
		await bench.sandbox.close();
		bench = await startTaxQueryBench({ state });
		expect(await list()).toEqual(before);
	});

	it('in a file that holds none stops the start, and names the file', async () => {
		const state = join(folder, 'other.json');
		writeFileSync(state, '{"queries": 5}');
		await expect(startSandbox({ state })).rejects.toThrow(`${state} is no state of a sandbox`);
	});
});
