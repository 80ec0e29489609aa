import { until } from '../../support/until';
import { fakeService, respondJson } from './fakeService';
import { getCrfParameters, itemsForRfcs, rfcs, taxQuerySandbox } from './support';

it('an execution that is cancelled while it waits names its query IDs', async () => {
	const sandbox = await taxQuerySandbox();
	const pending = sandbox.reserved('pending').rfc;
	let cancel = () => {};
	const running = sandbox.run(
		getCrfParameters({ waitForResult: true, maxWait: 600, reuse: 'never' }),
		{
			items: itemsForRfcs([pending, pending]),
			onStart: (cancelExecution) => (cancel = cancelExecution),
		},
	);
	const reads = async () =>
		(await sandbox.requests()).filter(
			({ method, path }) => method === 'GET' && path !== '/api/query',
		);
	await until(
		'two queries billed, one of them read',
		async () => (await sandbox.ledger()).length === 2 && (await reads()).length > 0,
	);
	cancel();
	const { metadata, error } = await running;
	const ids = (await sandbox.ledger()).map(({ queryId }) => queryId).sort();
	await sandbox.close();
	expect({
		billed: metadata.paidQueries,
		inMetadata: metadata.queryIds.split(' ').sort(),
		inError: [...(error?.context?.queryIds as string[])].sort(),
	}).toEqual({ billed: '2', inMetadata: ids, inError: ids });
});

it('a retry sends what an execution did not that was cancelled during its login', async () => {
	const [RFC, OTHER] = rfcs(2);
	let cancel = () => {};
	const service = await fakeService({
		token(response) {
			cancel();
			respondJson(response, { access_token: 'fake-token-1234' });
		},
	});
	const requests = { items: itemsForRfcs([RFC]), executionId: 'stopped', memory: {} };
	await service.run(getCrfParameters(), { ...requests, onStart: (stop) => (cancel = stop) });
	await service.run(getCrfParameters(), { items: itemsForRfcs([OTHER]) }); // the token is there
	const { error } = await service.run(getCrfParameters(), requests);
	await service.close();
	expect({ error, sent: service.sent() }).toEqual({ error: undefined, sent: 2 });
});

it('a retry after a workflow timeout gives what was accepted, and sends nothing', async () => {
	const wanted = rfcs(20);
	let isDone = false;
	const service = await fakeService({
		get: (one, response) =>
			respondJson(response, { ...one, status: isDone ? 'SUCCESS' : 'PENDING' }),
	});
	const requests = { items: itemsForRfcs(wanted), executionId: 'timed-out', memory: {} };
	const waiting = getCrfParameters({ waitForResult: true, maxWait: 600, reuse: 'never' });
	let timeOut = () => {};
	const running = service.run(waiting, { ...requests, onStart: (cancel) => (timeOut = cancel) });
	const reads = () => service.requests.filter((one) => /^GET \/query\/./.test(one)).length;
	await until('all queries accepted, one read', () => service.billed.length === 20 && reads() > 0);
	timeOut(); // n8n cancels the execution when the timeout has passed
	await running;
	isDone = true;
	const { items, error } = await service.run(waiting, { ...requests, mode: 'retry' });
	await service.close();
	const idOf = (rfc: string) => service.billed.find(({ query }) => query.rfc === rfc)?._id;
	expect({ error, sent: service.sent() }).toEqual({ error: undefined, sent: 20 });
	expect(items.map(({ json }) => json.queryId)).toEqual(wanted.map(idOf));
});
