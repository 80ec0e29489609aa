import { createHmac } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { IDataObject } from 'n8n-workflow';
import { withWebhookVerification } from '../../../support/credentialFields';
import {
	freshTriggerAndSandboxForEachTest,
	secretHeaderFieldsAndProof,
	triggerOnListServiceForEachTest,
} from './freshTrigger';
import { TriggerHost, type TriggerHostOptions, shiftAllClocks } from './triggerHost';
import { until } from '../../../support/until';
import {
	type SandboxWithQueryHelpers,
	startSandboxWithQueryHelpers,
} from '../../../support/sandboxQueryClient';
import { many, row } from './listService';

describe('bodies of webhook calls', () => {
	const SECRET = 'palo-verde-7';
	const { start, sandbox, host } = freshTriggerAndSandboxForEachTest();

	const startSigned = async () =>
		await start({
			credentials: withWebhookVerification(sandbox.credentials(), {
				webhookVerification: 'signature',
				webhookSecret: SECRET,
				signatureHeader: 'X-Signature',
			}),
			parameters: { authenticity: 'credential' },
		});

	const sign = (bytes: string | Buffer, secret = SECRET) => ({
		'x-signature': `SHA256=${createHmac('sha256', secret).update(bytes).digest('hex')}`,
	});

	const codings: Array<[string, (text: string) => Buffer]> = [
		['gzip', (text) => gzipSync(text)],
		['GZIP', (text) => gzipSync(text)],
		['X-Gzip', (text) => gzipSync(text)],
	];

	describe.each(codings)('a webhook call with Content-Encoding %s', (coding, encode) => {
		const headers = { 'content-encoding': coding };

		it('starts its result', async () => {
			await start();
			const record = await sandbox.result();
			const { status } = await host.deliver(encode(JSON.stringify(record)), headers);
			expect([status, host.started]).toEqual([200, [record._id]]);
		});

		it.each(['before', 'after'])('is verified if it was signed %s it was coded', async (when) => {
			await startSigned();
			const record = await sandbox.result();
			const text = JSON.stringify(record);
			const coded = encode(text);
			const signature = sign(when === 'before' ? text : coded);
			const { status } = await host.deliver(coded, { ...headers, ...signature });
			expect([status, host.started]).toEqual([200, [record._id]]);
		});

		it('is answered 401 if its signature is by another secret', async () => {
			await startSigned();
			const coded = encode(JSON.stringify(await sandbox.result()));
			const { status } = await host.deliver(coded, { ...headers, ...sign(coded, 'guessed') });
			expect([status, host.started]).toEqual([401, []]);
		});
	});

	describe.each<[string, (text: string) => Buffer]>([
		['deflate', (text) => deflateSync(text)],
		['br', (text) => brotliCompressSync(text)],
		['gzip, gzip', (text) => gzipSync(gzipSync(text))],
	])('a webhook call with Content-Encoding %s', (coding, encode) => {
		it('is answered 400, and the check that it causes starts its result', async () => {
			await start();
			const record = await sandbox.result();
			shiftAllClocks(1_000);
			const coded = encode(JSON.stringify(record));
			const { status } = await host.deliver(coded, { 'content-encoding': coding });
			await host.executed(1);
			expect([status, host.started]).toEqual([400, [record._id]]);
		});
	});

	describe('a signed call that is sent again as a form', () => {
		const forged = {
			_id: 'forged',
			service: 'CRF',
			status: 'SUCCESS',
			response: { RFC: 'FORGED' },
		};

		it.each<[string, object, () => string]>([
			['plain', {}, () => ''],
			['timestamped', { timestampHeader: 'X-Time' }, () => `${Math.floor(Date.now() / 1_000)}.`],
		])('starts nothing that a text of it holds: %s', async (signatureFormat, more, before) => {
			await start({
				credentials: withWebhookVerification(sandbox.credentials(), {
					webhookVerification: 'signature',
					webhookSecret: SECRET,
					signatureHeader: 'X-Signature',
					signatureFormat,
					...more,
				}),
				parameters: { authenticity: 'credential', confirm: 'off' },
			});
			const record = {
				...(await sandbox.result()),
				externalReference: `A&data=${JSON.stringify(forged)}&x=`,
			};
			const body = JSON.stringify(record);
			const time = before();
			const headers = { ...sign(time + body), 'x-time': time.replace('.', '') };
			for (const type of ['application/x-www-form-urlencoded', 'application/json'])
				await host.deliver(body, { ...headers, 'content-type': type });
			await host.executed(1);
			expect(host.started).toEqual([record._id]);
		});

		it('starts nothing that JSON in a text of it holds', async () => {
			await start({
				credentials: withWebhookVerification(sandbox.credentials(), {
					webhookVerification: 'signature',
					webhookSecret: SECRET,
					signatureHeader: 'X-Signature',
				}),
				parameters: { authenticity: 'credential', confirm: 'off' },
			});
			const body = JSON.stringify({ event: 'note', externalReference: JSON.stringify(forged) });
			const { status } = await host.deliver(body, sign(body));
			expect([status, host.started]).toEqual([404, []]);
		});
	});

	describe('a webhook call of several megabytes', () => {
		it('starts its result with Webhook Only', async () => {
			await start({ parameters: { receiveBy: 'webhook' } });
			const record = await sandbox.result();
			const body = { ...record, invoices: 'x'.repeat(12_000_000) };
			await host.deliver(body); // a busy machine may be too slow to answer 200 in time
			await host.executed(1);
			expect(host.started).toEqual([record._id]);
		});
	});
});

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

