import { shiftWallClock, shiftAllClocks } from '../../support/clock';
import { codeOf } from '../../support/errorCode';
import {
	acceptThenRespondBadGateway,
	aRecord,
	fakeService,
	respondToFirstPost,
	respondJson,
	respondBadGateway,
} from './fakeService';
import {
	buildNextCrfFaultRule,
	getCrfParameters,
	itemsForRfcs,
	rfcs,
	taxQuerySandbox,
} from './support';

const [RFC, OTHER] = rfcs(2);
const HOUR_MS = 3_600_000;
/** More than clocks may differ by. */
const BEYOND_TOLERANCE_MS = 4_000;
const items = itemsForRfcs([RFC]);

describe('a service whose clock differs', () => {
	it.each([HOUR_MS, -HOUR_MS])('has a lost query recovered: by %i ms', async (clockSkew) => {
		const sandbox = await taxQuerySandbox({ clockSkew });
		const service = await sandbox.elsewhere();
		await service.post('/query/crf', { rfc: OTHER });
		await sandbox.faults(buildNextCrfFaultRule('resetAfter'));
		const { items: given } = await sandbox.run(getCrfParameters(), { items });
		await sandbox.close();
		expect(given.map(({ json }) => json.recovered)).toEqual([true]);
	});

	it.each([0, HOUR_MS, -HOUR_MS])(
		"has another program's older query not matched: by %i ms",
		async (clockSkew) => {
			const sandbox = await taxQuerySandbox({ clockSkew });
			const service = await sandbox.elsewhere();
			await service.post('/query/crf', { rfc: RFC });
			shiftAllClocks(BEYOND_TOLERANCE_MS);
			await sandbox.faults(buildNextCrfFaultRule('resetBefore'));
			const { error } = await sandbox.run(getCrfParameters(), { items });
			await sandbox.close();
			expect(codeOf(error)).toBe('unsure');
		},
	);

	it('has a lost query recovered though its responses name an age of 0', async () => {
		const behind = () => new Date(Date.now() - 20_000);
		const headers = new Map(Object.entries({ age: '0', date: behind().toUTCString() }));
		const service = await fakeService({
			list: (stored, response) => respondJson(response.setHeaders(headers), stored),
			post(accept, response) {
				accept().createdAt = behind().toISOString();
				respondBadGateway(response.setHeaders(headers));
			},
		});
		const sendAgain = getCrfParameters({}, { spendingLimits: { sendAgain: true } });
		const { items: given } = await service.run(sendAgain, { items });
		await service.close();
		expect(given.map(({ json }) => json.recovered)).toEqual([true]);
		expect(service.billed).toHaveLength(1);
	});

	it('has an older query with a future date named as possible, not recovered', async () => {
		const service = await fakeService({ post: (_accept, response) => respondBadGateway(response) });
		const createdAt = new Date(Date.now() + HOUR_MS).toISOString();
		service.billed.push(aRecord({ _id: 'older', query: { rfc: RFC }, createdAt }));
		const { items: given, error } = await service.run(getCrfParameters(), { items });
		await service.close();
		expect({ given, possible: error?.context?.possible }).toEqual({
			given: [],
			possible: ['older'],
		});
	});

	it('has nothing recovered that was listed before sending, whatever its date', async () => {
		const service = await fakeService({ post: (_accept, response) => respondBadGateway(response) });
		const createdAt = new Date(Date.now() + 1500).toISOString();
		const done = { status: 'DONE', query: { rfc: RFC }, response: { RFC }, createdAt };
		service.billed.push(aRecord({ _id: 'listed', ...done }));
		const hours = getCrfParameters({ reuse: 'hours', reuseHours: 1 });
		const { items: given } = await service.run(hours, { items });
		await service.close();
		expect(given).toEqual([]);
	});
});

it.each([HOUR_MS, -HOUR_MS])(
	"recovers its own record though n8n's clock is set by %i ms meanwhile",
	async (byMs) => {
		const service = await fakeService({
			post: respondToFirstPost((accept, response) => {
				shiftWallClock(byMs);
				return acceptThenRespondBadGateway(accept, response);
			}),
		});
		const createdAt = new Date(Date.now() - HOUR_MS / 2).toISOString();
		service.billed.push(aRecord({ _id: 'of-another-program', query: { rfc: RFC }, createdAt }));
		const { items: given } = await service.run(getCrfParameters(), { items });
		await service.close();
		shiftWallClock(-byMs);
		expect(given[0]?.json.queryId).toBe(service.billed[1]._id);
	},
);
