// The package on one pinned n8n. Each outer title is a row of the table that `npm run compat` makes.
import type { INodeParameters } from 'n8n-workflow';
import { fetchUnpooled } from '../../demo/fetchUnpooled';
import type { queryTypesByOperation } from '../../nodes/shared/queryTypes/catalog';
import type { SandboxOptions } from '../../sandbox';
import type { BilledQuery } from '../../sandbox/services/taxQuery/ledger';
import {
	createTaxProfileParameters,
	curps,
	getCrfParameters,
	operationParameters,
	rfcs,
} from '../../test/nodes/taxQuery/support';
import { sandboxQueryClient, type Query } from '../../test/support/sandboxQueryClient';
import { startSandboxWithHelpers, type TestSandbox } from '../../test/support/sandbox';
import { startCompatN8n, type RunningCompatN8n, type TestedWorkflowNode } from './compatN8n';

const [RFC, OTHER, THIRD] = rfcs(3);
const [CURP] = curps(1);
const COMPANY = 'EKU9003173C9';

let n8n: RunningCompatN8n;
const sandboxes: TestSandbox[] = [];
let sandbox: TestSandbox;
const startSandbox = async (options: Partial<SandboxOptions> = {}) => {
	sandboxes.push(await startSandboxWithHelpers({ rateLimit: 0, documents: 250, ...options }));
	return sandboxes.at(-1) as TestSandbox;
};
beforeAll(async () => {
	sandbox = await startSandbox();
	n8n = await startCompatN8n();
});
beforeEach(async () => {
	await sandbox.faults();
	await sandbox.control.delete('/ledger');
});
afterAll(async () => {
	await n8n?.stop();
	await Promise.all(sandboxes.map(async (each) => await each.close()));
});

/** A fresh credential of the query service holds it. */
const login = ({ taxQuery }: TestSandbox) => ({
	baseUrl: taxQuery.baseUrl,
	grant: 'clientCredentials',
	clientId: taxQuery.clientId,
	clientSecret: taxQuery.clientSecret,
});
const publishQuery = async (
	parameters: INodeParameters,
	{ onError, ...data }: { onError?: TestedWorkflowNode['onError'] } & Record<string, unknown> = {},
) =>
	await n8n.workflow({
		type: 'taxQuery',
		parameters,
		onError,
		credentials: await n8n.credential('taxQueryApi', { ...login(sandbox), ...data }),
	});
const billed = async (at = sandbox) => (await at.control.get<BilledQuery[]>('/ledger')).data;
const idsOf = (entries: Array<{ queryId?: unknown }>) => entries.map(({ queryId }) => queryId);

const queries: Record<keyof typeof queryTypesByOperation, INodeParameters> = {
	createTaxProfile: createTaxProfileParameters(RFC), // the tax authority's queries need it
	calculateRfc: operationParameters('taxpayer', 'calculateRfc', {
		name: 'Emma',
		firstLastName: 'Gómez',
		secondLastName: 'Díaz',
		birthDate: '1956-12-31',
	}),
	getCrf: operationParameters('taxpayer', 'getCrf', { rfc: RFC }),
	getRfcData: operationParameters('taxpayer', 'getRfcData', { rfc: RFC }),
	getCurpData: operationParameters('person', 'getCurpData', { curp: CURP }),
	getEmploymentHistory: operationParameters('person', 'getEmploymentHistory', { curp: CURP }),
	getShareholders: operationParameters('company', 'getShareholders', { rfc: COMPANY }),
	getCsf: operationParameters('taxAuthority', 'getCsf', { rfc: RFC }),
	getComplianceOpinion: operationParameters('taxAuthority', 'getComplianceOpinion', { rfc: RFC }),
	getInvoices: operationParameters('taxAuthority', 'getInvoices', {
		rfc: RFC,
		period: 'month',
		month: '2026-01',
	}),
};

describe('Every query; waiting for results that arrive later', () => {
	it.each(Object.entries(queries))('%s', async (_name, parameters) => {
		const run = await publishQuery({ ...parameters, waitForResult: true, maxWait: 60 });
		const { outputs, error } = await run();
		expect({ error, items: outputs[0] }).toEqual({
			error: '',
			items: [expect.objectContaining({ outcome: 'result', queryId: (await billed())[0].queryId })],
		});
	});
});

describe('Past queries and lists', () => {
	it('lists and gets the queries made', async () => {
		await (
			await publishQuery(getCrfParameters())
		)([{ rfc: RFC }, { rfc: OTHER }]);
		const list = await publishQuery(operationParameters('query', 'getAll', { returnAll: true }));
		const get = await publishQuery(
			operationParameters('query', 'get', { queryId: '={{ $json.queryId }}' }),
		);
		const [made] = (await list()).outputs;
		const [one] = (await get([{ queryId: made[0].queryId }])).outputs;
		expect([idsOf(made), idsOf(one)]).toEqual([
			expect.arrayContaining(idsOf(await billed())),
			[made[0].queryId],
		]);
	});

	it('reads a list of 250 documents, page by page', async () => {
		const run = await n8n.workflow({
			type: 'creditProfile',
			parameters: {
				resource: 'dataDocument',
				operation: 'getAll',
				collection: { __rl: true, mode: 'id', value: '2' },
				returnAll: true,
			},
			credentials: await n8n.credential('creditProfileApi', {
				environment: 'sandbox',
				baseUrl: sandbox.creditProfile.baseUrl,
				apiToken: sandbox.creditProfile.token,
			}),
		});
		const { outputs, error } = await run();
		const distinct = new Set(outputs[0]?.map(({ id }) => id)).size;
		expect({ error, distinct }).toEqual({ error: '', distinct: 250 });
	});
});

