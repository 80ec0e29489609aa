import { readTaxQueryApiMapping } from '../../../../nodes/shared/credentials/apiMapping';
import { parseRecord } from '../../../../nodes/TaxQuery/client/record';
import {
	fillResponse,
	mergeNotifications,
	type QueryNotification,
} from '../../../../nodes/TaxQuery/trigger/notification';
import { toResult } from '../../../../nodes/TaxQuery/trigger/result';
import type { QueryRecord } from '../../../../nodes/TaxQuery/client/model';

const call = (more: Partial<QueryNotification> = {}): QueryNotification => ({
	isProved: false,
	hasResponse: false,
	...more,
});
const detail = (name: string) =>
	({ status: name, state: name === 'PENDING' ? 'pending' : 'success' }) as QueryRecord;
const envelope = (name: string) => ({ fields: { name }, status: '' });

describe('two webhook calls about one query', () => {
	it.each<
		[
			what: string,
			known: QueryNotification,
			notification: QueryNotification,
			expected: 'known' | 'notification',
		]
	>([
		['the first stays', call({ event: 'a' }), call({ event: 'b' }), 'known'],
		['proof counts more', call(), call({ isProved: true }), 'notification'],
		['a result counts more', call(), call({ detail: detail('b') }), 'notification'],
		[
			'proof counts more than a result',
			call({ isProved: true }),
			call({ detail: detail('b') }),
			'known',
		],
		[
			'a result with proof counts most',
			call({ isProved: true }),
			call({ isProved: true, detail: detail('b') }),
			'notification',
		],
		[
			'a result of another status replaces the first',
			call({ detail: detail('PENDING') }),
			call({ detail: detail('SUCCESS') }),
			'notification',
		],
		[
			'a late call about progress does not replace a result',
			call({ detail: detail('SUCCESS') }),
			call({ detail: detail('PENDING') }),
			'known',
		],
		[
			'a result of the same status does not',
			call({ detail: detail('SUCCESS'), event: 'a' }),
			call({ detail: detail('SUCCESS'), event: 'b' }),
			'known',
		],
	])('%s', (_, known, notification, expected) => {
		const { isProved, detail: result, event } = expected === 'known' ? known : notification;
		expect(mergeNotifications(known, notification)).toMatchObject({
			isProved,
			...(result && { detail: result }),
			...(event && { event }),
		});
	});

	it('had a response if one of them had', () => {
		expect(mergeNotifications(call({ hasResponse: true }), call()).hasResponse).toBe(true);
		expect(mergeNotifications(call(), call({ hasResponse: true })).hasResponse).toBe(true);
	});

	it("keep the later call's envelope", () => {
		const [a, b] = [call({ envelope: envelope('a') }), call({ envelope: envelope('b') })];
		expect(mergeNotifications(a, b).envelope).toEqual(envelope('b'));
		expect(mergeNotifications(a, call()).envelope).toEqual(envelope('a'));
	});
});

describe('a success without a result takes the response of a call', () => {
	const mapping = readTaxQueryApiMapping({});
	const record = (status: string | undefined, response?: object) =>
		parseRecord({ _id: 'q1', service: 'CRF', status, response }, mapping) as QueryRecord;
	const response = { RFC: 'X' };

	it.each<[status: string | undefined, confirmed: 'status' | true]>([
		['SUCCESS', 'status'],
		[undefined, 'status'],
		['PENDING', true],
		['FAILED', true],
		['EN PROCESO', true],
	])('unless that is about another status: %s', (status, confirmed) => {
		const notification = { detail: record(status, response) };
		const { result, origin } = fillResponse(toResult(record('SUCCESS')), notification, mapping);
		expect(origin.confirmed).toBe(confirmed);
		expect(result.record.hasResponse).toBe(confirmed === 'status');
	});
});
