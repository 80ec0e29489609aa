/** A JSON schema, as far as n8n's editor reads one: types, properties, items. */
export interface EditorPreviewColumnSchema {
	type: 'string' | 'number' | 'boolean' | 'object' | 'array';
	properties?: Record<string, EditorPreviewColumnSchema>;
	items?: EditorPreviewColumnSchema;
}

/** The simplified columns of an operation, in their order. */
export interface OutputTable {
	node: 'CreditProfile' | 'TaxQuery';
	resource: string;
	operation: string;
	/** The row of docs/output.md or docs/output-credit-profile.md; undefined where a sentence describes the columns. */
	title?: string;
	/** Rows have other columns beside these: the fields of a document, the result of any query type. */
	isOpen?: true;
	columns: Record<string, EditorPreviewColumnSchema>;
}

const text: EditorPreviewColumnSchema = { type: 'string' };
const number: EditorPreviewColumnSchema = { type: 'number' };
const flag: EditorPreviewColumnSchema = { type: 'boolean' };
const list: EditorPreviewColumnSchema = { type: 'array' };
const texts: EditorPreviewColumnSchema = { type: 'array', items: text };
const record = (
	properties?: Record<string, EditorPreviewColumnSchema>,
): EditorPreviewColumnSchema => ({
	type: 'object',
	...(properties && { properties }),
});

/** All of the same type. */
const columnsOf = (schema: EditorPreviewColumnSchema, names: string) =>
	Object.fromEntries(names.split(' ').map((name) => [name, schema]));

/** What became of the row, and the query itself, behind its result. */
const account = { outcome: text, reason: text };
const tail = { ...account, billed: number, queryId: text };
const queryData = {
	...account,
	...columnsOf(text, 'status service createdAt queryId'),
};
/** TQ §2.3 */
const certificate = {
	certificateValid: flag,
	...columnsOf(text, 'certificateValidUntil representativeRfc zipCode'),
};
/** TQ §2.2 and §4.3 */
const person = columnsOf(text, 'name firstLastName secondLastName birthDate');

/** CP §2.1 */
const login = {
	...{ type: text, user: text, isEnabled: flag, expirationDate: text, isAutoRenewEnabled: flag },
	...{ createdAt: text, updatedAt: text, ownerId: number, id: number },
};
/** CP §2.2 */
const collection = {
	...{ name: text, slug: text, tags: texts, processorKey: text, createdAt: text },
	...{ updatedAt: text },
	...{ parentCollectionId: number, activeDataCollectionVersionId: number, id: number },
};
const diagnosis = columnsOf(text, 'check result seen advice');

type OperationRow = [
	operation: string,
	title: string | undefined,
	columns: OutputTable['columns'],
	'open'?,
];

/** API references do not show five results: shareholders, jobs, CSF, 32D, invoices. Theirs are the sandbox's columns. */
const taxQuery: OperationRow[] = [
	['taxpayer calculateRfc', 'Calculate RFC', { ...person, rfc: text, ...tail }],
	[
		'taxpayer getCrf',
		'Get Fiscal Regime Certificate (CRF)',
		{ legalName: text, rfc: text, regimes: list, ...certificate, federalState: text, ...tail },
	],
	[
		'taxpayer getRfcData',
		'Get RFC Data',
		{
			...columnsOf(text, 'legalName rfc'),
			...certificate,
			federalState: text,
			municipality: text,
			...tail,
		},
	],
	[
		'person getCurpData',
		'Get CURP Data',
		{
			...person,
			curp: text,
			rfc: text,
			curpActive: flag,
			curpStatus: text,
			curpStatusMeaning: text,
			...tail,
		},
	],
	[
		'person getEmploymentHistory',
		'Get Employment History',
		{ curp: text, nss: text, weeksQuoted: number, jobs: list, ...tail },
	],
	[
		'company getShareholders',
		'Get Shareholders',
		{ rfc: text, legalName: text, shareholders: list, ...tail },
	],
	[
		'taxAuthority createTaxProfile',
		'Create Tax Profile',
		{ rfc: text, message: text, profileId: number, ...tail },
	],
	[
		'taxAuthority getCsf',
		'Get Fiscal Situation (CSF)',
		{
			...columnsOf(text, 'rfc name resultStatus since'),
			address: record(),
			regimes: list,
			...tail,
		},
	],
	[
		'taxAuthority getComplianceOpinion',
		'Get Compliance Opinion (32D)',
		{ ...columnsOf(text, 'rfc name opinion folio'), ...tail },
	],
	[
		'taxAuthority getInvoices',
		'Get Invoices',
		{ rfc: text, period: text, invoices: list, ...tail },
	],
	['query get', undefined, queryData, 'open'],
	['query getAll', undefined, queryData, 'open'],
	[
		'query getSpending',
		'Get Spending',
		{
			...columnsOf(text, 'period queryType'),
			...{ queries: number, amount: number, currency: text, withoutPrice: number },
			...columnsOf(number, 'successful notFound failed pending unknown'),
			complete: flag,
		},
	],
	[
		'identifier check',
		'Check',
		{
			...columnsOf(text, 'rfc curp nss zipCode'),
			...account,
			ready: flag,
			...columnsOf(text, 'personType birthDate'),
		},
	],
	['connection diagnose', undefined, diagnosis],
];

const creditProfile: OperationRow[] = [
	['providerLogin getAll', 'Provider Login: Get Many', login],
	['providerLogin upsert', undefined, { action: text, ...login }],
	['dataCollection getAll', 'Data Collection: Get Many', collection],
	['dataCollection get', 'Data Collection: Get', collection],
	[
		'dataCollection getVersions',
		'Data Collection: Get Many Versions',
		{
			...{ title: text, fields: texts, requiredFields: texts, isActive: flag },
			...{ createdAt: text, creatorId: number, id: number },
		},
	],
	['dataCollection getTags', 'Data Collection and Document: Get Many Tags', { tag: text }],
	['dataCollection count', 'Data Collection: Count', { total: number }],
	['dataDocument getTags', 'Data Collection and Document: Get Many Tags', { tag: text }],
	['dataDocument count', 'Data Document: Count', { total: number, collectionId: number }],
	[
		'dataDocument getAll',
		'Data Document: Get Many',
		{ tags: texts, createdAt: text, updatedAt: text, externalId: text, id: number },
		'open',
	],
	[
		'dataDocument downloadFiles',
		'Data Document: Download Files',
		{
			...columnsOf(text, 'associationType filelabel filetype originalFilename'),
			...{ size: number, uploadedAt: text, externalId: text, id: number, documentId: number },
		},
	],
	['connection diagnose', undefined, diagnosis],
];

const tablesOf = (node: OutputTable['node'], rows: OperationRow[]): OutputTable[] =>
	rows.map(([name, title, columns, open]) => {
		const [resource, operation] = name.split(' ');
		return { node, resource, operation, title, columns, ...(open && { isOpen: true }) };
	});

/** Every operation of both nodes. */
export const outputColumnsByOperation: OutputTable[] = [
	...tablesOf('TaxQuery', taxQuery),
	...tablesOf('CreditProfile', creditProfile),
];
