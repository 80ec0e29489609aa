import { withWebhookVerification } from '../../../support/credentialFieldBuilders';
import { createHmac } from 'node:crypto';
import { until } from '../../../support/until';
import {
	startSandboxWithQueryHelpers,
	type SandboxWithQueryHelpers,
} from '../../../support/sandboxQueryClient';
import { TriggerHost } from './triggerHost';

const SECRET = 'whsec-tuna-roja';
const login = Buffer.from(`service:${SECRET}`).toString('base64');

type QueryRecord = Awaited<ReturnType<SandboxWithQueryHelpers['result']>>;

/** Each way to prove a delivery: the webhook credential, and the headers that the service sends. */
const proofs: Record<
	string,
	{ credential: Record<string, string | number>; headers(body: string): Record<string, string> }
> = {
	signature: {
		credential: {
			webhookVerification: 'signature',
			webhookSecret: SECRET,
			signatureHeader: 'X-Webhook-Signature',
			signatureFormat: 'timestamped',
			timestampHeader: 'X-Webhook-Timestamp',
			timestampTolerance: 60,
		},
		headers: (body: string) => {
			const at = String(Date.now());
			const hmac = createHmac('sha512', SECRET).update(`${at}.${body}`).digest('base64');
			return { 'X-Webhook-Signature': `v1=${hmac}`, 'X-Webhook-Timestamp': at };
		},
	},
	'secret header': {
		credential: {
			webhookVerification: 'header',
			webhookSecret: SECRET,
			webhookHeaderName: 'X-Secret',
		},
		headers: () => ({ 'X-Secret': SECRET }),
	},
	'basic auth': {
		credential: { webhookVerification: 'basic', webhookUser: 'service', webhookPassword: SECRET },
		headers: () => ({ Authorization: `Basic ${login}` }),
	},
};

const shapes: Array<[what: string, shape: (record: QueryRecord) => unknown, type?: string]> = [
	['a bare record', (record) => record],
	['a record in "data" with its event', (record) => ({ event: 'query.finished', data: record })],
	['a record in "query"', (record) => ({ query: record })],
	['an id with status', ({ _id, status }) => ({ queryId: _id, status })],
	['an id alone', ({ _id }) => ({ id: _id })],
	['an array of records', (record) => [record]],
	['an array of ids', ({ _id }) => [{ queryId: _id, status: 'SUCCESS' }]],
	['a record that has a queryId, too', (record) => ({ ...record, queryId: record._id })],
	[
		'a record with the ID of a document beside',
		({ _id, ...record }) => ({ ...record, _id: 'document-1', queryId: _id }),
	],
	["Stripe's: data.object", (object) => ({ id: 'evt_9', type: 'done', data: { object } })],
	['a record in "event"', (event) => ({ id: 'evt9', event })],
	['query_id', ({ _id }) => ({ query_id: _id })],
	['JSON that calls itself text', (record) => record, 'text/plain'],
	['JSON without content type', (record) => record, ''],
	['a record of 900 kB', (record) => ({ ...record, response: { file: 'A'.repeat(900_000) } })],
];

describe('a webhook call', () => {
	let sandbox: SandboxWithQueryHelpers;
	beforeAll(async () => (sandbox = await startSandboxWithQueryHelpers()));
	afterAll(async () => await sandbox.close());

	type Shape = (typeof shapes)[0];
	type Case = [
		what: string,
		shape: Shape[1],
		type: string,
		proof: (typeof proofs)[string] | undefined,
	];
	it.each([
		...shapes.map(([what, shape, type = 'application/json']): Case => [
			what,
			shape,
			type,
			undefined,
		]),
		...Object.entries(proofs).map(([name, proof]): Case => {
			return [`a record proved by ${name}`, (record) => record, 'application/json', proof];
		}),
	])('%s starts the workflow with the record', async (_what, shape, type, proof) => {
		const host = await TriggerHost.start({
			credentials: withWebhookVerification(sandbox.credentials(), proof?.credential ?? {}),
			parameters: { authenticity: proof ? 'credential' : 'none', settings: { simplify: false } },
		});
		const record = await sandbox.result();
		const body = JSON.stringify(shape(record));
		const { status } = await host.deliver(body, {
			...proof?.headers(body),
			'content-type': type,
		});
		await host.stop();
		expect({ status, items: host.items }).toEqual({
			status: 200,
			items: [expect.objectContaining(record)],
		});
	});
});

describe('the sandbox delivers', () => {
	let sandbox: SandboxWithQueryHelpers;
	let host: TriggerHost;
	beforeAll(async () => (sandbox = await startSandboxWithQueryHelpers()));
	afterEach(async () => await host.stop());
	afterAll(async () => await sandbox.close());

	/** Defines what the tests change of the sandbox's webhook calls. */
	const AS_STARTED = { shape: 'record', signing: { type: 'none' }, faults: { forge: 0 } };

	/** Lets the sandbox deliver one result to a trigger with the webhook credential, and waits for its answer. */
	async function deliver(settings: object, credential?: Record<string, string | number>) {
		host = await TriggerHost.start({
			credentials: withWebhookVerification(sandbox.credentials(), credential ?? {}),
			parameters: { authenticity: credential ? 'credential' : 'none' },
		});
		await sandbox.control.delete('/deliveries');
		await sandbox.control.put('/webhook', {
			url: host.url,
			attempts: 1,
			...AS_STARTED,
			...settings,
		});
		const { _id } = await sandbox.result();
		type Delivery = { status: string; attempts: Array<{ answer: number | string }> };
		const answers = await until('an answer to each webhook call', async () => {
			const { data } = await sandbox.control.get<Delivery[]>('/deliveries');
			const are = data.length > 0 && data.every(({ attempts }) => attempts.length > 0);
			return are && data.map(({ attempts }) => attempts[0].answer);
		});
		return { answers, emitted: host.items.map(({ queryId }) => queryId === _id) };
	}

	it.each(['record', 'envelope', 'id'])('the shape %s', async (shape) => {
		expect(await deliver({ shape })).toEqual({ answers: [200], emitted: [true] });
	});

	it('with its signature, by the defaults of both sides', async () => {
		const verification = {
			webhookVerification: 'signature',
			webhookSecret: SECRET,
			signatureHeader: 'X-Webhook-Signature',
		};
		const signing = { type: 'hmac', secret: SECRET };
		expect(await deliver({ signing }, verification)).toEqual({
			answers: [200],
			emitted: [true],
		});
	});

	it('a forged result beside the true one: the true record comes out', async () => {
		const { emitted } = await deliver({ signing: { type: 'none' }, faults: { forge: 1 } });
		expect({ emitted, rfc: host.items[0].rfc }).toEqual({
			emitted: [true],
			rfc: 'GODE561231GR8',
		});
	});
});
