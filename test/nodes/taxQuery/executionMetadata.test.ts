import { freshSandboxForEachTest } from '../../support/sandboxForTestGroup';
import { getCrfParameters, itemsForRfcs, rfcs, taxQuerySandbox } from './support';

describe("an execution's metadata", () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox);
	const billed = async () => (await sandbox.ledger()).map(({ queryId }) => queryId).sort();

	it('hold each query ID once, however often the node was tried', async () => {
		const failed = sandbox.reserved('failed').rfc;
		const { metadata } = await sandbox.run(getCrfParameters({ waitForResult: true }), {
			items: itemsForRfcs([...rfcs(2), failed]),
			maxTries: 3,
		});
		expect(metadata.paidQueries).toBe('3');
		expect(metadata.queryIds.split(' ').sort()).toEqual(await billed());
	});

	it('hold as many IDs as fit, and the External Reference', async () => {
		const { metadata } = await sandbox.run(
			getCrfParameters({}, { externalReference: '={{ "customer-" + $itemIndex }}' }),
			{ items: itemsForRfcs(rfcs(30)) },
		);
		expect(metadata.paidQueries).toBe('30');
		expect(metadata.queryIds.length).toBeLessThanOrEqual(255);
		expect(await billed()).toEqual(expect.arrayContaining(metadata.queryIds.split(' ')));
		expect(metadata.externalReference).toMatch(/^customer-0 customer-1 .*customer-\d+$/);
	});

	it('hold no RFC, though the External Reference is one', async () => {
		const { metadata } = await sandbox.run(
			getCrfParameters({}, { externalReference: '={{ $json.rfc }}' }),
			{
				items: itemsForRfcs(rfcs(2)),
			},
		);
		const { queryIds, ...others } = metadata;
		expect(others).toEqual({ paidQueries: '2' });
		expect(queryIds.split(' ').sort()).toEqual(await billed());
	});
});
