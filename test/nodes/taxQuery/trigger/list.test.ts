import { withWebhookVerification } from '../../../support/credentialFields';
import type { FaultRule } from '../../../../sandbox/plugins/faults';
import { until } from '../../../support/until';
import {
	freshTriggerAndSandboxForEachTest,
	secretHeaderFieldsAndProof,
	triggerOnListServiceForEachTest,
} from './freshTrigger';
import { PAGE, many, minutesBeforeTest, row as listed, row, testStartedAt } from './listService';
import { shiftAllClocks } from './triggerHost';
import type { Query } from '../../../support/sandboxQueryClient';

describe('the whole list', () => {
	const { sandbox, host, start } = freshTriggerAndSandboxForEachTest();
	const now = Date.now();
	const A_MINUTE = 60_000;

	/** A finished query of so many minutes ago. */
	const row = (_id: string, minutes: number, more: object = {}) => {
		const at = new Date(now - minutes * A_MINUTE).toISOString();
		const record = { service: 'CRF', status: 'SUCCESS', response: { RFC: 'X' } };
		return { _id, ...record, createdAt: at, updatedAt: at, ...more };
	};

	type Row = ReturnType<typeof row>;

	const past = (count: number) =>
		Array.from({ length: count }, (_, each) => row(`p${each}`, each + 90));

	/** The service lists these rows, so many on a page, and has each by its ID. */
	async function listing(rows: Row[], pageSize: number, ...further: FaultRule[]): Promise<void> {
		const pages = Array.from({ length: Math.ceil(rows.length / pageSize) }, (_, page) => {
			const data = rows.slice(page * pageSize, (page + 1) * pageSize);
			const body = { data, total: rows.length };
			return { path: '/api/query', exact: true, times: 1, fault: { status: 200, body } };
		});
		const byId = rows.slice(0, 10).map((record) => ({
			path: `/api/query/${record._id}`,
			fault: { status: 200, body: record },
		}));
		await sandbox.faults(...further, ...pages, ...byId);
	}

	describe('a trigger that begins anew', () => {
		it('takes the whole list for old, though its first page holds no news', async () => {
			const rows = past(300);
			await listing(rows, 100);
			await start({ parameters: { startFrom: 'hours', hours: 1 } });
			await listing(rows, 100);
			await host.publish('update', { startFrom: 'activation' });
			await listing([row('new', 0), ...rows], 100);
			await host.poll();
			await listing([row('new', 0), ...rows], 100);
			await host.poll();
			expect(host.started).toEqual(['new']);
		});

		it('starts nothing that it started before, of which n8n keeps no execution any more', async () => {
			const rows = [row('came', 30), ...past(10)];
			await listing(rows, 100);
			await start({ parameters: { startFrom: 'hours', hours: 1 } });
			await host.endsSaved();
			await host.kill();
			host.prune();
			await listing([row('new', 0), ...rows], 100);
			await host.publish('update', { startFrom: 'hours', hours: 1.2 });
			await host.ended(2);
			await listing([row('newest', 0), row('new', 0), ...rows], 100);
			await host.poll();
			await host.ended(3);
			expect(host.started).toEqual(['came', 'new', 'newest']);
		});
	});

	describe('a list in pages', () => {
		it('shows behind its first page what was delivered while n8n could not start it', async () => {
			await listing([], 2, {
				path: '/api/query',
				exact: true,
				times: 1,
				fault: { status: 200, body: [] },
			});
			await start({
				parameters: { authenticity: 'credential', confirm: 'off' },
				credentials: withWebhookVerification(sandbox.credentials(), {
					webhookVerification: 'header',
					webhookSecret: 'whsec-1',
					webhookHeaderName: 'X-Secret',
				}),
			});
			const [a, b, c] = [row('a', 3), row('b', 2), row('c', 1)];
			const deliver = async (record: Row) => await host.deliver(record, { 'X-Secret': 'whsec-1' });
			host.isBroken = true;
			await deliver(a);
			await until('a failed start', () => host.refusals > 0);
			host.isBroken = false;
			await deliver(b);
			await deliver(c);
			await host.executed(2);
			await listing([c, b, a], 2);
			await host.publish('update');
			await host.executed(3);
			expect(host.started).toEqual(['b', 'c', 'a']);
		});

		it('is read on for queries that were delivered, many at once, behind its first page', async () => {
			const waiting = Array.from({ length: 50 }, (_, each) =>
				row(`w${each}`, 10 + each, { status: 'PENDING', response: undefined }),
			);
			await listing(waiting, 5);
			await start();
			const newer = [row('n0', 1), row('n1', 2), row('n2', 3), row('n3', 4), row('n4', 5)];
			await listing([...newer, ...waiting], 5);
			await host.poll();
			const done = waiting.map(({ _id }, each) => row(_id, 10 + each));
			await listing([...newer, ...done], 5);
			await host.deliver(done.map(({ _id }) => ({ queryId: _id })));
			await host.executed(55);
			expect(new Set(host.started).size).toBe(55);
		});
	});
});

