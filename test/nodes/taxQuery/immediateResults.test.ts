import { runAgainstStub } from '../../exhaustive/apiVariants/stubServer';
import { codeOf } from '../../support/errorCode';
import { freshSandboxForEachTest, sandboxForTestGroup } from '../../support/sandboxForTestGroup';
import { crfRecord, responderByRequestKind } from './crfStubResponses';
import {
	createTaxProfileParameters,
	curps,
	itemsForRfcs,
	operationParameters,
	rfcs,
	taxQuerySandbox,
} from './support';

const [RFC, OTHER] = rfcs(2);
const [CURP] = curps(1);
const waited = { waitForResult: true, maxWait: 30 };

/** TQ §4.4 and §4.5 document both: an acknowledgement, and the record itself. */
describe.each([
	['an acknowledgement', false],
	['the record', true],
])('CRF and RFC data of a service that responds with %s', (_what, immediateRecords) => {
	const sandbox = sandboxForTestGroup(taxQuerySandbox, { immediateRecords });

	it.each([['getCrf'], ['getRfcData']])('give the same columns: %s', async (name) => {
		const { items } = await sandbox.run(
			operationParameters('taxpayer', name, { rfc: RFC, ...waited }),
		);
		expect(items.map(({ json }) => json)).toEqual([
			expect.objectContaining({
				...{ pending: false, rfc: RFC, legalName: expect.any(String) },
			}),
		]);
		const reads = (await sandbox.requests()).filter(({ method }) => method === 'GET');
		expect(reads.length > 0).toBe(!immediateRecords);
	});

	it('are there at once or pending if they are not waited for', async () => {
		const { items } = await sandbox.run(operationParameters('taxpayer', 'getCrf', { rfc: RFC }));
		const { rfc, pending, legalName } = items[0].json;
		expect({ rfc, pending, hasName: legalName !== undefined }).toEqual({
			...{ rfc: RFC, pending: !immediateRecords, hasName: immediateRecords },
		});
	});

	it('fail for unknown people, without cost if refused at once', async () => {
		const { rfc } = sandbox.reserved('notFound');
		const { error } = await sandbox.run(
			operationParameters('taxpayer', 'getCrf', { rfc, ...waited }),
		);
		expect(codeOf(error)).toBe(immediateRecords ? 'status.404' : 'failed');
		expect(await sandbox.ledger()).toHaveLength(immediateRecords ? 0 : 1);
	});
});

describe('CURP data that is acknowledged instead of given at once', () => {
	const curpData = operationParameters('person', 'getCurpData', { curp: CURP });
	const byId = crfRecord('q1', RFC, {
		service: 'CURP',
		query: { curp: CURP },
		response: { nombre: 'EMMA' },
	});

	it.each([
		{ queryId: 'q1', message: 'ok' },
		{ queryId: 'q1', message: 'Listo', status: 'OK' },
	])('is read by its ID: %j', async (body) => {
		const { rows } = await runAgainstStub(
			responderByRequestKind({ post: { body }, byId }),
			curpData,
		);
		expect(rows).toMatchObject([{ queryId: 'q1', name: 'EMMA', pending: false }]);
	});

	it.each<[string, unknown]>([
		['nothing is', undefined],
		['no record is', []],
	])('is pending while %s under its ID', async (_what, record) => {
		const post = { body: { queryId: 'q1', status: 'PENDING' } };
		const { rows } = await runAgainstStub(responderByRequestKind({ post, byId: record }), curpData);
		expect(rows).toMatchObject([{ queryId: 'q1', pending: true }]);
	});
});

describe('a fiscal situation that comes without a record', () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox);

	it('is a result without a query ID, whatever has an ID in it', async () => {
		const body = {
			rfc: RFC,
			estado: 'ACTIVO',
			regimenes: [{ id: 601, status: 'ACTIVO' }],
			obligaciones: [{ _id: 'a', name: 'ISR' }],
		};
		const { rows } = await runAgainstStub(
			responderByRequestKind({ post: { body } }),
			operationParameters('taxAuthority', 'getCsf', { rfc: RFC }),
		);
		expect(rows).toEqual([expect.objectContaining({ rfc: RFC, estado: 'ACTIVO' })]);
		expect(rows[0]).not.toHaveProperty('queryId');
	});

	it('is given again by a further try, and not sent again', async () => {
		for (const rfc of [RFC, OTHER]) await sandbox.run(createTaxProfileParameters(rfc));
		const path = '/api/query/tax/csf';
		const url = 'https://example.test/csf.pdf';
		await sandbox.faults(
			{ path, times: 1, fault: { status: 200, body: { url } } },
			{ path, times: 1, fault: { status: 400 } },
		);
		const { items } = await sandbox.run(
			operationParameters('taxAuthority', 'getCsf', { rfc: '={{ $json.rfc }}', reuse: 'never' }),
			{ items: itemsForRfcs([RFC, OTHER]), maxTries: 2 },
		);
		expect(items.map(({ json }) => ({ url: json.url, rfc: json.rfc }))).toEqual([
			{ url, rfc: RFC },
			{ url: undefined, rfc: OTHER },
		]);
		expect(await sandbox.requests(path)).toHaveLength(3);
	});
});
