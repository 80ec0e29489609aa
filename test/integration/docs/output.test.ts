import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { nodeOn } from '../creditProfile/support';
import {
	createTaxProfile,
	operation,
	taxQuerySandbox,
	type TaxQuerySandbox,
} from '../taxQuery/support';

const page = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'output.md'), 'utf8');

/** The second cell of the row that begins so. */
function rowOf(title: string): string {
	const row = page
		.split('\n')
		.map((line) => line.split('|').map((cell) => cell.trim()))
		.find((cells) => cells[1] === title);
	if (!row) throw new Error(`docs/output.md has no row ${title}`);
	return row[2];
}

/** The columns that a row of the page names. */
const columnsOf = (title: string) =>
	[...rowOf(title).matchAll(/`(\w+)`/g)].map(([, column]) => column);

/** Columns with the same content, which is not a mark such as true or an empty text. */
function sameContent(row: IDataObject): string[] {
	const seen = new Map<string, string>();
	return Object.entries(row).flatMap(([name, value]) => {
		const text = JSON.stringify(value);
		if (value === null || value === '' || typeof value === 'boolean' || text === '[]') return [];
		const other = seen.get(text);
		seen.set(text, name);
		return other ? [`${other} = ${name}`] : [];
	});
}

describe('docs/output.md', () => {
	let sandbox: TaxQuerySandbox;
	beforeAll(async () => {
		sandbox = await taxQuerySandbox({ documents: undefined });
		const { rfc } = sandbox.reserved('success');
		await sandbox.run(createTaxProfile(rfc));
	});
	afterAll(async () => await sandbox.close());

	const me = () => sandbox.reserved('success');
	const byRfc = () => ({ rfc: me().rfc });
	const byCurp = () => ({ curp: me().curp });
	const waited = { waitForResult: true };
	const rows: Array<[title: string, parameters: () => INodeParameters]> = [
		[
			'Calculate RFC',
			() => {
				const { givenNames: name, firstLastName, secondLastName, birthDate } = me();
				const person = { name, firstLastName, secondLastName, birthDate };
				return operation('taxpayer', 'calculateRfc', person);
			},
		],
		[
			'Get Fiscal Regime Certificate (CRF)',
			() => operation('taxpayer', 'getCrf', { ...byRfc(), ...waited }),
		],
		['Get RFC Data', () => operation('taxpayer', 'getRfcData', { ...byRfc(), ...waited })],
		['Get CURP Data', () => operation('person', 'getCurpData', byCurp())],
		[
			'Get Employment History',
			() => operation('person', 'getEmploymentHistory', { ...byCurp(), ...waited }),
		],
		[
			'Get Shareholders',
			() => operation('company', 'getShareholders', { rfc: me().companyRfc, ...waited }),
		],
		['Create Tax Profile', () => createTaxProfile(me().rfc)],
		[
			'Get Fiscal Situation (CSF)',
			() => operation('taxAuthority', 'getCsf', { ...byRfc(), ...waited }),
		],
		[
			'Get Compliance Opinion (32D)',
			() => operation('taxAuthority', 'getComplianceOpinion', { ...byRfc(), ...waited }),
		],
		[
			'Get Invoices',
			() =>
				operation('taxAuthority', 'getInvoices', {
					...byRfc(),
					period: 'month',
					month: '2026-09',
					...waited,
				}),
		],
		[
			'Check',
			() =>
				operation('identifier', 'check', {
					...byRfc(),
					...byCurp(),
					nss: '12345678903',
					zipCode: '06700',
				}),
		],
	];

	it.each(rows)('names the columns of %s, and no more than 15', async (title, parameters) => {
		const { items, error } = await sandbox.run(parameters());
		expect(error).toBeUndefined();
		const { json } = items[0];
		expect(Object.keys(json)).toEqual(columnsOf(title));
		expect(Object.keys(json).length).toBeLessThanOrEqual(15);
		expect(Object.values(json)).not.toContain(undefined);
		expect(sameContent(json)).toEqual([]);
	});

	it('tells what an acknowledgement holds', async () => {
		const { items } = await sandbox.run(operation('taxpayer', 'getRfcData', byRfc()));
		expect(Object.keys(items[0].json)).toEqual(['rfc', 'message', 'pending', 'service', 'queryId']);
	});

	it('tells what a failed query holds', async () => {
		const { rfc } = sandbox.reserved('failed');
		const asked = await sandbox.run(operation('taxpayer', 'getCrf', { rfc }));
		const queryId = String(asked.items[0].json.queryId);
		const read = async () =>
			(await sandbox.run(operation('query', 'get', { queryId }))).items[0].json;
		let record = await read();
		while (record.pending === true) record = await read();
		const title = 'Failed, read by Query → Get';
		expect(Object.keys(record)).toEqual(['rfc', ...columnsOf(title)]);
	});

	const collection = { __rl: true, mode: 'id', value: 1 };
	const lists: Array<[title: string, parameters: INodeParameters]> = [
		['Provider Login: Get Many', { resource: 'providerLogin', operation: 'getAll' }],
		['Data Collection: Get Many', { resource: 'dataCollection', operation: 'getAll' }],
		['Data Collection: Get', { resource: 'dataCollection', operation: 'get', collection }],
		[
			'Data Collection: Get Many Versions',
			{ resource: 'dataCollection', operation: 'getVersions', collection },
		],
		[
			'Data Collection and Document: Get Many Tags',
			{ resource: 'dataCollection', operation: 'getTags' },
		],
		['Data Collection: Count', { resource: 'dataCollection', operation: 'count' }],
		['Data Document: Count', { resource: 'dataDocument', operation: 'count', collection }],
		[
			'Data Document: Download Files',
			{
				resource: 'dataDocument',
				operation: 'downloadFiles',
				filesFrom: 'collection',
				collection,
			},
		],
	];

	it.each(lists)('names the columns of %s', async (title, parameters) => {
		const { items } = await nodeOn(sandbox)(parameters);
		expect(Object.keys(items[0].json)).toEqual(columnsOf(title));
		expect(Object.keys(items[0].json).length).toBeLessThanOrEqual(15);
	});

	it('tells how a document comes out', async () => {
		const parameters = { resource: 'dataDocument', operation: 'getAll', collection };
		const { items } = await nodeOn(sandbox)(parameters);
		const columns = Object.keys(items[0].json);
		expect(columns.slice(0, 3)).toEqual(['nombre', 'primerApellido', 'segundoApellido']);
		expect(columns.slice(-4)).toEqual(columnsOf('Data Document: Get Many'));
	});
});
