import type { IDataObject } from 'n8n-workflow';
import { readTaxQueryApiMapping } from '../../../../nodes/shared/credentials/apiMapping';
import { limitByTrust } from '../../../../nodes/TaxQuery/webhook/trust';
import type { TriggerSettings } from '../../../../nodes/TaxQuery/trigger/settings';

/** Whoever looks into it fails. */
const untouchable = new Proxy([], {
	get(target, name) {
		throw new Error(`Read ${String(name)} of ${String(target)}`);
	},
	ownKeys() {
		throw new Error('Listed what it holds');
	},
});

describe('a webhook call that is not verified', () => {
	const settings = {
		isAuthenticated: false,
		confirm: 'full',
		hasEnvelope: true,
	} as unknown as TriggerSettings;
	const read = (record: IDataObject) =>
		limitByTrust({ queryId: 'q1', record }, settings, readTaxQueryApiMapping({}), [
			'a-secret-of-the-credential',
		]);

	it('is not searched for what it holds, however much that is', () => {
		const record = { _id: 'q1', service: 'CRF', status: 'SUCCESS', response: untouchable };
		expect(read(record)).toMatchObject({
			hasResponse: true,
			reported: { queryId: 'q1', status: 'SUCCESS' },
		});
	});

	it.each<[unknown, boolean]>([
		[[], true],
		[{ RFC: 'XAXX010101000' }, true],
		['found', true],
		[{}, false],
		['', false],
		[null, false],
		[undefined, false],
	])('has a response by the same rule as a record: %j is %p', (response, hasResponse) => {
		const record = { _id: 'q1', service: 'CRF', status: 'SUCCESS', response } as IDataObject;
		expect(read(record).hasResponse).toBe(hasResponse);
	});
});
