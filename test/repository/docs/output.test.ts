import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveOutputSchemaPath } from 'n8n-core';
import type { IDataObject, INodeParameters, INodePropertyOptions, INodeType } from 'n8n-workflow';
import {
	outputColumnsByOperation,
	type EditorPreviewColumnSchema,
} from '../../../scripts/docs/columns';
import { until } from '../../support/until';
import { createSandboxNodeRunner } from '../../nodes/creditProfile/support';
import { packageNodesByType } from '../../support/runNodeInEngine';
import {
	createTaxProfileParameters,
	operationParameters,
	taxQuerySandbox,
	type TaxQuerySandbox,
} from '../../nodes/taxQuery/support';

const root = join(__dirname, '..', '..', '..');
const pages = ['output.md', 'output-credit-profile.md'].map((page) =>
	readFileSync(join(root, 'docs', page), 'utf8').split('\n## With Simplify off\n'),
);
/** The parts of both pages before and after that heading. */
const [simplified, raw] = [0, 1].map((part) => pages.map((parts) => parts[part]).join('\n'));

/** The second cell of the row that begins so. */
function rowOf(title: string, text = simplified): string {
	const row = text
		.split('\n')
		.map((line) => line.split('|').map((cell) => cell.trim()))
		.find((cells) => cells[1] === title);
	if (!row) throw new Error(`The pages on output have no row ${title}`);
	return row[2];
}

/** The columns that a row of the page names. */
const columnsOf = (title: string, text?: string) =>
	[...rowOf(title, text).matchAll(/`(\w+)`/g)].map(([, column]) => column);

/** The operations of both nodes that ask a service, as "resource operation"; those of a node as its panel has them. */
const operationsOf = ({ description }: INodeType): string[] =>
	description.properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options = [], displayOptions }) =>
			(options as INodePropertyOptions[]).map(
				({ value }) => `${String(displayOptions?.show?.resource)} ${String(value)}`,
			),
		);
const called = ({ resource, operation: name }: INodeParameters) =>
	`${String(resource)} ${String(name)}`;

/** The table that the output schemas of n8n's editor are written from. */
function tableOf(node: string, parameters: INodeParameters) {
	const found = outputColumnsByOperation.find(
		(table) => table.node === node && `${table.resource} ${table.operation}` === called(parameters),
	);
	if (!found) throw new Error(`scripts/docs/columns.ts lacks ${node} ${called(parameters)}`);
	return found;
}

const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value);

/** Paths of values whose type is not the schema's; null and what is not there fit any. */
function unlike(
	value: unknown,
	{ type, properties, items }: EditorPreviewColumnSchema,
	path = '',
): string[] {
	if (value === null || value === undefined) return [];
	if (typeOf(value) !== type) return [`${path} is ${typeOf(value)}, not ${type}`];
	if (items) return (value as unknown[]).flatMap((one) => unlike(one, items, `${path}[]`));
	return Object.entries(properties ?? {}).flatMap(([name, schema]) =>
		unlike((value as IDataObject)[name], schema, `${path}.${name}`),
	);
}

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

