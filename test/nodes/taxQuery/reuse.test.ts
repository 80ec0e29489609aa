import { respondJson } from '../../support/testServer';
import { DateTime } from 'luxon';
import type { INodeParameters } from 'n8n-workflow';
import { shiftAllClocks } from '../../support/clock';
import { codeOf } from '../../support/errorCode';
import { type StoredQuery, aRecord, fakeService } from './fakeService';
import {
	CRF_PATH,
	type TaxQuerySandbox,
	buildCrfFaultRule,
	buildNextCrfFaultRule,
	createTaxProfileParameters,
	curps,
	getCrfParameters,
	itemsForRfcs,
	operationParameters,
	rfcs,
	taxQuerySandbox,
} from './support';
import { resetProcessState } from '../../../nodes/shared/processState';
import { freshSandboxForEachTest } from '../../support/sharedSandbox';

const [RFC, OTHER] = rfcs(2);
const waited = { waitForResult: true, maxWait: 30 };
const HOUR_MS = 3_600_000;

describe('Reuse Results', () => {
	let sandbox: TaxQuerySandbox;
	beforeEach(async () => (sandbox = await taxQuerySandbox()));
	afterEach(async () => await sandbox.close());

	const payFor = async (rfc = RFC) =>
		await sandbox.run(getCrfParameters(waited), { items: [{ rfc }] });
	const reuse = async (items = [{ rfc: RFC }], reuseHours = 24, options = {}) =>
		await sandbox.run(getCrfParameters({ ...waited, reuse: 'hours', reuseHours }, options), {
			items,
		});
	const billed = async () => (await sandbox.ledger()).length;

	it('gives a result that was paid for before, and says how old it is', async () => {
		const { items: paid } = await payFor();
		const { items } = await reuse();
		expect(items[0].json).toEqual({ ...paid[0].json, billed: 0, reused: true, ageHours: 0 });
	});

	it('does not pay again', async () => {
		await payFor();
		await reuse();
		expect(await billed()).toBe(1);
	});

	it.each<[string, () => Promise<unknown>]>([
		['of another RFC', async () => await payFor(OTHER)],
		[
			'of another service',
			async () =>
				await sandbox.run(operationParameters('taxpayer', 'getRfcData', { rfc: RFC, ...waited })),
		],
	])('pays where the only result is %s', async (_which, before) => {
		await before();
		await reuse();
		expect(await billed()).toBe(2);
	});

	it('pays where the result is older than wanted', async () => {
		await payFor();
		await sandbox.control.post('/clock', { advance: 2 * HOUR_MS });
		await reuse([{ rfc: RFC }], 1);
		expect(await billed()).toBe(2);
	});

	it('pays where the result is older than wanted, and not listed yet', async () => {
		const service = await fakeService({ list: (_stored, response) => respondJson(response, []) });
		const moment = getCrfParameters({ reuse: 'hours', reuseHours: 1e-9 });
		const items = [];
		for (let run = 0; run < 2; run++) {
			items.push(...(await service.run(moment, { items: [{ rfc: RFC }] })).items);
		}
		await service.close();
		expect([items.map(({ json }) => json.reused), service.sent()]).toEqual([
			[undefined, undefined],
			2,
		]);
	});

	it('does not pay again for what was on its way when its execution was stopped', async () => {
		let cancel = () => {};
		const service = await fakeService({
			list: (_stored, response) => respondJson(response, []),
			post: (accept) => (accept(), cancel()),
		});
		const input = { items: [{ rfc: RFC }], onStart: (stop: () => void) => (cancel = stop) };
		const hours = getCrfParameters({ reuse: 'hours', reuseHours: 24 });
		await service.run(hours, input);
		const { error } = await service.run(hours, input);
		await service.close();
		expect([codeOf(error), service.sent()]).toEqual(['unsure', 1]);
	});

	it('gives a retry what another execution has got, where the first try was refused', async () => {
		const service = await fakeService({
			post: (accept, response) =>
				service.sent() === 1
					? respondJson(response, { message: 'Not now' }, 422)
					: respondJson(response, { queryId: accept()._id }),
		});
		const hours = getCrfParameters({ reuse: 'hours', reuseHours: 24 });
		const input = { items: [{ rfc: RFC }], executionId: 'refused-first', memory: {} };
		const { error } = await service.run(hours, input);
		await service.run(getCrfParameters(), { items: [{ rfc: RFC }] });
		const { items } = await service.run(hours, input);
		await service.close();
		expect([codeOf(error), items[0].json.reused, service.sent()]).toEqual(['status.422', true, 2]);
	});

	it('reads by its ID what this process knows and the list never shows', async () => {
		const service = await fakeService({ list: (_stored, response) => respondJson(response, []) });
		const hours = getCrfParameters({ reuse: 'hours', reuseHours: 24 });
		const reused = [];
		for (const passed of [0, 30_000, 61_000]) {
			shiftAllClocks(passed);
			const { items } = await service.run(hours, { items: [{ rfc: RFC }] });
			reused.push(items[0].json.reused);
		}
		await service.close();
		expect([reused, service.sent()]).toEqual([[undefined, true, true], 1]);
	});

	it.each<[string, object]>([
		['hours', { reuse: 'hours', reuseHours: 5 }],
		['building', { reuse: 'building' }],
	])('reuses a pending query that the list hides: %s', async (_how, reusing) => {
		const service = await fakeService({
			post(accept, response) {
				const stored = accept();
				stored.status = 'PENDING';
				respondJson(response, { queryId: stored._id });
			},
			list: (stored, response) =>
				respondJson(
					response,
					stored.filter(({ status }) => status !== 'PENDING'),
				),
		});
		const inEditor = { items: [{ rfc: RFC }], mode: 'manual' as const };
		await service.run(getCrfParameters({ ...reusing }), inEditor);
		shiftAllClocks(120_000); // a list shows by then what it ever shows
		const { items } = await service.run(getCrfParameters({ ...reusing }), inEditor);
		await service.close();
		expect(items.map(({ json }) => json)).toMatchObject([
			{ queryId: service.billed[0]._id, outcome: 'pending', reused: true },
		]);
		expect(service.sent()).toBe(1);
	});

	it('reuses a listed query whose RFC has blanks and hyphens', async () => {
		const service = await fakeService();
		const rfc = RFC.replace(/(.{4})(.{6})/, '$1-$2 ').toLowerCase();
		service.billed.push(aRecord({ _id: 'listed', query: { rfc }, response: { RFC } }));
		const { items } = await service.run(getCrfParameters({ reuse: 'hours', reuseHours: 5 }), {
			items: [{ rfc: RFC }],
		});
		await service.close();
		expect(items.map(({ json }) => json)).toMatchObject([{ queryId: 'listed', reused: true }]);
		expect(service.sent()).toBe(0);
	});

	it('pays by default', async () => {
		await payFor();
		await payFor();
		expect(await billed()).toBe(2);
	});

	it('pays once for equal items of one run', async () => {
		const { items } = await reuse(new Array(20).fill({ rfc: RFC }));
		const ids = new Set(items.map(({ json }) => json.queryId));
		const paid = items.filter(({ json }) => json.reused === undefined).length;
		const pending = items.filter(({ json }) => json.outcome === 'pending').length;
		expect({ ids: ids.size, paid, pending, billed: await billed() }).toEqual({
			ids: 1,
			paid: 1,
			pending: 0,
			billed: 1,
		});
	});

	it('Retry On Fail continues a pending query without billing again', async () => {
		const rfc = sandbox.reserved('pending').rfc;
		await sandbox.run(getCrfParameters(), { items: [{ rfc }] });
		const { items } = await sandbox.run(getCrfParameters({ reuse: 'hours', reuseHours: 1 }), {
			items: [{ rfc }],
		});
		expect([items[0].json, await billed()]).toEqual([
			expect.objectContaining({ outcome: 'pending', reused: true }),
			1,
		]);
	});

	it('gives a finished result rather than a newer query that is still pending', async () => {
		const service = await fakeService();
		const queryOf = (_id: string, status: string, minutes: number) => {
			const createdAt = new Date(Date.now() - 60_000 * minutes).toISOString();
			const response = status === 'SUCCESS' ? { RFC } : {};
			return aRecord({ _id, status, query: { rfc: RFC }, response, createdAt });
		};
		service.billed.push(queryOf('finished', 'SUCCESS', 20), queryOf('pending', 'PENDING', 5));
		const { items } = await service.run(getCrfParameters({ reuse: 'hours', reuseHours: 1 }), {
			items: [{ rfc: RFC }],
		});
		await service.close();
		expect([items.map(({ json }) => json.queryId), service.sent()]).toEqual([['finished'], 0]);
	});

	it('pays where only the list still says that a query has a result', async () => {
		const service = await fakeService({
			get: (one, response) => respondJson(response, { ...one, status: 'FAILED' }),
		});
		service.billed.push(aRecord({ query: { rfc: RFC } }));
		const hours = getCrfParameters({ reuse: 'hours', reuseHours: 1 });
		await service.run(hours, { items: [{ rfc: RFC }] });
		await service.close();
		expect(service.sent()).toBe(1);
	});

	it('sends nothing for an equal item while a query is uncertain', async () => {
		await sandbox.faults(buildNextCrfFaultRule('resetBefore'));
		const { items } = await sandbox.run(getCrfParameters({ reuse: 'hours', reuseHours: 24 }), {
			items: [{ rfc: RFC }, { rfc: RFC }],
			onError: 'continueRegularOutput',
		});
		expect(items.map(({ json }) => codeOf(json))).toEqual(['unsure', 'unsure']);
		expect(await sandbox.requests(CRF_PATH)).toHaveLength(1);
	});

	it('gives the newest of several results', async () => {
		const service = await fakeService(); // lists what was pushed last first
		for (const [_id, minutes] of [['newest', 5] as const, ['older', 20] as const]) {
			const createdAt = new Date(Date.now() - 60_000 * minutes).toISOString();
			service.billed.push(aRecord({ _id, query: { rfc: RFC }, response: { RFC }, createdAt }));
		}
		const { items } = await service.run(getCrfParameters({ reuse: 'hours', reuseHours: 1 }), {
			items: [{ rfc: RFC }],
		});
		await service.close();
		expect([items.map(({ json }) => json.queryId), service.sent()]).toEqual([['newest'], 0]);
	});

	it('does not give a query that failed', async () => {
		const { rfc } = sandbox.reserved('failed');
		await sandbox.run(getCrfParameters(waited), { items: [{ rfc }] });
		await reuse([{ rfc }]);
		expect(await billed()).toBe(2);
	});

	it('gives results of this calendar month, and none of the last', async () => {
		const monthly = getCrfParameters({ ...waited, reuse: 'month' });
		await sandbox.close();
		const now = Date.now();
		const month = DateTime.fromMillis(now, { zone: 'America/Mexico_City' }).startOf('month');
		const lastMonth = month.minus({ minutes: 5 }).toMillis();
		sandbox = await taxQuerySandbox({ clockSkew: lastMonth - now });
		await payFor(OTHER);
		await sandbox.control.post('/clock', { advance: now - lastMonth });
		await payFor();
		const { items } = await sandbox.run(monthly, {
			items: [RFC, OTHER].map((rfc) => ({ rfc })),
			timezone: 'America/Mexico_City',
		});
		expect(items.map(({ json }) => json.reused)).toEqual([true, undefined]);
	});

	it.each(['page', 'summary'] as const)(
		'reuses a result from the third page of a list: %s',
		async (queryList) => {
			await sandbox.close();
			sandbox = await taxQuerySandbox({ queryList });
			await payFor();
			const service = await sandbox.elsewhere();
			const others = rfcs(260).slice(2);
			for (const rfc of others) await service.post('/query/crf', { rfc });
			await sandbox.faults({ path: '/api/query', exact: true, fault: { latency: 200 } });
			const running = reuse();
			for (const rfc of others.slice(0, 50)) await service.post('/query/crf', { rfc });
			const { items } = await running;
			expect(items[0].json).toMatchObject({ reused: true, outcome: 'result' });
		},
	);

	it('hints at a list without requests that is too long to read by ID', async () => {
		await sandbox.close();
		sandbox = await taxQuerySandbox({ queryList: 'summary' });
		const service = await sandbox.elsewhere();
		const [first, ...others] = rfcs(1002);
		await service.post('/query/crf', { rfc: first });
		for (const rfc of others) await service.post('/query/crf', { rfc });
		const { hints } = await reuse([{ rfc: first }]);
		expect(hints.map(({ message }) => message)).toEqual([expect.stringContaining(' 2 queries ')]);
	});

	it('finds each of 300 results among 2,000, and the same for equal items', async () => {
		await sandbox.close();
		sandbox = await taxQuerySandbox({ queryList: 'page', pastQueries: 1_700 });
		const service = await sandbox.elsewhere();
		const taxpayers = rfcs(150);
		for (const rfc of taxpayers) await service.post('/query/crf', { rfc });
		const items = [...taxpayers, ...taxpayers].map((rfc) => ({ rfc }));
		const result = await reuse(items, 24 * 400, { spendingLimits: { maxQueriesPerDay: 0 } });
		expect(result.items.map(({ json }) => [json.rfc, json.reused])).toEqual(
			items.map(({ rfc }) => [rfc, true]),
		);
	});

	it('reads the list of queries once for all items', async () => {
		await sandbox.run(getCrfParameters({ reuse: 'hours', reuseHours: 24 }), {
			items: rfcs(30).map((rfc) => ({ rfc })),
		});
		expect(await sandbox.requests('/api/query')).toHaveLength(1);
	});

	it('pays for nothing when the list of queries cannot be read', async () => {
		await sandbox.faults({ path: '/api/query', exact: true, fault: { status: 403 } });
		const { error } = await reuse();
		expect([codeOf(error), await billed()]).toEqual(['unlisted', 0]);
	});

	it('reads a list that stands under a key', async () => {
		await sandbox.close();
		sandbox = await taxQuerySandbox({ queryList: 'page' });
		await payFor();
		await reuse();
		expect(await billed()).toBe(1);
	});

	it('pays for the invoices of the months that are missing', async () => {
		const invoices = (lastMonth: string) =>
			operationParameters('taxAuthority', 'getInvoices', {
				rfc: RFC,
				period: 'months',
				firstMonth: '2026-01',
				lastMonth,
				...waited,
				reuse: 'hours',
				reuseHours: 24,
			});
		await sandbox.run(createTaxProfileParameters(RFC));
		await sandbox.run(invoices('2026-02'));
		const { items } = await sandbox.run(invoices('2026-02'));
		const { items: more } = await sandbox.run(invoices('2026-03'));
		expect([...items, ...more].map(({ json }) => json.reused)).toEqual([
			true,
			true,
			true,
			true,
			undefined,
		]);
	});

	it('distinguishes people by their second surname alone', async () => {
		const person = {
			name: 'Emma',
			firstLastName: 'Gómez',
			birthDate: '1956-12-31',
			reuse: 'hours',
			reuseHours: 24,
		};
		await sandbox.run(
			operationParameters('taxpayer', 'calculateRfc', { ...person, secondLastName: 'Díaz' }),
		);
		await sandbox.run(operationParameters('taxpayer', 'calculateRfc', person));
		expect(await billed()).toBe(2);
	});
});

