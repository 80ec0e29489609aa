import type { IDataObject } from 'n8n-workflow';
import type { Item, Run } from '../../shared/operations/operation';
import { thisMoment } from '../../shared/transport/clockOffset';
import type { Said } from '../../shared/http/problem';
import type { Problem } from '../../shared/transport/result';
import { pickOwn } from '../question/compare';
import type { Question } from '../question/question';
import { findQuery, post, serviceOfItem } from '../service/client';
import { keysToTry, noteAccepted } from '../service/names';
import { readPosted } from '../service/record';
import type { Id, Posted, Query } from '../service/types';
import { QueryError, wordsOf, type Search } from '../telling/messages';
import { isWord, type Answer, type Outcome, type Word } from '../telling/rows';
import {
	claim,
	isClaimed,
	Journal,
	lastAccepted,
	lastUnsure,
	lastWords,
	reuseLocks,
	sendLocks,
} from './journal';
import { isDoubtful, step, type Event, type Life } from './life';
import { QueryLimit, type Limits } from './limit';
import { LostQueries } from './look';
import type { Reuse } from './options';
import { PastQueries } from './reuse';

/** What an item's options say of how it is sent. */
export interface Sending extends Limits {
	sendAgain: boolean;
	reuse: Reuse | undefined;
}

/** What came of a question: its queries, or what the service said where that is all there is. */
type Accepted = Pick<Outcome, 'how'> & { queries: Answer[] };

/** What is known of a doubtful question beside its life. */
interface Doubts {
	problem?: Problem;
	/** Of a response without a query ID, and its words. */
	body?: IDataObject;
	said?: Said;
}

type Doubtful = Extract<Life, { since: number }>;

/** So long after it was accepted a query may be missing in the list. */
const LISTED_MS = 60_000;
/** How long to wait before each look among the queries made: what was just accepted may not be listed yet. */
const LOOKS_MS = [0, 1000, 3000];
/** The same while there is no proof that the list would show it. */
const FURTHER_MS = 5000;
const MAX_SENDS = 3;

/** Told of what is billed, or may be, as soon as it is known. */
interface SpendingLog {
	accepted(item: Item, ids: Id[], isByEarlierTry?: boolean): void;
	/** Nobody knows whether so many queries of an item were accepted. */
	unsure(item: Item, count: number): void;
}

/** Sends the questions of a run, so that each is billed once, and no item takes another one's query. */
export class QuerySender {
	readonly past = new PastQueries();
	readonly journal: Journal;
	readonly limit: QueryLimit;
	private readonly lost = new LostQueries();

	constructor(
		run: Run,
		private readonly log: SpendingLog,
	) {
		this.journal = new Journal(run);
		this.limit = new QueryLimit(this.journal, this.past);
	}

	/** Whether an earlier try of this execution has sent a question. */
	isKept(item: Item, { key }: Question): boolean {
		const { at } = this.journal.lifeOf(item, key);
		return at !== 'planned' && at !== 'refused';
	}

	/** Sends a question unless another item or execution has got its result since the list of queries was read. */
	async ask(item: Item, question: Question, sending: Sending): Promise<Accepted> {
		const { reuse } = sending;
		if (!reuse || this.isKept(item, question)) return await this.send(item, question, sending);
		return await reuseLocks.exclusive(question.id, async () => {
			const before = lastAccepted.get(question.id);
			if (before && before.at >= reuse.since) {
				const isFree = !reuse.isEach || this.past.take(before.queries);
				if (isFree && (await this.isUnlisted(item, reuse.since, before))) {
					return { queries: before.queries, how: 'reused' };
				}
			}
			const unsure = lastUnsure.get(question.id);
			if (unsure !== undefined && unsure >= reuse.since) {
				const life: Life = {
					at: 'unsure',
					since: unsure,
					hash: question.hash,
					why: 'earlierTry',
				};
				return await this.send(item, question, sending, life);
			}
			await this.limit.plan(item, sending, [question], true); // an equal one may have used up what was planned
			return await this.send(item, question, sending);
		});
	}

	/** What was accepted after the list was read, or shortly before and is not in it yet; in a state that is known. */
	private async isUnlisted(
		item: Item,
		since: number,
		{ at, queries }: { at: number; queries: Query[] },
	): Promise<boolean> {
		if (queries.some((query) => query.kind === 'record' && query.state === 'unknown')) return false;
		const earlierMs = this.past.readAt - at;
		if (earlierMs <= 0) return true;
		return earlierMs <= LISTED_MS && !(await this.past.shows(item, since, queries));
	}

