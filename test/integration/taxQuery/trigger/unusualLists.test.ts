import { verifying } from '../../support/storing';
import { fieldErrorOf } from '../../support/errorCode';
import { ago, many, now, PAGE, row, type Row } from './listService';
import { failure, pass } from './triggerHost';
import { listSuite } from './suite';

const { service, host, start } = listSuite();

const pollCount = async (count: number) => {
	for (let each = 0; each < count; each++) await host.poll();
};

describe('a list that silently shows only its newest rows,', () => {
	it('loses no result that was delivered', async () => {
		service.page = () => service.listed().slice(0, PAGE);
		service.rows = many('old', PAGE, 100);
		await start();
		service.rows = [...many('n', 3 * PAGE, 0), ...service.rows];
		const wanted = service.rows.slice(0, 3 * PAGE).map(({ _id }) => _id);
		for (let each = 0; host.started.length < wanted.length && each < 40; each++) {
			pass(1_000);
			const lacking = wanted.filter((id) => !host.started.includes(id));
			await host.deliver(lacking.map((queryId) => ({ queryId })));
		}
		expect([...host.started].sort()).toEqual([...wanted].sort());
	});
});

describe('Start From a moment', () => {
	it('loses nothing where the dates of the service are hours behind', async () => {
		service.rows = [row('old', 5 * 60)];
		await start({ parameters: { startFrom: 'hours', hours: 1 } });
		service.rows = [row('new', 6 * 60), ...service.rows];
		await host.poll();
		expect(host.started).toEqual(['new']);
	});

	it.each([0, 'abc'])('is refused for %j hours', async (hours) => {
		const starting = start({ parameters: { startFrom: 'hours', hours } });
		expect(fieldErrorOf(await failure(starting))).toEqual(['field.number', 'Hours']);
		await start();
	});
});

describe('Max Results per Check', () => {
	it.each([0, 'abc', 1.5])('is refused where it is %j', async (maxResults) => {
		const starting = start({ parameters: { settings: { maxResults } } });
		const text = ['field.number', 'Max Results per Check'];
		expect(fieldErrorOf(await failure(starting))).toEqual(text);
		await start();
	});

	it('is not filled by rows without dates whose executions still run', async () => {
		await start({
			parameters: { settings: { maxResults: 2 } },
			areExecutionsLong: true,
			hasWorkers: true,
		});
		service.rows = many('q', 5, 1);
		service.listed = () => service.rows.map((one) => ({ ...one, createdAt: '', updatedAt: '' }));
		await pollCount(5);
		expect([...host.started].sort()).toEqual(['q0', 'q1', 'q2', 'q3', 'q4']);
	});
});

describe('a service that gives another date each time that it lists a query', () => {
	const renewing = async (polls: number, more: (poll: number) => object = () => ({})) => {
		await start();
		for (let each = 0; each < polls; each++) {
			service.rows = ['q', 'r'].map((id, index) =>
				row(id, 60, { updatedAt: ago(60 - 2 * each - index), ...more(each) }),
			);
			await host.poll();
		}
		return [...host.started].sort();
	};

	it('has a result started once', async () => {
		expect([await renewing(10), host.failures]).toEqual([['q', 'r'], []]);
	});

	it('and another response has it started once, too', async () => {
		const once = await renewing(15, (each) => ({ response: { RFC: 'X', link: each } }));
		expect([once, host.failures]).toEqual([['q', 'r'], []]);
	});
});

describe('a service that writes to a record when it has delivered it', () => {
	it.each([true, false])('has it started once (confirmed: %s)', async (isConfirmed) => {
		const confirm = isConfirmed ? 'result' : 'off';
		const secret = 'whsec-agua-clara';
		await start({
			parameters: { authenticity: 'credential', confirm },
			credentials: verifying(service.credentials(), {
				webhookVerification: 'header',
				webhookSecret: secret,
				webhookHeaderName: 'X-Secret',
			}),
		});
		for (const id of ['a', 'b']) {
			const one = row(id, 5);
			service.rows = [one, ...service.rows];
			pass(1_000);
			await host.deliver(isConfirmed ? { queryId: id } : one, { 'X-Secret': secret });
			await host.executed(service.rows.length);
			service.rows = service.rows.map((each) =>
				each._id === id ? { ...each, status: 'Success', updatedAt: ago(1) } : each,
			);
			await pollCount(2);
		}
		expect(host.started).toEqual(['a', 'b']);
	});
});

describe('a query that goes through several statuses that nobody knows', () => {
	it('starts an execution for each of them', async () => {
		await start();
		const steps = ['RECIBIDA', 'EN REVISION', 'ASIGNADA', 'FIRMADA', 'ENTREGADA'];
		for (const [step, status] of steps.entries()) {
			const { createdAt } = row('q', 10);
			service.rows = [row('q', 9 - step, { status, response: undefined, createdAt })];
			await host.poll();
		}
		expect([host.items.map(({ status }) => status), host.failures]).toEqual([steps, []]);
	});
});

describe('a result that is listed in whole seconds', () => {
	it('and was read by its ID with milliseconds is started once', async () => {
		const hidden = row('hidden', 0, { updatedAt: new Date(now + 123).toISOString() });
		const visible = many('q', PAGE, 100);
		service.rows = visible;
		service.page = () => ({ data: service.listed().slice(0, PAGE), total: 5_000 });
		service.listed = () => visible;
		await start();
		service.rows = [...visible, hidden];
		pass(1_000);
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

describe('a listed result whose response is read by its ID', () => {
	const withoutResponse = (one: Row) => ({ ...one, response: undefined });

	it('is waited for where a copy of the data lags behind', async () => {
		await start({ parameters: { settings: { simplify: false } } });
		const one = row('q', 0);
		service.listed = () => [withoutResponse(one)];
		await host.poll();
		service.rows = [one];
		await host.poll();
		expect(host.items).toEqual([expect.objectContaining({ _id: 'q', response: { RFC: 'X' } })]);
	});

	it('is not started without it, and put aside as an error after five minutes', async () => {
		await start();
		service.listed = () => [withoutResponse(row('q', 0))];
		for (let minutes = 0; minutes < 6; minutes++) {
			pass(60_000);
			await pollCount(1);
		}
		expect([host.started, host.errors.map(({ context }) => context)]).toEqual([
			[],
			[expect.objectContaining({ code: 'putAside', queryId: 'q' })],
		]);
	});

	it('comes though it takes longer than the first time allows', async () => {
		await start();
		service.rows = [row('q', 0)];
		service.listed = () => service.rows.map(withoutResponse);
		service.slowMs = 6_000;
		await pollCount(2);
		await host.executed(1);
		expect(host.started).toEqual(['q']);
	});
});
