import { codeOf } from '../../../support/errorCode';
import { minutesBeforeTest, many, PAGE, row, type Row } from './listService';
import { rejectionOrUndefined, shiftAllClocks, type TriggerHostOptions } from './triggerHost';
import { triggerOnListServiceForEachTest } from './freshTriggerForEachTest';

const { service, host, start } = triggerOnListServiceForEachTest();
const pollCount = async (count: number) => {
	for (let each = 0; each < count; each++) await host.poll();
};
const inOneResponse = () => (service.page = () => service.listed());
const without =
	(...names: Array<keyof Row>) =>
	() => {
		const left = (one: Row) =>
			Object.fromEntries(
				Object.entries(one).filter(([name]) => !names.includes(name as keyof Row)),
			);
		service.listed = () => service.rows.map(left) as Row[];
	};
const oldestFirst = () => {
	service.listed = () => [...service.rows].reverse();
};
const mixed = () => {
	const place = ({ _id }: Row) => _id.split('').reverse().join('');
	service.listed = () => [...service.rows].sort((a, b) => (place(a) < place(b) ? -1 : 1));
};

const [STATUS, IDS, ORDER, OLDEST] = ['list.status', 'list.ids', 'list.order', 'list.oldestFirst'];
const unsure: Array<[what: string, prepare: () => void, code: string, key: string]> = [
	['shows no status', without('status'), STATUS, 'list.parameters'],
	['shows no IDs', without('_id'), IDS, 'list.parameters'],
	['shows no dates, in pages', without('createdAt'), ORDER, 'list.order'],
	['is in no order, in pages', mixed, ORDER, 'list.order'],
	['begins with the oldest, in pages', oldestFirst, OLDEST, 'list.parameters'],
];

describe('a list that', () => {
	beforeEach(() => (service.rows = many('old', 3 * PAGE, 100)));

	it.each(unsure)(
		'%s keeps the trigger from being published, and says what to set',
		async (_, prepare, code, key) => {
			prepare();
			const trigger = await start({ activation: null });
			const { context } = (await rejectionOrUndefined(trigger.publish('activate'))) ?? {};
			expect(context).toMatchObject({ code, mappingKeys: expect.arrayContaining([key]) });
		},
	);

	it.each(unsure)(
		'%s is never read with Webhook Only, where results start by their ID',
		async (_, prepare) => {
			prepare();
			const trigger = await start({ parameters: { receiveBy: 'webhook' } });
			service.rows = [row('new', 0), ...service.rows];
			const { status } = await trigger.deliver({ queryId: 'new' });
			expect([status, trigger.started]).toEqual([200, ['new']]);
			expect(service.requests).not.toContain('/query');
		},
	);

	it.each(unsure.filter(([what]) => !what.includes('no dates')))(
		'%s all of a sudden is an error in the executions list, and starts nothing',
		async (_, prepare, code) => {
			const trigger = await start();
			service.rows = [row('new', 0), ...service.rows];
			prepare();
			await pollCount(3);
			expect([trigger.started, trigger.failures]).toEqual([[], [code]]);
		},
	);

	it('shows no dates all of a sudden is read in the order that it had', async () => {
		const trigger = await start();
		service.rows = [row('new', 0), ...service.rows];
		without('createdAt')();
		await pollCount(2);
		expect([trigger.started, trigger.failures]).toEqual([['new'], []]);
	});

	it('shows no dates is read where the API Mapping names its order', async () => {
		without('createdAt')();
		const credentials = service.credentials();
		const apiMapping = '{"list": {"order": "newestFirst"}}';
		Object.assign(credentials.taxQueryApi as object, { apiMapping });
		const trigger = await start({ credentials });
		service.rows = [...many('new', 2 * PAGE, 1), ...service.rows];
		await pollCount(2);
		expect([new Set(trigger.started).size, trigger.started.length]).toEqual([20, 20]);
	});
});

