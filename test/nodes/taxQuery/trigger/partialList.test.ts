import { until } from '../../../support/until';
import { minutesBeforeTest, many, PAGE, row } from './listService';
import { shiftAllClocks } from './triggerHost';
import { triggerOnListServiceForEachTest } from './freshTriggerForEachTest';

const { service, host, start } = triggerOnListServiceForEachTest();

const pending = { status: 'PENDING', response: undefined };
const finish = (id: string, minutes: number, more: object = {}) => {
	service.rows = service.rows.map((one) =>
		one._id === id
			? { ...row(id, 0), createdAt: one.createdAt, updatedAt: minutesBeforeTest(minutes), ...more }
			: one,
	);
};
const pollCount = async (count: number) => {
	for (let each = 0; each < count; each++) await host.poll();
};

describe('a backlog of more than one poll emits, in pages', () => {
	it('loses nothing of what was made long ago and finished late', async () => {
		service.rows = many('q', 100, 100);
		finish('q85', 40);
		finish('q86', 41);
		await start({
			parameters: { startFrom: 'hours', hours: 720, settings: { maxResults: 10 } },
		});
		for (let each = 0; each < 16; each++) {
			shiftAllClocks(10_000);
			await host.poll();
		}
		expect(host.started.sort()).toEqual(service.rows.map(({ _id }) => _id).sort());
	});

	it('starts nothing old above rows that wait for the next poll', async () => {
		const fresh = many('new', 12, 1);
		service.rows = [row('old', 120), ...fresh, ...many('older', 30, 130)];
		await start({ parameters: { startFrom: 'hours', hours: 1, settings: { maxResults: 10 } } });
		await host.executed(12);
		service.rows = [row('newest', 0), ...service.rows];
		await host.poll();
		await host.executed(13);
		expect([...host.started].sort()).toEqual([...fresh.map(({ _id }) => _id), 'newest'].sort());
	});

	it('not every poll reads a backlog to its end', async () => {
		service.rows = [...many('old', 100, 200)];
		await start({ parameters: { settings: { maxResults: 2 } } });
		service.rows = [...many('new', 8, 1), ...service.rows];
		const before = service.requests.length;
		await host.poll();
		await host.executed(8);
		expect(service.requests.filter((path) => path === '/query').length).toBeLessThan(before + 12);
	});
});

describe('a notified query beyond the rows that a poll reads,', () => {
	it.each(['both', 'webhook'])('is read by its ID (%s)', async (receiveBy) => {
		service.rows = many('q', 50, 100);
		finish('q45', 145, { status: 'FAILED', response: { message: 'no' } });
		await start({ parameters: { receiveBy } });
		finish('q45', 0);
		shiftAllClocks(1_000);
		const { status } = await host.deliver({ queryId: 'q45' });
		expect([status, host.started]).toEqual([200, ['q45']]);
	});

	it('and that cannot be read holds up nothing', async () => {
		service.rows = many('q', 50, 100);
		await start();
		service.rows = [row('new', 0), ...service.rows];
		service.broken = 'q45';
		shiftAllClocks(1_000);
		const { status } = await host.deliver({ queryId: 'q45' });
		expect(status).toBe(202); // reading it again and again takes longer than a sender waits
		await until('the new result', () => host.started.includes('new'));
		expect([host.started, host.failures]).toEqual([['new'], []]);
	});

	it('costs two requests a second at most, however many are named', async () => {
		service.rows = many('q', 50, 100);
		await start();
		const before = service.requests.length;
		const body = Array.from({ length: 100 }, (_, each) => ({ queryId: `forged-${each}` }));
		shiftAllClocks(1_000);
		await Promise.all(Array.from({ length: 20 }, () => host.deliver(body)));
		expect(service.requests.length - before).toBeLessThanOrEqual(6);
	});
});

