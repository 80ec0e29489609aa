import { withWebhookVerification } from '../../../support/credentialFieldBuilders';
import { minutesBeforeTest, many, testStartedAt, PAGE, row } from './listService';
import { shiftAllClocks } from './triggerHost';
import {
	triggerOnListServiceForEachTest,
	secretHeaderFieldsAndProof,
} from './freshTriggerForEachTest';

const A_DAY = 24 * 60;
const FIRST_POLL_MS = 15_000;
const { service, host, start } = triggerOnListServiceForEachTest();

const pollCount = async (count: number) => {
	for (let each = 0; each < count; each++) await host.poll();
};
/** Kills n8n once its executions are saved, starts it again, and lets it poll twice. */
const restart = async () => {
	await host.endsSaved();
	await host.kill();
	await host.publish('init');
	shiftAllClocks(FIRST_POLL_MS);
	await pollCount(2);
};
/** Lists all rows in one response. */
const asArray = () => (service.page = () => service.listed());

describe('each new result starts once, also over a restart, where', () => {
	beforeEach(asArray);

	it("the service's clock is set back by a day", async () => {
		const before = row('before', -A_DAY);
		service.rows = [before];
		await start();
		service.rows = [row('after', 0), before];
		await host.poll();
		await restart();
		expect(host.started).toEqual(['after']);
	});

	it('a row is dated in the year 9999', async () => {
		const distant = row('distant', 0, { updatedAt: '9999-12-31T00:00:00Z' });
		service.rows = [distant];
		await start();
		service.rows = [row('a', -1), distant];
		await host.poll();
		await restart();
		service.rows = [row('b', -2), ...service.rows];
		await host.poll();
		expect(host.started).toEqual(['a', 'b']);
	});

	it('1,500 rows have no date, in an order that the API Mapping names', async () => {
		const undated = { createdAt: undefined, updatedAt: undefined };
		const apiMapping = '{"list": {"order": "newestFirst", "paging": "none"}}';
		service.rows = many('old', 1_500, 0, undated);
		await start({ credentials: withWebhookVerification(service.credentials(), { apiMapping }) });
		service.rows = [row('a', 0, undated), ...service.rows];
		await host.poll();
		await restart();
		expect(host.started).toEqual(['a']);
		service.rows = [row('b', 0, undated), ...service.rows];
		await host.poll();
		expect(host.started).toEqual(['a', 'b']);
	});

	it('dates are days without a time', async () => {
		const today = { createdAt: '2026-05-01', updatedAt: '2026-05-01' };
		service.rows = [row('old', 0, today)];
		await start();
		service.rows = [row('old', 0, today), row('new', 0, today)];
		await host.poll();
		await restart();
		expect(host.started).toEqual(['new']);
	});

	it('dates are seconds since the epoch, and the list is long', async () => {
		const dated = (id: string, minutes: number) => {
			const seconds = Date.parse(minutesBeforeTest(minutes)) / 1_000;
			return row(id, 0, { createdAt: seconds, updatedAt: seconds });
		};
		service.rows = Array.from({ length: 1_500 }, (_, index) => dated(`old${index}`, index));
		await start();
		service.rows = [dated('a', -1), ...service.rows];
		await host.poll();
		await host.endsSaved();
		await host.kill();
		service.rows = [dated('b', -2), ...service.rows];
		await host.publish('init');
		shiftAllClocks(FIRST_POLL_MS);
		await pollCount(2);
		expect({ started: host.started, log: host.log }).toEqual({ started: ['a', 'b'], log: [] });
	});
});

describe('each new result starts once where', () => {
	it('rows have a date of creation only, and the result comes after an hour', async () => {
		asArray();
		const once = { updatedAt: undefined };
		const waiting = row('slow', 60, { ...once, status: 'PENDING', response: {} });
		service.rows = [waiting];
		await start();
		const others = [0, 1, 2, 3, 4].map((index) => row(`other${index}`, -index, once));
		service.rows = [...others, waiting];
		await host.poll();
		service.rows = [...others, row('slow', 60, once)];
		await pollCount(2);
		expect(host.started).toEqual([...others.map(({ _id }) => _id), 'slow']);
	});

	it('the list begins with the oldest', async () => {
		asArray();
		const rows = [0, 1, 2, 3, 4].map((index) => row(`q${index}`, -index));
		service.rows = rows.slice(0, 2);
		await start();
		service.rows = rows;
		await pollCount(2);
		expect(host.started).toEqual(['q2', 'q3', 'q4']);
	});

	it.each<[string, (poll: number) => object]>([
		['for a while', () => ({})],
		['and another response', (each) => ({ response: { RFC: 'X', link: each } })],
	])('each listing shows a later date %s', async (_what, more) => {
		await start();
		for (let each = 0; each < 15; each++) {
			service.rows = ['q', 'r'].map((id, index) =>
				row(id, 60, { updatedAt: minutesBeforeTest(60 - 2 * each - index), ...more(each) }),
			);
			await host.poll();
		}
		expect({ started: [...host.started].sort(), failures: host.failures }).toEqual({
			...{ started: ['q', 'r'], failures: [] },
		});
	});

	it.each([true, false])(
		'a record gets a new date when it is delivered (confirmed: %s)',
		async (isConfirmed) => {
			const { verification, proof } = secretHeaderFieldsAndProof('whsec-agua-clara');
			await start({
				parameters: { authenticity: 'credential', confirm: isConfirmed ? 'result' : 'off' },
				credentials: withWebhookVerification(service.credentials(), verification),
			});
			for (const id of ['a', 'b']) {
				const one = row(id, 5);
				service.rows = [one, ...service.rows];
				shiftAllClocks(1_000);
				await host.deliver(isConfirmed ? { queryId: id } : one, proof);
				await host.executed(service.rows.length);
				service.rows = service.rows.map((each) =>
					each._id === id ? { ...each, status: 'Success', updatedAt: minutesBeforeTest(1) } : each,
				);
				await pollCount(2);
			}
			expect(host.started).toEqual(['a', 'b']);
		},
	);

	it('the list has whole seconds and the record milliseconds', async () => {
		const hidden = row('hidden', 0, { updatedAt: new Date(testStartedAt + 123).toISOString() });
		const visible = many('q', PAGE, 100);
		service.rows = visible;
		service.page = () => ({ data: service.listed().slice(0, PAGE), total: 5_000 });
		service.listed = () => visible;
		await start();
		service.rows = [...visible, hidden];
		shiftAllClocks(1_000);
		await host.deliver({ queryId: 'hidden' });
		const inSeconds = {
			...hidden,
			updatedAt: `${hidden.updatedAt.slice(0, 19)}Z`,
			status: 'success',
		};
		service.listed = () => [inSeconds, ...visible];
		await pollCount(2);
		expect(host.started).toEqual(['hidden']);
	});
});

it('a query of the same date as the last known one starts if the list lacks that', async () => {
	service.rows = [row('a', 10), row('b', 20)];
	await start();
	await host.poll();
	service.rows = [row('later', 5), row('equal', 10), row('earlier', 30)];
	await host.poll();
	expect([...host.started].sort()).toEqual(['equal', 'later']);
});

it('a batch of one moment at the top of an empty list starts, also in pages', async () => {
	service.rows = [];
	await start();
	service.rows = many('q', 25, 0, { createdAt: minutesBeforeTest(0) });
	await pollCount(2);
	await host.executed(25);
	expect([host.failures, new Set(host.started).size]).toEqual([[], 25]);
});
