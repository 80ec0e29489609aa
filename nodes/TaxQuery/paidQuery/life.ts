import type { Doubt, Extent, Id, Posted } from '../service/types';

/** Where a question stands that costs money. What is unsure is never sent again by itself. */
export type Life =
	| { at: 'planned' }
	/** Surely not accepted, and not billed. */
	| { at: 'refused' }
	| { at: 'accepted'; ids: Id[] }
	/** On its way since then (milliseconds, our clock); `hash` tells what was sent. */
	| { at: 'sent'; since: number; hash: string }
	/** Nobody knows whether it was accepted. */
	| { at: 'unsure'; since: number; hash: string; why: Doubt }
	/** Unsure, and the whole list surely does not have it. */
	| { at: 'missing'; since: number; hash: string; why: Doubt };

export type Event =
	| { type: 'sending'; since: number; hash: string }
	| { type: 'answered'; posted: Posted }
	/** The list was searched: what is surely of this question, and what may be. */
	| { type: 'looked'; found: Id[]; untold: Id[]; extent: Extent }
	/** The operator allows to send again what is missing, and the limits do. */
	| { type: 'again' };

/** What an event makes of a question that is billed as `count` queries. An event that cannot be leaves it as it is. */
export function step(life: Life, event: Event, count: number): Life {
	switch (event.type) {
		case 'sending': {
			const { since, hash } = event;
			// a request that was refused for its pace or token goes out again
			const isFree = life.at === 'planned' || life.at === 'refused' || life.at === 'sent';
			return isFree ? { at: 'sent', since, hash } : life;
		}
		case 'answered':
			return life.at === 'sent' ? answered(life, event.posted) : life;
		case 'looked':
			return isDoubtful(life) ? looked(life, event, count) : life;
		case 'again':
			return life.at === 'missing' ? { at: 'planned' } : life;
	}
}

/** Of what was sent: nobody knows what became of it. */
export const isDoubtful = (life: Life): life is Extract<Life, { since: number }> =>
	life.at === 'sent' || life.at === 'unsure' || life.at === 'missing';

/**
 * How many queries are billed: what was accepted, with a result or pending or failed. Nothing of what was refused, or
 * never sent; undefined where the outcome of any is unknown.
 */
export function billedOf(lives: Life[]): number | undefined {
	if (lives.some(isDoubtful)) return undefined;
	return lives.reduce((sum, life) => sum + (life.at === 'accepted' ? life.ids.length : 0), 0);
}

function answered(sent: Extract<Life, { at: 'sent' }>, posted: Posted): Life {
	const { since, hash } = sent;
	switch (posted.kind) {
		case 'accepted':
			return { at: 'accepted', ids: posted.queries.map(({ id }) => id) };
		case 'refused':
			return { at: 'refused' };
		case 'unsure':
			return { at: 'unsure', since, hash, why: posted.why };
	}
}

function looked(
	life: Extract<Life, { since: number }>,
	{ found, untold, extent }: Extract<Event, { type: 'looked' }>,
	count: number,
): Life {
	if (found.length >= count) return { at: 'accepted', ids: found };
	const { since, hash } = life;
	const why = life.at === 'sent' ? 'earlierTry' : life.why;
	const isMissing = found.length === 0 && untold.length === 0 && extent === 'whole';
	return { at: isMissing ? 'missing' : 'unsure', since, hash, why };
}
