import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { OPERATION_PATHS_AND_SERVICE_CODES, type OperationName } from '../../../sandbox/apiMapping';
import type { LoggedRequest } from '../../../sandbox/plugins/requestLog';
import { mappedClient } from '../../support/mappedClient';
import type { NodeRunOptions } from '../../support/runNodeInEngine';
import {
	CIEC,
	createTaxProfileParameters,
	curps,
	getCrfParameters,
	operationParameters,
	rfcs,
	taxQuerySandbox,
	type TaxQuerySandbox,
} from '../../nodes/taxQuery/support';
import { TriggerHost } from '../../nodes/taxQuery/trigger/triggerHost';
import {
	sampledApiVariants,
	inReferenceNames,
	stripVolatileFields,
	type ApiVariant,
} from './samples';

const [RFC] = rfcs(1);
const [CURP] = curps(1);
const COMPANY = 'EKU9003173C9';
const SEED = 4_100;
const waited = { waitForResult: true, maxWait: 30 };
const ofTaxAuthority = (name: string, parameters: INodeParameters, options: INodeParameters = {}) =>
	operationParameters('taxAuthority', name, { rfc: RFC, ...parameters }, options);

type Step = [what: string, parameters: INodeParameters, more?: Partial<NodeRunOptions>];

/** All that the node can do, in an order in which each finds what it needs. */
const steps: Step[] = [
	['a tax profile', createTaxProfileParameters(RFC)],
	[
		'an RFC',
		operationParameters('taxpayer', 'calculateRfc', {
			...{ name: 'Emma', firstLastName: 'Gómez', secondLastName: 'Díaz' },
			birthDate: '1956-12-31',
		}),
	],
	['a CRF that is only acknowledged', getCrfParameters({ rfc: RFC })],
	['a CRF', getCrfParameters({ rfc: RFC, ...waited })],
	[
		'a CRF as the service gives it',
		getCrfParameters({ rfc: RFC, options: { simplify: false }, ...waited }),
	],
	['RFC data', operationParameters('taxpayer', 'getRfcData', { rfc: RFC, ...waited })],
	['CURP data', operationParameters('person', 'getCurpData', { curp: CURP })],
	['jobs', operationParameters('person', 'getEmploymentHistory', { curp: CURP, ...waited })],
	['shareholders', operationParameters('company', 'getShareholders', { rfc: COMPANY, ...waited })],
	['a fiscal situation', ofTaxAuthority('getCsf', {})],
	['an opinion', ofTaxAuthority('getComplianceOpinion', waited)],
	[
		'invoices of months',
		ofTaxAuthority('getInvoices', {
			period: 'months',
			firstMonth: '2026-01',
			lastMonth: '2026-03',
			...waited,
		}),
	],
	[
		'invoices of days',
		ofTaxAuthority('getInvoices', {
			period: 'dates',
			firstDay: '2026-01-15',
			lastDay: '2026-02-03',
			...waited,
		}),
	],
	[
		'a CRF that was paid for before',
		getCrfParameters({ rfc: RFC, reuse: 'hours', reuseHours: 1, ...waited }),
	],
	[
		'invoices of which all but one month were paid for before',
		ofTaxAuthority('getInvoices', {
			...{ period: 'months', firstMonth: '2026-02', lastMonth: '2026-04', ...waited },
			...{ reuse: 'hours', reuseHours: 1 },
		}),
	],
	[
		'one more than the day allows',
		getCrfParameters({ rfc: RFC }, { spendingLimits: { maxQueriesPerDay: 3 } }),
	],
	['a query by its ID', operationParameters('query', 'get', { queryId: '={{ $json.queryId }}' })],
	[
		'all queries',
		operationParameters(
			'query',
			'getAll',
			{ returnAll: true, filters: {} },
			{ completeRows: true },
		),
	],
	[
		'queries by what they are about',
		operationParameters(
			'query',
			'getAll',
			{
				returnAll: true,
				filters: { queries: ['getCrf', 'getCsf'], rfc: RFC, status: ['success'] },
			},
			{ completeRows: true },
		),
	],
];

async function play(sandbox: TaxQuerySandbox, apiMapping: object) {
	const outputs: Record<string, unknown> = {};
	let queryId: IDataObject[string];
	for (const [what, parameters, more] of steps) {
		const { items, error } = await sandbox.run(parameters, {
			apiMapping,
			items: [{ queryId }],
			onError: 'continueRegularOutput',
			secrets: [CIEC],
			...more,
		});
		outputs[what] = error?.message ?? items.map(({ json }) => json);
		queryId ??= items[0]?.json.queryId;
	}
	const sent = (await sandbox.requests()).filter(({ path }) => path !== '/api/oauth/token');
	return { outputs, sent };
}

const posts = (sent: LoggedRequest[]) => sent.filter(({ method }) => method === 'POST');