describe('docs/output.md and docs/output-credit-profile.md', () => {
	let sandbox: TaxQuerySandbox;
	beforeAll(async () => {
		sandbox = await taxQuerySandbox({ documents: 40 });
		const { rfc } = sandbox.reserved('success');
		await sandbox.run(createTaxProfileParameters(rfc));
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
				return operationParameters('taxpayer', 'calculateRfc', person);
			},
		],
		[
			'Get Fiscal Regime Certificate (CRF)',
			() => operationParameters('taxpayer', 'getCrf', { ...byRfc(), ...waited }),
		],
		[
			'Get RFC Data',
			() => operationParameters('taxpayer', 'getRfcData', { ...byRfc(), ...waited }),
		],
		['Get CURP Data', () => operationParameters('person', 'getCurpData', byCurp())],
		[
			'Get Employment History',
			() => operationParameters('person', 'getEmploymentHistory', { ...byCurp(), ...waited }),
		],
		[
			'Get Shareholders',
			() => operationParameters('company', 'getShareholders', { rfc: me().companyRfc, ...waited }),
		],
		['Create Tax Profile', () => createTaxProfileParameters(me().rfc)],
		[
			'Get Fiscal Situation (CSF)',
			() => operationParameters('taxAuthority', 'getCsf', { ...byRfc(), ...waited }),
		],
		[
			'Get Compliance Opinion (32D)',
			() => operationParameters('taxAuthority', 'getComplianceOpinion', { ...byRfc(), ...waited }),
		],
		[
			'Get Invoices',
			() =>
				operationParameters('taxAuthority', 'getInvoices', {
					...byRfc(),
					period: 'month',
					month: '2026-09',
					...waited,
				}),
		],
		[
			'Check',
			() =>
				operationParameters('identifier', 'check', {
					...byRfc(),
					...byCurp(),
					nss: '12345678903',
					zipCode: '06700',
				}),
		],
	];

	/** Columns that say what became of the row. */
	const ACCOUNT = ['outcome', 'reason', 'billed'];
	const ofService = (names: string[]) => names.filter((name) => !ACCOUNT.includes(name));

	it.each(rows)(
		'names the columns of %s, of the service no more than ten',
		async (title, parameters) => {
			const { items, error } = await sandbox.run(parameters());
			expect(error).toBeUndefined();
			const { json } = items[0];
			const { columns } = tableOf('TaxQuery', parameters());
			expect(Object.keys(json)).toEqual(Object.keys(columns));
			expect(unlike(json, { type: 'object', properties: columns })).toEqual([]);
			expect(columnsOf(title)).toEqual(Object.keys(columns));
			expect(ofService(Object.keys(json)).length).toBeLessThanOrEqual(10);
			expect(Object.values(json)).not.toContain(undefined);
			const { billed, ...others } = json;
			expect(billed ?? 1).toBe(1);
			expect(sameContent(others)).toEqual([]);
		},
	);

	it('describes what an acknowledgement holds', async () => {
		const { items } = await sandbox.run(operationParameters('taxpayer', 'getRfcData', byRfc()));
		expect(Object.keys(items[0].json)).toEqual(['rfc', 'message', ...ACCOUNT, 'queryId']);
	});

	it('describes what a failed query holds', async () => {
		const { rfc } = sandbox.reserved('failed');
		const sent = await sandbox.run(operationParameters('taxpayer', 'getCrf', { rfc }));
		const queryId = String(sent.items[0].json.queryId);
		const read = async () =>
			(await sandbox.run(operationParameters('query', 'get', { queryId }))).items[0].json;
		const record = await until('its end', async () => {
			const one = await read();
			return one.outcome !== 'pending' && one;
		});
		const { columns } = tableOf('TaxQuery', operationParameters('query', 'get'));
		expect(Object.keys(record)).toEqual(['rfc', ...Object.keys(columns)]);
	});

	/** Titles of the table of what comes out with Simplify off, where they are not those of the operation. */
	const RECORD = 'Tax Query: a record (TQ §2.1)';
	const paid = rows.filter(([title]) => title !== 'Check');

	it.each(paid)('names the fields of %s, with Simplify off', async (_title, parameters) => {
		const { items, error } = await sandbox.run({ ...parameters(), options: { simplify: false } });
		expect(error).toBeUndefined();
		expect(Object.keys(items[0].json).sort()).toEqual(columnsOf(RECORD, raw).sort());
	});

	it('names the fields of the Query resource, with and without Simplify', async () => {
		const { items: made } = await sandbox.run(
			operationParameters('taxpayer', 'getCrf', { ...byRfc(), ...waited }),
		);
		const queryId = String(made[0].json.queryId);
		for (const parameters of [
			operationParameters('query', 'get', { queryId }),
			operationParameters('query', 'getAll', { returnAll: true }),
		]) {
			const ofSimple = (await sandbox.run(parameters)).items.map(({ json }) => json);
			const ofRaw = (await sandbox.run({ ...parameters, options: { simplify: false } })).items;
			const simple = ofSimple.find((one) => one.queryId === queryId) ?? {};
			const row = ofRaw.find(({ json }) => json._id === queryId)?.json ?? {};
			const own = columnsOf('Get Fiscal Regime Certificate (CRF)');
			expect(Object.keys(simple)).toEqual([
				...own.filter((name) => !['billed', 'queryId'].includes(name)),
				'status',
				'service',
				'createdAt',
				'queryId',
			]);
			expect(Object.keys(row).sort()).toEqual(columnsOf(RECORD, raw).sort());
			const { columns, isOpen } = tableOf('TaxQuery', parameters);
			expect(isOpen).toBe(true);
			for (const json of ofSimple)
				expect(Object.keys(json)).toEqual(expect.arrayContaining(Object.keys(columns)));
			expect(unlike(simple, { type: 'object', properties: columns })).toEqual([]);
		}
	});

	it.each<[string, () => INodeParameters]>([
		[
			'Tax Query: an acknowledgement (TQ §2.5)',
			() => operationParameters('taxpayer', 'getRfcData', byRfc()),
		],
		[
			'Tax Query: Get Invoices, acknowledged',
			() =>
				operationParameters('taxAuthority', 'getInvoices', {
					...byRfc(),
					period: 'month',
					month: '2026-08',
				}),
		],
	])('names the fields of %s, with Simplify off', async (title, parameters) => {
		const { items } = await sandbox.run({ ...parameters(), options: { simplify: false } });
		expect(Object.keys(items[0].json).sort()).toEqual(columnsOf(title, raw).sort());
	});

	const collection = { __rl: true, mode: 'id', value: 1 };
	const logins = { resource: 'providerLogin', operation: 'getAll' };
	const upsert = {
		...{ resource: 'providerLogin', operation: 'upsert', loginFrom: 'fields' },
		...{ provider: 'bureau/pf', user: 'lender_1', password: 'Encrypted_9' },
	};
	const documents = { resource: 'dataDocument', operation: 'getAll', collection };
	const lists: Array<[title: string, parameters: INodeParameters]> = [
		['Provider Login: Get Many', logins],
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

	it.each([
		...lists,
		[
			'Data Collection and Document: Get Many Tags',
			{ resource: 'dataDocument', operation: 'getTags' },
		] as const,
	])('names the columns of %s', async (title, parameters) => {
		const { items, error } = await createSandboxNodeRunner(sandbox)(parameters);
		expect(error).toBeUndefined();
		const { columns } = tableOf('CreditProfile', parameters);
		expect(Object.keys(items[0].json)).toEqual(Object.keys(columns));
		const schema = { type: 'object', properties: columns } as const;
		expect(items.flatMap(({ json }) => unlike(json, schema))).toEqual([]);
		expect(columnsOf(title)).toEqual(Object.keys(columns));
		expect(Object.keys(columns).length).toBeLessThanOrEqual(10);
	});

	it.each([
		...lists.filter(([title]) => !title.endsWith('Count')),
		['Provider Login: Create or Update', upsert] as const,
		['Data Document: Get Many', documents] as const,
		[
			'Data Collection and Document: Get Many Tags',
			{ resource: 'dataDocument', operation: 'getTags' },
		] as const,
	])('names the fields of %s, with Simplify off', async (title, parameters) => {
		const { items, error } = await createSandboxNodeRunner(sandbox)({
			...parameters,
			options: { simplify: false },
		});
		expect(error).toBeUndefined();
		const given = Object.keys(items[0].json).sort();
		const named = columnsOf(title, raw).filter((column) => column !== 'associations');
		expect(given).toEqual(named.sort());
	});

	it('names the columns of a login that was created', async () => {
		const { items } = await createSandboxNodeRunner(sandbox)(upsert);
		const [action, ...others] = Object.keys(items[0].json);
		const all = columnsOf('Provider Login: Get Many');
		expect([action, others]).toEqual(['action', all.filter((one) => others.includes(one))]);
		const { columns } = tableOf('CreditProfile', upsert);
		expect(Object.keys(columns)).toEqual(['action', ...all]);
		expect(unlike(items[0].json, { type: 'object', properties: columns })).toEqual([]);
	});

	it.each(['creditProfile', 'taxQuery'] as const)(
		'names the columns of Diagnose: %s',
		async (type) => {
			const parameters = operationParameters('connection', 'diagnose');
			const { items } = await (type === 'taxQuery'
				? sandbox.run(parameters)
				: createSandboxNodeRunner(sandbox)(parameters));
			const [line] = /_Diagnose_ returns the columns .*? in every row/.exec(raw) ?? [''];
			const names = [...line.matchAll(/`(\w+)`/g)].map(([, column]) => column);
			expect(items.map(({ json }) => Object.keys(json))).toEqual(items.map(() => names));
			const node = type === 'taxQuery' ? 'TaxQuery' : 'CreditProfile';
			const { columns } = tableOf(node, parameters);
			expect(Object.keys(columns)).toEqual(names);
			const schema = { type: 'object', properties: columns } as const;
			expect(items.flatMap(({ json }) => unlike(json, schema))).toEqual([]);
		},
	);

	it('names the columns of Get Spending', async () => {
		const parameters = operationParameters('query', 'getSpending', { spendingPeriod: 'today' });
		const { items } = await sandbox.run(parameters, { prices: { getCrf: '1' } });
		const { columns } = tableOf('TaxQuery', parameters);
		expect(items.map(({ json }) => Object.keys(json))).toEqual(
			items.map(() => Object.keys(columns)),
		);
		const schema = { type: 'object', properties: columns } as const;
		expect(unlike(items.at(-1)?.json, schema)).toEqual([]);
		expect(columnsOf('Get Spending')).toEqual(Object.keys(columns));
	});

	it('names the columns of every operation', () => {
		const compared = [
			...rows.map(([, parameters]) => called(parameters())),
			...lists.map(([, parameters]) => called(parameters)),
			...[upsert, documents, { resource: 'dataDocument', operation: 'getTags' }].map(called),
			...['query get', 'query getAll', 'query getSpending', 'connection diagnose'],
		];
		const all = [packageNodesByType.creditProfile, packageNodesByType.taxQuery].flatMap(
			operationsOf,
		);
		// a new operation needs a row in `rows` or `lists`, and in the tables of docs/output.md or its sibling
		expect(all.filter((one) => !compared.includes(one))).toEqual([]);
		const tables = outputColumnsByOperation.map(
			({ resource, operation: name }) => `${resource} ${name}`,
		);
		expect(tables.sort()).toEqual(all.sort());
	});

	it('has a schema file of every table for the editor', () => {
		const { status, stderr } = spawnSync(
			process.execPath,
			['--import', 'tsx', join(root, 'scripts/docs/schemas.ts'), '--check'],
			{ cwd: root, encoding: 'utf8' },
		);
		expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
	});

	it.each(outputColumnsByOperation)(
		'is found by n8n as the schema of $node $resource $operation',
		({ node, columns, ...ref }) => {
			const path = resolveOutputSchemaPath({
				...ref,
				nodeDir: join(root, 'nodes', node),
				version: '1',
			});
			const { properties } = JSON.parse(readFileSync(String(path), 'utf8')) as IDataObject;
			expect(properties).toEqual(columns);
		},
	);

	it('describes how a document comes out', async () => {
		const { items } = await createSandboxNodeRunner(sandbox)(documents);
		const columns = Object.keys(items[0].json);
		expect(columns.slice(0, 3)).toEqual(['nombre', 'primerApellido', 'segundoApellido']);
		const table = tableOf('CreditProfile', documents);
		expect(columns.slice(-Object.keys(table.columns).length)).toEqual(Object.keys(table.columns));
		expect(columnsOf('Data Document: Get Many')).toEqual(Object.keys(table.columns));
		const schema = { type: 'object', properties: table.columns } as const;
		expect(items.flatMap(({ json }) => unlike(json, schema))).toEqual([]);
	});
});
