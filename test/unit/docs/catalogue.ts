import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';
import { checkFiltered } from '../../../nodes/CreditProfile/filter';
import { collectionId } from '../../../nodes/CreditProfile/fields';
import {
	readCreditProfileMapping,
	readTaxQueryMapping,
} from '../../../nodes/shared/credentials/apiMapping';
import { creditProfileBaseUrl, taxQueryBaseUrl } from '../../../nodes/shared/credentials/baseUrl';
import {
	checkLogin,
	providers,
	taxAuthority,
} from '../../../nodes/shared/credentials/providerLogin';
import type { LoginProblem, Problem } from '../../../nodes/shared/http/problem';
import { FileError, type FileProblem } from '../../../nodes/shared/messages/file';
import { render } from '../../../nodes/shared/messages/request';
import { loginOf } from '../../../nodes/shared/operations/loginSource';
import type { Item } from '../../../nodes/shared/operations/operation';
import { protectionOf } from '../../../nodes/shared/personalData/personalData';
import { RequestError } from '../../../nodes/shared/transport/result';
import { creditProfile, taxQuery } from '../../../nodes/shared/transport/service';
import { Ledger } from '../../../nodes/TaxQuery/deliveries/ledger';
import { checkDates, readListing } from '../../../nodes/TaxQuery/deliveries/listing';
import { reportCourse, reportMissing } from '../../../nodes/TaxQuery/deliveries/reports';
import { curp, rfc } from '../../../nodes/TaxQuery/fields/identifiers';
import { period } from '../../../nodes/TaxQuery/fields/period';
import { profile } from '../../../nodes/TaxQuery/fields/taxProfile';
import type { PaidQuery } from '../../../nodes/TaxQuery/question/question';
import { identifier } from '../../../nodes/TaxQuery/resources/identifier';
import { query } from '../../../nodes/TaxQuery/resources/query';
import { catalog } from '../../../nodes/TaxQuery/service/names';
import type { Id } from '../../../nodes/TaxQuery/service/types';
import { leftOut } from '../../../nodes/TaxQuery/telling/leftOut';
import { QueryError, type Trouble } from '../../../nodes/TaxQuery/telling/messages';
import * as answers from '../../../nodes/TaxQuery/webhook/answers';

const asDocumented = readTaxQueryMapping({});

// The messages of the nodes, each made by the code that makes it for an operator: a message that the documents quote
// and that nothing here makes does not exist.

/** The message that something throws. */
async function thrownBy(work: () => unknown): Promise<string> {
	try {
		await work();
	} catch (error) {
		return (error as Error).message;
	}
	throw new Error(`No message: ${String(work)}`);
}

const STATUSES = [302, 400, 401, 402, 403, 404, 408, 413, 422, 423, 425, 429, 500];
const CODES = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPROTO', 'ECONNRESET'];
const problems: Problem[] = [
	...STATUSES.map((status) => ({ kind: 'status' as const, status })),
	{ kind: 'status', status: 401, isTokenRefused: true },
	...CODES.map((code) => ({ kind: 'network' as const, code })),
	...(['empty', 'notJson', 'scalar'] as const).map((flaw) => ({
		kind: 'body' as const,
		flaw,
		status: 200,
	})),
	{ kind: 'failure', status: 200 },
	{ kind: 'rateLimit', waitedMs: 1000 },
];

const LOGINS: Array<LoginProblem['reason']> = [
	...(['refused', 'notFound', 'redirect', 'proxy', 'network', 'outage', 'noToken'] as const),
	...(['status', 'renewal'] as const),
];

const ofRequests = (): string[] => [
	...[creditProfile, taxQuery].flatMap((service) =>
		problems.map((problem) => render({ problem, accepted: 'no' }, service).message),
	),
	...LOGINS.map((reason) => {
		const problem: Problem = { kind: 'login', reason, isPassing: false, status: 503 };
		return render({ problem, accepted: 'no' }, taxQuery).message;
	}),
];

const definition = { service: catalog.getCrf, name: 'Get CRF' } as unknown as PaidQuery;
const id = 'q1' as Id;
const troubles: Trouble[] = [
	...(['rfc', 'curp'] as const).map((about) => ({
		kind: 'refused' as const,
		problem: { kind: 'status' as const, status: 404 },
		definition,
		about,
	})),
	{
		kind: 'unsure',
		...{ definition, why: 'noAnswer', count: 1, since: 0 },
		search: { found: [], untold: [], extent: 'whole', listed: 0 },
	},
	{ kind: 'limitOfExecution', most: 10 },
	{ kind: 'limitOfDay', most: 500, made: 500 },
	{ kind: 'uncounted', undated: 1 },
	{ kind: 'unlisted', purpose: 'reuse', cause: new Error('The service is down') },
	{ kind: 'otherQuery', name: 'Get CRF', id },
	{ kind: 'failed', name: 'Get CRF', ids: [id], status: 'FAILED', said: '' },
	{ kind: 'cancelled' },
];

const files: FileProblem[] = [
	{ kind: 'silent', ms: 60_000 },
	{ kind: 'slow', minutes: 15 },
	{ kind: 'instead', what: 'HTML' },
];