	/**
	 * Drives a question through its life: sent once, and looked for among the queries made if nobody knows whether it was
	 * accepted, while no other item that asks the same is on its way. Throws a QueryError if that stays open.
	 */
	private async send(
		item: Item,
		question: Question,
		sending: Sending,
		known: Life = this.journal.lifeOf(item, question.key),
	): Promise<Accepted> {
		const { definition, key, expected } = question;
		if (known.at === 'accepted') {
			return { queries: await this.readKept(item, known.ids), how: 'kept' };
		}
		let doubtful = isDoubtful(known) ? known : undefined;
		let doubts: Doubts = {};
		for (let sends = 1; ; sends++) {
			if (!doubtful) {
				const posted = await sendLocks.shared(key, async () => await this.post(item, question));
				if ('queries' in posted) return { queries: posted.queries, how: 'sent' };
				({ life: doubtful, doubts } = posted);
			}
			const lost = doubtful;
			const mayBeSentAgain = sending.sendAgain && sends < MAX_SENDS;
			const looked = await sendLocks.exclusive(
				key,
				async () => await this.look(item, question, lost, mayBeSentAgain),
			);
			if ('queries' in looked) return { queries: looked.queries, how: 'recovered' };
			const { since, why } = { why: 'earlierTry' as const, ...looked.life };
			const { body, ...told } = doubts;
			const word = why === 'noId' && wordOf(question, body);
			if (word) {
				lastWords.set(key, word);
				return { queries: [word], how: lost === known ? 'kept' : 'sent' };
			}
			this.log.unsure(item, expected.length); // and stays so, whatever is sent after it
			const isAllowed =
				mayBeSentAgain && looked.isProved && (await this.mayPlan(item, sending, question));
			const next = isAllowed ? step(looked.life, { type: 'again' }, expected.length) : looked.life;
			if (isDoubtful(next)) {
				lastUnsure.set(question.id, since);
				const { search } = looked;
				const count = expected.length;
				throw new QueryError({ kind: 'unsure', definition, why, count, since, search, ...told });
			}
			this.journal.keepLost(item, key, looked.life, sends);
			doubtful = undefined;
		}
	}

	private async mayPlan(item: Item, limits: Limits, question: Question): Promise<boolean> {
		return await this.limit.plan(item, limits, [question]).then(
			() => true,
			() => false,
		);
	}

	/** Sends it once. Throws a QueryError if it is refused. */
	private async post(
		item: Item,
		question: Question,
	): Promise<{ queries: Query[] } | { life: Doubtful; doubts: Doubts }> {
		const { definition, path, body, secrets, expected } = question;
		const { mapping, client } = await serviceOfItem(item);
		const request = new Departure(this, item, question);
		const beforeSend = () => request.leave();
		const emptyAs = definition.hasNoResult ? { message: '' } : undefined;
		const asked = { method: 'POST' as const, path, body, secrets, beforeSend, emptyAs };
		const result = await post(item, asked).catch(async (error: unknown) => {
			await request.refused();
			throw error;
		});
		const posted = pickOwn(readPosted(result, mapping), expected);
		if (posted.kind === 'refused') {
			await request.refused();
			throw refusal(question, posted.problem, client);
		}
		const since = await request.answered(posted);
		if (posted.kind === 'unsure') {
			const { hash } = question;
			const life = { at: 'unsure' as const, since, hash, why: posted.why };
			return { life, doubts: await doubtsOf(item, posted, secrets) };
		}
		await this.take(item, question, posted.queries, since);
		return { queries: posted.queries };
	}

	private async take(item: Item, question: Question, queries: Query[], sentAt: number) {
		const { client } = await serviceOfItem(item);
		const ids = queries.map(({ id }) => id);
		noteAccepted(client, question.definition.service);
		for (const id of ids) claim(client, id, sentAt);
		this.log.accepted(item, ids);
		lastAccepted.set(question.id, { at: Date.now(), queries });
		lastUnsure.delete(question.id);
	}

	/** What an earlier try of this execution has got, as it stands now. */
	private async readKept(item: Item, ids: Id[]): Promise<Query[]> {
		const service = await serviceOfItem(item);
		for (const id of ids) claim(service.client, id, 0);
		this.log.accepted(item, ids, true);
		const missing = (id: Id): Query => ({ kind: 'acknowledged', id, raw: { queryId: id } }); // not there yet
		return await Promise.all(ids.map(async (id) => (await findQuery(service, id)) ?? missing(id)));
	}

