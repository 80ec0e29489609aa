import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';
import { buildFilterMismatchCheck } from '../../../nodes/CreditProfile/dataCollectionFilters';
import { collectionId } from '../../../nodes/CreditProfile/collectionAndListFields';
import {
	readCreditProfileApiMapping,
	readTaxQueryApiMapping,
} from '../../../nodes/shared/credentials/apiPathAndFieldMapping';
import {
	readCreditProfileBaseUrl,
	readTaxQueryBaseUrl,
} from '../../../nodes/shared/credentials/readBaseUrl';
import {
	parseLogin,
	providers,
	taxAuthority,
} from '../../../nodes/shared/credentials/dataProviders';
import { storedFieldName } from '../../../nodes/shared/credentials/providerLoginCredentialFields';
import type {
	TokenRequestProblem,
	RequestProblem,
} from '../../../nodes/shared/errors/requestProblemTypes';
import { DownloadError, type DownloadProblem } from '../../../nodes/shared/errors/downloadError';
import { renderRequestError } from '../../../nodes/shared/errors/renderRequestError';
import { loginFieldWithSourceChoice } from '../../../nodes/shared/operations/loginFieldWithSourceChoice';
import type {
	OperationItemContext,
	SharedNodeRunState,
} from '../../../nodes/shared/operations/operation';
import { personalDataHiderForMode } from '../../../nodes/shared/personalData/outputRowPersonalDataHider';
import { RequestError } from '../../../nodes/shared/http/requestErrorAndResultTypes';
import { creditProfile, taxQuery } from '../../../nodes/shared/http/serviceDefinitions';
import { Ledger } from '../../../nodes/TaxQuery/trigger/ledger';
import { requireCreationDates, readListing } from '../../../nodes/TaxQuery/trigger/readListing';
import {
	reportAllKnownQueriesVanished,
	reportMissingResult,
} from '../../../nodes/TaxQuery/trigger/missedResultReports';
import { curpField, rfcField } from '../../../nodes/TaxQuery/fields/identifiers';
import { periodField } from '../../../nodes/TaxQuery/fields/period';
import { taxProfileInput } from '../../../nodes/TaxQuery/fields/createTaxProfileLogin';
import type { PaidQueryDefinition } from '../../../nodes/TaxQuery/request/queryRequest';
import { identifier } from '../../../nodes/TaxQuery/resources/offlineIdentifierCheck';
import { query } from '../../../nodes/TaxQuery/resources/query';
import { queryTypesByOperation } from '../../../nodes/TaxQuery/client/applyApiMappingToQueries';
import type { QueryId, CollectedQueryList } from '../../../nodes/TaxQuery/client/queryModel';
import { describeRecordsExcludedAsUnknown } from '../../../nodes/TaxQuery/errors/recordsExcludedAsUnknownText';
import { QueryError, type QueryProblem } from '../../../nodes/TaxQuery/errors/queryError';
import { RunReceipt } from '../../../nodes/TaxQuery/output/runReceipt';
import {
	buildRows,
	type ObtainedQuery,
	type RowContext,
} from '../../../nodes/TaxQuery/output/outcomeRows';
import * as answers from '../../../nodes/TaxQuery/webhook/responses';

const asDocumented = readTaxQueryApiMapping({});

// Holds the messages of the nodes, each made by the code that makes it for an operator. A message that documents
// quote and nothing here makes does not exist.

/** Describes what happened, and what to do about it. */
interface RenderedMessage {
	message: string;
	description: string;
}
const renderedMessage = ({
	message,
	description,
}: {
	message: string;
	description?: unknown;
}): RenderedMessage => ({
	message,
	description: typeof description === 'string' ? description : '',
});
const alone = (message: string): RenderedMessage => ({ message, description: '' });

/** Returns what something throws. */
async function thrownBy(work: () => unknown): Promise<RenderedMessage> {
	try {
		await work();
	} catch (error) {
		return renderedMessage(error as Error);
	}
	throw new Error(`No message: ${String(work)}`);
}

