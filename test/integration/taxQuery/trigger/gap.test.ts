import { ListService, many, row } from './listService';
import { pass, type TriggerHost } from './triggerHost';

const SECRET = 'whsec-la-brecha';
const proof = { 'X-Secret': SECRET };

let service: ListService;
let host: TriggerHost;

beforeEach(async () => {
	service = await ListService.start();
	service.rows = many('old', 30, 100);
	host = await service.trigger({
		parameters: { authenticity: 'credential', confirm: 'off' },
		credentials: {
			...service.credentials(),
			taxQueryWebhookApi: { method: 'header', secret: SECRET, headerName: 'X-Secret' },
		},
	});
});
afterEach(async () => {
	await host.stop();
	await service.stop();
});

/** Lets the trigger check the list now. */
async function check(): Promise<void> {
	pass(30_000);
	await host.deliver({ queryId: 'a-doorbell' }, proof);
}

describe('a list in pages of 10, of whose 25 new results 24 were delivered and one call was lost,', () => {
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