let documented: Awaited<ReturnType<typeof play>>;
beforeAll(async () => {
	const sandbox = await taxQuerySandbox({ seed: SEED });
	documented = await play(sandbox, {});
	await sandbox.close();
});

it("runs all of it under the document's own words", () => {
	const failed = Object.entries(documented.outputs).filter(([, output]) =>
		JSON.stringify(output).includes('"error"'),
	);
	expect(failed.map(([what]) => what)).toEqual(['one more than the day allows']);
	expect(posts(documented.sent)).toHaveLength(14);
});

describe.each(sampledApiVariants)(
	'the Tax Query node at environment $environment',
	({ mapping, shape }) => {
		const client = mappedClient(mapping);
		const { taxQuery } = mapping as { taxQuery: NonNullable<ApiVariant['taxQuery']> };
		let sandbox: TaxQuerySandbox;
		let played: typeof documented;
		beforeAll(async () => {
			sandbox = await taxQuerySandbox({ seed: SEED, mapping, ...shape });
			played = await play(sandbox, taxQuery);
		});
		afterAll(async () => await sandbox.close());

		const documentedPath = (path: string) => path.replace(/^\/api/, '');
		const operationAt = (path: string) =>
			(Object.keys(OPERATION_PATHS_AND_SERVICE_CODES) as OperationName[]).find(
				(one) => OPERATION_PATHS_AND_SERVICE_CODES[one].path === path,
			) ?? 'getAll';

		it('gives what it gives at the document, in its words', () => {
			const heard = inReferenceNames(stripVolatileFields(played.outputs), mapping);
			expect(heard).toEqual(stripVolatileFields(documented.outputs));
		});

		it("sends what it sends at the document, in the environment's words", () => {
			const tokenPath = `/api/${taxQuery.paths?.['oauth/token']}`;
			const sent = posts(played.sent).filter(({ path }) => path !== tokenPath);
			expect(sent.map(({ path, body, status }) => [path, body, status])).toEqual(
				posts(documented.sent).map(({ path, body, status }) => {
					const name = operationAt(documentedPath(path));
					return [`/api${client.path(name)}`, client.body(name, body as object), status];
				}),
			);
		});

		it('asks for nothing that the environment does not know', () => {
			expect(played.sent.filter(({ status }) => status === 404 || status === 400)).toEqual([]);
		});

		it('finds a query again whose answer was lost', async () => {
			const other = await taxQuerySandbox({ mapping, ...shape });
			await other.faults({ path: `/api${client.path('getCrf')}`, fault: 'resetAfter', times: 1 });
			const { items } = await other.run(getCrfParameters({ rfc: RFC, ...waited }), {
				apiMapping: taxQuery,
			});
			const ledger = await other.ledger();
			await other.close();
			expect([items[0].json, ledger]).toEqual([
				expect.objectContaining({ recovered: true, rfc: RFC, legalName: expect.any(String) }),
				[expect.objectContaining({ queryId: items[0].json.queryId })],
			]);
		});

		it('lets a failed query fail, and says why', async () => {
			const { rfc } = sandbox.reserved('failed');
			const { error } = await sandbox.run(getCrfParameters({ rfc, ...waited }), {
				apiMapping: taxQuery,
			});
			expect(error?.context).toMatchObject({
				...{ code: 'failed', status: taxQuery.statuses?.failed?.[0] },
				serviceMessage: expect.stringContaining('The source did not answer'),
			});
		});

		it('knows a query that is still pending', async () => {
			const { rfc } = sandbox.reserved('pending');
			const { items } = await sandbox.run(
				getCrfParameters({ rfc, waitForResult: true, maxWait: 0.5 }),
				{
					apiMapping: taxQuery,
				},
			);
			expect(items[0].json).toMatchObject({ outcome: 'pending', rfc });
		});

		it('starts the trigger with the results of the query that is chosen, and of no other', async () => {
			const host = await TriggerHost.start({
				credentials: {
					taxQueryApi: sandbox.credentials({
						taxQueryApi: { apiMapping: JSON.stringify(taxQuery), pointsPerSecond: 0 },
					}).taxQueryApi,
				},
				parameters: { services: ['getCsf'] },
			});
			const made = async (parameters: INodeParameters) =>
				(await sandbox.run(parameters, { apiMapping: taxQuery })).items[0].json as IDataObject;
			await host.poll();
			const { billed, ...csf } = await made(ofTaxAuthority('getCsf', {}));
			expect(billed).toBe(1);
			await made(operationParameters('person', 'getCurpData', { curp: CURP }));
			const { status } = await host.deliver({ queryId: csf.queryId });
			await host.poll();
			await host.stop();
			expect([status, host.items]).toEqual([
				200,
				[expect.objectContaining({ ...csf, confirmed: true })],
			]);
		});
	},
);