const STATUSES = [302, 400, 401, 402, 403, 404, 408, 413, 422, 423, 425, 429, 500];
const CODES = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPROTO', 'ECONNRESET'];
const problems: RequestProblem[] = [
	...STATUSES.map((status) => ({ kind: 'status' as const, status })),
	{ kind: 'status', status: 401, isTokenRefused: true },
	...CODES.map((code) => ({ kind: 'network' as const, code })),
	{ kind: 'network', code: '', isUnsent: true },
	...(['empty', 'truncated', 'notJson', 'scalar'] as const).map((flaw) => ({
		kind: 'body' as const,
		reason: flaw,
		status: 200,
	})),
	{ kind: 'failure', status: 200 },
	{ kind: 'rateLimit', waitedMs: 1000 },
	{ kind: 'rateLimit', waitedMs: 0, retryAt: Date.UTC(2026, 0, 1) },
];

const LOGINS: Array<TokenRequestProblem['reason']> = [
	...(['refused', 'notFound', 'redirect', 'proxy', 'network', 'outage', 'noToken'] as const),
	...(['status', 'renewal'] as const),
];

const ofRequests = (): RenderedMessage[] => [
	...[creditProfile, taxQuery].flatMap((service) =>
		(['no', 'unknown'] as const).flatMap((accepted) =>
			problems.map((problem) => renderRequestError({ problem, accepted }, service)),
		),
	),
	...LOGINS.map((reason) => {
		const problem: RequestProblem = { kind: 'login', reason, isPassing: false, status: 503 };
		return renderRequestError({ problem, accepted: 'no' }, taxQuery);
	}),
];

const definition = {
	queryType: queryTypesByOperation.getCrf,
	name: 'Get CRF',
} as unknown as PaidQueryDefinition;
const id = 'q1' as QueryId;
const troubles: QueryProblem[] = [
	...(['rfc', 'curp'] as const).map((about) => ({
		kind: 'refused' as const,
		problem: { kind: 'status' as const, status: 404 },
		definition,
		about,
	})),
	{
		kind: 'unsure',
		...{ definition, reason: 'noAnswer', count: 1, sentAt: 0 },
		search: { found: [], possible: [], completeness: 'complete', listed: 0 },
	},
	{ kind: 'limitOfExecution', most: 10 },
	{ kind: 'limitOfDay', most: 500, made: 500 },
	{ kind: 'uncounted', undated: 1 },
	{ kind: 'unlisted', purpose: 'reuse', cause: new Error('The service is down') },
	{ kind: 'otherQuery', name: 'Get CRF', id },
	{ kind: 'failed', name: 'Get CRF', ids: [id], status: 'FAILED', serviceMessage: '' },
	{ kind: 'cancelled' },
];

const files: DownloadProblem[] = [
	{ kind: 'silent', ms: 60_000 },
	{ kind: 'slow', minutes: 15 },
	{ kind: 'instead', what: 'HTML' },
];

/** Returns an item with these parameters, which read one credential. */
const itemWith = (
	parameters: IDataObject,
	stored: IDataObject = {},
	more: Partial<OperationItemContext> = {},
) =>
	({
		index: 0,
		options: {},
		timezone: 'America/Mexico_City',
		run: { shared: (make: () => unknown) => make(), hint: () => {} },
		isEntered: (name: string) => name in parameters,
		parameter: (name: string) => parameters[name] ?? '',
		credentials: async () => stored,
		...more,
	}) as unknown as OperationItemContext;

const operationOf = ({ operations }: typeof query, value: string) => {
	const found = operations.find((one) => one.value === value);
	if (!found) throw new Error(value);
	return found;
};

const COMPANY = 'EXI0503141A4';
const ciec = {
	storesCiec: true,
	[storedFieldName(taxAuthority, 'rfc')]: 'EISE850314BK8',
	[storedFieldName(taxAuthority, 'ciec')]: 'Secreto1',
};
const notFound = async () => {
	throw new RequestError(taxQuery, { kind: 'status', status: 404 });
};

