import { until } from '../../../support/until';
import { triggerOnListServiceForEachTest } from '../../../nodes/taxQuery/trigger/freshTrigger';
import { minutesBeforeTest, row } from '../../../nodes/taxQuery/trigger/listService';
import { shiftAllClocks } from '../../../nodes/taxQuery/trigger/triggerHost';

const MINUTES = 60_000;
const FIRST_POLL_MS = 15_000;
const PENDING = 5_000;
const LIST_PAGE = 500;

const { service, host, start } = triggerOnListServiceForEachTest();

const rows = (count: number, status: string) =>
	Array.from({ length: count }, (_, each) =>
		row(`query${each}`, 1, {
			status,
			createdAt: minutesBeforeTest(count - each),
			response: status === 'SUCCESS' ? { RFC: 'X' } : undefined,
		}),
	).reverse();
/** Lets the trigger check until so many results have started, or nothing more comes. */
async function check(count: number, passMs = 2_000): Promise<void> {
	for (let idle = 0; host.started.length < count && idle < 10;) {
		const before = host.started.length;
		shiftAllClocks(passMs);
		await host.poll();
		idle = host.started.length === before ? idle + 1 : 0;
	}
	await host.ended(count);
}

describe(`${PENDING} pending queries that finish at once`, () => {
	it.each([
		['in one response', Infinity],
		['in pages', LIST_PAGE],
	])('all start once, listed %s, also over a restart', async (_, pageSize) => {
		service.page = (offset) => ({
			data: service.rows.slice(offset, offset + pageSize),
			total: service.rows.length,
		});
		service.rows = rows(1_500, 'SUCCESS').map((one) => ({ ...one, _id: `old-${one._id}` }));
		await start({ parameters: { settings: { maxResults: 1_000 } } });
		const old = service.rows;
		service.rows = [...rows(PENDING, 'PENDING'), ...old];
		await host.poll();
		await host.kill();
		service.rows = [...rows(PENDING, 'SUCCESS'), ...old];
		await host.publish('init');
		shiftAllClocks(FIRST_POLL_MS);
		await check(PENDING, 30 * MINUTES);
		expect(new Set(host.started).size).toBe(PENDING);
		expect([host.started.length, host.failures]).toEqual([PENDING, []]);
		expect(host.staticData.length).toBeLessThan(250_000);
	});
});

describe('more pending queries than the trigger can follow', () => {
	it('are a failed execution that says how many it no longer follows', async () => {
		service.page = () => ({ data: service.rows, total: service.rows.length });
		await start();
		service.rows = rows(5_003, 'PENDING');
		await host.poll();
		expect(host.failures).toEqual(['forgotten']);
		expect(host.errors[0].context).toMatchObject({ queries: 3 });
	});
});

describe('1,500 results that n8n cannot start', () => {
	it('all start once when it can, and one failed execution says so', async () => {
		service.page = () => ({ data: service.rows, total: service.rows.length });
		await start({ parameters: { settings: { maxResults: 1_500 } } });
		host.isBroken = true;
		service.rows = rows(1_500, 'SUCCESS');
		await host.poll();
		await until('the report', () => host.failures.length > 0);
		host.isBroken = false;
		await check(1_500, 2 * MINUTES);
		expect(new Set(host.started).size).toBe(1_500);
		expect([host.started.length, host.failures]).toEqual([1_500, ['notStarted']]);
	});
});

describe('1,200 results, more than are saved,', () => {
	it.each([
		['of different moments', (index: number) => index / MINUTES, '{}'],
		['of one moment', () => 0, '{"list": {"order": "newestFirst"}}'],
	])('start once each: %s', async (_, minutes, apiMapping) => {
		service.page = () => ({ data: service.rows, total: service.rows.length });
		service.rows = Array.from({ length: 1_200 }, (_row, index) =>
			row(`query${index}`, 1, { createdAt: minutesBeforeTest(minutes(index)) }),
		);
		await start({
			parameters: { startFrom: 'hours', hours: 1, settings: { maxResults: 600 } },
			credentials: { taxQueryApi: { ...service.credentials().taxQueryApi, apiMapping } },
		});
		await check(1_200, MINUTES);
		await host.poll();
		expect([...host.started].sort()).toEqual(service.rows.map(({ _id }) => _id).sort());
		expect(host.staticData.length).toBeLessThan(100_000);
	});
});

describe('2,000 results whose executions run when n8n is killed', () => {
	it('all run, and none starts once more', async () => {
		await start({ areExecutionsLong: true, parameters: { settings: { maxResults: 5_000 } } });
		service.page = () => ({ data: service.rows, total: service.rows.length });
		service.rows = rows(2_000, 'SUCCESS');
		while (host.started.length < 2_000) {
			shiftAllClocks(5_000); // n8n gets 50 at a time
			await host.poll();
		}
		await host.kill();
		await host.publish('init');
		for (let minutes = 0; minutes < 3; minutes++) {
			shiftAllClocks(MINUTES);
			await host.poll();
		}
		expect(new Set(host.started).size).toBe(2_000);
		expect(host.started).toHaveLength(2_000);
	});
});
