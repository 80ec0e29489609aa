import { withWebhookVerification } from '../../../support/credentialFieldBuilders';
import { many, row } from './listService';
import { shiftAllClocks } from './triggerHost';
import {
	triggerOnListServiceForEachTest,
	secretHeaderFieldsAndProof,
} from './freshTriggerForEachTest';

const { proof, verification } = secretHeaderFieldsAndProof('whsec-la-brecha');
const { service, host, start } = triggerOnListServiceForEachTest();

beforeEach(async () => {
	service.rows = many('old', 30, 100);
	await start({
		parameters: { authenticity: 'credential', confirm: 'off' },
		credentials: withWebhookVerification(service.credentials(), verification),
	});
});

/** Lets the trigger check the list now. */
async function check(): Promise<void> {
	shiftAllClocks(30_000);
	await host.deliver({ queryId: 'a-doorbell' }, proof);
}

describe('a list in pages of 10 with 25 new results, one of them undelivered,', () => {
	// the newest, one in the midst of a page that was delivered, the last of a page, the oldest
	it.each([0, 14, 19, 24])(
		'has the lost one started by the next check: number %i',
		async (lost) => {
			const fresh = Array.from({ length: 25 }, (_, each) => row(`new${each}`, 1 + each));
			service.rows = [...fresh, ...service.rows];
			for (const each of fresh.filter((_, index) => index !== lost).reverse()) {
				expect((await host.deliver(each, proof)).status).toBe(200);
			}
			await host.ended(24);
			await check();
			await host.executed(25);
			await check();
			expect([...host.started].sort()).toEqual(fresh.map(({ _id }) => _id).sort());
		},
	);
});

describe('a list in pages of 10, where one query is listed late,', () => {
	it('the next poll starts a result listed late behind a known one', async () => {
		const fresh = many('new', 9, 1);
		const [newest, ...old] = service.rows;
		service.rows = [...fresh, newest, row('late', 100.5), ...old];
		await check();
		await host.executed(10);
		expect([...host.started].sort()).toEqual([...fresh.map(({ _id }) => _id), 'late'].sort());
	});
});
