import type { Doubt, Extent, Id, Posted } from '../client/types';

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
			const isFree = ['planned', 'refused', 'sent'].includes(life.at);
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

/** What was sent, and nobody knows what became of it. */
export type Doubtful = Extract<Life, { since: number }>;
export const isDoubtful = (life: Life): life is Doubtful => 'since' in life;

/** The IDs of what was accepted. */
export const idsOf = (life: Life): Id[] => (life.at === 'accepted' ? life.ids : []);

/**
 * How many queries are billed: what was accepted, with a result or pending or failed. Nothing of what was refused, or
 * never sent; undefined where the outcome of any is unknown.
 */
export const billedOf = (lives: Life[]): number | undefined =>
	lives.some(isDoubtful) ? undefined : lives.flatMap(idsOf).length;

function answered(sent: Doubtful, posted: Posted): Life {
	if (posted.kind === 'unsure') return { ...sent, at: 'unsure', why: posted.why };
	if (posted.kind === 'refused') return { at: 'refused' };
	return { at: 'accepted', ids: posted.queries.map(({ id }) => id) };
}

/** Why a query is doubtful; one of an earlier try that has left nothing else is on its way for ever. */
export const doubtOf = (life: Doubtful): Doubt => (life.at === 'sent' ? 'earlierTry' : life.why);

function looked(
	life: Doubtful,
	{ found, untold, extent }: Extract<Event, { type: 'looked' }>,
	count: number,
): Life {
	if (found.length >= count) return { at: 'accepted', ids: found };
	const isMissing = found.length + untold.length === 0 && extent === 'whole';
	return { ...life, at: isMissing ? 'missing' : 'unsure', why: doubtOf(life) };
}
