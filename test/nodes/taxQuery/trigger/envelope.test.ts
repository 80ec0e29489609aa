import { withWebhookVerification } from '../../../support/credentialFieldBuilders';
import type { IDataObject } from 'n8n-workflow';
import { many, row } from './listService';
import { shiftAllClocks, type TriggerHostOptions } from './triggerHost';
import {
	triggerOnListServiceForEachTest,
	secretHeaderFieldsAndProof,
} from './freshTriggerForEachTest';

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

describe('the option Include Envelope', () => {
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