const ofItems = async (): Promise<RenderedMessage[]> =>
	await Promise.all(
		[
			() => readCreditProfileBaseUrl(''),
			() => readCreditProfileBaseUrl('example'),
			() => readCreditProfileBaseUrl('ftp://example.com'),
			() => readCreditProfileBaseUrl('https://example.com?a=1'),
			() => readCreditProfileBaseUrl('https://example.com/api/v1'),
			() => readTaxQueryBaseUrl('https://example.com/api/query'),
			() => readCreditProfileApiMapping({ apiMapping: '{"x": 1}' }),
			() => personalDataHiderForMode('pseudonym'),
			() => buildFilterMismatchCheck({ name__eq: 'a' }, () => {})({ name: 'b' }),
			() => collectionId.read(itemWith({})),
			() => curpField.read(itemWith({ curp: 'EISE850314MDFXGL09' })),
			() => rfcField.read(itemWith({ rfc: 'EISE850314' })),
			() => rfcField.read(itemWith({ rfc: 'XAXX010101000' })),
			() =>
				periodField.read(
					itemWith({ period: 'months', firstMonth: '2026-03', lastMonth: '2026-01' }),
				),
			() =>
				loginFieldWithSourceChoice(providers, 'creditProfileApi').read(
					itemWith({ loginFrom: 'stored', provider: providers[0].value }),
				),
			() => parseLogin(providers[0], { user: '__n8n_BLANK_VALUE_x', password: 'x' }),
			() => taxProfileInput.read(itemWith({ rfc: COMPANY }, ciec)),
			() => operationOf(identifier, 'check').execute(itemWith({})),
			() =>
				operationOf(query, 'get').execute(
					itemWith({ queryId: 'q1', simplify: true }, {}, {
						connection: async () => ({ mapping: asDocumented }),
						request: notFound,
					} as unknown as Partial<OperationItemContext>),
				),
		].map(thrownBy),
	);

/** Returns what a receipt says of a run in which everything happened. */
function ofReceipts(): RenderedMessage[] {
	return (['manual', 'retry'] as const).flatMap((mode) => {
		const hints: string[] = [];
		let end: Parameters<SharedNodeRunState['atEnd']>[0] = () => '';
		const run = {
			...{ mode, items: 4, isTool: false, hint: (text: string) => hints.push(text) },
			atEnd: (work: typeof end) => (end = work),
		} as unknown as SharedNodeRunState;
		const cut = {
			records: [{}],
			completeness: 'truncated',
			total: 9,
		} as unknown as CollectedQueryList;
		const receipt = new RunReceipt(run, { gaps: () => ({ uncompared: 2, cut }), billed: () => 3 });
		const item = itemWith({}, {}, { protect: ((row: unknown) => row) as never });
		receipt.accepted(item, [id]);
		receipt.uncertain({ ...item, index: 1 }, 1);
		const outcomes = (['sent', 'recovered', 'resumed', 'reused'] as const).map((how) => ({
			how,
			query: { kind: 'acknowledged', id, raw: {} } as never,
		}));
		receipt.take(item, outcomes, { externalReference: undefined, reuse: { isByDefault: true } });
		receipt.give(item, [], 1);
		return [
			String(end({ index: 2, cause: undefined } as never, { all: 1, unsent: 0 })),
			...hints,
		].map(alone);
	});
}

/** Returns what the warnings of a row say. */
function ofRows(): RenderedMessage[] {
	const own = { kind: 'record', id, code: 'X', request: { rfc: 'A' }, hasResponse: false } as const;
	const shape = {
		...{
			definition,
			mapping: asDocumented,
			requested: { rfc: COMPANY },
			mustEcho: { rfc: COMPANY },
		},
		expected: [{ code: 'CRF', otherCodes: [], fields: {} }],
		...{ isSimple: true, externalReference: undefined, warnings: [], secrets: [] },
		protect: (row: IDataObject, _rule: unknown, shaped: (safe: IDataObject) => unknown) =>
			shaped(row),
	} as unknown as RowContext;
	const outcomes = [
		{ how: 'sent', query: { ...own, state: 'unknown', status: 'LISTO', raw: {} } },
		{ how: 'sent', query: { ...own, state: 'success', raw: {} }, unread: 'It is down' },
		{ how: 'sent', query: { kind: 'withoutId', raw: { rfc: 'GODE561231GR8' } } },
	] as unknown as ObtainedQuery[];
	return outcomes
		.flatMap((outcome) => buildRows(shape, [outcome]))
		.flatMap(({ warnings = [] }) => warnings as IDataObject[])
		.map(({ message }) => alone(String(message)));
}

