import type { ServerResponse } from 'node:http';
import type { INodeExecutionData } from 'n8n-workflow';
import { until } from '../../support/until';
import { codeOf } from '../support/errorCode';
import { forget } from '../../../nodes/shared/processState';
import { aRecord, fakeService, give, type StoredQuery } from './fakeService';
import {
	createTaxProfile,
	curps,
	getCrf,
	operation,
	rfcs,
	taxQuerySandbox,
	type TaxQuerySandbox,
} from './support';
import { withFreshSandbox } from '../support/withSandbox';

const itemsOf = (wanted: string[]) => wanted.map((rfc) => ({ rfc }));
const HOUR_MS = 3_600_000;
/** So late a list shows what was accepted. */
const LAG_MS = 6000;
const [RFC] = rfcs(1);
const again = getCrf({}, { spendingLimits: { sendAgain: true } });
const lose = (response: ServerResponse) => void response.writeHead(502).end();
const acceptAndLose = (accept: () => StoredQuery, response: ServerResponse) => {
	accept();
	lose(response);
};
/** Serves rows without a request. */
const listUnclear = (stored: StoredQuery[], response: ServerResponse) =>
	give(
		response,
		stored.map((row) => ({ ...row, query: undefined })),
	);

describe('Retry of an execution that was stopped, of which n8n keeps nothing', () => {
	const sandbox = withFreshSandbox(taxQuerySandbox);
	const billed = async () => (await sandbox.ledger()).length;

	it.each(['building', 'never', 'month'])(
		'sends only what the list does not show, with Reuse %s',
		async (reuse) => {
			const wanted = rfcs(20);
			await sandbox.run(getCrf({ reuse }), { items: itemsOf(wanted.slice(0, 15)) });
			const { items } = await sandbox.run(getCrf({ reuse }), {
				items: itemsOf(wanted),
				mode: 'retry',
			});
			expect([items.map(({ json }) => json.rfc), await billed()]).toEqual([wanted, 20]);
			expect(items.filter(({ json }) => json.reused)).toHaveLength(15);
		},
	);

	it('takes each query for one item where each item is billed', async () => {
		await sandbox.run(getCrf({ reuse: 'never' }), { items: itemsOf([RFC, RFC]) });
		const { items } = await sandbox.run(getCrf({ reuse: 'never' }), {
			items: itemsOf([RFC, RFC, RFC]),
			mode: 'retry',
		});
		const ids = new Set(items.map(({ json }) => json.queryId));
		expect([ids.size, await billed()]).toEqual([3, 3]);
	});

	it('takes none for one item that another has, of which n8n keeps something', async () => {
		await sandbox.faults({ path: '/api/query/crf', times: 1, fault: { status: 422 } });
		const requests = { items: itemsOf([RFC, RFC]), executionId: 'half-refused', memory: {} };
		const crf = getCrf({ reuse: 'never' });
		await sandbox.run(crf, { ...requests, onError: 'continueRegularOutput' });
		const before = await billed();
		const { items } = await sandbox.run(crf, { ...requests, mode: 'retry' });
		const ids = new Set(items.map(({ json }) => json.queryId));
		expect([before, ids.size, await billed()]).toEqual([1, 2, 2]);
	});

	it('takes tax profiles, too', async () => {
		for (const rfc of rfcs(3)) await sandbox.run(createTaxProfile(rfc));
		const { hints, items } = await sandbox.run(createTaxProfile('={{ $json.rfc }}'), {
			items: itemsOf(rfcs(4)),
			mode: 'retry',
		});
		expect([items.length, await billed(), hints.length]).toEqual([4, 4, 1]);
	});

	it('sends nothing while the list cannot be read', async () => {
		await sandbox.faults({ path: '/api/query', exact: true, fault: { status: 403 } });
		const { error } = await sandbox.run(getCrf({ reuse: 'never' }), {
			items: itemsOf([RFC]),
			mode: 'retry',
		});
		expect([codeOf(error), await billed()]).toEqual(['unlisted', 0]);
	});
});

