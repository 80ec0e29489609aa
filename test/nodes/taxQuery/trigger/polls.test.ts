import { until } from '../../../support/until';
import { codeAndFieldOf, codeOf } from '../../../support/errorCode';
import { rejectionOrUndefined, shiftAllClocks } from './triggerHost';
import {
	freshTriggerAndSandboxForEachTest,
	serviceUnavailableFault,
	triggerOnListServiceForEachTest,
} from './freshTrigger';
import { minutesBeforeTest, row } from './listService';

describe('polls', () => {
	const { sandbox, host, start } = freshTriggerAndSandboxForEachTest();
	const calculation = { name: 'Emma', firstLastName: 'Gómez', day: 31, month: 12, year: 1956 };

	describe('a poll', () => {
		it('starts each result since publishing once, oldest first', async () => {
			await sandbox.result();
			await start();
			const first = await sandbox.result();
			const second = await sandbox.result('/query/rfc-data');
			await host.poll();
			expect(host.executions.map((items) => items.map(({ queryId }) => queryId))).toEqual([
				[first._id],
				[second._id],
			]);
		});

		it('comes by itself, as often as the trigger says', async () => {
			await start({ parameters: { receiveBy: 'asking', settings: { checkEvery: 5 } } });
			const record = await sandbox.result();
			shiftAllClocks(5_000);
			await host.executed(1);
			expect(host.started).toEqual([record._id]);
		});

		it('comes six times as often after one that brought a result', async () => {
			await start({ parameters: { receiveBy: 'asking', settings: { checkEvery: 60 } } });
			const first = await sandbox.result();
			shiftAllClocks(60_000);
			await host.executed(1);
			const second = await sandbox.result();
			shiftAllClocks(10_000);
			await host.executed(2);
			expect(host.started).toEqual([first._id, second._id]);
		});

		it('marks each item as confirmed, with a deliveryId', async () => {
			await start();
			await sandbox.result();
			await host.poll();
			expect(host.items).toEqual([
				expect.objectContaining({
					confirmed: true,
					deliveryId: expect.stringMatching(/^[0-9a-f]{32}$/),
					rfc: 'GODE561231GR8',
				}),
			]);
		});

		it('emits a query that was pending at publishing once it has its result', async () => {
			const slow = await sandbox.pending();
			await start();
			const { _id } = await sandbox.result();
			await host.poll();
			expect({ started: host.started, slow: (await sandbox.query(slow)).status }).toEqual({
				started: [_id],
				slow: 'PENDING',
			});
		});

		it('leaves out what was answered at once, if no query is chosen', async () => {
			await start();
			await sandbox.service.post('/query/rfc-calculator', calculation);
			const later = await sandbox.result();
			await host.poll();
			expect(host.started).toEqual([later._id]);
		});

		it.each([
			['not left out', { services: ['any'] }],
			['chosen', { services: ['calculateRfc'] }],
		])('emits what was answered at once where that is %s', async (_, parameters) => {
			await start({ parameters });
			const { data } = await sandbox.service.post<{ _id: string }>(
				'/query/rfc-calculator',
				calculation,
			);
			await host.poll();
			expect(host.started).toEqual([data._id]);
		});

		it('emits a late result of an old query, though its date is not renewed', async () => {
			const done = await sandbox.result();
			const old = { ...done, _id: 'old', updatedAt: '2026-01-01T00:00:00.000Z' };
			const waiting = { ...old, status: 'PENDING', response: undefined };
			const listing = async (row: object) =>
				await sandbox.faults({ path: '/api/query', fault: { status: 200, body: [done, row] } });
			await listing(waiting);
			await start();
			await host.poll();
			await listing(old);
			await host.poll();
			await host.poll();
			expect(host.started).toEqual(['old']);
		});

		it('reads a result by its ID where the list does not hold it', async () => {
			await start();
			const row: Partial<Record<string, unknown>> = await sandbox.result();
			delete row.response;
			await sandbox.faults({ path: '/api/query', times: 1, fault: { status: 200, body: [row] } });
			await host.poll();
			expect(host.items).toEqual([expect.objectContaining({ rfc: 'GODE561231GR8' })]);
		});

		it('loses nothing if the workflow is published again during a poll', async () => {
			await start();
			const record = await sandbox.result();
			await sandbox.faults({ path: '/api/query', times: 1, fault: { latency: 500 } });
			const slow = host.poll();
			await until('a poll', async () => (await sandbox.requests('/api/query')).length >= 2);
			await host.publish('update');
			await slow;
			await host.poll();
			expect(host.started).toEqual([record._id]);
		});
	});

	describe('Max Results per Check', () => {
		it('bounds a poll; the next ones emit the rest, in order', async () => {
			await start({ parameters: { settings: { maxResults: 2 } } });
			const ids: string[] = [];
			for (let count = 0; count < 5; count++) ids.push((await sandbox.result())._id);
			await host.poll();
			const first = [...host.started];
			await host.executed(5);
			expect({ first, all: host.started }).toEqual({ first: ids.slice(0, 2), all: ids });
		});

		it.each([0, 'abc', 1.5])('is refused where it is %j', async (maxResults) => {
			const starting = start({ parameters: { settings: { maxResults } } });
			const expected = ['field.number', 'Max Results per Check'];
			expect(codeAndFieldOf(await rejectionOrUndefined(starting))).toEqual(expected);
			await start();
		});

		it('is not filled by rows without dates whose executions still run', async () => {
			const ids = ['q0', 'q1', 'q2', 'q3', 'q4'];
			const body = ids.map((_id) => ({
				...{ _id, service: 'CRF', status: 'SUCCESS', response: { RFC: 'X' } },
			}));
			await start({
				parameters: { settings: { maxResults: 2 } },
				areExecutionsLong: true,
				hasWorkers: true,
			});
			await sandbox.faults({ path: '/api/query', exact: true, fault: { status: 200, body } });
			for (let count = 0; count < 5; count++) await host.poll();
			expect([...host.started].sort()).toEqual(ids);
		});
	});

	it('leave results pending while n8n has 50 of them to start', async () => {
		const options = { areExecutionsLong: true, hasWorkers: true };
		await start({ parameters: { settings: { maxResults: 500 } }, ...options });
		const ids: string[] = [];
		for (let count = 0; count < 60; count++) ids.push((await sandbox.result())._id);
		for (let count = 0; count < 3; count++) await host.poll();
		expect(host.started).toEqual(ids.slice(0, 50));
		await host.endExecutions();
		await host.poll();
		await host.executed(60);
		expect(host.started).toEqual(ids);
	});

	describe('a service that is slow or fails', () => {
		const isDown = { path: '/api/query', fault: serviceUnavailableFault };

		it('delays a result and does not lose it', async () => {
			await start();
			const record = await sandbox.result();
			await sandbox.faults(isDown);
			const { status } = await host.poll();
			await sandbox.faults();
			await host.poll();
			expect([status, host.started]).toEqual([503, [record._id]]);
		});

		it('does not keep n8n from publishing the workflow when it starts', async () => {
			await start();
			const record = await sandbox.result();
			await host.kill();
			await sandbox.faults(isDown);
			await host.publish('init');
			shiftAllClocks(15_000);
			await host.poll();
			await sandbox.faults();
			await host.poll();
			expect(host.started).toEqual([record._id]);
		});

		it('refuses publishing when the service fails', async () => {
			const credentials = sandbox.credentials({ taxQueryApi: { clientSecret: 'wrong' } });
			await start({ activation: null, credentials });
			expect(codeOf(await rejectionOrUndefined(host.publish('activate')))).toBe('login.refused');
		});

		it('reports an outage once, from its second failed poll on', async () => {
			await start();
			const text: number[] = [];
			for (const fault of [isDown, isDown, isDown, undefined, isDown, isDown]) {
				await sandbox.faults(...(fault ? [fault] : []));
				await host.poll();
				text.push(host.failures.length);
			}
			expect({ reported: text, log: host.log.filter((line) => line.startsWith('info')) }).toEqual({
				reported: [0, 1, 1, 1, 1, 2],
				log: [expect.any(String)],
			});
		});

		it('reports a revoked credential once, and loses nothing with a new one', async () => {
			const credentials = sandbox.credentials();
			await start({ credentials });
			const before = await sandbox.result();
			await host.poll();
			const refused = { status: 401, body: { message: 'revoked' } };
			await sandbox.faults(
				{ path: '/api/query', fault: refused },
				{ path: '/api/oauth/token', fault: refused },
			);
			const after = await sandbox.result().catch(() => undefined);
			const statuses: number[] = [];
			for (let count = 0; count < 4; count++) statuses.push((await host.poll()).status);
			await sandbox.faults();
			shiftAllClocks(60_000); // a refused login is not tried again for a while
			const between = after ?? (await sandbox.result());
			await host.poll();
			await host.poll();
			expect({ statuses, reported: host.failures.length, started: host.started }).toEqual({
				statuses: [503, 503, 503, 503],
				reported: 1,
				started: [before._id, between._id],
			});
		});

		it('reports a revoked secret right after a start', async () => {
			await start({ activation: null });
			await host.stop();
			await start({
				activation: 'init',
				credentials: sandbox.credentials({ taxQueryApi: { clientSecret: 'revoked' } }),
			});
			shiftAllClocks(15_000);
			await host.poll();
			shiftAllClocks(60_000);
			await host.poll();
			expect(host.failures).toEqual(['login.refused']);
		});
	});

	describe('a list in pages', () => {
		const page = (rows: object[], total: number) => ({
			path: '/api/query',
			times: 1,
			fault: { status: 200, body: { data: rows, total } },
		});

		it('is read to its end', async () => {
			await start();
			const [a, b] = [await sandbox.result(), await sandbox.result()];
			await sandbox.faults(page([b], 2), page([a], 2));
			await host.poll();
			expect(host.started).toEqual([a._id, b._id]);
		});

		it('loses nothing with a list shorter than reported, and logs it', async () => {
			await start();
			const [a, b] = [await sandbox.result(), await sandbox.result()];
			await sandbox.faults(page([b], 2), page([], 2));
			await host.poll();
			await sandbox.faults();
			await host.poll();
			expect([host.started, host.log]).toEqual([
				[b._id, a._id],
				[expect.stringMatching(/^warn: .* 2 .* 1 .*list\.offset/)],
			]);
		});
	});

	describe('the test in the editor, without a delivery,', () => {
		it('brings the latest result, each time', async () => {
			await sandbox.result();
			const latest = await sandbox.result('/query/rfc-data');
			await start({ parameters: { receiveBy: 'asking' } });
			const [first, second] = [await host.testInEditor(), await host.testInEditor()];
			expect([first[0].queryId, second[0].queryId]).toEqual([latest._id, latest._id]);
		});

		it('brings a success before a later failure, for its columns are to be dragged', async () => {
			const success = await sandbox.result();
			const failing = await sandbox.ask('/query/crf', { rfc: 'FASF850314N67' });
			await sandbox.finished(failing);
			await start({ parameters: { receiveBy: 'asking' } });
			const [item] = await host.testInEditor();
			expect(item).toMatchObject({ queryId: success._id, outcome: 'result', reason: null });
		});

		it('says so where there is none', async () => {
			await start({ parameters: { receiveBy: 'asking' } });
			expect(codeOf(await rejectionOrUndefined(host.testInEditor()))).toBe('noResultYet');
		});
	});
});

