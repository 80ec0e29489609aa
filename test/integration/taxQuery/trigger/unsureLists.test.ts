import { ago, ListService, many, PAGE, row, type Row } from './listService';
import { failure, pass, type TriggerHost, type TriggerHostOptions } from './triggerHost';

const A_DAY = 24 * 60;

let service: ListService;
let host: TriggerHost | undefined;

beforeEach(async () => {
	service = await ListService.start();
	service.page = () => service.listed();
});
afterEach(async () => {
	await host?.stop();
	host = undefined;
	await service.stop();
});

const start = async (options: Partial<TriggerHostOptions> = {}) =>
	(host = await service.trigger(options));
const looks = async (count: number) => {
	for (let each = 0; each < count; each++) await host?.look();
};
const started = () => (host?.started ?? []).map(String).sort();
const pending = { status: 'PENDING', response: undefined };
const finish = (id: string, more: object = {}) => {
	service.rows = service.rows.map((one) =>
		one._id === id ? { ...row(id, 0), createdAt: one.createdAt, ...more } : one,
	);
};
const readings = (id: string) => service.asked.filter((path) => path === `/query/${id}`).length;
const justNow = () => {
	const date = new Date(Date.now()).toISOString();
	return { createdAt: date, updatedAt: date };
};
const none = { createdAt: undefined, updatedAt: undefined };

describe.each<[string, (one: Row) => object]>([
	['ID and service', ({ _id, service: name }) => ({ _id, service: name })],
	['ID, service and creation', ({ _id, createdAt }) => ({ _id, service: 'CRF', createdAt })],
	[
		'ID, service and both dates',
		({ _id, createdAt, updatedAt }) => ({ _id, service: 'CRF', createdAt, updatedAt }),
	],
])('a list that tells %s', (_, told) => {
	beforeEach(() => {
		service.listed = () => service.rows.map(told) as Row[];
		service.rows = [row('waiting', 2, pending), ...many('old', 5, 100)];
	});

	it.each(['both', 'webhook', 'asking'])(
		'has a query started that was pending when the trigger was published, and no other (%s)',
		async (receiveBy) => {
			const trigger = await start({ parameters: { receiveBy, askEvery: 5 } });
			finish('waiting', { updatedAt: ago(0) });
			pass(60_000);
			if (receiveBy === 'asking') await trigger.executed(1);
			else await trigger.deliver({ queryId: 'waiting', status: 'SUCCESS' });
			await trigger.executed(1);
			pass(60_000);
			if (receiveBy !== 'asking') await looks(3);
			expect([started(), trigger.failures]).toEqual([['waiting'], []]);
		},
	);

	it('has several of them started, however long the first take', async () => {
		service.rows = [...many('waiting', 6, 2, pending), ...many('old', 5, 100)];
		await start();
		await looks(1);
		for (const id of ['waiting0', 'waiting5']) finish(id);
		await looks(8);
		expect(started()).toEqual(['waiting0', 'waiting5']);
	});

	it('has one started that stands on a page far behind', async () => {
		service.page = (offset) => ({
			data: service.listed().slice(offset, offset + PAGE),
			total: service.rows.length,
		});
		service.rows = [...many('old', 40, 100), row('waiting', 500, pending)];
		await start({ parameters: { settings: { maxResults: 30 } } });
		pass(60_000);
		await looks(1);
		finish('waiting');
		pass(60_000);
		await host?.deliver({ queryId: 'waiting' });
		await looks(2);
		expect(started()).toEqual(['waiting']);
	});

	it('has none of 300 old ones started, and each read once', async () => {
		service.rows = many('old', 300, 100);
		await start({ parameters: { settings: { maxResults: 150 } } });
		for (let each = 0; each < 3; each++) {
			pass(200_000);
			await looks(1);
		}
		service.rows = [row('new', 0), ...service.rows];
		await looks(2);
		expect([started(), readings('old0'), readings('old299')]).toEqual([['new'], 1, 1]);
	}, 60_000);
});

describe('a query that a delivery names, whose row tells no status,', () => {
	it('is read by its ID at once', async () => {
		service.listed = () => service.rows.map(({ _id }) => ({ _id })) as Row[];
		service.rows = many('waiting', 40, 1, pending);
		const trigger = await start();
		await looks(1);
		finish('waiting33');
		pass(60_000);
		const { status } = await trigger.deliver({ queryId: 'waiting33', status: 'SUCCESS' });
		expect([status, started()]).toEqual([200, ['waiting33']]);
	});
});

