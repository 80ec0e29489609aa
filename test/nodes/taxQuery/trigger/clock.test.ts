import { shiftWallClock } from '../../../support/clock';
import { withWebhookVerification } from '../../../support/credentialFieldBuilders';
import { shiftAllClocks } from './triggerHost';
import { freshTriggerAndSandboxForEachTest } from './freshTriggerForEachTest';

const AN_HOUR = 3_600_000;

const { sandbox, host, start } = freshTriggerAndSandboxForEachTest();

const clockIsSetBack = () => shiftWallClock(-AN_HOUR);

describe("where the clock of n8n's machine is set back by an hour", () => {
	it('handles a delivery after the clock was set back', async () => {
		await start();
		await host.poll();
		clockIsSetBack();
		const record = await sandbox.result();
		const { status } = await host.deliver(record);
		expect([status, host.started]).toEqual([200, [record._id]]);
	});

	it('continues to poll at intervals after the clock was set back', async () => {
		await start({ parameters: { receiveBy: 'asking', settings: { checkEvery: 60 } } });
		clockIsSetBack();
		const record = await sandbox.result();
		await host.executed(1);
		expect(host.started).toEqual([record._id]);
	});

	it('a query is read by its ID where there is no list', async () => {
		const apiMapping = '{"paths": {"getAll": ""}}';
		await start({ credentials: sandbox.credentials({ taxQueryApi: { apiMapping } }) });
		for (let count = 0; count < 2; count++) {
			await host.deliver({ queryId: (await sandbox.result())._id });
			shiftAllClocks(1_000);
		}
		clockIsSetBack();
		const record = await sandbox.result();
		const { status } = await host.deliver({ queryId: record._id });
		expect([status, host.started.at(-1)]).toEqual([200, record._id]);
	});

	it('a secret that was replaced is not taken any more', async () => {
		const method = { webhookVerification: 'header', webhookHeaderName: 'X-Secret' };
		const credentials = (secret: string) =>
			withWebhookVerification(sandbox.credentials(), { ...method, webhookSecret: secret });
		const options = {
			credentials: credentials('whsec-agave'),
			parameters: { authenticity: 'credential' },
		};
		await start(options);
		const deliver = async () =>
			(await host.deliver(await sandbox.result(), { 'X-Secret': 'whsec-agave' })).status;
		const before = await deliver();
		Object.assign(options.credentials, credentials('whsec-maguey'));
		clockIsSetBack();
		expect([before, await deliver()]).toEqual([200, 401]);
	});
});