describe('changes of a status', () => {
	const FIRST_POLL_MS = 15_000;
	const { service, host, start } = triggerOnListServiceForEachTest();

	it('a query starts once for each status, also after a restart', async () => {
		await start();
		const ids = ['a', 'b', 'c'];
		const give = async (status: string, count: number) => {
			service.rows = ids.map((id) => row(id, 0, { status, createdAt: minutesBeforeTest(0) }));
			await host.poll();
			await host.ended(count);
		};
		await give('SUCCESS', 3);
		await give('FAILED', 6);
		await host.endsSaved();
		await host.kill();
		await host.publish('init');
		shiftAllClocks(FIRST_POLL_MS);
		await give('SUCCESS', 6); // n8n knows it by its key
		await host.poll();
		expect(host.executions).toHaveLength(6);
	});

	it('a query starts an execution for each unknown status that it passes', async () => {
		await start();
		const steps = ['RECIBIDA', 'EN REVISION', 'ASIGNADA', 'FIRMADA', 'ENTREGADA'];
		for (const [step, status] of steps.entries()) {
			const { createdAt } = row('q', 10);
			service.rows = [row('q', 9 - step, { status, response: undefined, createdAt })];
			await host.poll();
		}
		expect(host.items.map(({ status }) => status)).toEqual(steps);
		expect(host.failures).toEqual([]);
	});
});
