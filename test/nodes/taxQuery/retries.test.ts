import axios from 'axios';
import { codeOf } from '../../support/errorCode';
import { freshSandboxForEachTest } from '../../support/sandboxForTestGroup';
import {
	buildCrfFaultRule,
	buildNextCrfFaultRule,
	getCrfParameters,
	itemsForRfcs,
	rfcs,
	taxQuerySandbox,
} from './support';

describe('a retry', () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox);
	const billed = async () => (await sandbox.ledger()).map(({ query }) => query.rfc);
	const never = getCrfParameters({ reuse: 'never' });
	const one = itemsForRfcs(rfcs(1));

	it('by Retry On Fail bills each item once in three tries', async () => {
		const wanted = [...rfcs(5), sandbox.reserved('failed').rfc];
		const { error } = await sandbox.run(getCrfParameters({ waitForResult: true }), {
			items: itemsForRfcs(wanted),
			maxTries: 3,
		});
		expect(codeOf(error)).toBe('failed');
		expect((await billed()).sort()).toEqual(wanted.sort());
	});

	it('in the editor bills what is missing, and gives all items', async () => {
		const wanted = rfcs(20);
		const requests = { items: itemsForRfcs(wanted), memory: {} };
		await sandbox.faults(buildCrfFaultRule({ status: 400 }, { times: 1 }));
		const first = await sandbox.run(getCrfParameters(), requests);
		const second = await sandbox.run(never, { ...requests, mode: 'retry' });
		expect(codeOf(first.error)).toBe('status.400');
		expect(second.items).toHaveLength(20);
		expect((await billed()).sort()).toEqual(wanted.sort());
	});

	it('with another pasted token bills nothing again', async () => {
		const memory = {};
		const withNewToken = async () => {
			const { taxQueryApi } = sandbox.credentials({ taxQueryApi: { pointsPerSecond: 0 } });
			const { baseUrl, clientId, clientSecret } = sandbox.taxQuery;
			const login = { client_id: clientId, client_secret: clientSecret };
			const { data } = await axios.post(`${baseUrl}/oauth/token`, login);
			const { access_token: pastedToken } = data as { access_token: string };
			const pasted = { ...taxQueryApi, grant: 'accessToken', pastedToken };
			const { items } = await sandbox.run(never, {
				...{ items: one, memory, credentials: { taxQueryApi: pasted } },
			});
			return { token: pastedToken, ids: items.map(({ json }) => json.queryId) };
		};
		const first = await withNewToken();
		await sandbox.control.post('/clock', { advance: 5000 });
		const second = await withNewToken();
		expect(second.token).not.toBe(first.token);
		expect(second.ids).toEqual(first.ids);
		expect(await billed()).toEqual(rfcs(1));
	});

	it('of a round of a loop bills nothing again, and each round is billed', async () => {
		const memory = {};
		const run = async (ranBefore: number) => {
			const round = { items: one, memory, executionId: 'loop', ranBefore };
			return (await sandbox.run(never, round)).items[0].json.queryId;
		};
		const [first, second, again] = [await run(0), await run(1), await run(1)];
		const ids = (await sandbox.ledger()).map(({ queryId }) => queryId);
		expect({ ids: [first, second], again }).toEqual({ ids, again: second });
	});

	it('searches lost queries before it sends anything', async () => {
		const memory = {};
		const list = { path: '/api/query', exact: true, times: 15, fault: { status: 403 } };
		await sandbox.faults(buildNextCrfFaultRule('resetAfter'), list);
		await sandbox.run(getCrfParameters(), { items: one, memory });
		await sandbox.faults();
		const { items } = await sandbox.run(getCrfParameters(), { items: one, memory });
		expect(items.map(({ json }) => json)).toMatchObject([{ recovered: true }]);
		expect(await billed()).toEqual(rfcs(1));
	});

	it.each(['continueRegularOutput', 'stopWorkflow'] as const)(
		'names billed queries that cannot be read again (On Error: %s)',
		async (onError) => {
			const requests = { items: one, memory: {}, onError };
			await sandbox.run(getCrfParameters(), requests);
			await sandbox.faults({ path: '/api/query/:id', method: 'GET', fault: { status: 403 } });
			const { items, error } = await sandbox.run(getCrfParameters(), requests);
			const [{ queryId }] = await sandbox.ledger();
			expect(error?.context?.queryIds ?? [items[0].json.queryId]).toEqual([queryId]);
		},
	);
});
