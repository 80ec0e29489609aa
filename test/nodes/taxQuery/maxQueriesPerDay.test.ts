import { DateTime, Settings } from 'luxon';
import { runAgainstStub } from '../../exhaustive/apiVariants/stubServer';
import { withoutWaiting } from '../../support/clock';
import { codeOf } from '../../support/errorCode';
import { freshSandboxForEachTest } from '../../support/sandboxForTestGroup';
import { queryPostsIn } from './crfStubResponses';
import {
	acceptThenRespondBadGateway,
	aRecord,
	fakeService,
	respondToFirstPost,
	respondJson,
	type StoredQuery,
} from './fakeService';
import { getCrfParameters, itemsForRfcs, rfcs, taxQuerySandbox } from './support';

const [RFC, OTHER] = rfcs(2);
const limitedTo = (maxQueriesPerDay: number) =>
	getCrfParameters({}, { spendingLimits: { maxQueriesPerDay } });

describe('Max Queries per Day at the sandbox', () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox);
	const limited = limitedTo(5);
	const billed = async () => (await sandbox.ledger()).length;

	it("counts today's queries of any program, and stops before sending", async () => {
		const service = await sandbox.elsewhere();
		for (const rfc of rfcs(3)) await service.post('/query/crf', { rfc });
		const fits = await sandbox.run(limited, { items: itemsForRfcs(rfcs(2)) });
		const beyond = await sandbox.run(limited, { items: itemsForRfcs(rfcs(1)) });
		expect({ fits: codeOf(fits.error), beyond: codeOf(beyond.error) }).toEqual({
			...{ fits: undefined, beyond: 'limitOfDay' },
		});
		expect(await billed()).toBe(5);
	});

	it('gives free what was planned and never sent', async () => {
		const refused = await sandbox.run(limited, { items: itemsForRfcs(rfcs(6)) });
		const next = await sandbox.run(limited, { items: itemsForRfcs(rfcs(5)) });
		expect({ refused: codeOf(refused.error), next: codeOf(next.error) }).toEqual({
			...{ refused: 'limitOfDay', next: undefined },
		});
		expect(await billed()).toBe(5);
	});

	it('holds for executions at the same time', async () => {
		const requests = { items: itemsForRfcs(rfcs(4)), onError: 'continueRegularOutput' as const };
		await Promise.all([0, 1, 2].map(async () => await sandbox.run(limited, requests)));
		expect(await billed()).toBe(5);
	});
});

it("Max Queries per Day counts the day of the workflow's time zone", async () => {
	const [now, timezone] = [Date.now(), 'America/Mexico_City'];
	const day = DateTime.fromMillis(now, { zone: timezone }).startOf('day');
	const yesterday = day.minus({ minutes: 5 }).toMillis();
	const sandbox = await taxQuerySandbox({ clockSkew: yesterday - now });
	const service = await sandbox.elsewhere();
	for (const rfc of rfcs(5)) await service.post('/query/crf', { rfc });
	await sandbox.control.post('/clock', { advance: now - yesterday });
	const fits = await sandbox.run(limitedTo(5), { items: itemsForRfcs(rfcs(5)), timezone });
	const beyond = await sandbox.run(limitedTo(5), { items: itemsForRfcs(rfcs(1)), timezone });
	await sandbox.close();
	expect({ fits: codeOf(fits.error), beyond: codeOf(beyond.error) }).toEqual({
		...{ fits: undefined, beyond: 'limitOfDay' },
	});
});