describe('an execution that is cancelled while it waits', () => {
	it('keeps the query IDs in its metadata, and names them in its error', async () => {
		const sandbox = await taxQuerySandbox();
		const pending = sandbox.reserved('pending').rfc;
		let cancel = () => {};
		const running = sandbox.run(getCrf({ waitForResult: true, maxWait: 600, reuse: 'never' }), {
			items: itemsOf([pending, pending]),
			onStart: (cancelExecution) => (cancel = cancelExecution),
		});
		const reads = async () =>
			(await sandbox.requests()).filter(
				({ method, path }) => method === 'GET' && path !== '/api/query',
			);
		await until(
			'two queries billed, one of them read',
			async () => (await sandbox.ledger()).length === 2 && (await reads()).length > 0,
		);
		cancel();
		const { metadata, error } = await running;
		const ids = (await sandbox.ledger()).map(({ queryId }) => queryId).sort();
		await sandbox.close();
		expect([metadata.paidQueries, metadata.queryIds.split(' ').sort()]).toEqual(['2', ids]);
		expect([...(error?.context?.queryIds as string[])].sort()).toEqual(ids);
	});
});

describe('an execution that is cancelled while it logs in', () => {
	it('has sent nothing, also for its Retry', async () => {
		let cancel = () => {};
		const service = await fakeService({
			token(response) {
				cancel();
				give(response, { access_token: 'fake-token-1234' });
			},
		});
		const requests = { items: itemsOf([RFC]), executionId: 'stopped', memory: {} };
		await service.run(getCrf(), { ...requests, onStart: (stop) => (cancel = stop) });
		await service.run(getCrf(), { items: itemsOf(rfcs(2).slice(1)) }); // the token is there
		const { error } = await service.run(getCrf(), requests);
		await service.close();
		expect([error, service.sent()]).toEqual([undefined, 2]);
	});
});

describe('Send Again If Unsure', () => {
	const wanted = rfcs(3);
	const run = async (service: Awaited<ReturnType<typeof fakeService>>) => {
		const { items } = await service.run(again, {
			items: itemsOf(wanted),
			onError: 'continueRegularOutput',
		});
		await service.close();
		return items.map(({ json }) => json);
	};

	it('waits for a list that lags, and bills nothing twice', async () => {
		const service = await fakeService({
			post: acceptAndLose,
			list: (stored, response) =>
				give(
					response,
					stored.filter(({ createdAt }) => Date.now() - Date.parse(createdAt) > LAG_MS),
				),
		});
		const rows = await run(service);
		expect([rows.map(({ recovered }) => recovered), service.billed.length]).toEqual([
			[true, true, true],
			3,
		]);
	});

	it('sends nothing if a record may match, even with local time labelled UTC', async () => {
		const service = await fakeService({
			post(accept, response) {
				const stored = accept();
				stored.createdAt = new Date(Date.parse(stored.createdAt) - 6 * HOUR_MS).toISOString();
				lose(response);
			},
		});
		const rows = await run(service);
		expect([rows.filter(({ error }) => error).length, service.billed.length]).toEqual([3, 3]);
	});

	it('searches for the first submission after the second one is refused', async () => {
		const [lost, other] = wanted;
		let isListed = false;
		const service = await fakeService({
			post(accept, response) {
				const isAgain = service.billed.some(({ query }) => query.rfc === lost);
				const stored = accept();
				if (stored.query.rfc === other) return give(response, { queryId: stored._id });
				if (!isAgain) return lose(response);
				service.billed.pop();
				give(response, { message: 'Not now' }, 422);
			},
			list: (stored, response) =>
				give(
					response,
					stored.filter(({ query }) => isListed || query.rfc === other),
				),
		});
		const memory = {};
		const ask = async () =>
			await service.run(again, {
				items: itemsOf([lost]),
				onError: 'continueRegularOutput',
				memory,
			});
		const running = ask();
		await until('the first is sent', () => service.sent() === 1);
		await service.run(getCrf(), { items: itemsOf([other]) }); // sent later, and listed
		const first = await running;
		const sent = service.sent();
		isListed = true;
		const { items } = await ask();
		await service.close();
		const [{ _id }] = service.billed;
		expect([codeOf(first.items[0].json), sent]).toEqual(['status.422', 3]);
		expect([items[0].json.queryId, service.sent()]).toEqual([_id, 3]);
	});
});

describe('a clock that lies', () => {
	it('makes no older query of the same person a recovered one', async () => {
		const service = await fakeService({ post: (_accept, response) => lose(response) });
		const createdAt = new Date(Date.now() + HOUR_MS).toISOString();
		service.billed.push(
			aRecord({ _id: 'older', query: { rfc: RFC }, response: { RFC }, createdAt }),
		);
		const { items, error } = await service.run(getCrf(), { items: itemsOf([RFC]) });
		await service.close();
		expect([items, error?.context?.possible]).toEqual([[], ['older']]);
	});

	it('makes none of what was listed before sending, whatever its date', async () => {
		const service = await fakeService({ post: (_accept, response) => lose(response) });
		const createdAt = new Date(Date.now() + 1500).toISOString();
		const done = { status: 'DONE', query: { rfc: RFC }, response: { RFC }, createdAt };
		service.billed.push(aRecord({ _id: 'listed', ...done }));
		const { items } = await service.run(getCrf({ reuse: 'hours', reuseHours: 1 }), {
			items: itemsOf([RFC]),
		});
		await service.close();
		expect(items).toEqual([]);
	});
});