/** Returns what publishing says of a list with these rows. */
const published = async (rows: IDataObject[], list: IDataObject = {}) =>
	await thrownBy(async () => {
		const mapping = { ...asDocumented, list: { ...asDocumented.list, ...list } };
		const service = { mapping, request: async () => rows } as never;
		const wanted = { notifiedIds: [], mustBeWhole: true };
		requireCreationDates((await readListing(service, new Ledger(), wanted)).rows);
	});

const row = (number: number, more: IDataObject = {}) => ({
	_id: `q${number}`,
	status: 'SUCCESS',
	...more,
});
const TEN = Array.from({ length: 10 }, (_, number) => number);
const at = (number: number) => new Date(number * 60_000).toISOString();

const ofPublishing = async (): Promise<RenderedMessage[]> => [
	await published([{ status: 'SUCCESS' }, { status: 'SUCCESS' }]),
	await published([{ _id: 'q1', service: 'CRF' }]),
	await published(TEN.map((number) => row(number))),
	await published(TEN.map((number) => row(number, { createdAt: at(number) }))),
	await published([row(1)]),
];

function ofRunning(): RenderedMessage[] {
	const messages: RenderedMessage[] = [];
	const context = {
		getNode: () => ({ id: 'node', name: 'n', type: 't', typeVersion: 1, parameters: {} }),
		getWorkflow: () => ({ id: 'workflow' }),
		saveFailedExecution: (error: Error) => messages.push(renderedMessage(error)),
	} as unknown as ITriggerFunctions;
	reportAllKnownQueriesVanished(context, 'isElsewhere');
	reportAllKnownQueriesVanished(context, 'isLost');
	TEN.forEach(() => reportMissingResult(context, 'q1', true));
	const unknown = { code: 'X', state: 'unknown', status: 'LISTO' } as const;
	const choice = { operations: ['getCrf'], states: [] };
	return [
		...messages,
		alone(describeRecordsExcludedAsUnknown([unknown], choice, asDocumented) ?? ''),
	];
}

/** Returns what n8n says where it is too old to load the package. */
async function ofOldHost(): Promise<RenderedMessage> {
	return await thrownBy(() =>
		jest.isolateModules(() => {
			jest.doMock('n8n-workflow', () => ({}));
			try {
				// eslint-disable-next-line @typescript-eslint/no-require-imports
				require('../../../nodes/shared/utils/requireSupportedN8n');
			} finally {
				jest.dontMock('n8n-workflow');
			}
		}),
	);
}

/** Every error and hint, rendered with sample data. */
export async function allMessages(): Promise<RenderedMessage[]> {
	return [
		...ofRequests(),
		...troubles.map((trouble) => renderedMessage(new QueryError(trouble, ['q7' as QueryId]))),
		...files.map((problem) =>
			renderedMessage(new DownloadError(problem, { name: 'a.pdf', id: '7', documentId: '3' })),
		),
		...ofReceipts(),
		...ofRows(),
		...(await ofItems()),
		...(await ofPublishing()),
		...ofRunning(),
		await ofOldHost(),
	];
}

/** The messages that the documents may quote. */
export const messagesOfTheNodes = async (): Promise<string[]> =>
	(await allMessages()).map(({ message }) => message);

/** Returns what the sender of a webhook call is answered: "401 Unauthorized". */
export const webhookResponseTexts = (): string[] => [
	'401 Unauthorized', // of receive(), whose tests see it
	...Object.values(answers)
		.filter((one) => typeof one === 'object')
		.map(({ status, message }) => `${status} ${message}`),
];
