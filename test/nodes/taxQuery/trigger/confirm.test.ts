import { withWebhookVerification } from '../../../support/credentialFieldBuilders';
import { many, row } from './listService';
import { shiftAllClocks } from './triggerHost';
import {
	triggerOnListServiceForEachTest,
	secretHeaderFieldsAndProof,
} from './freshTriggerForEachTest';

const { proof, verification } = secretHeaderFieldsAndProof('whsec-lima-dulce');

const { service, host, start: startTrigger } = triggerOnListServiceForEachTest();
beforeEach(() => void (service.rows = many('old', 3, 100)));

/** Defines what the webhook call brings, and the service's record does not hold. */
const detail = row('new', 0, { response: { RFC: 'GODE561231GR8', RazonSocial: 'Delivered' } });
const finish = (more: object = {}) => {
	service.rows = [row('new', 0, { response: undefined, ...more }), ...service.rows];
};
const start = async (confirm: string, isProved: boolean, receiveBy = 'both') => {
	await startTrigger({
		parameters: { confirm, receiveBy, ...(isProved && { authenticity: 'credential' }) },
		credentials: withWebhookVerification(service.credentials(), verification),
	});
};
const deliver = async (body: object = detail) => {
	shiftAllClocks(1_000);
	return (await host.deliver(body, proof)).status;
};
const started = () =>
	host.items.map(({ queryId, legalName, confirmed }) => [queryId, legalName, confirmed]);

describe.each(['both', 'webhook'])('a success whose record has no result (%s)', (receiveBy) => {
	it('stays open with Result, which is an error from the second time on', async () => {
		await start('result', false, receiveBy);
		finish();
		const first = await deliver();
		const { failures: none } = host;
		const before = [...none];
		const second = await deliver();
		expect([first, second, started(), before]).toEqual([
			receiveBy === 'both' ? 202 : 503,
			receiveBy === 'both' ? 202 : 503,
			[],
			[],
		]);
		expect(host.errors.map(({ context }) => context)).toEqual([
			expect.objectContaining({ code: 'noResult', queryId: 'new', isDelivered: true }),
		]);
	});

	it('starts by Result as soon as the record has it', async () => {
		await start('result', false, receiveBy);
		finish();
		await deliver();
		service.rows = [row('new', 0, { response: { RFC: 'X', RazonSocial: 'Own' } })];
		await deliver();
		expect([started(), host.failures]).toEqual([[['new', 'Own', true]], []]);
	});

	it.each([
		['statusOnly', false],
		['statusOnly', true],
		['result', true],
	])('starts with the delivered detail, marked so: %s, proved %s', async (confirm, isProved) => {
		await start(confirm, isProved, receiveBy);
		finish();
		const status = await deliver();
		await deliver();
		expect([status, started(), host.failures]).toEqual([200, [['new', 'Delivered', 'status']], []]);
	});

	it('does not start by Status Only before the service has a final status', async () => {
		await start('statusOnly', true, receiveBy);
		finish({ status: 'PENDING' });
		const early = await deliver();
		const before = [...host.started];
		service.rows = many('old', 3, 100);
		finish();
		await deliver();
		expect([early, before, started()]).toEqual([
			503, // only a repeated call brings the result
			[],
			[['new', 'Delivered', 'status']],
		]);
	});

	it('does not start by Status Only what the service does not know', async () => {
		await start('statusOnly', true, receiveBy);
		expect([await deliver(), started()]).toEqual([404, []]);
	});

	it("starts by Status Only with the service's own result, where it has one", async () => {
		await start('statusOnly', false, receiveBy);
		finish({ response: { RFC: 'X', RazonSocial: 'Own' } });
		await deliver();
		expect(started()).toEqual([['new', 'Own', true]]);
	});

	it('starts as it was delivered with Off', async () => {
		await start('off', true, receiveBy);
		const status = await deliver();
		finish();
		await deliver();
		expect([status, started()]).toEqual([200, [['new', 'Delivered', false]]]);
	});
});

describe('a success whose record has no result', () => {
	it('does not settle by a check that comes before the webhook call', async () => {
		await start('statusOnly', false);
		finish();
		shiftAllClocks(30_000);
		await host.poll();
		await host.poll();
		await deliver();
		expect([started(), host.failures]).toEqual([[['new', 'Delivered', 'status']], []]);
	});

	it('is an error after ten minutes where no webhook call comes', async () => {
		await start('result', false);
		finish();
		for (let minutes = 0; minutes < 12; minutes++) {
			shiftAllClocks(60_000);
			await host.poll();
		}
		expect([started(), host.errors.map(({ context }) => context)]).toEqual([
			[],
			[expect.objectContaining({ code: 'noResult', queryId: 'new', isDelivered: false })],
		]);
	});

	it.each([
		['an empty list', 'INVOICE', []],
		['nothing, where the document shows none', 'TAX_PROFILE', undefined],
	])('starts where its result is %s', async (_, code, response) => {
		await startTrigger({ parameters: { services: ['any'] } });
		service.rows = [row('new', 0, { service: code, response }), ...service.rows];
		await host.poll();
		expect(host.started).toEqual(['new']);
	});
});