describe('a query whose answer was lost', () => {
	const past = (_id: string, hours: number) => {
		const createdAt = new Date(Date.now() - HOUR_MS * hours).toISOString();
		return aRecord({ _id, query: { rfc: rfcs(2)[1] }, response: { RFC }, createdAt });
	};

	it('searches the second page of an unsorted list', async () => {
		const service = await fakeService({
			post: acceptAndLose,
			list(stored, response) {
				const rows = [past('a', 1), past('b', 0.5), past('c', 72), ...stored];
				const offset = Number(
					new URL(response.req.url ?? '', 'http://x').searchParams.get('offset'),
				);
				give(response, { data: rows.slice(offset, offset + 3), total: rows.length });
			},
		});
		const { items } = await service.run(getCrf(), { items: itemsOf([RFC]) });
		const [{ _id }] = service.billed;
		await service.close();
		expect(items.map(({ json }) => [json.queryId, json.recovered])).toEqual([[_id, true]]);
	});

	it('does not match a query claimed by a previous process', async () => {
		let isLost = true;
		let render = () => {};
		const reading: { waitsFor?: Promise<void> } = {};
		const service = await fakeService({
			post(accept, response) {
				if (isLost) return lose(response);
				give(response, { queryId: accept()._id });
			},
			list(stored, response) {
				give(response, stored);
				render();
			},
			async get(one, response) {
				await reading.waitsFor;
				give(response, one);
			},
		});
		// more than are sent side by side stand before the last one, which asks the same as the first
		const wanted = [...rfcs(45), RFC];
		const memory = {};
		const run = async (items: string[]) =>
			await service.run(getCrf({ reuse: 'never' }), {
				items: itemsOf(items),
				onError: 'continueRegularOutput',
				memory,
			});
		await run(wanted.slice(0, 1));
		isLost = false;
		await run(wanted);
		forget();
		reading.waitsFor = new Promise((resolve) => (render = resolve));
		const { items } = await run(wanted);
		await service.close();
		expect([codeOf(items[0].json), items[45].json.queryId]).toEqual([
			'unsure',
			service.billed.find(({ query }) => query.rfc === RFC)?._id,
		]);
	});
});

describe('many lost answers', () => {
	it('searches lost queries together with one reading of the list', async () => {
		const service = await fakeService({
			post: (_accept, response) => lose(response),
			list: (_stored, response) => give(response, []),
		});
		await service.run(getCrf(), { items: itemsOf(rfcs(30)), onError: 'continueRegularOutput' });
		await service.close();
		const lists = service.requests.filter((one) => one === 'GET /query').length;
		expect([service.sent(), lists < 30]).toEqual([30, true]);
	});

	it('reads a row without its request once for all lost queries', async () => {
		const service = await fakeService({
			post: acceptAndLose,
			list: listUnclear,
		});
		await service.run(getCrf({ reuse: 'never' }), {
			items: itemsOf(rfcs(30)),
			onError: 'continueRegularOutput',
		});
		await service.close();
		const reads = service.requests.filter((one) => /^GET \/query\/./.test(one));
		// the first one is read twice: it shows whether rows of its type hold their results
		expect([service.sent(), reads.length]).toEqual([30, new Set(reads).size + 1]);
	});
});

describe('a lost answer', () => {
	it('finds a lost query beside an unreadable row without its request', async () => {
		const [other, lost] = rfcs(2);
		const service = await fakeService({
			post(accept, response) {
				const { query, _id } = accept();
				if (query.rfc === lost) lose(response);
				else give(response, { queryId: _id });
			},
			list: listUnclear,
			get: (one, response) => give(response, one, one?.query.rfc === lost ? 200 : 503),
		});
		const run = async (rfc: string) =>
			await service.run(getCrf({ reuse: 'never' }), { items: itemsOf([rfc]) });
		await run(other);
		forget();
		const { items } = await run(lost);
		await service.close();
		const [, { _id }] = service.billed;
		expect(items.map(({ json }) => [json.queryId, json.recovered])).toEqual([[_id, true]]);
	});
});