describe('a list that shows its newest rows alone', () => {
	it.each<[string, () => unknown]>([
		[
			'reports more, and ignores paging',
			() => ({ data: service.listed().slice(0, PAGE), total: 5_000 }),
		],
		['reports no more', () => service.listed().slice(0, PAGE)],
	])('and %s, loses no pending query that was pushed out', async (_, answer) => {
		service.page = answer;
		service.rows = [...many('w', 5, 100, pending), ...many('old', 5, 200)];
		await start();
		await pollCount(1);
		service.rows = [...many('n', 20, 1), ...service.rows];
		await host.poll();
		for (let each = 0; each < 5; each++) finish(`w${each}`, 0);
		await pollCount(5);
		expect(host.started.filter((id) => String(id).startsWith('w')).sort()).toEqual([
			'w0',
			'w1',
			'w2',
			'w3',
			'w4',
		]);
	});

	it('loses no delivered result, though it reports no more rows', async () => {
		service.page = () => service.listed().slice(0, PAGE);
		service.rows = many('old', PAGE, 100);
		await start();
		service.rows = [...many('n', 3 * PAGE, 0), ...service.rows];
		const wanted = service.rows.slice(0, 3 * PAGE).map(({ _id }) => _id);
		for (let each = 0; host.started.length < wanted.length && each < 40; each++) {
			shiftAllClocks(1_000);
			const lacking = wanted.filter((id) => !host.started.includes(id));
			await host.deliver(lacking.map((queryId) => ({ queryId })));
		}
		expect([...host.started].sort()).toEqual([...wanted].sort());
	});

	it('loses no result of a query that was started as pending, and was pushed out', async () => {
		service.page = () => service.listed().slice(0, PAGE);
		service.rows = many('old', 5, 200);
		await start({ parameters: { statuses: ['pending', 'success'] } });
		service.rows = [row('slow', 0, pending), ...service.rows];
		await pollCount(1);
		service.rows = [...many('new', 20, 0), ...service.rows];
		await pollCount(1);
		finish('slow', 0);
		await pollCount(2);
		expect(host.started.filter((id) => id === 'slow')).toEqual(['slow', 'slow']);
	});

	it('not every poll reads the list to its end', async () => {
		service.page = () => ({ data: service.listed().slice(0, PAGE), total: 5_000 });
		service.rows = many('old', 20, 200);
		await start();
		const before = service.requests.length;
		await pollCount(3);
		expect(service.requests.slice(before).filter((path) => path === '/query')).toHaveLength(3);
	});

	it('reports once a pending query that the service no longer knows', async () => {
		service.page = () => service.listed().slice(0, PAGE);
		service.rows = [row('gone', 1, pending), ...many('old', 5, 200)];
		await start();
		service.rows = service.rows.slice(1);
		const minutes = async (count: number) => {
			for (let each = 0; each < count; each++) {
				shiftAllClocks(60_000);
				await host.poll();
			}
			return service.requests.filter((path) => path === '/query/gone').length;
		};
		const requests = await minutes(5);
		expect(requests).toBeGreaterThanOrEqual(5);
		expect(await minutes(2)).toBe(requests);
		expect(host.errors.map(({ context }) => context)).toEqual([
			expect.objectContaining({ code: 'putAside', queryId: 'gone' }),
		]);
	});
});

describe('a list in pages that shows a query late, behind those that are known,', () => {
	it('is read to its end once a day', async () => {
		service.rows = many('old', 30, 100);
		await start();
		const [before, behind] = [service.rows.slice(0, 15), service.rows.slice(15)];
		service.rows = [...before, row('late', 115), ...behind];
		await pollCount(1);
		shiftAllClocks(25 * 3_600_000);
		await pollCount(1);
		expect(host.started).toEqual(['late']);
	});
});

describe('a list of finished queries alone, by their creation,', () => {
	it('starts only a notified slow query, also after a restart of n8n', async () => {
		service.page = () => service.listed();
		service.rows = many('old', 700, 60);
		await start();
		service.rows = [row('fresh', 1), ...service.rows];
		await pollCount(1);
		await host.endsSaved();
		await host.kill();
		service.rows = [...service.rows, row('slow', 2 * 24 * 60), row('slower', 3 * 24 * 60)];
		await host.publish('init');
		shiftAllClocks(15_000);
		await host.deliver({ queryId: 'slow', status: 'SUCCESS' });
		await pollCount(2);
		expect(host.started).toEqual(['fresh', 'slow']);
	});
});

describe('what was delivered, and is pushed out of a list of the newest rows,', () => {
	beforeEach(() => {
		service.page = () => service.listed().slice(0, PAGE);
		service.rows = many('old', 12, 600);
	});

	it('starts by the repeated call when the poll for it fails', async () => {
		await start();
		service.rows = [row('victim', 3), ...service.rows];
		service.isDown = true;
		shiftAllClocks(1_000);
		const deliver = async () =>
			(await host.deliver({ queryId: 'victim', status: 'SUCCESS' })).status;
		const status = await deliver();
		service.isDown = false;
		service.rows = [...many('new', 12, 0), ...service.rows];
		shiftAllClocks(60_000);
		await deliver();
		await pollCount(2);
		expect(status).toBe(503);
		expect(host.started).toContain('victim');
	});
});
