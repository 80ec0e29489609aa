import { Ledger } from '../../../../nodes/TaxQuery/trigger/ledger';
import { newestFirstOrUndefined } from '../../../../nodes/TaxQuery/trigger/planPoll';
import { detectListOrder } from '../../../../nodes/TaxQuery/trigger/listing';

const dates = (...all: Array<number | undefined>) =>
	all.map((createdAt) => (createdAt === undefined ? {} : { createdAt }));

describe('the order of a list', () => {
	it.each([
		['falls', dates(9, 8, 7), 'newestFirst'],
		['rises', dates(1, 2), 'oldestFirst'],
		['falls, but for queries of one moment', dates(9, 9, 8, 8, 7), 'newestFirst'],
		['falls, but for one whose clock is ahead', dates(9, 8, 7, 6, 8, 5, 4, 3), 'newestFirst'],
		['falls, as far as rows have dates', dates(9, undefined, 8), 'newestFirst'],
		['is mixed', dates(3, 9, 1, 8, 2, 7), undefined],
		['is of one moment', dates(5, 5, 5), undefined],
		['has no dates', dates(undefined, undefined), undefined],
		['has one row', dates(5), undefined],
	])('%s', (_, rows, expected) => {
		expect(detectListOrder(rows, undefined)).toBe(expected);
	});

	it('is what is known, where a few rows show another one', () => {
		expect(detectListOrder(dates(1, 2, 3), 'newestFirst')).toBe('newestFirst');
	});

	it('is another one than before, where many rows show it', () => {
		expect(detectListOrder(dates(1, 2, 3, 4, 5, 6), 'newestFirst')).toBe('oldestFirst');
	});

	it('is unknown if many rows are mixed', () => {
		expect(detectListOrder(dates(3, 9, 1, 8, 2, 7), 'newestFirst')).toBeUndefined();
	});
});

describe('rows with the newest first', () => {
	const rows = ['a', 'b', 'c'];
	it.each([
		['newestFirst', 'are as a page lists them', false, rows],
		['oldestFirst', 'are turned, where one response is the whole list', true, ['c', 'b', 'a']],
		['oldestFirst', 'are unknown, where the page may not be the last', false, undefined],
	] as const)('of a list with %s %s', (order, _, isOneWhole, expected) => {
		expect(newestFirstOrUndefined([...rows], order, isOneWhole, new Ledger())).toEqual(expected);
	});
});