describe('the option Include Envelope', () => {
	const SECRET = 'whsec-flor-de-mayo';
	const { proof, verification } = secretHeaderFieldsAndProof(SECRET);
	const around = { event: 'query.finished', attempt: 2, timestamp: '2026-10-31T09:00:00Z' };
	const detail = row('new', 0, { response: { RFC: 'GODE561231GR8', RazonSocial: 'Delivered' } });
	const { service, host, start: startTrigger } = triggerOnListServiceForEachTest();
	beforeEach(() => void (service.rows = many('old', 3, 100)));
	interface How {
		isProved?: boolean;
		settings?: IDataObject;
	}
	const start = async (
		parameters: TriggerHostOptions['parameters'] = {},
		{ isProved = true, settings = { includeEnvelope: true } }: How = {},
	) => {
		await startTrigger({
			parameters: {
				...(isProved && { authenticity: 'credential' }),
				...parameters,
				settings,
			} as TriggerHostOptions['parameters'],
			credentials: withWebhookVerification(service.credentials(), verification),
		});
	};
	const finish = (more: object = {}) => (service.rows = [{ ...detail, ...more }, ...service.rows]);
	const deliver = async (body: object, headers: Record<string, string> = proof) => {
		shiftAllClocks(1_000);
		return (await host.deliver(body, headers)).status;
	};
	/** A check that another query's call brings about. */
	const pollNow = async () => void (await deliver({ queryId: 'a-doorbell' }));
	const envelopes = () => host.items.map(({ envelope }) => envelope);

	it.each<[string, boolean, object]>([
		['off', false, {}],
		['result', true, {}],
		['statusOnly', true, {}],
		['statusOnly, without a result in the record', 'status' as never, { response: undefined }],
	])('gives what stands around the record: confirmed by %s', async (by, confirmed, more) => {
		const [confirm] = by.split(',');
		await start({ confirm });
		finish(more);
		expect(await deliver({ ...around, data: detail })).toBe(200);
		expect(host.items).toEqual([expect.objectContaining({ envelope: around, confirmed })]);
	});

	it.each<[string, object, object | null]>([
		['a list of records', { ...around, results: [detail] }, around],
		[
			'an envelope in an envelope',
			{ a: 1, payload: { b: 2, data: detail } },
			{ a: 1, payload: { b: 2 } },
		],
		['a bare record', { ...detail, attempt: 2 }, { attempt: 2 }],
		['a bare record with nothing else', detail, null],
		['an ID alone', { queryId: 'new' }, null],
	])('gives it of %s', async (_what, body, envelope) => {
		await start();
		finish();
		await deliver(body);
		expect(envelopes()).toEqual([envelope]);
	});

	it('is null where the result comes by a check, so that the columns are the same', async () => {
		await start();
		await pollNow();
		finish();
		await pollNow();
		expect(envelopes()).toEqual([null]);
	});

	it('is null where the call was about another status', async () => {
		await start();
		finish();
		await deliver({ ...around, event: 'query.created', data: { _id: 'new', status: 'PENDING' } });
		await pollNow();
		expect(envelopes()).toEqual([null]);
	});

	it('gives no column where it is off', async () => {
		await start({}, { settings: {} });
		finish();
		await deliver({ ...around, data: detail });
		expect(host.items.map((item) => 'envelope' in item)).toEqual([false]);
	});

	it.each(['result', 'statusOnly'])(
		'gives nothing of a call that proves nothing: %s',
		async (confirm) => {
			await start({ confirm }, { isProved: false });
			finish();
			await deliver({ ...around, data: detail }, {});
			expect(host.items.map(({ envelope = null }) => envelope)).toEqual([null]);
		},
	);

	it('gives nothing of a call whose proof is wrong', async () => {
		await start();
		await pollNow();
		finish();
		expect(await deliver({ ...around, data: detail }, { 'X-Secret': 'another' })).toBe(401);
		await pollNow();
		expect(envelopes()).toEqual([null]);
	});

	it('shows no secret: neither those of the credentials nor a CIEC', async () => {
		await start({ services: ['any'] });
		const profile = { service: 'TAX_PROFILE', query: { rfc: 'GODE561231GR8', ciec: 'Cl4ve-Uno' } };
		finish(profile);
		await deliver({
			...{
				note: `signed by ${SECRET}`,
				login: service.credentials().taxQueryApi.clientSecret,
				password: 'Cl4ve-Dos',
				clave: 'Cl4ve-Tres', // beside a tax profile it is nothing else
			},
			...{ repeated: 'for Cl4ve-Uno', [SECRET]: 1, attempt: 1 },
			data: { ...detail, ...profile },
		});
		expect(envelopes()).toEqual([
			{
				...{ note: '***', login: '***', password: '***', clave: '***', repeated: '***', '***': 1 },
				attempt: 1,
			},
		]);
	});

	it('shows no password of basic authentication', async () => {
		const [user, password] = ['emma', 'Flor-De-Nopal-1'];
		await startTrigger({
			parameters: { authenticity: 'credential', settings: { includeEnvelope: true } },
			credentials: withWebhookVerification(service.credentials(), {
				webhookVerification: 'basic',
				webhookUser: user,
				webhookPassword: password,
			}),
		});
		finish();
		const basic = Buffer.from(`${user}:${password}`).toString('base64');
		await deliver(
			{ attempt: 1, sentWith: `Basic ${basic}`, note: password, data: detail },
			{ Authorization: `Basic ${basic}` },
		);
		expect(envelopes()).toEqual([{ attempt: 1, sentWith: '***', note: '***' }]);
	});

	it.each(['masked', 'pseudonym'])(
		'hides its texts with Personal Data: %s',
		async (personalData) => {
			const settings = { includeEnvelope: true, personalData, fieldsToKeep: ['attempt'] };
			service.credentials = ((own) => () => {
				const all = own.call(service);
				all.taxQueryApi.pseudonymKey = 'sixteen or more letters';
				return all;
			})(service.credentials);
			await start({}, { settings });
			finish();
			await deliver({ ...around, event: 'Emma ended', of: { who: 'Emma' }, data: detail });
			const [envelope] = envelopes() as IDataObject[];
			expect([envelope.attempt, JSON.stringify(host.items)]).toEqual([
				2,
				expect.not.stringContaining('Emma'),
			]);
		},
	);

	it('gives it of a test call in the editor', async () => {
		await start({}, { settings: { includeEnvelope: true, simplify: false } });
		finish();
		const [item] = await host.deliverTest({ ...around, data: detail }, proof);
		expect(item).toMatchObject({ _id: 'new', envelope: around });
	});
});
