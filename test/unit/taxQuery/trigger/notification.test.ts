import {
	mergeNotifications,
	type QueryNotification,
} from '../../../../nodes/TaxQuery/trigger/notification';
import type { QueryRecord } from '../../../../nodes/TaxQuery/client/queryModel';

const call = (more: Partial<QueryNotification> = {}): QueryNotification => ({
	isProved: false,
	hasResponse: false,
	...more,
});
const detail = (name: string) => ({ status: name }) as QueryRecord;
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

	it("keep the later call's envelope, unless it is only a retry", () => {
		const [a, b] = [call({ envelope: envelope('a') }), call({ envelope: envelope('b') })];
		expect(mergeNotifications(a, b).envelope).toEqual(envelope('b'));
		expect(mergeNotifications(a, { ...b, isAgain: true }).envelope).toEqual(envelope('a'));
		expect(mergeNotifications(a, call()).envelope).toEqual(envelope('a'));
	});
});