describe('a part of the list', () => {
	const { service, host, start } = triggerOnListServiceForEachTest();
	const pending = { status: 'PENDING', response: undefined };

	const finish = (id: string, minutes: number, more: object = {}) => {
		service.rows = service.rows.map((one) =>
			one._id === id
				? {
						...row(id, 0),
						createdAt: one.createdAt,
						updatedAt: minutesBeforeTest(minutes),
						...more,
					}
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

	it('is begun by a trigger that had Webhook Only, and followed what calls named', async () => {
		service.rows = [row('open', 30, pending), ...many('old', 5, 600)];
		await start({ parameters: { receiveBy: 'webhook' } });
		shiftAllClocks(1_000);
		await host.deliver({ queryId: 'open' });
		finish('open', 0);
		await host.publish('update', { receiveBy: 'both' });
		await host.poll();
		expect([host.started, host.failures]).toEqual([['open'], []]);
	});

	describe('what was delivered before the list shows it', () => {
		beforeEach(async () => {
			service.rows = many('old', 5, 600);
			await start();
		});
		const deliver = async (_id: string) => {
			service.listed = () => service.rows.filter((each) => each._id !== _id);
			shiftAllClocks(1_000);
			return (await host.deliver({ queryId: _id, status: 'SUCCESS' })).status;
		};

		it('starts at once, though the list is read to its end', async () => {
			service.rows = [row('late', 0), ...service.rows];
			expect([await deliver('late'), host.started]).toEqual([200, ['late']]);
		});

		it('is answered 404 only where the service itself does not know it', async () => {
			expect(await deliver('nowhere')).toBe(404);
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
});

describe('dates of the list', () => {
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
						each._id === id
							? { ...each, status: 'Success', updatedAt: minutesBeforeTest(1) }
							: each,
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
});

describe('IDs of the list', () => {
	const FIRST_POLL_MS = 15_000;
	const { sandbox, host, start } = freshTriggerAndSandboxForEachTest();
	type Row = Partial<Query> & { _id: string };

	/** A finished query, dated so many milliseconds after noon of a day. */
	const row = (_id: string, ms: number, more: object = {}): Row => {
		const at = new Date(Date.UTC(2026, 4, 1, 12) + ms).toISOString();
		return {
			...{ _id, service: 'CRF', status: 'SUCCESS', response: { RFC: 'X' } },
			...{ createdAt: at, updatedAt: at, ...more },
		};
	};

	/** The service lists these rows, and has these records by their IDs. */
	const listing = async (rows: Row[], records: Row[] = []) =>
		await sandbox.faults(
			{ path: '/api/query', exact: true, fault: { status: 200, body: rows } },
			...records.map((record) => ({
				path: `/api/query/${encodeURIComponent(record._id)}`,
				fault: { status: 200, body: record },
			})),
		);

	it('results of IDs with any characters are read by these, and start once each', async () => {
		const ids = ['a/b?c#d', 'á é', '%2e%2e', "'; DROP TABLE", '🂡', 'x'.repeat(90), '__proto__'];
		await listing([]);
		await start();
		const records = ids.map((id, index) => row(id, index));
		await listing(
			records.map((each) => ({ ...each, response: undefined })),
			records,
		);
		await host.poll();
		await host.endsSaved();
		await host.kill();
		await host.publish('init');
		shiftAllClocks(FIRST_POLL_MS);
		await host.poll();
		await host.poll();
		expect({ started: host.started, log: host.log }).toEqual({ started: ids, log: [] });
	});

	it('results of numeric IDs are delivered by these, and start once each', async () => {
		await listing([]);
		await start();
		const numbered = (id: number) => row(id as unknown as string, id);
		await listing([numbered(7)]);
		const first = await host.deliver({ queryId: 7 });
		await listing([numbered(8), numbered(7)]);
		shiftAllClocks(1_000);
		const second = await host.deliver(numbered(8));
		expect({ statuses: [first.status, second.status], started: host.started }).toEqual({
			...{ statuses: [200, 200], started: ['7', '8'] },
		});
	});

	describe('an ID that a call writes in other letters than the service', () => {
		const { service, host, start } = triggerOnListServiceForEachTest();

		it.each(['webhook', 'both'])('starts its result once: %s', async (receiveBy) => {
			const id = 'abcdef00-0000-4000-8000-000000000500';
			service.readsAnyCase = true;
			service.rows = many('old', 30, 1);
			await start({ parameters: { receiveBy } });
			service.rows = [listed(id, 0), ...service.rows];
			for (const queryId of [id, id, id.toUpperCase(), id.toUpperCase()]) {
				shiftAllClocks(5_000);
				await host.deliver({ queryId });
				await host.handled();
			}
			expect(host.started).toEqual([id]);
		});
	});
});
