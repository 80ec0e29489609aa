import type { Posted } from '../service/types';
import { compare, type Expected } from './compare';

/** Of more queries than were asked for those that surely are the question's; all of them where that leaves too many. */
export function pickOwn(posted: Posted, expected: Expected[]): Posted {
	if (posted.kind !== 'accepted' || posted.queries.length <= expected.length) return posted;
	const months = expected.map(({ asked }) => asked.period);
	const own = posted.queries.filter((query) =>
		query.kind === 'record'
			? expected.some((one) => compare(one, query) === 'same')
			: query.period !== undefined && months.includes(query.period),
	);
	const isClear = own.length > 0 && own.length <= expected.length;
	return isClear ? { kind: 'accepted', queries: own } : { kind: 'unsure', why: 'unreadable' };
}
