import { withWebhookVerification } from '../../../support/credentialFieldBuilders';
import { codeOf, codeAndFieldOf } from '../../../support/errorCode';
import {
	startSandboxWithQueryHelpers,
	type SandboxWithQueryHelpers,
} from '../../../support/sandboxQueryClient';
import { rejectionOrUndefined, TriggerHost, type TriggerHostOptions } from './triggerHost';

const SECRET = 'whsec-damiana';
const secret = { 'X-Secret': SECRET };
const WHO = /GODE561231GR8|G[oó]mez|González|Emma/i;

let sandbox: SandboxWithQueryHelpers;
let host: TriggerHost;

beforeEach(async () => (sandbox = await startSandboxWithQueryHelpers()));
afterEach(async () => {
	await host.stop();
	await sandbox.close();
});

const credentials = (taxQueryApi: object = {}) =>
	withWebhookVerification(sandbox.credentials({ taxQueryApi }), {
		webhookVerification: 'header',
		webhookSecret: SECRET,
		webhookHeaderName: 'X-Secret',
	});
const start = async (
	personalData: string,
	{ pseudonymKey = '', ...more }: Record<string, unknown> = {},
	options: Partial<TriggerHostOptions> = {},
) => {
	const { settings, ...parameters } = more;
	host = await TriggerHost.start({
		credentials: credentials({ pseudonymKey }),
		parameters: {
			...parameters,
			settings: { personalData, ...(settings as object) },
		} as TriggerHostOptions['parameters'],
		...options,
	});
};
const unconfirmed = { authenticity: 'credential', confirm: 'off' };
const text = () => JSON.stringify(host.items);

describe('the option Personal Data of the trigger', () => {
	it('leaves the record as it is with Full', async () => {
		await start('full');
		await host.deliver(await sandbox.result());
		expect(text()).toMatch(WHO);
	});

	it.each<[string, object]>([
		['read by a poll', {}],
		['read by a poll, without Simplify', { settings: { simplify: false } }],
		['as it was delivered', unconfirmed],
		['as it was delivered, without Simplify', { ...unconfirmed, settings: { simplify: false } }],
	])('masks a record that was %s, and leaves its IDs', async (_, parameters) => {
		await start('masked', { ...parameters });
		const record = await sandbox.result();
		const { status } = await host.deliver(record, secret);
		expect(text()).not.toMatch(WHO);
		expect([status, host.started, host.items[0].deliveryId]).toEqual([
			200,
			[record._id],
			expect.stringMatching(/^[0-9a-f]{32}$/),
		]);
	});

	it('gives the same person the same pseudonym in two results', async () => {
		await start('pseudonym', { pseudonymKey: 'sixteen or more letters' });
		await host.deliver(await sandbox.result());
		await host.deliver(await sandbox.result());
		const [first, second] = host.items.map(({ rfc }) => rfc);
		expect([first, second]).toEqual([expect.stringMatching(/^p_[0-9a-f]{24}$/), first]);
	});

	it('masks what the editor fetches', async () => {
		await sandbox.result();
		await start('masked', { receiveBy: 'asking' });
		expect(JSON.stringify(await host.testInEditor())).not.toMatch(WHO);
	});

	it('masks a test delivery', async () => {
		await start('masked');
		const items = await host.deliverTest(await sandbox.result());
		expect([items.length, JSON.stringify(items)]).toEqual([1, expect.not.stringMatching(WHO)]);
	});

	it("masks the service's message about a person when polls fail", async () => {
		await start('masked');
		const message = { message: 'The account of GODE561231GR8 is blocked' };
		const fault = { status: 403, body: message };
		await sandbox.faults({ path: '/api/query', exact: true, times: 9, fault });
		await host.poll();
		await host.poll();
		const reported = JSON.stringify(host.errors.map(({ description }) => description));
		expect([reported.includes('The account of GODE5612******'), WHO.test(reported)]).toEqual([
			true,
			false,
		]);
	});

	it.each<[string, object]>([
		['looks', {}],
		['takes what is delivered', { ...unconfirmed, receiveBy: 'webhook' }],
	])(
		'does not let a trigger be published for pseudonyms without a key: one that %s',
		async (_, parameters) => {
			await start('pseudonym', { ...parameters }, { activation: null });
			const error = await rejectionOrUndefined(host.publish('activate'));
			expect(codeOf(error)).toBe('credential.pseudonymKey');
		},
	);

	it('is not taken for Full where its expression comes out empty', async () => {
		await start('={{ "" }}', {}, { activation: null });
		const error = await rejectionOrUndefined(host.publish('activate'));
		expect(codeAndFieldOf(error)).toEqual(['field.choice', 'Personal Data']);
	});
});
