import { text } from 'node:stream/consumers';
import type { IDataObject } from 'n8n-workflow';
import { proposedMappingIn } from '../../support/diagnoseRows';
import { serve } from '../../support/testServer';
import { withWebhookVerification } from '../../support/credentialFields';
import { TriggerHost } from '../../nodes/taxQuery/trigger/triggerHost';
import {
	CIEC,
	createTaxProfileParameters,
	operationParameters,
	rfcs,
	taxQuerySandbox,
	type TaxQuerySandbox,
} from '../../nodes/taxQuery/support';
import { parametersOfEachQuery } from './parameters';

const [RFC] = rfcs(1);
const WRAPPER = 'serviceQuery';

type Names = Record<string, string>;

/** A record as the environment writes it. */
const written = (record: IDataObject, { wrapper, ...names }: Names): IDataObject => {
	const status = record.status === 'SUCCESS' ? 'DONE' : record.status;
	const fields = Object.entries({ ...record, ...(status !== undefined && { status }) });
	const renamed = Object.fromEntries(fields.map(([name, value]) => [names[name] ?? name, value]));
	return wrapper === undefined ? renamed : { [wrapper]: renamed };
};

/** The sandbox behind a service that calls the fields of a record otherwise, and wraps it. */
async function startRenamed(sandbox: TaxQuerySandbox, names: Names) {
	const translate = (body: unknown): unknown => {
		if (Array.isArray(body)) return body.map(translate);
		const fields = body as IDataObject;
		if (Array.isArray(fields.results)) {
			const own = Object.fromEntries(Object.entries(names).filter(([name]) => name !== 'wrapper'));
			return { ...fields, results: fields.results.map((row) => written(row as IDataObject, own)) };
		}
		return '_id' in fields ? written(fields, names) : fields;
	};
	const { origin } = new URL(sandbox.taxQuery.baseUrl);
	return await serve((request, response) => {
		void (async () => {
			const { method = '', url = '', headers } = request;
			const content = await text(request);
			const answer = await fetch(`${origin}${url}`, {
				method,
				headers: {
					'content-type': headers['content-type'] ?? 'application/json',
					...(headers.authorization && { authorization: headers.authorization }),
				},
				...(method === 'POST' && { body: content }),
			});
			const body: unknown = await answer.json();
			const isQuery = url.startsWith('/api/query') && answer.ok;
			response.writeHead(answer.status, { 'content-type': 'application/json' });
			response.end(JSON.stringify(isQuery ? translate(body) : body));
		})();
	});
}

const queries = {
	...parametersOfEachQuery(20),
	getInvoices: operationParameters('taxAuthority', 'getInvoices', {
		...{ rfc: RFC, period: 'month', month: '2026-01' },
		...{ waitForResult: true, maxWait: 20 },
	}),
};

describe.each<[string, Names]>([
	['id for _id, and wrapped records', { _id: 'id', wrapper: WRAPPER }],
	[
		'a name of its own for each field',
		{
			...{ _id: 'uuid', service: 'type', status: 'estado', query: 'request' },
			...{ response: 'result', createdAt: 'created_at', wrapper: WRAPPER },
		},
	],
	['names without a wrapper', { _id: 'id', createdAt: 'created' }],
])('a service with %s', (_what, record) => {
	let sandbox: TaxQuerySandbox;
	let service: Awaited<ReturnType<typeof startRenamed>>;
	const apiMapping = { record, statuses: { success: ['DONE'] } };
	beforeAll(async () => {
		sandbox = await taxQuerySandbox();
		service = await startRenamed(sandbox, record);
		await sandbox.run(createTaxProfileParameters(RFC), { secrets: [CIEC] });
	});
	afterAll(async () => {
		await service.close();
		await sandbox.close();
	});
	const credentials = (mapping: object = apiMapping) =>
		sandbox.credentials({
			taxQueryApi: {
				baseUrl: `${service.url}/api`,
				...{ pointsPerSecond: 0, apiMapping: JSON.stringify(mapping) },
			},
		});
	const run = async (parameters: Parameters<TaxQuerySandbox['run']>[0], mapping?: object) =>
		await sandbox.run(parameters, { credentials: credentials(mapping) });

	it.each(Object.entries(queries))('gets a result with %s', async (_name, parameters) => {
		const { items, error } = await run(parameters);
		expect([error, items.length]).toEqual([undefined, 1]);
		const [{ json }] = items;
		expect([json.outcome, json.warnings, typeof json.queryId]).toEqual([
			'result',
			undefined,
			'string',
		]);
	});

	it('reads a query by its ID and all in the list, and reuses one', async () => {
		const reused = await run({ ...queries.getCrf, reuse: 'hours', reuseHours: 24 });
		const [{ json }] = reused.items;
		const one = await run(operationParameters('query', 'get', { queryId: json.queryId as string }));
		const all = await run(operationParameters('query', 'getAll', { returnAll: true }));
		expect([json.reused, one.items[0].json.service, one.items[0].json.legalName]).toEqual([
			true,
			'CRF',
			json.legalName,
		]);
		expect(all.items.map((item) => item.json.queryId)).toContain(json.queryId);
	});

	it("returns the service's own names with Simplify off", async () => {
		const { items } = await run({ ...queries.getCurpData, options: { simplify: false } });
		const { json } = items[0];
		expect([typeof json[record._id], '_id' in json, 'queryId' in json]).toEqual([
			'string',
			false,
			false,
		]);
	});

	it('fails closed without the mapping: no query is taken for a success', async () => {
		const { items, error } = await run(queries.getCurpData, {});
		expect(error?.context?.code ?? items[0].json.outcome).not.toBe('result');
	});

	it('has exactly its mapping proposed by Diagnose', async () => {
		const { items } = await run(operationParameters('connection', 'diagnose'), {});
		const suggested = proposedMappingIn(items.map(({ json }) => json)) as IDataObject;
		expect({ ...suggested, list: undefined }).toEqual({ ...apiMapping, list: undefined });
	});

	it.each(['result', 'off'])(
		'starts the trigger by list and by webhook, confirm: %s',
		async (confirm) => {
			const host = await TriggerHost.start({
				credentials: withWebhookVerification(
					credentials({ ...apiMapping, list: { order: 'newestFirst' } }),
					{
						...{ webhookVerification: 'header', webhookHeaderName: 'X-Secret' },
						webhookSecret: 'whsec-nombres',
					},
				),
				parameters: { authenticity: 'credential', confirm },
			});
			const { items } = await run(queries.getRfcData);
			const queryId = String(items[0].json.queryId);
			const stored = await sandbox
				.elsewhere()
				.then(async (client) => (await client.get<IDataObject>(`/query/${queryId}`)).data);
			const content = written(stored, record);
			const body = { event: 'query.finished', ...(record.wrapper ? content : { data: content }) };
			const { status } = await host.deliver(body, { 'X-Secret': 'whsec-nombres' });
			await host.poll();
			const started = host.items.filter((item) => item.queryId === queryId);
			await host.stop();
			expect([status, started.map(({ rfc, service: type }) => [rfc, type])]).toEqual([
				200,
				[[RFC, 'RFC']],
			]);
		},
	);
});