/** An item with these parameters, of which one credential is asked for. */
const itemWith = (parameters: IDataObject, stored: IDataObject = {}, more: Partial<Item> = {}) =>
	({
		index: 0,
		options: {},
		timezone: 'America/Mexico_City',
		run: { shared: (make: () => unknown) => make(), hint: () => {} },
		parameter: (name: string) => parameters[name] ?? '',
		credentials: async () => stored,
		...more,
	}) as unknown as Item;

const operationOf = ({ operations }: typeof query, value: string) => {
	const found = operations.find((one) => one.value === value);
	if (!found) throw new Error(value);
	return found;
};

const COMPANY = 'EXI0503141A4';
const ciec = { provider: taxAuthority.value, rfc: 'EISE850314BK8', ciec: 'Secreto1' };
const notFound = async () => {
	throw new RequestError(taxQuery, { kind: 'status', status: 404 });
};

const ofItems = async (): Promise<string[]> =>
	await Promise.all(
		[
			() => creditProfileBaseUrl(''),
			() => creditProfileBaseUrl('example'),
			() => creditProfileBaseUrl('ftp://example.com'),
			() => creditProfileBaseUrl('https://example.com?a=1'),
			() => creditProfileBaseUrl('https://example.com/api/v1'),
			() => taxQueryBaseUrl('https://example.com/api/query'),
			() => readCreditProfileMapping({ apiMapping: '{"x": 1}' }),
			() => protectionOf('pseudonym'),
			() => checkFiltered({ name__eq: 'a' }, () => {})({ name: 'b' }),
			() => collectionId.read(itemWith({})),
			() => curp.read(itemWith({ curp: 'EISE850314MDFXGL09' })),
			() => rfc.read(itemWith({ rfc: 'EISE850314' })),
			() => rfc.read(itemWith({ rfc: 'XAXX010101000' })),
			() =>
				period.read(itemWith({ period: 'months', firstMonth: '2026-03', lastMonth: '2026-01' })),
			() => loginOf(providers).read(itemWith({ loginFrom: 'stored' }, { provider: 'x' })),
			() => checkLogin(providers[0], { user: '__n8n_BLANK_VALUE_x', password: 'x' }),
			() => profile.read(itemWith({ rfc: COMPANY }, ciec)),
			() => operationOf(identifier, 'check').execute(itemWith({})),
			() =>
				operationOf(query, 'get').execute(
					itemWith({ queryId: 'q1', simplify: true }, {}, {
						connection: async () => ({ mapping: asDocumented }),
						request: notFound,
					} as unknown as Partial<Item>),
				),
		].map(thrownBy),
	);

/** What publishing says of a list with these rows. */
const published = async (rows: IDataObject[], list: IDataObject = {}) =>
	await thrownBy(async () => {
		const mapping = { ...asDocumented, list: { ...asDocumented.list, ...list } };
		const service = { mapping, request: async () => rows } as never;
		const asked = { asked: [], mustBeWhole: true };
		checkDates((await readListing(service, new Ledger(), asked)).rows);
	});

const row = (number: number, more: IDataObject = {}) => ({
	_id: `q${number}`,
	status: 'SUCCESS',
	...more,
});
const TEN = Array.from({ length: 10 }, (_, number) => number);
const at = (number: number) => new Date(number * 60_000).toISOString();

const ofPublishing = async (): Promise<string[]> => [
	await published([{ status: 'SUCCESS' }, { status: 'SUCCESS' }]),
	await published([{ _id: 'q1', service: 'CRF' }]),
	await published(TEN.map((number) => row(number))),
	await published(TEN.map((number) => row(number, { createdAt: at(number) }))),
	await published([row(1)]),
];

function ofRunning(): string[] {
	const messages: string[] = [];
	const context = {
		getNode: () => ({ id: 'node', name: 'n', type: 't', typeVersion: 1, parameters: {} }),
		getWorkflow: () => ({ id: 'workflow' }),
		saveFailedExecution: ({ message }: Error) => messages.push(message),
	} as unknown as ITriggerFunctions;
	reportCourse(context, 'isElsewhere');
	reportCourse(context, 'isLost');
	TEN.forEach(() => reportMissing(context, 'q1', true));
	const strange = { code: 'X', state: 'unknown', status: 'LISTO' } as const;
	const choice = { operations: ['getCrf'], states: [] };
	return [...messages, leftOut([strange], choice, asDocumented) ?? ''];
}

/** What n8n says where it is too old to load the package. */
async function ofOldHost(): Promise<string> {
	return await thrownBy(() =>
		jest.isolateModules(() => {
			jest.doMock('n8n-workflow', () => ({}));
			// eslint-disable-next-line @typescript-eslint/no-require-imports
			require('../../../nodes/shared/utils/supportedHost');
		}),
	);
}

/** Every message that the documents may quote. */
export async function messagesOfTheNodes(): Promise<string[]> {
	return [
		...ofRequests(),
		...troubles.map((trouble) => new QueryError(trouble).message),
		...files.map((problem) => new FileError(problem, { name: 'a.pdf' }).message),
		...(await ofItems()),
		...(await ofPublishing()),
		...ofRunning(),
		await ofOldHost(),
	];
}

/** What the sender of a webhook call is answered: "401 Unauthorized". */
export const answersToSenders = (): string[] => [
	'401 Unauthorized', // of receive(), whose tests see it
	...Object.values(answers)
		.filter((one) => typeof one === 'object')
		.map(({ status, message }) => `${status} ${message}`),
];