describe('a list in one response', () => {
	it.each<[string, () => void, string]>([
		['with the oldest first, which the API Mapping calls whole', oldestFirst, 'none'],
		['with the newest first', () => {}, 'none'],
	])('is read %s', async (_, prepare, paging) => {
		inOneResponse();
		prepare();
		service.rows = many('old', 3 * PAGE, 100);
		const credentials = service.credentials();
		Object.assign(credentials.taxQueryApi as object, {
			apiMapping: JSON.stringify({ list: { paging } }),
		});
		const trigger = await start({ credentials });
		service.rows = [row('b', 1), row('a', 2), ...service.rows];
		await pollCount(2);
		expect(trigger.started).toEqual(['a', 'b']);
	});

	it('is read in any order and without dates as long as it is short', async () => {
		inOneResponse();
		without('createdAt', 'updatedAt')();
		service.rows = many('old', 5, 100);
		const trigger = await start();
		service.rows = [...service.rows, row('new', 0)];
		await pollCount(2);
		expect(trigger.started).toEqual(['new']);
	});
});

describe('Start From', () => {
	it.each<[string, TriggerHostOptions['parameters']]>([
		['hours', { startFrom: 'hours', hours: 24 }],
		['a date', { startFrom: 'date', date: minutesBeforeTest(60) }],
	])('%s is refused where rows have no date with a zone', async (_, parameters) => {
		inOneResponse();
		service.rows = many('old', 5, 100);
		service.listed = () =>
			service.rows.map((one) => ({ ...one, createdAt: one.createdAt.slice(0, -1) }));
		const trigger = await start({ activation: null, parameters });
		expect(codeOf(await rejectionOrUndefined(trigger.publish('activate')))).toBe('list.dates');
	});

	it('starts what was created since, pending queries that finish, and nothing else', async () => {
		const pending = { status: 'PENDING', response: undefined };
		service.rows = [row('new', 30), row('slow', 90, pending), ...many('old', 30, 100)];
		const trigger = await start({ parameters: { startFrom: 'hours', hours: 1 } });
		await trigger.executed(1);
		service.rows = service.rows.map((one) => (one._id === 'slow' ? row('slow', 90) : one));
		await pollCount(2);
		expect(trigger.started).toEqual(['new', 'slow']);
	});
});

describe('a service that lists none of the queries so far', () => {
	const began = async (credentials = service.credentials()) => {
		service.rows = many('old', 12, 600);
		const trigger = await start({ credentials });
		service.rows = [row('first', 500), ...service.rows];
		await pollCount(1);
		return trigger;
	};

	it('has what was created since started, as an error: the same account', async () => {
		const trigger = await began();
		service.rows = [row('new', 1), ...many('before', 5, 550)];
		await pollCount(2);
		expect([trigger.started, trigger.failures]).toEqual([['first', 'new'], ['isLost']]);
	});

	it.each(['activate', 'update'] as const)(
		'has the trigger begin anew, as an error: another account (%s)',
		async (activation) => {
			const credentials = service.credentials();
			const trigger = await began(credentials);
			Object.assign(credentials, service.credentials('another'));
			service.rows = many('others', 40, 1);
			await trigger.publish(activation);
			await pollCount(1);
			service.rows = [row('new', 0), ...service.rows];
			await pollCount(2);
			expect([trigger.started, trigger.failures]).toEqual([['first', 'new'], ['isElsewhere']]);
		},
	);

	it('goes on where the same queries have another account', async () => {
		const credentials = service.credentials();
		const trigger = await began(credentials);
		Object.assign(credentials, service.credentials('another'));
		service.rows = [row('new', 0), ...service.rows];
		await trigger.publish('update');
		await pollCount(1);
		expect([trigger.started, trigger.failures]).toEqual([['first', 'new'], []]);
	});

	it('and no other either, is waited for', async () => {
		const trigger = await began();
		const { rows } = service;
		service.rows = [];
		await pollCount(2);
		service.rows = [row('new', 0), ...rows];
		await pollCount(1);
		expect([trigger.started, trigger.failures]).toEqual([['first', 'new'], []]);
	});
});

describe('rows without an ID among others', () => {
	it('are an error in the executions list, once an hour, and hold up nothing', async () => {
		const trigger = await start();
		service.rows = [row('new', 0), row(7.5 as never, 1)];
		await pollCount(3);
		expect([trigger.started, trigger.errors.map(({ context }) => context)]).toEqual([
			['new'],
			[expect.objectContaining({ code: 'list.ids', rows: 1 })],
		]);
		shiftAllClocks(3_600_000);
		await pollCount(1);
		expect(trigger.failures).toHaveLength(2);
	});
});