describe('what Reuse Results leaves out, and the receipt names', () => {
	const run = async (createdAt: number, status: string, reuseHours: number) => {
		const service = await fakeService();
		service.billed.push(
			aRecord({
				_id: 'before',
				query: { rfc: RFC },
				status,
				createdAt: new Date(createdAt).toISOString(),
			}),
		);
		const { hints } = await service.run(getCrfParameters({ reuse: 'hours', reuseHours }), {
			items: [{ rfc: RFC }],
		});
		await service.close();
		return { sent: service.sent(), hint: hints.map(({ message }) => message).join() };
	};

	it('a query that has been pending for more than a day', async () => {
		const { sent, hint } = await run(Date.now() - 30 * HOUR_MS, 'PENDING', 720);
		expect([sent, hint]).toEqual([1, expect.stringContaining('more than a day: before')]);
	});

	it('but not one that has been pending for an hour', async () => {
		expect(await run(Date.now() - HOUR_MS, 'PENDING', 720)).toMatchObject({ sent: 0 });
	});

	it('but no query of another type about the same person', async () => {
		const service = await fakeService();
		service.billed.push(aRecord({ service: 'RFC', query: { rfc: RFC } }));
		const { hints } = await service.run(
			operationParameters('taxAuthority', 'getComplianceOpinion', {
				...{ rfc: RFC, reuse: 'hours', reuseHours: 24 },
			}),
		);
		await service.close();
		expect(hints.map(({ message }) => message).join()).not.toContain('could not be compared');
	});

	it('a query whose date may be local time called Z', async () => {
		const { sent, hint } = await run(Date.now() - 6 * HOUR_MS, 'SUCCESS', 1);
		expect([sent, hint]).toEqual([1, expect.stringContaining('1 query in the list could not')]);
	});
});