	/** The queries of a doubtful question; or where it stands, and whether the list would surely show them. */
	private async look(
		item: Item,
		question: Question,
		life: Doubtful,
		mayBeSentAgain: boolean,
	): Promise<{ queries: Query[] } | { life: Doubtful; search: Search; isProved: boolean }> {
		const { definition, key, expected, expectedOf } = question;
		const { client } = await serviceOfItem(item);
		const kept = new Set(this.journal.ids); // also of items that are not read again yet
		const { since } = life;
		const isFree = async (id: Id) =>
			!kept.has(id) && !isClaimed(client, id) && !(await this.past.wasListed(id, since));
		const lost = { expected: expectedOf(life.hash), since, isFree };
		const isWordEnough = definition.hasNoResult && life.at === 'unsure' && life.why === 'noId';
		for (let number = 0; ; number++) {
			await item.wait(LOOKS_MS[number] ?? FURTHER_MS);
			let [next, search, isProved]: [Life, Search, boolean] = [
				life,
				{ unlisted: { message: '', description: '' } },
				false,
			];
			try {
				const { found, untold, isLater, ...listed } = await this.lost.find(item, lost);
				const ids = found.map(({ id }) => id);
				next = step(
					life,
					{ type: 'looked', found: ids, untold, extent: listed.extent },
					expected.length,
				);
				if (next.at === 'accepted') {
					this.journal.keep(item, key, next);
					await this.limit.found(item, ids);
					await this.take(item, question, found, since);
					return { queries: found };
				}
				isProved = next.at === 'missing' && (isLater || Date.now() - since >= LISTED_MS);
				search = { ...listed, found: ids, untold };
			} catch (error) {
				search = { unlisted: wordsOf(error) };
			}
			const mayWait = mayBeSentAgain && next.at === 'missing' && !isProved;
			const isEnough = isWordEnough && !('unlisted' in search);
			if (!isEnough && (number + 1 < LOOKS_MS.length || mayWait)) continue;
			this.journal.keep(item, key, next);
			return { life: isDoubtful(next) ? next : life, search, isProved };
		}
	}
}

/** A question's request: its life is kept at each step, and counted. */
class Departure {
	private life: Life = { at: 'planned' };
	private moment = thisMoment();
	private readonly before: Life;

	constructor(
		private readonly sender: Pick<QuerySender, 'journal' | 'limit'>,
		private readonly item: Item,
		private readonly question: Question,
	) {
		this.before = sender.journal.lifeOf(item, question.key);
	}

	/** It goes to its socket, the first time or again. */
	leave(): void {
		const { journal, limit } = this.sender;
		this.moment = thisMoment();
		const isFirst = this.life.at === 'planned';
		limit.sending(this.question, isFirst);
		if (isFirst) journal.count(this.count);
		this.become({ type: 'sending', since: this.moment(), hash: this.question.hash });
	}

	/** It was surely not accepted: all is as it was before. */
	async refused(): Promise<void> {
		const { journal, limit } = this.sender;
		const { item, before, life, count } = this;
		if (life.at === 'sent') journal.count(-count);
		this.keep(isDoubtful(before) ? before : { at: 'refused' });
		await limit.ended(item, count, 'refused');
	}

	/** Returns when it was sent, by our clock as it is now, in case it was set meanwhile. */
	async answered(posted: Exclude<Posted, { kind: 'refused' }>): Promise<number> {
		const since = this.moment();
		this.become({ type: 'sending', since, hash: this.question.hash });
		this.become({ type: 'answered', posted });
		const ids = posted.kind === 'accepted' ? posted.queries.map(({ id }) => id) : [];
		await this.sender.limit.ended(this.item, this.count, posted.kind, ids);
		return since;
	}

	private get count(): number {
		return this.question.expected.length;
	}

	private become(event: Event): void {
		this.keep(step(this.life, event, this.count));
	}

	private keep(life: Life): void {
		this.life = life;
		this.sender.journal.keep(this.item, this.question.key, life);
	}
}

function refusal(question: Question, problem: Problem, client: string): QueryError {
	const { definition, fields } = question;
	const about = (['curp', 'rfc'] as const).find((name) => name in fields);
	const status = problem.kind === 'status' && !problem.isTokenRefused ? problem.status : 0;
	const mappingKeys = keysToTry(status, definition.service, client);
	return new QueryError({ kind: 'refused', problem, definition, about, mappingKeys });
}

async function doubtsOf(
	item: Item,
	{ problem, body }: Extract<Posted, { kind: 'unsure' }>,
	secrets: string[],
): Promise<Doubts> {
	if (!body) return { problem };
	const { said } = await item.connection();
	// no document shows it: what repeats the credential is withheld whole
	const shown = said([body]).isWithheld ? undefined : body;
	return { problem, body: shown, said: said(body, secrets) };
}

/** What comes out of a 2xx without an ID that the list does not explain; undefined where that is no response at all. */
function wordOf({ definition, key }: Question, body: IDataObject | undefined): Word | undefined {
	const { hasNoShownResponse, service } = definition;
	const word: Word = body
		? { kind: 'word', raw: body }
		: (lastWords.get(key) ?? { kind: 'word', raw: {} });
	return hasNoShownResponse || isWord(word.raw, service) ? word : undefined;
}