describe('Both ways to continue on fail', () => {
	const items = [
		{ client: 'Uno', rfc: RFC },
		{ client: 'Dos', rfc: 'no RFC' },
	];
	/** The columns of the item that fails: its input, then what went wrong. */
	const failed = {
		...items[1],
		error: expect.stringMatching(/RFC/) as unknown,
		reason: expect.stringMatching(/RFC/) as unknown,
		errorCode: 'identifier.FORMAT',
		errorDetail: expect.any(String) as unknown,
		...{ queryId: null, billed: 0, outcome: 'notSent' },
	};

	it('keeps the input of the item that fails among the items', async () => {
		const run = await publishQuery(getCrfParameters(), { onError: 'continueRegularOutput' });
		const { outputs } = await run(items);
		expect([outputs[0], await billed()]).toEqual([
			[expect.objectContaining({ queryId: expect.any(String) }), failed],
			[expect.objectContaining({ queryId: outputs[0][0].queryId })],
		]);
	});

	it('keeps the input of the item that fails at the second output', async () => {
		const run = await publishQuery(getCrfParameters(), { onError: 'continueErrorOutput' });
		const { outputs } = await run(items);
		expect(outputs.map((output) => output.length)).toEqual([1, 1]);
		expect(outputs[1]).toEqual([failed]);
	});
});

describe('A lost response of a billed query: found, not billed again', () => {
	it.each(['resetAfter', 'truncated'] as const)('%s', async (fault) => {
		await sandbox.faults({ path: '/api/query/crf', method: 'POST', fault, times: 1 });
		const run = await publishQuery(getCrfParameters());
		const { outputs, error } = await run([{ rfc: THIRD }]);
		expect({ error, items: outputs[0] }).toEqual({
			error: '',
			items: [expect.objectContaining({ queryId: (await billed())[0].queryId, recovered: true })],
		});
	});
});

describe('A refused connection is reported as such', () => {
	it('reports nothing as billed after a refused connection', async () => {
		const run = await publishQuery(getCrfParameters(), { baseUrl: 'http://127.0.0.1:1/api' });
		const { error } = await run([{ rfc: RFC }]);
		expect([error, error]).toEqual([
			expect.stringMatching(/refused the connection|could not be reached/),
			expect.not.stringMatching(/billed|NaN/),
		]);
	});
});

describe('A token that the service refuses', () => {
	it('reports a refused token, and what to do', async () => {
		const run = await publishQuery(getCrfParameters(), {
			grant: 'accessToken',
			pastedToken: 'not-one-of-ours',
		});
		const { error } = await run([{ rfc: RFC }]);
		expect([error, error]).toEqual([
			expect.stringMatching(/refused the (access )?token/),
			expect.not.stringMatching(/billed|NaN|not-one-of-ours/),
		]);
	});
});

describe('A wrong client secret', () => {
	it('reports a wrong client secret, and nothing as billed', async () => {
		const run = await publishQuery(getCrfParameters(), { clientSecret: 'wrong-secret' });
		const { error } = await run([{ rfc: RFC }]);
		expect([error, error]).toEqual([
			expect.stringMatching(/client secret/i),
			expect.not.stringMatching(/billed|NaN|wrong-secret/),
		]);
	});
});

describe('The trigger, each result once', () => {
	const published = async (parameters: INodeParameters) =>
		await n8n.trigger({
			type: 'taxQueryTrigger',
			parameters,
			credentials: await n8n.credential('taxQueryApi', login(sandbox)),
		});

	it('by webhook, of which 20 copies come at once', async () => {
		const trigger = await published({ receiveBy: 'webhook' });
		const others = await sandboxQueryClient(sandbox);
		const record = await others.result();
		const deliver = async ({ _id }: Query) =>
			await fetchUnpooled(trigger.url, {
				method: 'POST',
				body: JSON.stringify({ _id, queryId: _id }),
			});
		await Promise.all(Array.from({ length: 20 }, async () => await deliver(record)));
		const last = await others.result();
		await deliver(last);
		expect(idsOf(await trigger.started(2)).sort()).toEqual([record._id, last._id].sort());
	});

	it('starts each result once by polls alone', async () => {
		const trigger = await published({ receiveBy: 'asking', settings: { checkEvery: 5 } });
		const others = await sandboxQueryClient(sandbox);
		const record = await others.result();
		expect(idsOf(await trigger.started(1))).toEqual([record._id]);
	});
});

describe('A token that expired', () => {
	it('while n8n ran is renewed', async () => {
		const run = await publishQuery(getCrfParameters());
		await run([{ rfc: RFC }]);
		await sandbox.faults({
			path: '/api/query/crf',
			method: 'POST',
			fault: 'expiredToken',
			times: 1,
		});
		const { error } = await run([{ rfc: OTHER }]);
		expect([error, (await billed()).length]).toEqual(['', 2]);
	});

	it('while n8n was down is renewed', async () => {
		const forgetful = await startSandbox({ tokenLifetime: 2 });
		const run = await publishQuery(getCrfParameters(), login(forgetful));
		const first = await run([{ rfc: RFC }]);
		await n8n.restart();
		const second = await run([{ rfc: OTHER }]);
		const errors = [first.error, second.error];
		expect([errors, (await billed(forgetful)).length]).toEqual([['', ''], 2]);
	});
});