describe('Max Queries per Day', () => {
	type Service = Awaited<ReturnType<typeof fakeService>>;
	const lagging = {
		list: (_stored: StoredQuery[], response: Parameters<typeof respondJson>[0]) =>
			respondJson(response, []),
	};
	const run = async (service: Service, maxQueriesPerDay: number, wanted: string[]) => {
		const { items } = await service.run(limitedTo(maxQueriesPerDay), {
			items: itemsForRfcs(wanted),
			onError: 'continueRegularOutput',
		});
		return items.map(({ json }) => codeOf(json) ?? 'none');
	};

	it('counts all items of a run', async () => {
		const service = await fakeService();
		const codes = await run(service, 2, rfcs(3));
		await service.close();
		expect(codes.sort()).toEqual(['limitOfDay', 'none', 'none']);
		expect(service.sent()).toBe(2);
	});

	it('does not count queries of another day', async () => {
		const service = await fakeService();
		const createdAt = new Date(Date.now() - 30 * 3_600_000).toISOString();
		service.billed.push(aRecord({ createdAt, query: { rfc: OTHER } }));
		const codes = await run(service, 1, [RFC]);
		await service.close();
		expect(codes).toEqual(['none']);
	});

	it('counts accepted queries that the list does not show yet', async () => {
		const service = await fakeService(lagging);
		const codes = [await run(service, 1, [RFC]), await run(service, 1, [OTHER])];
		await service.close();
		expect(codes).toEqual([['none'], ['limitOfDay']]);
		expect(service.sent()).toBe(1);
	});

	it('counts a recovered query once', async () => {
		const service = await fakeService({ post: acceptThenRespondBadGateway });
		const rows: unknown[] = [];
		for (const rfc of [RFC, OTHER]) {
			const { items } = await service.run(limitedTo(2), { items: itemsForRfcs([rfc]) });
			rows.push(items[0]?.json.recovered);
		}
		await service.close();
		expect(rows).toEqual([true, true]);
		expect(service.billed).toHaveLength(2);
	});

	it('counts a lost query once that the list shows later', async () => {
		let isHidden = true;
		const service = await fakeService({
			post: respondToFirstPost(acceptThenRespondBadGateway),
			list: (stored, response) => respondJson(response, isHidden ? [] : stored),
		});
		const ask = async (rfc: string) =>
			await withoutWaiting(
				async () => await service.run(limitedTo(2), { items: itemsForRfcs([rfc]) }),
			);
		const lost = await ask(RFC);
		isHidden = false;
		const next = await ask(OTHER);
		await service.close();
		expect({ lost: codeOf(lost.error), next: codeOf(next.error) }).toEqual({
			...{ lost: 'unsure', next: undefined },
		});
		expect(service.billed).toHaveLength(2);
	});

	it('goes by the day of its own workflow, whatever zone n8n has set for another', async () => {
		const service = await fakeService(lagging);
		const onAnotherDay = DateTime.utc().hour < 12 ? 'Etc/GMT+11' : 'Etc/GMT-13';
		const codes = [];
		for (const [zone, rfc] of [
			[onAnotherDay, RFC],
			['system', OTHER],
		]) {
			Settings.defaultZone = zone;
			const requests = { items: itemsForRfcs([rfc]), timezone: 'UTC' };
			codes.push(codeOf((await service.run(limitedTo(1), requests)).error));
		}
		await service.close();
		expect(codes).toEqual([undefined, 'limitOfDay']);
		expect(service.sent()).toBe(1);
	});

	it('counts a query that was on its way when the execution was stopped', async () => {
		let cancel = () => {};
		const service = await fakeService({ ...lagging, post: (accept) => (accept(), cancel()) });
		const onStart = (stop: () => void) => (cancel = stop);
		await service.run(limitedTo(1), { items: itemsForRfcs([RFC]), onStart });
		const { error } = await service.run(limitedTo(1), { items: itemsForRfcs([OTHER]) });
		await service.close();
		expect(codeOf(error)).toBe('limitOfDay');
		expect(service.sent()).toBe(1);
	});

	it('tells numeric IDs beyond 2^53 apart when it counts the list', async () => {
		const createdAt = new Date().toISOString();
		const row = (id: string) => `{"_id":${id},"status":"SUCCESS","createdAt":"${createdAt}"}`;
		const body = `[${row('1234567890123456789')},${row('1234567890123456790')}]`;
		const { error, requests } = await runAgainstStub(
			() => ({ body }),
			getCrfParameters({ rfc: RFC }, { spendingLimits: { maxQueriesPerDay: 2 } }),
		);
		expect(codeOf(error)).toBe('limitOfDay');
		expect(queryPostsIn(requests)).toEqual([]);
	});
});

describe('the dates of a list', () => {
	type Row = Record<string, unknown>;
	const epoch = (row: StoredQuery) => Date.parse(row.createdAt);
	const whole = (row: StoredQuery): Row => ({ ...row });
	const undated = ({ _id, status }: StoredQuery): Row => ({ _id, status });
	const numbered = (row: StoredQuery): Row => ({ ...row, createdAt: epoch(row) });
	const hour = getCrfParameters({ reuse: 'hours', reuseHours: 1 });
	/** A service whose list and records are written so, with queries of today by another program. */
	async function serviceWith(
		inList: (row: StoredQuery) => Row,
		byId: (row: StoredQuery) => Row,
		made: number,
	) {
		const service = await fakeService({
			list: (stored, response) => respondJson(response, stored.map(inList)),
			get: (one, response) => respondJson(response, one ? byId(one) : {}, one ? 200 : 404),
		});
		for (const rfc of rfcs(made)) {
			service.billed.push(aRecord({ _id: `other-${rfc}`, query: { rfc } }));
		}
		return service;
	}

	it.each<[string, (row: StoredQuery) => Row]>([
		['in milliseconds', numbered],
		['in seconds', (row) => ({ ...row, createdAt: epoch(row) / 1000 })],
		['in milliseconds as text', (row) => ({ ...row, createdAt: `${epoch(row)}` })],
		['that only its records have', undated],
	])('are counted for Max Queries per Day: %s', async (_what, inList) => {
		const service = await serviceWith(inList, whole, 5);
		const { error } = await service.run(limitedTo(5), { items: itemsForRfcs([rfcs(6)[5]]) });
		await service.close();
		expect({ code: codeOf(error), sent: service.sent() }).toEqual({
			...{ code: 'limitOfDay', sent: 0 },
		});
	});

	it('are needed for Max Queries per Day: without any nothing is sent', async () => {
		const service = await serviceWith(undated, undated, 3);
		const { error } = await service.run(limitedTo(50), { items: itemsForRfcs([RFC]) });
		await service.close();
		expect({ code: codeOf(error), sent: service.sent() }).toEqual({
			...{ code: 'uncounted', sent: 0 },
		});
	});

	it('are read from the record if the row has none: too old to be reused', async () => {
		const old = (row: StoredQuery) => ({
			...row,
			createdAt: new Date(Date.now() - 2 * 3_600_000).toISOString(),
		});
		const service = await serviceWith(undated, old, 1);
		const { items } = await service.run(hour, { items: itemsForRfcs([RFC]) });
		await service.close();
		expect({ reused: items[0].json.reused, sent: service.sent() }).toEqual({
			...{ reused: undefined, sent: 1 },
		});
	});

	it('are read as numbers by Reuse Results', async () => {
		const service = await serviceWith(numbered, numbered, 1);
		const { items } = await service.run(hour, { items: itemsForRfcs([RFC]) });
		await service.close();
		expect(items.map(({ json }) => json.reused)).toEqual([true]);
	});
});
