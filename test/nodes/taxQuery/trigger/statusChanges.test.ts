import { minutesBeforeTest, row } from './listService';
import { shiftAllClocks } from './triggerHost';
import { triggerOnListServiceForEachTest } from './freshTriggerForEachTest';

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
