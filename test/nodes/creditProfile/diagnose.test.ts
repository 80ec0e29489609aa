import type { IDataObject } from 'n8n-workflow';
import { proposedMappingIn, namesOfChecksNeedingChange } from '../../support/readDiagnoseRows';
import { startSandboxWithHelpers, type TestSandbox } from '../../support/sandbox';
import { createSandboxNodeRunner } from './support';

const diagnose = { resource: 'connection', operation: 'diagnose' };

/** Words and encodings of three environments; the first is the document's. */
const environments: IDataObject[] = [
	{},
	{ paths: { credential: 'providers/keys' }, filterEncoding: 'dots', listEncoding: 'repeat' },
	{ filterEncoding: 'brackets', listEncoding: 'indices' },
	{ filterEncoding: 'json' },
];

describe('Connection → Diagnose', () => {
	describe.each(environments)('of an environment that speaks %j', (mapping) => {
		let sandbox: TestSandbox;
		let rows: IDataObject[];
		beforeAll(async () => {
			sandbox = await startSandboxWithHelpers({
				rateLimit: 10,
				mapping: { creditProfile: mapping },
			});
			const { paths } = mapping;
			const api = { apiMapping: JSON.stringify({ ...(paths !== undefined && { paths }) }) };
			rows = (await createSandboxNodeRunner(sandbox)(diagnose, { api })).items.map(
				({ json }) => json,
			);
		});
		afterAll(async () => await sandbox.close());

		it('proposes the mapping that is served', () => {
			const { filterEncoding, ...others } = mapping;
			const notDefault = filterEncoding !== 'brackets' && filterEncoding !== undefined;
			expect(proposedMappingIn(rows)).toEqual({ ...others, ...(notDefault && { filterEncoding }) });
		});

		it('finds nothing wrong but what the mapping lacks', () => {
			const { filterEncoding = 'brackets', listEncoding = 'brackets' } = mapping;
			expect(namesOfChecksNeedingChange(rows)).toEqual([
				...(filterEncoding === 'brackets' ? [] : ['Filter encoding']),
				...(listEncoding === 'brackets' ? [] : ['List encoding']),
			]);
		});

		it('reports each check with its finding and advice', () => {
			for (const row of rows.slice(0, -1)) {
				expect(row).toEqual({
					check: expect.stringMatching(/./),
					result: expect.stringMatching(/^(OK|Change needed|Not known)$/),
					seen: expect.stringMatching(/\.$/),
					advice: expect.stringMatching(/\.$/),
				});
			}
		});

		it('sends plain reads only', async () => {
			const sent = await sandbox.requests();
			expect([...new Set(sent.map(({ method }) => method))]).toEqual(['GET']);
		});

		it('is free of personal data', () => {
			expect(JSON.stringify(rows)).not.toMatch(/[A-Z]{4}\d{6}|@|\d{10}/);
		});
	});

	it('does not call a type of login wrong, of which the document lists none', async () => {
		const sandbox = await startSandboxWithHelpers({ rateLimit: 0 });
		const logins = [{ id: 1, type: 'buro_pm', isEnabled: true }];
		await sandbox.faults({ path: '/api/v1/credential', fault: { status: 200, body: logins } });
		const { items } = await createSandboxNodeRunner(sandbox)(diagnose);
		await sandbox.close();
		expect(items[1].json).toMatchObject({
			result: 'OK',
			advice: expect.stringContaining('buro_pm'),
		});
	});

	it('reports what is wrong if every check fails', async () => {
		const sandbox = await startSandboxWithHelpers({ rateLimit: 0 });
		const { items } = await createSandboxNodeRunner(sandbox)(diagnose, {
			api: { apiToken: 'of nobody' },
		});
		await sandbox.close();
		expect(items[1].json).toEqual({
			check: 'Address, token and provider logins',
			result: 'Change needed',
			seen: expect.stringMatching(/token/),
			advice: expect.stringMatching(/API token.*base URL/),
		});
	});

	it('runs once, however many items come in, and says what to do with the proposal', async () => {
		const mapping = { creditProfile: { filterEncoding: 'dots' as const } };
		const sandbox = await startSandboxWithHelpers({ rateLimit: 0, mapping });
		const { items, hints } = await createSandboxNodeRunner(sandbox)(diagnose, {
			items: [{}, {}, {}],
		});
		await sandbox.close();
		expect(items.filter(({ json }) => json.check === 'Summary')).toHaveLength(1);
		expect(hints.map(({ message }) => message)).toEqual([items[0].json.advice]);
	});

	it('names the key where the service has no such path', async () => {
		const mapping = { creditProfile: { paths: { credential: 'accesos' } } };
		const sandbox = await startSandboxWithHelpers({ rateLimit: 0, mapping });
		const { items } = await createSandboxNodeRunner(sandbox)(diagnose);
		await sandbox.close();
		expect(items[1].json).toMatchObject({
			result: 'Change needed',
			advice: expect.stringContaining('set paths.credential in'),
		});
	});

	it('reports which parts of a service are missing', async () => {
		const sandbox = await startSandboxWithHelpers({ rateLimit: 0 });
		const path = '/api/v1/data/collection';
		await sandbox.faults({
			path,
			fault: { status: 200, body: { data: [{ id: 1, creatorId: 2 }], total: 1 } },
		});
		const { items } = await createSandboxNodeRunner(sandbox)(diagnose);
		await sandbox.close();
		const found = items.find(({ json }) => json.check === 'Collections with version and creator');
		expect(found?.json).toMatchObject({
			result: 'Change needed',
			seen: expect.stringContaining('missing: name, tags'),
		});
	});
});
