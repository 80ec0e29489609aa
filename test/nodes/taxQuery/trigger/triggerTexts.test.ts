import { withWebhookVerification } from '../../../support/credentialFieldBuilders';
import { many, PAGE, row } from './listService';
import { rejectionOrUndefined, shiftAllClocks, type TriggerHost } from './triggerHost';
import { triggerOnListServiceForEachTest } from './freshTriggerForEachTest';

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
			expect.stringMatching(/^The result of query gone could not be read 5 times and is put aside/),
		]);
	});

	it('that a record has no result, and what to set', async () => {
		const trigger = await start();
		service.rows = [row('new', 0, { response: undefined }), ...service.rows];
		for (let each = 0; each < 12; each++) {
			shiftAllClocks(60_000);
			await trigger.poll();
		}
		expect(reported(trigger)).toEqual([
			expect.stringMatching(
				/^The service's record of query new has no result, and no webhook call brought one \| .*Fetch the Status Only.*Webhook Verification/,
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