describe('Reuse Results of a list that shows nothing but IDs', () => {
	it('takes the result of a query that it saw pending', async () => {
		const service = await fakeService({
			list: (stored, response) =>
				respondJson(
					response,
					stored.map(({ _id, service: code }) => ({ _id, service: code })),
				),
		});
		const one = aRecord({ query: { rfc: RFC }, status: 'PENDING' });
		service.billed.push(one);
		const outcome = async () => {
			const hours = getCrfParameters({ reuse: 'hours', reuseHours: 24 });
			const { items } = await service.run(hours, { items: [{ rfc: RFC }] });
			return [items[0].json.outcome, items[0].json.reused];
		};
		const before = await outcome();
		Object.assign(one, { status: 'SUCCESS', response: { RFC, RazonSocial: 'A' } });
		shiftAllClocks(HOUR_MS);
		const after = await outcome();
		await service.close();
		expect([before, after, service.sent()]).toEqual([['pending', true], ['result', true], 0]);
	});
});

describe('Reuse Results while a workflow is built', () => {
	type Change = (stored: StoredQuery) => Partial<StoredQuery>;
	const [RFC] = rfcs(1);
	const [CURP] = curps(1);
	const HOUR_MS = 3_600_000;
	const crf = getCrfParameters();
	const jobs = operationParameters('person', 'getEmploymentHistory', { curp: CURP });

	const calculation = (person = {}) =>
		operationParameters('taxpayer', 'calculateRfc', {
			...{ name: 'Emma', firstLastName: 'Gómez', secondLastName: 'Díaz', birthDate: '1956-02-05' },
			...{ reuse: 'building', ...person },
		});

	describe('a second run in the editor', () => {
		/** Runs both at a service that stores what it accepts with these changes. */
		const runTwice = async (change: Change, first: INodeParameters, second = first) => {
			const service = await fakeService({
				post(accept, response) {
					const stored = accept();
					Object.assign(stored, change(stored));
					respondJson(response, { message: 'Accepted', queryId: stored._id });
				},
			});
			const input = { items: [{ rfc: RFC }], mode: 'manual' as const };
			await service.run(first, input);
			const { hints } = await service.run(second, input);
			await service.close();
			return { billed: service.billed.length, hints: hints.map(({ message }) => message).join() };
		};

		it.each<[string, INodeParameters, Change]>([
			['an unknown query type', jobs, () => ({ service: 'EMPLOYMENT_HISTORY' })],
			['an unknown status', crf, () => ({ status: 'LISTO' })],
			['one field more', crf, ({ query }) => ({ query: { ...query, tipo: 'PF' } })],
			['no date', crf, () => ({ createdAt: undefined })],
			[
				'a date without a zone',
				crf,
				() => ({ createdAt: new Date(Date.now() - 30 * HOUR_MS).toISOString().slice(0, 19) }),
			],
			['masked fields', crf, () => ({ query: { rfc: 'GODE*********' } })],
		])('is billed, and hints, if the listed query has %s', async (_what, request, change) => {
			expect(await runTwice(change, request)).toEqual({
				billed: 2,
				hints: expect.stringContaining("'Reuse Results': 1 query"),
			});
		});

		it.each<[string, Change]>([
			[
				'names without accents, in capitals',
				({ query }) => ({
					query: { ...query, name: 'EMMA', firstLastName: 'GOMEZ', secondLastName: 'DIAZ' },
				}),
			],
			[
				'days and months of two digits',
				({ query }) => ({ query: { ...query, day: '05', month: '02' } }),
			],
		])('is not billed if the listed query has %s', async (_what, change) => {
			expect(await runTwice(change, calculation())).toEqual({
				billed: 1,
				hints: expect.stringContaining(' 1 reused'),
			});
		});

		it.each([
			['&amp; for &', 'MU&M850101AB1', (rfc: string) => rfc.replace('&', '&amp;'), 1],
			['&#x26; for &', 'MU&M850101AB1', (rfc: string) => rfc.replace('&', '&#x26;'), 1],
			['&amp;amp; for &', 'MU&M850101AB1', (rfc: string) => rfc.replace('&', '&amp;amp;'), 1],
		])('is not billed if the service repeats %s', async (_what, rfc, escaped) => {
			const change: Change = ({ query }) => ({ query: { ...query, rfc: escaped(rfc) } });
			expect(
				await runTwice(change, getCrfParameters({ rfc }, { checkIdentifiers: 'off' })),
			).toEqual({
				billed: 1,
				hints: expect.stringContaining(' 1 reused'),
			});
		});

		it('is not billed if the service escapes an apostrophe in a name', async () => {
			const change: Change = ({ query }) => ({
				query: { ...query, firstLastName: 'O&#x27;Farrill' },
			});
			expect(await runTwice(change, calculation({ firstLastName: "O'Farrill" }))).toMatchObject({
				billed: 1,
			});
		});

		it('hints at an echo whose letters are lost', async () => {
			const change: Change = ({ query }) => ({ query: { ...query, firstLastName: 'MuÃ±oz' } });
			expect(await runTwice(change, calculation({ firstLastName: 'Muñoz' }))).toEqual({
				billed: 2,
				hints: expect.stringContaining("'Reuse Results': 1 query"),
			});
		});

		it('is billed for Pena after Peña', async () => {
			const [first, second] = ['Peña', 'Pena'].map((firstLastName) =>
				calculation({ firstLastName }),
			);
			expect(await runTwice(() => ({}), first, second)).toMatchObject({ billed: 2 });
		});
	});

	describe("a case of n8n's evaluations", () => {
		it('is billed once, however often it is run', async () => {
			const service = await fakeService();
			const input = { items: [{ rfc: RFC }], mode: 'evaluation' as const };
			for (let run = 0; run < 3; run++) {
				resetProcessState();
				await service.run(crf, input);
			}
			await service.close();
			expect(service.billed).toHaveLength(1);
		});
	});
});

