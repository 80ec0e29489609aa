import { withWebhookVerification } from '../../../support/credentialFields';
import { PAGE, many, row } from './listService';
import {
	type TriggerHost,
	type TriggerHostOptions,
	rejectionOrUndefined,
	shiftAllClocks,
} from './triggerHost';
import { freshTriggerAndSandboxForEachTest, triggerOnListServiceForEachTest } from './freshTrigger';
import { codeAndFieldOf, codeOf } from '../../../support/errorCode';

describe('texts of the trigger', () => {
	const { service, start } = triggerOnListServiceForEachTest();

	beforeEach(() => void (service.rows = many('old', 3 * PAGE, 100)));

	const reported = (trigger: TriggerHost) =>
		trigger.errors.map(({ message, description }) => `${message} | ${description ?? ''}`);

	/** What an operator reads who publishes a trigger. */
	it.each<[object, RegExp]>([
		[{ startFrom: 'hours', hours: 0 }, /^'Hours' of 'Start From' must be a number above 0/],
		[{ startFrom: 'date', date: 'soon' }, /^'Date' is not a date that exists/],
		[{ settings: { maxResults: 0 } }, /^'Max Results per Check' must be a whole number/],
		[{ services: [] }, /^'Trigger On' is empty, so that no result would start the workflow/],
	])('%j is refused by its name', async (parameters, words) => {
		const trigger = await start({ activation: null });
		expect((await rejectionOrUndefined(trigger.publish('activate', parameters)))?.message).toMatch(
			words,
		);
	});

	it('a list that cannot be used is refused with the ways out', async () => {
		service.listed = () => [...service.rows].reverse();
		const trigger = await start({ activation: null });
		const error = await rejectionOrUndefined(trigger.publish('activate'));
		expect(error?.message).toBe('The list of queries comes in pages and begins with the oldest');
		expect(error?.description).toMatch(/list\.parameters.*list\.paging.*Webhook Only/);
	});

	it('the test in the editor says where there is no result', async () => {
		service.rows = [];
		const trigger = await start({ parameters: { receiveBy: 'asking' } });
		expect((await rejectionOrUndefined(trigger.testInEditor()))?.message).toBe(
			'There is no result yet that this trigger would emit',
		);
	});

	/** What an operator finds in the executions list. */
	describe('a failed execution says', () => {
		it('that a result is put aside', async () => {
			service.page = () => service.listed().slice(0, PAGE);
			const pending = { status: 'PENDING', response: undefined };
			service.rows = [row('gone', 1, pending), ...many('old', 5, 200)];
			const trigger = await start();
			service.rows = service.rows.slice(1);
			for (let each = 0; each < 7; each++) {
				shiftAllClocks(60_000);
				await trigger.poll();
			}
			expect(reported(trigger)).toEqual([
				expect.stringMatching(
					/^The result of query gone could not be read 5 times and is put aside/,
				),
			]);
		});

		it('that a record has no result, and what to set', async () => {
			const trigger = await start();
			const none = { response: undefined };
			service.rows = [row('new', 0, none), row('next', 0, none), ...service.rows];
			for (let each = 0; each < 12; each++) {
				shiftAllClocks(60_000);
				await trigger.poll();
			}
			expect(reported(trigger)).toEqual([
				expect.stringMatching(
					/^The service's record of query \w+ has no result, and no webhook call brought one \| .*Fetch the Status Only.*Webhook Verification/,
				),
			]);
		});

		it('that the account is another one', async () => {
			const credentials = service.credentials();
			const trigger = await start({ credentials });
			Object.assign(credentials, service.credentials('another'));
			service.rows = many('others', 4, 1);
			await trigger.publish('update');
			await trigger.poll();
			expect(reported(trigger)).toEqual([expect.stringMatching(/another account.*begins anew/)]);
		});
	});

	/** What an operator finds in n8n's log. */
	describe('a line of the log says', () => {
		it('logs that polls fail, and that they work again', async () => {
			const trigger = await start();
			service.isDown = true;
			await trigger.poll();
			await trigger.poll();
			service.isDown = false;
			await trigger.poll();
			expect(trigger.log.filter((line) => line.startsWith('info'))).toEqual([
				'info: The Tax Query Trigger can check for results again',
			]);
			expect(trigger.log[0]).toMatch(
				/^warn: The Tax Query Trigger could not check for new results: The Tax Query Service /,
			);
		});

		it('that a webhook call is not understood', async () => {
			const trigger = await start();
			await trigger.deliver({ type: 'query.completed' });
			expect(trigger.log).toEqual([
				'warn: The Tax Query Trigger does not understand a webhook call: The body names no query',
			]);
		});

		it('that a webhook call is refused', async () => {
			const verification = {
				webhookVerification: 'header',
				webhookSecret: 'whsec-palo',
				webhookHeaderName: 'X-Secret',
			};
			const trigger = await start({
				credentials: withWebhookVerification(service.credentials(), verification),
				parameters: { authenticity: 'credential' },
			});
			await trigger.deliver({ queryId: 'forged' }, { 'X-Secret': 'guessed' });
			expect(trigger.log).toEqual([
				expect.stringMatching(/^warn: The Tax Query Trigger refuses webhook calls \(401\): /),
			]);
		});

		it('that a list is shorter than its total', async () => {
			const trigger = await start();
			service.page = () => ({ data: service.rows.slice(0, 1), total: 2 });
			service.rows = [row('new', 0), ...service.rows];
			await trigger.poll();
			expect(trigger.log).toEqual([
				expect.stringMatching(/^warn: The service reports 2 queries but lists only 1 of them/),
			]);
		});
	});
});

describe('the option Personal Data of the trigger', () => {
	const SECRET = 'whsec-damiana';
	const secret = { 'X-Secret': SECRET };
	const WHO = /GODE561231GR8|G[oó]mez|González|Emma/i;
	const { sandbox, host, start: startTrigger } = freshTriggerAndSandboxForEachTest();
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
		await startTrigger({
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
