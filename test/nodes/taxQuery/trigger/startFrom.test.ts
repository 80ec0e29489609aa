import { DateTime } from 'luxon';
import { codeOf, codeAndFieldOf } from '../../../support/errorCode';
import { row } from './listService';
import { rejectionOrUndefined, shiftAllClocks } from './triggerHost';
import {
	triggerOnListServiceForEachTest,
	freshTriggerAndSandboxForEachTest,
} from './freshTriggerForEachTest';

const A_DAY = 24 * 60;

describe('Start From at the sandbox', () => {
	const { sandbox, host, start } = freshTriggerAndSandboxForEachTest();

	it('takes the results of the last hours', async () => {
		const before = await sandbox.result();
		await start({ parameters: { startFrom: 'hours', hours: 1 } });
		await host.executed(1);
		expect(host.started).toEqual([before._id]);
	});

	it('takes the results since a date', async () => {
		const before = await sandbox.result();
		await start({ parameters: { startFrom: 'date', date: '2020-01-01T00:00:00' } });
		await host.executed(1);
		expect(host.started).toEqual([before._id]);
	});

	it('takes none before the date', async () => {
		await sandbox.result();
		await start({ parameters: { startFrom: 'date', date: '2999-01-01T00:00:00' } });
		await host.poll();
		expect(host.started).toEqual([]);
	});

	it('takes what is made after a date in the future, and nothing before it', async () => {
		const date = new Date(Date.now() + 3_600_000).toISOString();
		await start({ parameters: { startFrom: 'date', date } });
		await host.poll();
		await sandbox.result();
		shiftAllClocks(60_000);
		await host.poll();
		expect(host.started).toEqual([]);
	});

	it('names a date that is none', async () => {
		await start({ activation: null });
		const publishing = host.publish('activate', { startFrom: 'date', date: 'soon' });
		expect(codeAndFieldOf(await rejectionOrUndefined(publishing))).toEqual(['field.date', 'Date']);
	});

	it('Start From Publishing skips results of an hour without publishing', async () => {
		await start();
		await host.unpublish();
		const between = await sandbox.result();
		shiftAllClocks(3_600_000);
		await host.publish('activate');
		await host.poll();
		expect(host.started).not.toContain(between._id);
	});

	it.each(['update', 'activate'] as const)(
		'goes on where it was when the workflow is published again (%s)',
		async (activation) => {
			await start();
			await host.unpublish();
			const between = await sandbox.result();
			await host.publish(activation);
			await host.executed(1);
			expect(host.started).toEqual([between._id]);
		},
	);

	it('goes on where it was when the node was renamed', async () => {
		await start();
		const between = await sandbox.result();
		host.name = 'Results of the night';
		await host.publish('update');
		await host.executed(1);
		expect(host.started).toEqual([between._id]);
	});
});

describe('Start From: Date', () => {
	const { service, host, start } = triggerOnListServiceForEachTest();
	const sevenDaysAgo = DateTime.now().minus({ days: 7 });

	it.each([
		['a DateTime of an expression', '={{ $now.minus({ days: 7 }) }}'],
		['a Date of an expression', `={{ new Date(${sevenDaysAgo.toMillis()}) }}`],
		['day/month/year', sevenDaysAgo.toFormat('d/M/yyyy')],
		['a date and a time apart by a blank', sevenDaysAgo.toFormat('yyyy-MM-dd HH:mm')],
		['a day alone', sevenDaysAgo.toISODate()],
		['what the date picker writes', sevenDaysAgo.toFormat("yyyy-MM-dd'T'HH:mm:ss")],
	])('starts with queries made since %s', async (_, date) => {
		service.rows = [row('new', 2 * A_DAY), row('old', 10 * A_DAY)];
		await start({ parameters: { startFrom: 'date', date } });
		await host.ended(1);
		expect([host.started, host.failures]).toEqual([['new'], []]);
	});

	it('starts with a query that was made at that very moment', async () => {
		const anHourAgo = Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000;
		const date = new Date(anHourAgo).toISOString();
		service.rows = [row('equal', 0, { createdAt: date })];
		await start({ parameters: { startFrom: 'date', date } });
		await host.ended(1);
		expect(host.started).toEqual(['equal']);
	});

	it.each(['', 'soon', '45000', '2026-13-45'])(
		'is refused if the date is "%s", and says so in the executions list',
		async (date) => {
			await start({ activation: null, parameters: { startFrom: 'date', date } });
			const error = await rejectionOrUndefined(host.publish('activate'));
			expect(String(codeOf(error))).toMatch(/^field\.(date|serial)$/);
			expect(host.failures).toEqual([codeOf(error)]);
		},
	);
});

describe('Start From: Hours', () => {
	const { service, host, start } = triggerOnListServiceForEachTest();

	it("misses no later result though the service's dates are hours behind", async () => {
		service.rows = [row('old', 5 * 60)];
		await start({ parameters: { startFrom: 'hours', hours: 1 } });
		service.rows = [row('new', 6 * 60), ...service.rows];
		await host.poll();
		expect(host.started).toEqual(['new']);
	});

	it.each([0, 'abc'])('is refused for %j hours', async (hours) => {
		const starting = start({ parameters: { startFrom: 'hours', hours } });
		expect(codeAndFieldOf(await rejectionOrUndefined(starting))).toEqual(['field.number', 'Hours']);
		await start();
	});
});