describe('two concurrent executions of equal queries', () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox);
	const runTwice = async (parameters: object, items: ReturnType<typeof itemsForRfcs>) =>
		await Promise.all(
			[1, 2].map(async () => await sandbox.run(getCrfParameters({ ...parameters }), { items })),
		);

	it('share no query while responses are lost', async () => {
		await sandbox.faults(buildCrfFaultRule('resetAfter', { probability: 0.5 }));
		const runs = await runTwice({}, itemsForRfcs(rfcs(10)));
		const given = runs.flatMap(({ items }) => items.map(({ json }) => json.queryId));
		const billed = (await sandbox.ledger()).map(({ queryId }) => queryId);
		expect(given.sort()).toEqual(billed.sort());
	});

	it('never take the query of the other whose response is still on its way', async () => {
		await sandbox.faults(
			buildNextCrfFaultRule('resetBefore'),
			buildCrfFaultRule({ trickle: 20 }, { times: 1 }),
		);
		const runs = await runTwice({}, itemsForRfcs(rfcs(1)));
		const [{ queryId }] = await sandbox.ledger();
		const outcomes = runs.map(({ items, error }) => items[0]?.json.queryId ?? codeOf(error));
		expect(outcomes.sort()).toEqual([queryId, 'unsure'].sort());
	});

	it('are billed once with Reuse Results', async () => {
		await runTwice({ reuse: 'hours', reuseHours: 24 }, itemsForRfcs(rfcs(5)));
		expect(await sandbox.ledger()).toHaveLength(5);
	});
});

