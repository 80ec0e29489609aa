import type { INodeExecutionData } from 'n8n-workflow';
import {
	buildCrfFaultRule,
	getCrfParameters,
	itemsForRfcs,
	rfcs,
	taxQuerySandbox,
	type TaxQuerySandbox,
} from '../../nodes/taxQuery/support';
import { codeOf } from '../../support/errorCode';

describe('500 items with resets, timeouts, 503 and 429 for every tenth', () => {
	let sandbox: TaxQuerySandbox;
	let items: INodeExecutionData[];
	let billed: Array<{ rfc: unknown; queryId: string }>;
	const taxpayers = rfcs(500);

	beforeAll(async () => {
		sandbox = await taxQuerySandbox();
		await sandbox.faults(
			buildCrfFaultRule('resetAfter', { probability: 0.1 }),
			buildCrfFaultRule('hang', { probability: 0.1 }),
			buildCrfFaultRule({ status: 503 }, { probability: 0.1 }),
			buildCrfFaultRule('storm', { probability: 0.1 }),
		);
		({ items } = await sandbox.run(
			getCrfParameters({}, { timeout: 90, externalReference: '={{ $json.rfc }}' }),
			{ items: itemsForRfcs(taxpayers), onError: 'continueRegularOutput' },
		));
		billed = (await sandbox.ledger()).map(({ query, queryId }) => ({ rfc: query.rfc, queryId }));
	});
	afterAll(async () => await sandbox.close());

	const accepted = () => items.filter(({ json }) => json.error === undefined);
	const uncertain = () => items.filter(({ json }) => codeOf(json) === 'unsure');

	it('give 500 rows, each of its item', () => {
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
			taxpayers.map((_, item) => ({ item })),
		);
	});

	it('are billed for one query each at most', () => {
		expect(new Set(billed.map(({ rfc }) => rfc)).size).toBe(billed.length);
	});

	it('return every billed query with its item', () => {
		const given = accepted().map(({ json }) => ({
			rfc: json.externalReference,
			queryId: json.queryId,
		}));
		const byRfc = (a: { rfc: unknown }, b: { rfc: unknown }) =>
			String(a.rfc).localeCompare(String(b.rfc));
		expect(given.sort(byRfc)).toEqual(billed.sort(byRfc));
	});

	it('report each query without a record as possibly accepted', () => {
		expect(uncertain().length).toBe(500 - accepted().length);
	});

	it('meet each fault more than 25 times', async () => {
		const { data } = await sandbox.control.get<Array<{ applied: number }>>('/faults');
		expect(Math.min(...data.map(({ applied }) => applied))).toBeGreaterThan(25);
	});

	it('recover more than 25 queries that were reset after acceptance', () => {
		const found = accepted().filter(({ json }) => json.recovered);
		expect(found.length).toBeGreaterThan(25);
	});
});