describe('a limit', () => {
	it.each(['maxQueries', 'maxQueriesPerDay'])(
		'counts a query of which nobody knows whether it was accepted: %s',
		async (name) => {
			const service = await fakeService({
				post(accept, response) {
					accept();
					lose(response);
				},
				list: (_stored, response) => give(response, []), // it lags
			});
			const run = async (rfc: string, memory = {}) =>
				await service.run(getCrf({}, { spendingLimits: { [name]: 1 } }), {
					items: itemsOf([rfc]),
					onError: 'continueRegularOutput',
					memory,
				});
			const memory = {};
			const [first, second] = rfcs(2);
			await run(first, memory);
			const { items } = await run(second, memory);
			await service.close();
			expect([service.billed.length, codeOf(items[0].json)]).toEqual([
				1,
				name === 'maxQueries' ? 'limitOfExecution' : 'limitOfDay',
			]);
		},
	);

	it('counts a query that was found again once', async () => {
		const service = await fakeService({ post: acceptAndLose });
		const rows: unknown[] = [];
		for (const rfc of rfcs(2)) {
			const parameters = getCrf({}, { spendingLimits: { maxQueriesPerDay: 2 } });
			const { items } = await service.run(parameters, { items: itemsOf([rfc]) });
			rows.push(items[0]?.json.recovered);
		}
		await service.close();
		expect([rows, service.billed.length]).toEqual([[true, true], 2]);
	});
});

describe('a record that says success and holds no result', () => {
	let sandbox: TaxQuerySandbox;
	let items: INodeExecutionData[];
	beforeAll(async () => {
		sandbox = await taxQuerySandbox({ record: 'lean' });
		({ items } = await sandbox.run(getCrf({ waitForResult: true, maxWait: 20 }), {
			items: itemsOf([RFC]),
		}));
	});
	afterAll(async () => await sandbox.close());
	const noResult = [expect.objectContaining({ code: 'noResult' })];

	it('ends the wait with a warning instead of a result', () => {
		expect(items.map(({ json }) => [json.status, json.pending, json.warnings])).toEqual([
			['SUCCESS', true, noResult],
		]);
	});

	it('comes out of Query → Get with the same warning', async () => {
		const [{ queryId }] = await sandbox.ledger();
		const get = (simplify: boolean) =>
			operation('query', 'get', { queryId, options: { simplify } });
		const [simple, raw] = [await sandbox.run(get(true)), await sandbox.run(get(false))];
		expect([simple.items[0].json.warnings, raw.hints.map(({ message }) => message)]).toEqual([
			noResult,
			[expect.stringContaining('webhook')],
		]);
	});
});

describe('one field for a period', () => {
	const apiMapping = { fields: { getInvoices: { from: 'mes', to: '' } } };
	const invoices = (more: object) =>
		operation('taxAuthority', 'getInvoices', { rfc: RFC, ...more });
	const service = async () => {
		const months: unknown[] = [];
		const odd = await fakeService({
			post(accept, response) {
				const stored = accept();
				months.push(stored.query.mes);
				give(response, { queryId: stored._id, message: 'ok' });
			},
		});
		return { ...odd, months, ...odd.mapped(apiMapping) };
	};

	it('takes one request for each month, each with its own', async () => {
		const { run, months, credentials, close } = await service();
		const { items } = await run(
			invoices({ period: 'months', firstMonth: '2026-01', lastMonth: '2026-03' }),
			{ credentials },
		);
		await close();
		expect([months, items.length]).toEqual([['2026-01', '2026-02', '2026-03'], 3]);
	});

	it('takes no days: an error before the first request', async () => {
		const { run, months, credentials, close } = await service();
		const { error } = await run(
			invoices({ period: 'dates', firstDay: '2026-01-05', lastDay: '2026-01-20' }),
			{ credentials },
		);
		await close();
		expect([codeOf(error), months]).toEqual(['period.days', []]);
	});
});

describe('a query whose result comes at once', () => {
	it('is read by its ID where it is only acknowledged', async () => {
		const service = await fakeService({
			post(accept, response) {
				const stored = accept();
				Object.assign(stored, { service: 'CURP', response: { nombre: 'EMMA' } });
				give(response, { queryId: stored._id, message: 'ok' });
			},
		});
		const { items } = await service.run(operation('person', 'getCurpData', { curp: curps(1)[0] }));
		await service.close();
		expect(items.map(({ json }) => [json.name, json.pending])).toEqual([['EMMA', false]]);
	});
});