describe('a field that the API Mapping renames, beside an additional one of its old name,', () => {
	const wanted = rfcs(3);
	/** The API Mapping gives the RFC another name, and an additional field has the RFC's old one. */
	const apiMapping = { fields: { getCrf: { rfc: 'taxId' } } };
	const additionalBodyFields = '{"rfc":"EKU9003173C9"}';
	let service: Awaited<ReturnType<typeof fakeService>>;
	beforeEach(async () => (service = await fakeService()));
	afterEach(async () => await service.close());
	const requested = () => service.billed.map(({ query }) => query.taxId).sort();

	it('distinguishes the items of an execution', async () => {
		await service.run(getCrfParameters({}, { additionalBodyFields }), {
			items: itemsForRfcs(wanted),
			...service.mapped(apiMapping),
		});
		expect(requested()).toEqual([...wanted].sort());
	});

	it('distinguishes the listed queries that may be reused', async () => {
		const hours = getCrfParameters({ reuse: 'hours', reuseHours: 5 }, { additionalBodyFields });
		for (const rfc of [wanted[0], wanted[1], wanted[0]])
			await service.run(hours, { items: itemsForRfcs([rfc]), ...service.mapped(apiMapping) });
		expect(requested()).toEqual([wanted[0], wanted[1]].sort());
	});
});