describe('Start From a moment, where rows have no dates and records have', () => {
	it.each<[string, (one: Row) => object, object]>([
		[
			'hours, and rows hold the response',
			(one) => ({ ...one, ...none }),
			{ startFrom: 'hours', hours: 24 },
		],
		[
			'a date, and rows hold the status',
			({ _id, service: name, status }) => ({ _id, service: name, status }),
			{ startFrom: 'date', date: ago(A_DAY) },
		],
		[
			'hours, and rows hold the ID alone',
			({ _id }) => ({ _id }),
			{ startFrom: 'hours', hours: 24 },
		],
	])('starts what is dated after it, alone: %s', async (_, told, parameters) => {
		service.listed = () => service.rows.map(told) as Row[];
		service.rows = [row('today', 60), ...many('old', 30, 30 * A_DAY)];
		const trigger = await start({ parameters: { ...parameters, settings: { maxResults: 20 } } });
		pass(60_000);
		await looks(2);
		await trigger.executed(1);
		service.rows = [row('new', 0), ...service.rows];
		await looks(2);
		expect([started(), trigger.failures]).toEqual([['new', 'today'], []]);
	});

	it('starts a query that was pending before it, and finishes later', async () => {
		service.listed = () => service.rows.map((one) => ({ ...one, ...none }) as unknown as Row);
		service.rows = [row('slow', 3 * A_DAY, pending), ...many('old', 3, 30 * A_DAY)];
		await start({ parameters: { startFrom: 'hours', hours: 24 } });
		await looks(1);
		finish('slow', { updatedAt: undefined });
		await looks(2);
		expect(started()).toEqual(['slow']);
	});
});

describe('a list of finished queries alone, by their creation,', () => {
	beforeEach(() => {
		const finished = () => service.rows.filter(({ status }) => status !== 'PENDING');
		service.listed = () => finished().map((one) => ({ ...one, updatedAt: undefined as never }));
	});
	const slow = row('slow', 2 * A_DAY, { updatedAt: undefined });

	it('has a slow query started though 700 newer ones are done', async () => {
		service.rows = many('old', 700, 60);
		await start();
		await looks(2);
		service.rows = [row('fresh', 1), ...service.rows, slow];
		await looks(3);
		expect(started()).toEqual(['fresh', 'slow']);
	});

	it('after a restart of n8n, too, where a delivery names it; and nothing else', async () => {
		service.rows = many('old', 700, 60);
		const trigger = await start();
		service.rows = [row('fresh', 1), ...service.rows];
		await looks(1);
		await trigger.kill();
		service.rows = [...service.rows, slow];
		await trigger.publish('init');
		pass(15_000);
		await trigger.deliver({ queryId: 'slow', status: 'SUCCESS' });
		await looks(2);
		service.rows = [...service.rows, { ...slow, _id: 'slower' }];
		await looks(2);
		expect(started()).toEqual(['fresh', 'slow', 'slower']);
	});

	it('starts nothing again where the service gives what is old another word', async () => {
		service.rows = many('old', 700, 60);
		await start();
		const old = new Set(service.rows.slice(550).map(({ _id }) => _id));
		service.rows = service.rows.map((one) =>
			old.has(one._id) ? { ...one, status: 'READY' } : one,
		);
		await looks(2);
		expect(started()).toEqual([]);
	});
});

describe('a client that was replaced', () => {
	it('loses nothing of an outage, where the list shows its newest rows alone', async () => {
		service.page = () => service.listed().slice(0, PAGE);
		service.rows = many('old', 12, 600);
		const credentials = service.credentials();
		const trigger = await start({ credentials });
		service.rows = [...many('new', 10, 10), ...service.rows];
		Object.assign(credentials, service.credentials('list-2'));
		await trigger.publish('update');
		await looks(2);
		expect([started(), trigger.failures]).toEqual([many('new', 10, 0).map(({ _id }) => _id), []]);
	});

	it('loses nothing where no query was known before', async () => {
		const credentials = service.credentials();
		const trigger = await start({ credentials });
		service.rows = [row('second', 0, justNow()), row('first', 0, justNow())];
		Object.assign(credentials, service.credentials('list-2'));
		await trigger.publish('update');
		await looks(2);
		expect(started()).toEqual(['first', 'second']);
	});

	it('is told as an error where nobody can tell what is old', async () => {
		const credentials = service.credentials();
		const trigger = await start({ credentials });
		service.rows = [row('new', 0, justNow()), ...many('old', 3, 600)];
		Object.assign(credentials, service.credentials('list-2'));
		await trigger.publish('update');
		await looks(2);
		expect([started(), trigger.failures]).toEqual([
			['new'],
			[expect.stringMatching(/another service or client.*3 results/)],
		]);
	});
});

describe('a list that begins with the oldest and cannot be read to its end', () => {
	const oldestFirst = () =>
		(service.page = () => ({ data: service.rows.slice(0, 20), total: service.rows.length }));
	beforeEach(() => (service.rows = many('old', 60, 100).reverse()));

	it('keeps the trigger from being published', async () => {
		oldestFirst();
		const trigger = await start({ parameters: { receiveBy: 'asking' }, activation: null });
		const told = await failure(trigger.publish('activate'));
		expect(told).toMatch(/does not begin with the newest/);
	});

	it('is an error once where it is published already', async () => {
		const trigger = await start();
		oldestFirst();
		await looks(3);
		expect(trigger.failures).toEqual([expect.stringMatching(/does not begin with the newest/)]);
	});

	it('does not where it begins with the newest', async () => {
		service.rows.reverse();
		oldestFirst();
		const trigger = await start();
		expect(trigger.failures).toEqual([]);
	});
});

describe('what was delivered, and is pushed out of a list of the newest rows,', () => {
	beforeEach(() => {
		service.page = () => service.listed().slice(0, PAGE);
		service.rows = many('old', 12, 600);
	});

	it('is not forgotten where the look for it fails', async () => {
		const trigger = await start();
		service.rows = [row('victim', 3), ...service.rows];
		service.isDown = true;
		pass(1_000);
		await trigger.deliver({ queryId: 'victim', status: 'SUCCESS' });
		service.isDown = false;
		service.rows = [...many('new', 12, 0), ...service.rows];
		pass(60_000);
		await looks(2);
		expect(started()).toContain('victim');
	}, 60_000);

	it('is not forgotten where the trigger is not published yet', async () => {
		const trigger = await start();
		await trigger.unpublish();
		service.rows = [row('victim', 3), ...service.rows];
		const { status } = await trigger.deliver({ queryId: 'victim', status: 'SUCCESS' });
		service.rows = [...many('new', 12, 0), ...service.rows];
		await trigger.publish('leadershipChange');
		pass(60_000);
		await looks(2);
		expect([status, started().includes('victim')]).toEqual([202, true]);
	});
});

describe('a list in pages', () => {
	it('by its dates of update, the newest first, is not read to its end by each look', async () => {
		const size = 50;
		service.page = (offset) => ({
			data: service.rows.slice(offset, offset + size),
			total: service.rows.length,
		});
		const scattered = (each: number) => ago(10_000 + ((each * 7919) % 500));
		service.rows = many('old', 500, 5_000).map((one, each) => ({
			...one,
			createdAt: scattered(each),
		}));
		await start();
		const before = service.asked.length;
		await looks(1);
		const requests = service.asked.slice(before).filter((path) => path === '/query').length;
		service.rows = [row('new', 0, { createdAt: ago(12_000) }), ...service.rows];
		await looks(1);
		expect([requests, started()]).toEqual([1, ['new']]);
	});
});

describe('dates whose day and month nobody can tell apart', () => {
	it('hide nothing', async () => {
		const at = (date: string) => ({ createdAt: date, updatedAt: date });
		service.rows = many('old', 700, 0).map((one) => ({ ...one, ...at('12/11/2026 12:00:00') }));
		await start();
		service.rows = [row('december', 0, at('01/12/2026 12:00:00')), ...service.rows];
		await looks(2);
		expect(started()).toEqual(['december']);
	});
});

describe('IDs that are numbers of more digits than can be told apart', () => {
	it('are an error in the executions list, once', async () => {
		const trigger = await start();
		service.rows = [1, 2, 3].map((each) => row((2 ** 60 + each * 1024) as never, 1));
		await looks(3);
		expect(trigger.failures).toEqual([expect.stringMatching(/rows without an ID/)]);
	});
});
